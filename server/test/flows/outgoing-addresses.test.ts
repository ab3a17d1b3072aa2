/**
 * Private addresses are out of reach for a URL that a tenant chose, in each of the four kinds of outgoing calls. Every URL has the
 * port of a server that listens at all addresses of this machine. The test also sees every connection that this process attempts,
 * so that an attempt counts even if no server could accept it.
 */
import assert from 'node:assert/strict'
import { subscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { createResolve, type Resolve } from '../../src/deployment/outbound/resolve.ts'
import { makeCertificate } from '../support/certificate.ts'
import { startConnectProxy } from '../support/connect-proxy.ts'
import { authorizationRequest, type Client, createAgent, createPerson, formOf, postAsClient } from '../support/cookie-browser.ts'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/receiver.ts'
import { expectStatus, type Reply, randomText, type World, world } from '../support/world.ts'

// biome-ignore format: this table is read by line
const spelt_out: Record<string, string[]> = {
  '127.0.0.1': [
    '127.0.0.1', '127.0.0.1.', '127.1', '127.0.1', '2130706433', '017700000001', '0x7f000001', '0x7F.0x0.0x0.0x1', '0177.0.0.1', '0177.0x0.0.01', '127.0.0.0x1', '%31%32%37.0.0.1',
    '127%2E0%2E0%2E1', '１２７.0.0.1', '①②⑦.⓪.⓪.①', '127。0。0。1', '127．0．0．1', '\u00ad127.0.0.1', '127.0.0.\u200b1', '[::ffff:127.0.0.1]', '[::FFFF:7F00:1]', '[0:0:0:0:0:ffff:7f00:0001]',
  ],
  '::1': ['[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::0.0.0.1]'],
  localhost: ['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'ⓛocalhost', 'loc%61lhost'],
  'this machine, by another address': ['127.0.0.2', '0', '0x', '0.0.0.0', '[::]'],
  'a metadata service': ['169.254.169.254', '2852039166', '0xA9FEA9FE', '0251.0376.0251.0376', '[::ffff:a9fe:a9fe]', '[fd00:ec2::254]', '168.63.129.16', '100.100.100.200', '192.0.0.192'],
  'a private network': ['10.0.0.1', '10.1', '172.16.0.1', '192.168.0.1', '3232235521', '[fc00::1]', '[fd00::1]', '169.254.0.1', '[fe80::1]', '[fec0::1]'],
  'an IPv4 address within IPv6': ['[::127.0.0.1]', '[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b::A9FE:A9FE]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2001:0:7f00:1::]'],
  'broadcast and multicast': ['224.0.0.1', '255.255.255.255', '[ff02::1]'],
}
const literal_hosts = Object.values(spelt_out).flat()
// biome-ignore format: this table is read by line
const names: Record<string, string[]> = {
  'inside.test': ['127.0.0.1'], 'INSIDE.test.': ['127.0.0.1'], '127.0.0.1.inside.test': ['127.0.0.1'], 'mapped.test': ['::ffff:127.0.0.1'], 'any.test': ['0.0.0.0'],
  'inside6.test': ['::1'], 'any6.test': ['::'], 'metadata.test': ['169.254.169.254'], 'nat64.test': ['64:ff9b::7f00:1'], '6to4.test': ['2002:7f00:1::'], 'mixed.test': ['1.1.1.1', '127.0.0.1'],
  'mixed6.test': ['::1', '2606:4700:4700::1111'], 'octal.test': ['0177.0.0.1'], 'short.test': ['127.1'], 'zone.test': ['fe80::1%lo'], 'nowhere.test': [],
}
const no_urls = ['a@127.0.0.1', '127.0.0.1\\@a.test', '12\t7.0.0.1', '[fe80::1%25lo]', '[::1', '127.0.0.0.1', '256.0.0.1']
const groups = [
  { what: 'private addresses spelt out', hosts: literal_hosts, refused_by: ['webhook'] },
  { what: 'names that lead to a private address', hosts: Object.keys(names), refused_by: [] },
  { what: 'private addresses in malformed URLs', hosts: no_urls, refused_by: ['webhook', 'jwks_uri', 'provider', 'back-channel logout'] },
]

const zone = new Map(Object.entries(names).map(([name, answer]) => [name.toLowerCase(), () => answer]))
const localhost = createResolve({ ask_system: false })
const asked: string[] = []
const resolve: Resolve = async (name, signal) => {
  asked.push(name)
  return zone.get(name)?.() ?? localhost(name, signal)
}

// An issuer is https, so the server has a certificate for every name and address that it is called by.
const hostOf = (host: string) => URL.parse(`https://${host}/`)?.hostname.replace(/^\[(.*)\]$|\.$/g, '$1') ?? host
const all_hosts = [...literal_hosts, ...Object.keys(names), 'issuer.rebinding.test', 'moved.test', 'outside.test'].map(hostOf)
const certificate = makeCertificate('127.0.0.1', ...new Set(all_hosts))
setDefaultCACertificates([...getCACertificates(), certificate.cert])

const attempts: { ip: string; port: number }[] = []
subscribe('net.client.socket', (message) => {
  const { socket } = message as { socket: Socket } // as: the message of this channel
  socket.on('connectionAttempt', (ip: string, port: number) => attempts.push({ ip, port }))
})

const { privateKey, publicKey } = await generateKeyPair('ES256')
const published = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] }
function sign(claims: JWTPayload, at = new Date()) {
  const seconds = Math.floor(at.getTime() / 1000)
  const token = new SignJWT({ iat: seconds, exp: seconds + 60, jti: randomText(), ...claims })
  return token.setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(privateKey)
}

/** Answers as a receiver, a key set and a provider whose codes are the nonce. The endpoint after `/but/` in an issuer is at a private address. */
async function answerTo(url: URL, form: URLSearchParams): Promise<object> {
  const issuer = url.href.replace(/\/(\.well-known\/.*|[^/]*)$/, '')
  const at = (name: string) => [name, issuer.endsWith(`/but/${name}`) ? forbidden : `${issuer}/${name}`]
  const endpoints = ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint']
  if (url.pathname.endsWith('/openid-configuration'))
    return { issuer, ...Object.fromEntries(endpoints.map(at)), id_token_signing_alg_values_supported: ['ES256'] }
  if (url.pathname.endsWith('/userinfo_endpoint')) return { sub: issuer, email: `${randomText()}@example.com` }
  if (!url.pathname.endsWith('/token_endpoint')) return published
  const id_token = await sign({ iss: issuer, aud: 'ostiary', sub: issuer, nonce: form.get('code') })
  return { access_token: 'a', token_type: 'Bearer', id_token }
}

/** A server at all addresses of this machine. It redirects requests below `/302` and other such statuses. */
async function listen() {
  const connections: string[] = []
  const requests: string[] = []
  const answer: RequestListener = async (request, response) => {
    const url = new URL(`${'encrypted' in request.socket ? 'https' : 'http'}://${request.headers.host}${request.url}`)
    requests.push(url.pathname)
    const status = Number(/^\/(30\d)\//.exec(url.pathname)?.[1] ?? 200)
    const content = status === 200 ? await answerTo(url, new URLSearchParams(await text(request))) : {}
    response.writeHead(status, { 'content-type': 'application/json', location: forbidden }).end(JSON.stringify(content))
  }
  const [plain, secure] = [createServer(answer), createSecureServer(certificate, answer)]
  // TLS begins with the byte 22 (RFC 8446 §5.1), HTTP with a letter.
  const server = createTcpServer((socket) => {
    socket.once('readable', () => {
      const first: Buffer | null = socket.read(1)
      if (!first) return socket.destroy()
      socket.unshift(first)
      return (first[0] === 22 ? secure : plain).emit('connection', socket)
    })
    socket.on('error', () => {})
  })
  server.on('connection', ({ localAddress = '' }) => connections.push(localAddress.replace('::ffff:', '')))
  await once(server.listen(0), 'listening')
  after(() => {
    server.close()
    for (const each of [plain, secure]) each.closeAllConnections()
  })
  const { port, family } = server.address() as AddressInfo // as: a server on TCP has one
  const tried = () => attempts.filter((attempt) => attempt.port === port).map(({ ip }) => ip)
  return { port, requests, has_ipv6: family === 'IPv6', reachedAt: () => [...new Set([...connections, ...tried()])].sort() }
}

const [secret, server] = [await listen(), await listen()]
const forbidden = `https://127.0.0.2:${secret.port}/`
const urlOf = (scheme: string, host: string, path: string, { port } = server) => `${scheme}://${host}:${port}/${path}`

const limits = { OSTIARY_LIMITS: '{"webhooks":1000,"webhooks_per_tenant":1000}' }
const closed = await world({ resolve, env: limits })
/** Its two allowed addresses represent public ones. */
const open = await world({ resolve, env: { ...limits, OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32,::1/128' } })

/** Only the proxy knows the name `outside.test`. */
const proxy = await startConnectProxy((target) => (target === `outside.test:${server.port}` ? server : { status: 403 }))
const proxied = await world({ resolve, env: { ...limits, OSTIARY_EGRESS_PROXY: `http://127.0.0.1:${proxy.port}` } })

async function deliver(w: World, webhooks: { id: string }[]): Promise<string[]> {
  const pathOf = ({ id }: { id: string }) => `${w.test.path}/webhooks/${id}`
  const pings = await Promise.all(webhooks.map((webhook) => w.call('POST', `${pathOf(webhook)}/test`)))
  const outcomes: string[] = []
  for (const [i, webhook] of webhooks.entries()) {
    const path = `${pathOf(webhook)}/deliveries?event_id=${expectStatus(202, pings[i] ?? assert.fail()).event_id}`
    const ask = async () => expectStatus(200, await w.call('GET', path)).data[0]?.attempts[0]
    const { status, response } = await until('an attempt', ask)
    outcomes.push(`${status} ${response}`)
  }
  return outcomes
}

async function authenticate(w: World, clients: Client[]): Promise<string[]> {
  const outcomes = clients.map(async ({ client_id, redirect_uris }) => {
    const client_assertion = await sign({ iss: client_id, sub: client_id, aud: w.test.issuer }, w.now())
    const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
    const form = { grant_type: 'refresh_token', refresh_token: 'none', client_assertion, client_assertion_type }
    const { status, body } = await postAsClient(w, `${w.test.issuer}/v1/oauth/token`, { client_id, redirect_uris }, form)
    return `${status} ${body.error} ${body.error_description}`
  })
  return Promise.all(outcomes)
}

/** Starts a sign-in at each provider. */
async function startSignIns(w: World, providers: { id: string }[]) {
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(w.test, await w.createApplication(w.test)).url)
  const start = (provider: string) => agent.post(`${w.test.issuer}/federate`, { ...formOf(page.body).hidden, provider })
  return { agent, replies: await Promise.all(providers.map(({ id }) => start(id))) }
}

/** The status and the text of the page, without the request id. */
function wordsOf({ status, body }: Reply): string {
  const words = /<h1>.*<\/dl>/s.exec(body)?.[0].replace(/<[^>]*>|req_\w+/g, ' ') ?? ''
  const text = `${status} ${words}`.replace(/\s+/g, ' ').trim()
  return text.replace(/Reason (?:dns|refused|tls|timeout|address_not_allowed|proxy): .*? In Live/, 'Reason no connection In Live')
}

/** Ends a session with all these applications. Only the log shows the outcome. */
async function signOut(w: World, applications: Client[]): Promise<string[]> {
  const person = await createPerson(w, w.test)
  await person.code(await w.createApplication(w.test))
  await Promise.all(applications.map((client) => person.tokens(client)))
  await person.agent.submit(await person.agent.get(`${w.test.issuer}/oauth/logout`), { decision: 'sign_out' })
  return until('an attempt for each', async () => {
    const sent = await w.deployment.db.all(
      z.object({ application_id: z.string() }),
      sql`select application_id from backchannel_logouts where user_id = ${person.id}`,
    )
    const jobs = await w.deployment.db.all(z.object({ lane: z.string() }), sql`select lane from jobs where kind = 'backchannel_logout'`)
    const failed = w.log.filter((line) => line.includes('A back-channel logout did not arrive.')).map((line) => JSON.parse(line))
    const outcomes = applications.map(({ client_id }) => {
      const is_delivered = sent.some(({ application_id }) => application_id === client_id) && jobs.every(({ lane }) => lane !== client_id)
      return failed.find((entry) => entry.client_id === client_id)?.why ?? (is_delivered && 'delivered')
    })
    return !outcomes.includes(false) && outcomes
  })
}

const no_keys = '401 invalid_client The keys of the application cannot be read from its jwks_uri.'
/** Before the connection a step has a name, as for webhooks. An answer has only its status. */
const noProvider = (reason: string) =>
  [
    '502 Sign-in with Single sign-on did not work Single sign-on cannot be reached right now, or its answer cannot be used.',
    `Try again in a moment, or sign in another way. Back to sign-in Error provider_unreachable Reason ${reason} In Live People see one`,
    'sentence and the reference. The reason is shown in Test only. Reference',
  ].join(' ')
const no_provider = noProvider('no connection')
const application = { name: 'A', application_type: 'web', redirect_uris: ['https://app.example.com/callback'] }

interface Path {
  scheme: 'http' | 'https'
  list: string
  field: string
  more: Record<string, unknown>
  /** Makes the service call every registered URL, and returns all that it reveals about each call. */
  call: (w: World, registered: any[]) => Promise<string[]> // any: as `Reply` has it
  unreachable: string
  answered: string
  redirected: (status: number) => string
}
// biome-ignore format: this table is read by line
const paths = {
  webhook: { scheme: 'http', list: 'webhooks', field: 'url', more: { events: ['test.ping'] }, call: deliver, unreachable: 'null null', answered: `200 ${JSON.stringify(published)}`, redirected: (status) => `${status} {}` },
  jwks_uri: { scheme: 'http', list: 'applications', field: 'jwks_uri', more: { ...application, token_endpoint_auth_method: 'private_key_jwt' }, call: authenticate, unreachable: no_keys, answered: '400 invalid_grant The refresh token is unknown or has expired.', redirected: () => no_keys },
  provider: { scheme: 'https', list: 'providers', field: 'issuer', more: { type: 'oidc', client_id: 'ostiary', client_secret: 's' }, call: async (w, all) => (await startSignIns(w, all)).replies.map(wordsOf), unreachable: no_provider, answered: '303', redirected: (status) => noProvider(`status: The metadata of the provider answered with the status ${status}.`) },
  'back-channel logout': { scheme: 'http', list: 'applications', field: 'backchannel_logout_uri', more: application, call: signOut, unreachable: 'unreachable', answered: 'delivered', redirected: (status) => `status ${status}` },
} satisfies Record<string, Path>

const register = (w: World, { list, field, more }: Path, url: string) =>
  w.call('POST', `${w.test.path}/${list}`, { body: { ...more, [field]: url } })

/** Registers the URLs, makes the service call them, and compares both outcomes. */
async function expectOutcomes(w: World, path: Path, cases: { url: string; outcome: string }[]): Promise<void> {
  const replies = await Promise.all(cases.map(({ url }) => register(w, path, url)))
  const registered = replies.flatMap(({ status, body }) => (status === 201 ? [body] : []))
  const called = registered.length === 0 ? [] : await path.call(w, registered)
  const outcomes = replies.map(({ status, body }) => `${status} ${status === 201 ? called.shift() : body.errors[0].pointer}`)
  const as_they_are = cases.map(({ url }, i) => ({ url, outcome: outcomes[i] }))
  assert.deepEqual(as_they_are, cases)
}

for (const [name, path] of Object.entries<Path>(paths)) {
  for (const { what, hosts, refused_by } of groups) {
    test(`none of ${hosts.length} ${what} is reached by a ${name}, which reveals nothing about them`, async () => {
      const outcome = refused_by.includes(name) ? `422 /${path.field}` : `201 ${path.unreachable}`
      const cases = hosts.map((host) => ({ url: urlOf(path.scheme, host, '', secret), outcome }))
      await expectOutcomes(closed, path, cases)
      assert.deepEqual(secret.reachedAt(), [])
    })
  }
}

test('a webhook cannot be changed to a private address, and is not delivered to one in the database', async () => {
  const change = async (host: string) => {
    const webhook = expectStatus(201, await register(closed, paths.webhook, 'https://hooks.example.com/'))
    const url = urlOf('http', host, '', secret)
    expectStatus(422, await closed.call('PATCH', `${closed.test.path}/webhooks/${webhook.id}`, { body: { url } }))
    await closed.deployment.db.run(sql`update webhooks set url = ${url} where id = ${webhook.id}`)
    return webhook
  }
  const outcomes = await deliver(closed, await Promise.all(literal_hosts.map(change)))
  const expected = literal_hosts.map(() => paths.webhook.unreachable)
  assert.deepEqual(outcomes, expected)
  assert.deepEqual(secret.reachedAt(), [])
})

const own_names = Object.keys(names).filter((name) => /^(in|mapped|127)/i.test(name))
const own = ['127.0.0.1', '::1', 'localhost'].flatMap((address) => spelt_out[address] ?? []).concat(own_names)
const allowed = own.filter((host) => server.has_ipv6 || !/^\[|inside6/.test(host))
const requestsTo = (path: string) => server.requests.filter((request) => request.includes(path))

const timesAsked = (host: string) => asked.filter((name) => name === host).length
/** A name with another address after its first resolution. */
function rebindingName(host: string): string {
  zone.set(host, () => (timesAsked(host) === 1 ? ['127.0.0.1'] : ['127.0.0.2']))
  return host
}

for (const [name, path] of Object.entries<Path>(paths)) {
  test(`an allowed private address is reached by a ${name} in ${allowed.length} spellings`, async () => {
    const cases = allowed.map((host) => ({ url: urlOf(path.scheme, host, `allowed/${path.field}`), outcome: `201 ${path.answered}` }))
    await expectOutcomes(open, path, cases)
    assert.equal(requestsTo(`/allowed/${path.field}`).length, allowed.length)
  })

  test(`a redirect to a private address is not followed by a ${name}`, async () => {
    const statuses = [301, 302, 303, 307, 308]
    const urlFor = (status: number) => urlOf(path.scheme, '127.0.0.1', `${status}/${path.field}`)
    const cases = statuses.map((status) => ({ url: urlFor(status), outcome: `201 ${path.redirected(status)}` }))
    await expectOutcomes(open, path, cases)
    for (const status of statuses) assert.ok(requestsTo(`/${status}/${path.field}`).length > 0)
    assert.deepEqual(secret.reachedAt(), [])
  })

  test(`a ${name} resolves a name once for each call, and a later private address is not reached`, async () => {
    const host = rebindingName(`${path.field}.rebinding.test`)
    const registered = [expectStatus(201, await register(open, path, urlOf(path.scheme, host, `rebinding/${path.field}`)))]
    assert.deepEqual(await path.call(open, registered), [path.answered])
    open.advance(301) // longer than keys and discovery documents are cached
    assert.deepEqual(await path.call(open, registered), [path.unreachable])
    assert.deepEqual([timesAsked(host), requestsTo(`/rebinding/${path.field}`).length], [2, 1])
    assert.ok(!server.reachedAt().includes('127.0.0.2'))
  })

  test(`a ${name} reveals no more about a closed port than about a private address`, async () => {
    await expectOutcomes(open, path, [{ url: `${path.scheme}://127.0.0.1:${await freePort()}/`, outcome: `201 ${path.unreachable}` }])
  })
}

const discovery = 'openid-configuration'
// biome-ignore format: this table is read by column
const providers = [
  { elsewhere: 'nothing',           called: [discovery, 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'], outcome: '303' },
  { elsewhere: 'userinfo_endpoint', called: [discovery, 'token_endpoint', 'jwks_uri'],                      outcome: no_provider },
  { elsewhere: 'jwks_uri',          called: [discovery, 'token_endpoint'],                                  outcome: no_provider },
  { elsewhere: 'token_endpoint',    called: [discovery],                                                    outcome: no_provider },
  { elsewhere: 'everything',        called: [discovery],                                                    outcome: no_provider, host: rebindingName('moved.test') },
]
for (const { elsewhere, called, outcome, host = '127.0.0.1' } of providers) {
  test(`a sign-in at a provider calls only ${called.join(', ')} when ${elsewhere} is at a private address`, async () => {
    const provider = expectStatus(201, await register(open, paths.provider, urlOf('https', host, `but/${elsewhere}`)))
    const { agent, replies } = await startSignIns(open, [provider])
    const { searchParams } = new URL(replies[0]?.headers.get('location') ?? '')
    const back = new URLSearchParams({ code: searchParams.get('nonce') ?? '', state: searchParams.get('state') ?? '' })
    assert.equal(wordsOf(await agent.get(`${provider.callback_url}?${back}`)), outcome)
    const endpoints = requestsTo(`/but/${elsewhere}`).map((path) => path.replace(/.*\//, ''))
    assert.deepEqual(endpoints, called)
    assert.deepEqual([secret.reachedAt(), server.reachedAt().includes('127.0.0.2')], [[], false])
  })
}

/** How many calls went through the proxy. It runs in this process too, so its connections to the server are among the attempts. */
async function calledThroughProxy(call: () => Promise<unknown>): Promise<number> {
  const connectionsTo = () => attempts.filter(({ port }) => port === server.port).length
  const before = { asked: proxy.targets.length, connected: connectionsTo() }
  await call()
  const through = proxy.targets.length - before.asked
  assert.equal(connectionsTo() - before.connected, through, 'no connection goes around the proxy')
  assert.ok(!asked.includes('outside.test'), 'the name is resolved by the proxy alone')
  return through
}

for (const [name, path] of Object.entries<Path>(paths)) {
  test(`a ${name} goes through the egress proxy, and no connection goes around it`, async () => {
    const url = urlOf(path.scheme, 'outside.test', `proxied/${path.field}`)
    const through = await calledThroughProxy(() => expectOutcomes(proxied, path, [{ url, outcome: `201 ${path.answered}` }]))
    assert.ok(through > 0)
    assert.equal(requestsTo(`/proxied/${path.field}`).length, through)
  })

  test(`a ${name} for which the proxy makes no connection reveals nothing, and does not go around it`, async () => {
    const cases = ['elsewhere.test', '1.1.1.1'].map((host) => ({ url: urlOf(path.scheme, host, ''), outcome: `201 ${path.unreachable}` }))
    await expectOutcomes(proxied, path, cases)
    assert.ok(!asked.includes('elsewhere.test'))
  })
}

test('each call of a sign-in at a provider goes through the egress proxy', async () => {
  const through = await calledThroughProxy(async () => {
    const provider = expectStatus(201, await register(proxied, paths.provider, urlOf('https', 'outside.test', 'through')))
    const { agent, replies } = await startSignIns(proxied, [provider])
    const { searchParams } = new URL(replies[0]?.headers.get('location') ?? '')
    const back = new URLSearchParams({ code: searchParams.get('nonce') ?? '', state: searchParams.get('state') ?? '' })
    assert.equal(wordsOf(await agent.get(`${provider.callback_url}?${back}`)), '303')
  })
  assert.deepEqual([through, requestsTo('/through').length], [4, 4])
})

test('the document of a client that nobody registered is read through the egress proxy', async () => {
  await proxied.changeSettings(proxied.test, { oauth: { metadata_clients: 'any' } })
  const client_id = urlOf('https', 'outside.test', 'documents/agent')
  const request = authorizationRequest(proxied.test, { client_id, redirect_uris: ['https://outside.test/callback'] })
  assert.equal(await calledThroughProxy(() => createAgent().get(request.url)), 1)
  assert.equal(requestsTo('/documents/agent').length, 1)
})

test('a delivery, a back-channel logout and the check of a provider say that the proxy made no connection', async () => {
  const webhook = expectStatus(201, await register(proxied, paths.webhook, 'http://elsewhere.test/'))
  await deliver(proxied, [webhook])
  const { data } = expectStatus(200, await proxied.call('GET', `${proxied.test.path}/webhooks/${webhook.id}/deliveries`))
  assert.equal(data[0].attempts[0].error, 'proxy')
  const client = await proxied.createApplication(proxied.test, { backchannel_logout_uri: 'http://elsewhere.test/' })
  await signOut(proxied, [client])
  assert.ok(proxied.log.some((line) => line.includes(client.client_id) && line.includes('"error":"proxy"')))
  const provider = expectStatus(201, await register(proxied, paths.provider, 'https://elsewhere.test'))
  const checked = expectStatus(200, await proxied.call('POST', `${proxied.test.path}/providers/${provider.id}/check`))
  assert.equal(JSON.stringify(checked).includes('"cause":"proxy"'), true, JSON.stringify(checked))
})
