/** The environment that strangers meet: as many objects as a large customer has, a provider that answers, and the forms of hosted pages. */
import { createServer } from 'node:http'
import { type Connection, cookiesOf, expectStatus, openConnection, request } from '../connection.ts'
import { type OstiaryCheckout, type Seeded, seedOstiary, startOstiary } from '../ostiary.ts'
import { authorization } from '../provider.ts'

const objects = { resource_servers: 1_000, applications: 200, providers: 20 }

const env = {
  OSTIARY_TRUSTED_PROXIES: '127.0.0.1,::1',
  OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
  OSTIARY_LOG_LEVEL: 'warn',
}

export interface Strangers {
  readonly seeded: Seeded
  readonly provider_id: string
  /** A key that every visitor of an application can read. */
  readonly publishable_key: string
  /** The form of each kind of hosted page, as a visitor gets it. */
  readonly forms: Readonly<Record<FormName, Form>>
  /** Starts the service again with the same data. */
  start(): Promise<Awaited<ReturnType<typeof startOstiary>>['process']>
  close(): void
}

type FormName = 'sign-in' | 'sign-up' | 'forgot-password'

export interface Form {
  readonly cookie: string
  readonly hidden: Readonly<Record<string, string>>
}

/** Seeds a checkout. Its service is stopped again. */
export async function prepareStrangers(checkout: Omit<OstiaryCheckout, 'env'>): Promise<Strangers> {
  const started = await startOstiary({ ...checkout, env })
  const seeded = await seedOstiary(checkout.root, started, 4)
  const { address, platform_key, project_id, environment_id } = seeded
  const connection = await openConnection(address)
  const at = `/v1/platform/projects/${project_id}/environments/${environment_id}`
  const headers = { 'x-api-key': platform_key, 'content-type': 'application/json' }
  const create = async (path: string, body: object, by = connection) =>
    JSON.parse(expectStatus(201, await by.send(request(address, 'POST', at + path, { headers, body: JSON.stringify(body) }))).body)
  const settings = JSON.stringify({ sign_up: { mode: 'open' }, sign_in: { email_code: true } })
  expectStatus(200, await connection.send(request(address, 'PATCH', `${at}/settings`, { headers, body: settings })))
  const many = await Promise.all(Array.from({ length: 16 }, () => openConnection(address)))
  const inParallel = async (count: number, make: (n: number, by: Connection) => Promise<unknown>) => {
    let next = 0
    await Promise.all(
      many.map(async (by) => {
        while (next < count) await make(next++, by)
      }),
    )
  }
  await inParallel(objects.resource_servers, (n, by) => create('/resource-servers', serverOf(n), by))
  await inParallel(objects.applications, (n, by) => create('/applications', applicationOf(n), by))
  for (const each of many) each.close()
  const upstream = await startUpstream()
  const providers: string[] = []
  for (let n = 0; n < objects.providers; n++)
    providers.push(
      (
        await create('/providers', {
          type: 'oidc',
          slug: `provider-${n}`,
          issuer: `${upstream.origin}/${n}`,
          client_id: 'bench',
        })
      ).id,
    )
  const { key: publishable_key } = await create('/auth-keys', {
    type: 'auth_publishable',
    allowed_origins: ['https://app.example.com'],
  })
  const path = authorization(seeded, {}).path
  const pages: Record<FormName, string> = {
    'sign-in': path,
    'sign-up': `${path}&prompt=create`,
    'forgot-password': `${new URL(seeded.issuer).pathname}/forgot-password?${path.split('?')[1]}`,
  }
  const forms: Partial<Record<FormName, Form>> = {}
  for (const [name, page] of Object.entries(pages) as [FormName, string][]) {
    // as: the keys of the table
    const answer = expectStatus(200, await connection.send(request(address, 'GET', page)))
    forms[name] = { cookie: cookiesOf(answer).join('; '), hidden: hiddenIn(answer.body, name) }
  }
  connection.close()
  await started.process.stop()
  return {
    seeded,
    provider_id: providers[0] ?? '',
    publishable_key,
    forms: forms as Record<FormName, Form>, // as: the loop has filled it
    start: async () => (await startOstiary({ ...checkout, env, port: address.port })).process,
    close: upstream.close,
  }
}

const serverOf = (n: number) => ({
  identifier: `https://api-${n}.example.com`,
  name: `API ${n}`,
  scopes: [{ name: `read-${n}`, description: `To read what customer ${n} has` }],
})

const applicationOf = (n: number) => ({
  application_type: 'web',
  name: `Storefront of customer ${n}`,
  redirect_uris: [`https://customer-${n}.example.com/auth/callback`],
})

/** The hidden fields of the form that leads to an action. */
function hiddenIn(html: string, action: string): Record<string, string> {
  const form = html.split('<form ').find((part) => new RegExp(`action="[^"]*/${action}["?]`).test(part))
  if (form === undefined) throw new Error(`The page has no form that leads to ${action}: ${html.slice(0, 500)}`)
  const inputs = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
  return Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, value.replaceAll('&quot;', '"').replaceAll('&amp;', '&')]))
}

/** Identity providers that answer at once, one at each path. */
async function startUpstream() {
  const server = createServer(({ url = '' }, response) => {
    const [, name = '', ...rest] = url.split('/')
    const issuer = `${origin}/${name}`
    const metadata = {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    }
    const body = rest.at(-1) === 'openid-configuration' ? metadata : { keys: [] }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
  return {
    origin,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
