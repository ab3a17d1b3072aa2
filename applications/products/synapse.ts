import { z } from 'zod'
import { own, type Person, type Product, setup, type Visit } from '../product.ts'

/** The Matrix id that each person chooses. */
const nameOf = ({ email }: Person) => email.split('@')[0] ?? ''

const Login = z.object({ access_token: z.string() })

/** The access token of the Matrix client of each person, which stands in for Element. */
const tokens = new WeakMap<Visit['page'], string>()

const matrix = (visit: Visit, method: string, path: string, body?: object) =>
  fetch(`${visit.url}/_matrix/client/v3${path}`, {
    method,
    headers: { authorization: `Bearer ${tokens.get(visit.page) ?? ''}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(20_000),
  })

export default {
  template: 'synapse',
  version_of: 'matrix-synapse[oidc]',
  pypi: { 'matrix-synapse[oidc]': '1.163.2' },
  files: {
    'homeserver.yaml': [
      own(`server_name: localhost
report_stats: false
pid_file: {folder}/synapse.pid
media_store_path: {folder}/media
signing_key_path: {folder}/signing.key
macaroon_secret_key: of this run alone
form_secret: of this run alone
trusted_key_servers: []
database: { name: sqlite3, args: { database: '{folder}/synapse.sqlite' } }
listeners:
  - { port: {port}, bind_addresses: ['127.0.0.1'], type: http, tls: false, resources: [{ names: [client] }] }
`),
      setup(0),
    ],
  },
  prepare: ['python -m synapse.app.homeserver --config-path homeserver.yaml --generate-keys'],
  start: 'python -m synapse.app.homeserver --config-path homeserver.yaml',
  ready: '/_matrix/client/versions',
  walk: {
    async begin({ page, url }) {
      const back = encodeURIComponent(`${url}/_matrix/static/`)
      await page.goto(`${url}/_matrix/client/v3/login/sso/redirect/oidc-ostiary?redirectUrl=${back}`)
    },
    async finish(visit) {
      const { page, person } = visit
      // The page ignores the button until it knows that the name is free.
      const checked = page.waitForResponse(/\/pick_username\/check/)
      await page.locator('[name="username"]').fill(nameOf(person))
      await (await checked).finished()
      await page.getByText('Checking if username is available').waitFor({ state: 'hidden' })
      await page.locator('input[type="submit"], button[type="submit"]').first().click()
      const link = page.locator('a[href*="loginToken="]')
      await link.waitFor()
      const token = new URL((await link.getAttribute('href')) ?? '').searchParams.get('loginToken')
      const answer = await matrix(visit, 'POST', '/login', { type: 'm.login.token', token })
      tokens.set(page, Login.parse(await answer.json()).access_token)
    },
    who: async (visit) => (await matrix(visit, 'GET', '/account/whoami')).text(),
    shown: (person) => `@${nameOf(person)}:localhost`,
    signOut: async (visit) => void (await matrix(visit, 'POST', '/logout', {})),
  },
} satisfies Product
