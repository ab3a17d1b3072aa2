import { own, type Product, setup } from '../product.ts'

export default {
  template: 'kubelogin',
  version_of: 'github.com/int128/kubelogin',
  go: { 'github.com/int128/kubelogin': '1.28.0' },
  files: {
    // There is no cluster: the arguments that kubectl would keep start the plugin, and then again for the next person.
    'credentials.sh': [
      own(`kubectl() {
  for word; do
    shift
    case "$word" in --exec-arg=*) set -- "$@" "\${word#--exec-arg=}" ;; esac
  done
  shift # oidc-login, the name by which kubectl finds the plugin
  while :; do
    rm -rf cache
    kubelogin "$@" --listen-address=127.0.0.1:{port} --skip-open-browser --token-cache-dir=cache \\
      --open-url-after-authentication=http://localhost:{port_2}/ >next.json && mv next.json credential.json
  done
}
`),
      setup(1),
    ],
    // What the API server would read in the ID token of the newest credential.
    'claims.mjs': [
      own(`import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

createServer((request, response) => {
  try {
    const { status } = JSON.parse(readFileSync('credential.json', 'utf8'))
    response.end(Buffer.from(status.token.split('.')[1], 'base64url'))
  } catch {
    response.writeHead(503).end('There is no credential yet.')
  }
}).listen({port_2}, 'localhost')
`),
    ],
  },
  start: `sh -c 'node claims.mjs & . ./credentials.sh'`,
  ready: '/',
  walk: {
    begin: async ({ page, url }) => void (await page.goto(url)),
    finish: ({ page, url }) => page.waitForURL(({ port }) => port !== new URL(url).port),
    async who({ page }) {
      await page.reload()
      return page.locator('body').innerText()
    },
    shown: ({ email }) => email,
  },
} satisfies Product
