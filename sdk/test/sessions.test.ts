/** Sessions of web applications: Express and Hono as they are, Next.js by its requests and responses, and a real issuer. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { createUseSession } from '@ostiary/sdk/react'
import { createSessions as forExpress, type Session, SessionError, type SessionOptions } from '@ostiary/sdk/sessions/express'
import { createSessions as forHono } from '@ostiary/sdk/sessions/hono'
import { createSessions as forNext } from '@ostiary/sdk/sessions/nextjs'
import express from 'express'
import { Hono } from 'hono'
import { CompactEncrypt } from 'jose'
import { createAgent, followToClient } from '../../server/test/support/cookie-browser.ts'
import { freePort } from '../../server/test/support/free-port.ts'
import { organizationsOf } from '../../server/test/support/organizations.ts'
import { expectStatus, world } from '../../server/test/support/world.ts'
import { createJar } from '../src/sessions/cookies.ts'
import { isOfOrganization } from '../src/sessions/organization.ts'

const w = await world()
const user = await w.createUser(w.test, { email: 'ada@example.com', name: 'Ada Example' })
await w.createUser(w.live, { email: 'ada@example.com', name: 'Ada Example' }) // with the same password
const secret = 'a made-up secret that encrypts the cookies'

/** A registered application, and the options that its program has. */
async function register(base_url: string, is_live = false): Promise<SessionOptions> {
  const environment = is_live ? w.live : w.test
  const application = await w.createApplication(environment, {
    redirect_uris: [`${base_url}/auth/callback`],
    post_logout_redirect_uris: [`${base_url}/`],
  })
  const { client_id, client_secret } = application
  return { issuer: environment.issuer, client_id, client_secret, base_url, secret, now: w.now }
}

type Send = (path: string, init?: RequestInit) => Promise<Response>
/** How each framework shows who is signed in at `/`, and protects `/orders`. */
type Start = (change?: Partial<SessionOptions>) => Promise<{ send: Send; base_url: string }>

const shown = (session: Session | null) => ({ email: session?.user.email ?? null, access_token: session?.access_token ?? null })

const startExpress: Start = async (change = {}) => {
  const port = await freePort()
  const base_url = `http://localhost:${port}`
  const sessions = forExpress({ ...(await register(base_url)), ...change })
  const app = express()
  app.use(sessions.middleware)
  app.get('/', (request, response) => void response.json(shown(sessions.of(request))))
  app.get('/orders', sessions.require, (request, response) => void response.json(shown(sessions.of(request))))
  app.use((error: unknown, _request: unknown, response: express.Response, _next: unknown) => {
    response.status(500).json({ code: error instanceof SessionError ? error.code : String(error) })
  })
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(port, 'localhost', resolve))
  after(() => server.close())
  return { base_url, send: (path, init) => fetch(base_url + path, { redirect: 'manual', ...init }) }
}

const startHono: Start = async (change = {}) => {
  const base_url = change.base_url ?? 'http://localhost:8101'
  const sessions = forHono({ ...(await register(base_url)), ...change })
  const app = new Hono()
  app.use(sessions.middleware)
  app.get('/', (c) => c.json(shown(sessions.of(c))))
  app.get('/orders', sessions.require, (c) => c.json(shown(sessions.of(c))))
  app.onError((error, c) => c.json({ code: error instanceof SessionError ? error.code : String(error) }, 500))
  return { base_url, send: async (path, init) => app.request(base_url + path, init) }
}

/** `NextResponse.next` in a page: what it passes on is the request of the component. */
class NextResponse extends Response {
  passed = new Headers()
  static next({ request: { headers } }: { request: { headers: Headers } }): NextResponse {
    const response = new NextResponse(null)
    response.passed = headers
    return response
  }
}

const startNext: Start = async (change = {}) => {
  const base_url = 'http://localhost:8102'
  const sessions = forNext({ ...(await register(base_url)), ...change })
  const proxy = sessions.proxy(NextResponse)
  const send: Send = async (path, init) => {
    // The address of a listener behind a proxy, as Next.js passes it.
    const request = new Request(`http://127.0.0.1:3000${path}`, init)
    try {
      if (path.startsWith('/auth/'))
        return request.method === 'POST' ? await sessions.handlers.POST(request) : await sessions.handlers.GET(request)
      const passed = await proxy(request)
      const cookies = { toString: () => passed.passed.get('cookie') ?? '' }
      const session = await sessions.get(cookies)
      const headers = new Headers(passed.headers)
      if (path.startsWith('/orders') && session === null) {
        const is_page = request.headers.get('accept')?.includes('text/html') === true
        return new Response(null, is_page ? { status: 303, headers: { location: sessions.signInPath(path) } } : { status: 401 })
      }
      headers.set('content-type', 'application/json')
      return new Response(JSON.stringify(shown(session)), { headers })
    } catch (error) {
      return Response.json({ code: error instanceof SessionError ? error.code : String(error) }, { status: 500 })
    }
  }
  return { base_url, send }
}

/** A browser of the application, which keeps its cookies. */
function browserFor(send: Send) {
  const jar = new Map<string, string>()
  const cookie = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  async function go(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await send(path, { ...init, headers: { ...(init.headers as Record<string, string> | undefined), cookie: cookie() } }) // as: the form that this file writes
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }
  return { jar, cookie, go }
}

const agent = createAgent(w.reach)
/** Signs in at the issuer, where the person has a session after the first time. Returns the path of the callback. */
async function callbackOf(sent: Response, base_url: string): Promise<string> {
  const url = sent.headers.get('location') ?? assert.fail(await sent.text())
  const reached = await followToClient(agent, { url, redirect_uri: `${base_url}/auth/callback` }, user)
  return reached.href.replace(base_url, '')
}

async function signedIn(start: Start, change: Partial<SessionOptions> = {}) {
  const { send, base_url } = await start(change)
  const browser = browserFor(send)
  const callback = await callbackOf(await browser.go('/auth/sign-in?return_to=/orders'), base_url)
  const arrived = await browser.go(callback)
  return { ...browser, send, base_url, callback, arrived }
}

const frameworks: [name: string, start: Start][] = [
  ['Express', startExpress],
  ['Hono', startHono],
  ['Next.js', startNext],
]
for (const [name, start] of frameworks) {
  test(`${name}: a visitor is sent to the issuer, comes back to the page and is signed in until the sign-out`, async () => {
    const { send, base_url } = await start()
    const browser = browserFor(send)
    assert.equal((await browser.go('/orders')).status, 401)
    const refused = await browser.go('/orders?page=2', { headers: { accept: 'text/html' } })
    assert.equal(refused.headers.get('location'), '/auth/sign-in?return_to=%2Forders%3Fpage%3D2')
    const begun = await browser.go('/auth/sign-in?return_to=/orders')
    const asked = new URL(begun.headers.get('location') ?? '').searchParams
    assert.deepEqual([asked.get('code_challenge_method'), asked.has('state'), asked.has('nonce')], ['S256', true, true])
    assert.match(begun.headers.getSetCookie()[0] ?? '', /; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/)

    const callback = await callbackOf(begun, base_url)
    const stranger = await send(callback)
    assert.equal(stranger.status, 400, 'another browser')
    const arrived = await browser.go(callback)
    assert.deepEqual([arrived.status, arrived.headers.get('location')], [303, `${base_url}/orders`])
    assert.deepEqual([...browser.jar.keys()], ['ostiary-session'], 'the state is spent')
    assert.equal((await browser.go(callback)).status, 400, 'a second time')

    const { email, access_token } = (await (await browser.go('/orders')).json()) as Record<string, string> // as: `shown`
    assert.equal(email, 'ada@example.com')
    assert.ok(!browser.cookie().includes(String(access_token)), 'the cookie is encrypted')
    assert.deepEqual(
      Object.keys(((await (await browser.go('/auth/session')).json()) as { user: object }).user).includes('access_token'),
      false,
    ) // as: the answer of the handlers

    assert.equal((await browser.go('/auth/sign-out')).status, 405, 'a link does not sign out')
    const foreign = await browser.go('/auth/sign-out', { method: 'POST', headers: { origin: 'https://evil.example' } })
    assert.equal(foreign.status, 403)
    const left = await browser.go('/auth/sign-out', { method: 'POST', headers: { origin: base_url } })
    const at_issuer = new URL(left.headers.get('location') ?? '')
    assert.equal(at_issuer.pathname, new URL(`${w.test.issuer}/oauth/logout`).pathname)
    const signed_out = await agent.get(at_issuer.href)
    assert.equal(signed_out.headers.get('location')?.split('?')[0], `${base_url}/`)
    assert.equal(browser.jar.size, 0)
    assert.equal((await browser.go('/orders')).status, 401)
  })

  test(`${name}: parallel requests share one refresh, and each gets the new session`, async () => {
    const { go, send, cookie } = await signedIn(start)
    w.advance(3_590)
    const before = cookie()
    const all = await Promise.all(Array.from({ length: 8 }, () => send('/orders', { headers: { cookie: before } })))
    const tokens = await Promise.all(all.map(async (each) => ((await each.json()) as { access_token: string }).access_token)) // as: `shown`
    assert.deepEqual(
      all.map(({ status }) => status),
      Array(8).fill(200),
    )
    assert.equal(new Set(tokens).size, 1)
    const late = await go('/orders')
    assert.equal(((await late.json()) as { access_token: string }).access_token, tokens[0], 'a late one with the old cookie') // as: `shown`
    w.advance(3_590)
    assert.equal((await go('/orders')).status, 200, 'the grant lives')
  })
}

// biome-ignore format: this table is read by column
const return_paths: [path: string, is_own: boolean][] = [
  ['/orders?page=2#3',              true],
  ['//evil.example',                false],
  ['/\\evil.example',               false],
  ['https://evil.example',          false],
  ['orders',                        false],
  ['/\n/evil.example',              false],
  ['/\t/evil.example',              false],
  [`/${'a'.repeat(1_000)}`,         false],
]
test('a sign-in returns to a path of the application only', async () => {
  const { send } = await startHono()
  for (const [path, is_own] of return_paths)
    assert.equal((await send(`/auth/sign-in?${new URLSearchParams({ return_to: path })}`)).status, is_own ? 303 : 400, JSON.stringify(path))
})

test('sign-ins in several tabs end each in its own page, and the oldest of more than three is refused', async () => {
  const { send, base_url } = await startHono()
  const { go, jar } = browserFor(send)
  const begun: Response[] = []
  for (let tab = 0; tab < 4; tab++) begun.push(await go(`/auth/sign-in?return_to=/tab-${tab}`))
  const ends: (string | number | null)[] = []
  for (const each of begun) {
    const { status, headers } = await go(await callbackOf(each, base_url))
    ends.push(headers.get('location') ?? status)
  }
  assert.deepEqual(ends, [400, `${base_url}/tab-1`, `${base_url}/tab-2`, `${base_url}/tab-3`])
  assert.ok(jar.has('ostiary-session'))
})

test('a sign-in names an organization, the session says which one it is for, and the answer for another one is refused', async () => {
  const base_url = 'http://localhost:8101'
  const options = await register(base_url)
  const use = async (organizations: string) => {
    const path = `${w.test.path}/applications/${options.client_id}`
    expectStatus(200, await w.call('PATCH', path, { body: { organizations } }))
  }
  await use('optional')
  const of_test = await organizationsOf(w, w.test)
  const members = [{ user_id: user.id }]
  const [acme, other] = [await of_test.create({ slug: 'acme', members }), await of_test.create({ slug: 'other', members })]
  const { send } = await startHono(options)
  const { go, cookie } = browserFor(send)
  const sessions = forNext(options)
  const signInTo = async (organization: string) =>
    (await go(await callbackOf(await go(sessions.signInPath('/', { organization })), base_url))).status
  const session = () => sessions.get({ toString: cookie })

  for (const [organization, org_id] of [
    ['acme', acme.id],
    [other.id, other.id],
    ['none', null],
  ] as const) {
    assert.equal(await signInTo(organization), 303)
    assert.equal((await session())?.org_id, org_id)
    assert.equal((await session())?.user.org_id, org_id ?? undefined)
  }
  assert.equal(await signInTo('acme'), 303)
  w.advance(3_590)
  await go('/orders')
  assert.equal((await session())?.org_id, acme.id, 'after a refresh')
  await use('none')
  for (const organization of ['acme', acme.id]) assert.equal(await signInTo(organization), 400, 'the issuer ignores it')
  assert.equal((await send('/auth/sign-in?organization=a%20b')).status, 400)
})

// biome-ignore format: this table is read by column
const asked_organizations: [asked: string, claims: Record<string, string>, is_it: boolean][] = [
  ['none',  {},                                     true],
  ['none',  { org_id: 'org_1' },                    false],
  ['org_1', { org_id: 'org_1', org_slug: 'acme' },  true],
  ['org_1', { org_id: 'org_2', org_slug: 'org_1' }, false],
  ['org_1', {},                                     false],
  ['acme',  { org_id: 'org_1', org_slug: 'acme' },  true],
  ['acme',  { org_id: 'org_1', org_slug: 'other' }, false],
  ['acme',  { org_id: 'org_1' },                    true],
  ['acme',  {},                                     false],
]
for (const [asked, claims, is_it] of asked_organizations)
  test(`an ID token with ${JSON.stringify(claims)} ${is_it ? 'is' : 'is not'} for the organization "${asked}"`, () =>
    assert.equal(isOfOrganization(claims, asked), is_it))

test('a session whose grant has ended is over with its next refresh', async () => {
  const { go } = await signedIn(startHono)
  const { key } = expectStatus(201, await w.call('POST', `${w.test.path}/auth-keys`, { body: { type: 'auth_secret' } }))
  expectStatus(200, await w.call('POST', `/v1/auth/users/${user.id}/end-sessions`, { key }))
  w.advance(3_590)
  assert.equal((await go('/orders')).status, 401)
  assert.deepEqual(await (await go('/')).json(), { email: null, access_token: null })
})

test('tokens of another sign-in of the same application are refused', async () => {
  let kept: string | null = null
  const replaying: typeof fetch = async (url, init) => {
    const response = await fetch(url, init)
    if (!String(url).endsWith('/oauth/token')) return response
    kept ??= await response.text()
    return new Response(kept, response)
  }
  const { send, base_url } = await startHono({ fetch: replaying })
  const statuses: number[] = []
  for (const { go } of [browserFor(send), browserFor(send)])
    statuses.push((await go(await callbackOf(await go('/auth/sign-in'), base_url))).status)
  assert.deepEqual(statuses, [303, 400])
})

test('a session ends at its latest time, however often it is refreshed', async () => {
  const { go } = await signedIn(startHono, { max_age_seconds: 5_000 })
  w.advance(3_590)
  assert.equal((await go('/orders')).status, 200)
  w.advance(1_420)
  assert.equal((await go('/orders')).status, 401)
})

test('without offline_access the session ends with its access token', async () => {
  const { go } = await signedIn(startHono, { scope: 'openid email' })
  assert.equal((await go('/orders')).status, 200)
  w.advance(3_601)
  assert.equal((await go('/orders')).status, 401)
})

test('a changed cookie, one of another secret, and the cookie of a sign-in count as nothing; an old secret still decrypts', async () => {
  const options = await register('http://localhost:8101')
  const old = await signedIn((change) => startHono({ ...options, ...change }))
  const value = old.jar.get('ostiary-session') ?? assert.fail()
  const statusWith = async (cookie: string, change: Partial<SessionOptions> = {}) => {
    const { send } = await startHono({ ...options, ...change })
    return (await send('/orders', { headers: { cookie } })).status
  }
  assert.equal(await statusWith(`ostiary-session=${value}`), 200)
  assert.equal(await statusWith(`ostiary-session=${value.slice(0, -2)}AA`), 401)
  assert.equal(await statusWith(`ostiary-session=${value}`, { secret: 'another made-up secret for the cookies' }), 401)
  assert.equal(await statusWith(`ostiary-session=${value}`, { secret: ['another made-up secret for the cookies', secret] }), 200)
  const begun = await old.send('/auth/sign-in')
  const [, of_sign_in = ''] = /=([^;]*)/.exec(begun.headers.getSetCookie()[0] ?? '') ?? []
  assert.equal(await statusWith(`ostiary-session=${of_sign_in}`), 401)
  const jar = createJar({ ...mine, is_secure: false })
  const renamed = (await jar.write('sign-in', { a: 1 }, 60)).replace('ostiary-sign-in', 'ostiary-session')
  assert.deepEqual([await jar.read(renamed, 'session'), await jar.read(renamed.replace('session', 'sign-in'), 'sign-in')], [null, { a: 1 }])
})

/** Deployments that have one secret, and the same names of cookies. */
const mine = { secrets: [secret], issuer: 'https://id.example/e/env_live', client_id: 'app_shop' }
const others = [
  { why: 'another issuer', jar: { ...mine, issuer: 'https://id.example/e/env_test' } },
  { why: 'another client', jar: { ...mine, client_id: 'app_admin' } },
  { why: 'issuer and client cut at another place', jar: { ...mine, issuer: `${mine.issuer}app`, client_id: '_shop' } },
]
for (const name of ['session', 'sign-in'])
  for (const is_secure of [true, false]) {
    const jar = createJar({ ...mine, is_secure })
    const of = is_secure ? 'an https application' : 'an application on localhost'
    for (const { why, jar: other } of others)
      test(`${of} refuses a cookie ${name} of ${why}, although the secret is the same`, async () => {
        const cookie = await createJar({ ...other, is_secure }).write(name, { until: 1 }, 60)
        assert.deepEqual([await jar.read(cookie, name), await createJar({ ...other, is_secure }).read(cookie, name)], [null, { until: 1 }])
      })
    test(`${of} refuses a cookie ${name} under the secret and the name alone`, async () => {
      const bytes = new TextEncoder()
      const material = await crypto.subtle.importKey('raw', bytes.encode(secret), 'HKDF', false, ['deriveBits'])
      const derivation = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0) }
      const read = async (info: string, own = jar) => {
        const key = new Uint8Array(await crypto.subtle.deriveBits({ ...derivation, info: bytes.encode(info) }, material, 256))
        const sealed = await new CompactEncrypt(bytes.encode('{}')).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).encrypt(key)
        return own.read(`${is_secure ? '__Host-' : ''}ostiary-${name}=${sealed}`, name)
      }
      assert.deepEqual(await read(`ostiary cookie ${JSON.stringify([name, mine.issuer, mine.client_id])}`), {})
      assert.equal(await read(`ostiary cookie ${name}`), null)
    })
  }

for (const is_live of [false, true])
  test(`sign-in, page and sign-out take no cookie of ${is_live ? 'a Test deployment in Live' : 'a Live deployment in Test'} with the same secret`, async () => {
    const base_url = 'https://app.example.com'
    const here = await register(base_url, is_live)
    const there = await register(base_url, !is_live)
    const from = await signedIn((change) => startHono({ ...there, ...change }))
    const begun = await from.go('/auth/sign-in')
    const state = new URL(begun.headers.get('location') ?? assert.fail()).searchParams.get('state')
    const { send } = await startHono(here)
    const headers = { cookie: from.cookie() }
    assert.equal((await send('/orders', { headers })).status, 401)
    assert.deepEqual(await (await send('/auth/session', { headers })).json(), { user: null })
    const answered = await send(`/auth/callback?code=a&state=${state}`, { headers })
    assert.deepEqual([answered.status, /did not begin in this browser/.test(await answered.text())], [400, true])
    const left = await send('/auth/sign-out', { method: 'POST', headers })
    assert.equal(left.headers.get('location'), `${base_url}/`, 'no hint with the ID token of the other issuer leaves')
    assert.equal((await from.go('/orders')).status, 200, 'the session there goes on')
  })

test('a value that does not fit into a cookie is refused with a reason; an ordinary session fits', async () => {
  const jar = createJar({ ...mine, is_secure: true })
  const tooLarge = (error: unknown) =>
    error instanceof SessionError && error.code === 'cookie_too_large' && /has \d+ bytes/.test(error.message)
  await assert.rejects(jar.write('session', { claims: 'a'.repeat(3_000) }, 60), tooLarge)
  const { jar: cookies } = await signedIn(startHono)
  const size = cookies.get('ostiary-session')?.length ?? 0
  assert.ok(size > 1_000 && size < 3_600, `${size} bytes`)
})

test('an https application has the cookie __Host-, Secure and without a domain', async () => {
  const options = await register('http://localhost:8101')
  const { send } = await startHono({ ...options, base_url: 'https://app.example.com' })
  const [line = ''] = (await send('/auth/sign-in')).headers.getSetCookie()
  assert.match(line, /^__Host-ostiary-sign-in=[\w.-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/)
})

// biome-ignore format: this table is read by column
const bad_options: [what: string, change: Partial<SessionOptions>][] = [
  ['a short secret',             { secret: 'short' }],
  ['no secret',                  { secret: [] }],
  ['an http application',        { base_url: 'http://app.example.com' }],
  ['an address with a path',     { base_url: 'https://app.example.com/shop' }],
  ['an http issuer',             { issuer: 'http://id.example.com' }],
  ['no client secret',           { client_secret: '' }],
  ['a path that is an address',  { path: '//evil.example' }],
  ['a foreign end of sign-out',  { after_sign_out: 'https://evil.example/' }],
]
test('options that cannot work are refused at the start', async () => {
  const options = await register('http://localhost:8101')
  for (const [what, change] of bad_options)
    assert.throws(
      () => forHono({ ...options, ...change }),
      (error) => error instanceof SessionError && error.code === 'bad_options',
      what,
    )
})

test('the hook of React knows the user after one request, and goes to sign-in and sign-out', async (t) => {
  const { go, base_url } = await signedIn(startHono)
  const went: string[] = []
  const page = {
    location: { pathname: '/orders', search: '?page=2', assign: (url: string) => void went.push(url) },
    document: {
      createElement: () => ({
        method: '',
        action: '',
        submit() {
          went.push(`${this.method} ${this.action}`)
        },
      }),
      body: { append: () => {} },
    },
    addEventListener: () => {},
    removeEventListener: () => {},
  }
  Object.assign(globalThis, page)
  t.mock.method(globalThis, 'fetch', (path: string, init: RequestInit) => go(path, init))
  t.after(() => {
    for (const name of Object.keys(page)) Reflect.deleteProperty(globalThis, name)
  })
  // The contract of React: it subscribes once, and reads again when it is notified.
  let changed = () => {}
  const known = new Promise<void>((resolve) => {
    changed = resolve
  })
  let is_subscribed = false
  const useSession = createUseSession({
    useSyncExternalStore: (subscribe, get) => {
      if (!is_subscribed) subscribe(() => changed())
      is_subscribed = true
      return get()
    },
  })
  assert.deepEqual([useSession().isLoading, useSession().signedIn], [true, false])
  await known
  const { user: shown_user, signedIn: is_signed_in, signIn, signOut } = useSession()
  assert.deepEqual([shown_user?.email, is_signed_in], ['ada@example.com', true])
  assert.equal(useSession(), useSession(), 'the same state is the same object')
  signIn()
  signIn('/orders', { organization: 'acme' })
  signOut()
  const begun = ['/auth/sign-in?return_to=%2Forders%3Fpage%3D2', '/auth/sign-in?return_to=%2Forders&organization=acme']
  assert.deepEqual(went, [...begun, 'post /auth/sign-out'])
  assert.ok(base_url)
})
