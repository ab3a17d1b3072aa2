import { own, type Product, setup } from '../product.ts'

export default {
  template: 'phoenix',
  version_of: 'arize-phoenix',
  pypi: { 'arize-phoenix': '20.26.1' },
  environment: [
    setup(0),
    own(`PHOENIX_SECRET='of-this-run-alone-and-32-characters-or-more'
PHOENIX_HOST=127.0.0.1
PHOENIX_PORT={port}
PHOENIX_GRPC_PORT={port_2}
PHOENIX_WORKING_DIR={folder}
PHOENIX_TELEMETRY_ENABLED=false`),
  ],
  start: 'phoenix serve',
  ready: '/healthz',
  start_seconds: 180,
  walk: {
    async begin({ page, url }) {
      await page.goto(`${url}/login`)
      await page.getByRole('button', { name: /Ostiary/ }).click()
    },
    who: ({ page, url }) =>
      page.evaluate<string>(
        `fetch(${JSON.stringify(`${url}/graphql`)}, { method: 'POST', headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ query: '{ viewer { email username } }' }) }).then((answer) => answer.text())`,
      ),
    shown: ({ email }) => email,
    signOut: async ({ page, url }) => void (await page.goto(`${url}/auth/logout`)),
  },
} satisfies Product
