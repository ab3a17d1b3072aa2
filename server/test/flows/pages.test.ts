/** A browser always gets a page that says what happened and how to go on; a program gets a problem response (decision 0035). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorizationRequest, createAgent, followPages, formOf } from '../support/cookie-browser.ts'
import { expectStatus, type Reply, randomText, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const root_id = w.admin_issuer.split('/').at(-1) ?? ''
const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const open = (path: string, headers: Record<string, string> = browser, method = 'GET') => w.call(method, path, { key: null, headers })

const titleOf = (reply: Reply) => /<h1[^>]*>(.*?)<\/h1>/.exec(reply.body)?.[1]
const brandOf = (reply: Reply) => /<title>.* · (.*?)<\/title>/.exec(reply.body)?.[1]

// biome-ignore format: this table is read by column
const addresses: [method: string, path: string, status: number, code: string, brand: string, title: string][] = [
  ['GET',  '/nowhere',                                404, 'not_found',          'Ostiary',      'There is no page here'],
  ['GET',  '/e/env_unknown/oauth/authorize',          404, 'not_found',          'Ostiary',      'There is no page here'],
  ['GET',  '/demo',                                   404, 'not_found',          'Ostiary',      'There is no page here'],
  ['GET',  '/docs/errors/unheard_of',                 404, 'not_found',          'Ostiary',      'There is no page here'],
  ['POST', '/healthz',                                405, 'method_not_allowed', 'Ostiary',      'This address is for programs'],
  ['GET',  '/v1/me',                                  401, 'unauthenticated',    'Ostiary',      'This address is for programs'],
  ['GET',  '/v1/nowhere',                             404, 'not_found',          'Ostiary',      'There is no page here'],
  ['DELETE', '/v1/me',                                405, 'method_not_allowed', 'Ostiary',      'This address is for programs'],
  ['GET',  '/%zz',                                    400, 'malformed_request',  'Ostiary',      'This address is for programs'],
  ['GET',  `/e/${w.test.id}/nowhere`,                 404, 'not_found',          'Project shop', 'There is no page here'],
  ['GET',  `/e/${w.live.id}/nowhere?x=1`,             404, 'not_found',          'Project shop', 'There is no page here'],
  ...['sign-in', 'sign-up', 'consent', 'select-account', 'federate', 'passkey', 'offer-passkey', 'profile', 'sign-out'].map((step): [string, string, number, string, string, string] =>
   ['GET', `/e/${w.live.id}/${step}?x`,               405, 'method_not_allowed', 'Project shop', 'This page cannot be opened by itself']),
  ['GET',  `/e/${w.test.id}/v1/oauth/token`,          405, 'method_not_allowed', 'Project shop', 'This address is for programs'],
]
for (const [method, path, status, code, brand, title] of addresses) {
  test(`${method} ${path} is ${status} as a page for a browser and as a problem for a program`, async () => {
    const page = await open(path, browser, method)
    assert.equal(page.status, status)
    assert.match(page.headers.get('content-type') ?? '', /^text\/html; charset=utf-8$/)
    assert.deepEqual([brandOf(page), titleOf(page)], [brand, title])
    assert.match(page.body, /<main [^>]*data-step="error"/)
    assert.ok(page.body.includes(`<code>${page.headers.get('x-request-id')}</code>`), 'the reference is the request id')
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'sha256-/)
    assert.equal(page.headers.get('content-language'), 'en')
    assert.equal(page.headers.get('cache-control'), 'no-store')

    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }, { ...browser, 'x-api-key': 'key' }] as Record<
      string,
      string
    >[]) {
      const problem = await open(path, headers, method)
      const expected = 'x-api-key' in headers && path.startsWith('/v1/me') && method === 'GET' ? 'invalid_key' : code
      assert.deepEqual([problem.status, problem.body.code], [status, expected], JSON.stringify(headers))
      assert.match(problem.headers.get('content-type') ?? '', /^application\/problem\+json/)
      assert.equal(problem.headers.get('allow'), page.headers.get('allow'))
    }
    if (status === 405) assert.ok(page.headers.get('allow'))
  })
}

const missing: [path: string, detail: RegExp][] = [
  ['/nowhere', /^There is no such address\. .*\/docs\/api\.$/],
  ['/e/env_unknown/account', /^There is no issuer at this address\./],
  ['/demo', /^This service has no demo\./],
  ['/docs/errors/unheard_of', /^No error has this code\./],
]
for (const [path, detail] of missing)
  test(`what is missing at ${path} is said in words`, async () => {
    assert.match((await open(path, {})).body.detail, detail)
    assert.match((await open(path)).body, new RegExp(`<dd[^>]*>${detail.source.slice(1, 25)}`))
  })

test('an error page of Live names neither the service nor the error, one of Test names the error', async () => {
  const [live, here] = [await open(`/e/${w.live.id}/nowhere`), await open(`/e/${w.test.id}/nowhere`)]
  assert.doesNotMatch(live.body, /Ostiary|not_found|docs\/errors|There is no such/)
  assert.match(here.body, /<code>not_found<\/code>, <a href="[^"]*\/docs\/errors\/not_found">what it means<\/a>/)
})

test('a HEAD of a browser has the status and headers of the page, and no body', async () => {
  const head = await open('/nowhere', browser, 'HEAD')
  assert.deepEqual([head.status, head.headers.get('content-type'), head.body], [404, 'text/html; charset=utf-8', ''])
})

// biome-ignore format: this table is read by column
const languages: [accept_language: string | undefined, locale: string, title: string][] = [
  [undefined,              'en', 'There is no page here'],
  ['de-AT,de;q=0.9',       'de', 'Hier gibt es keine Seite'],
  ['fr,en;q=0.1',          'en', 'There is no page here'],
]
for (const [accept_language, locale, title] of languages) {
  test(`pages are in ${locale} for Accept-Language: ${accept_language}`, async () => {
    const headers = accept_language === undefined ? browser : { ...browser, 'accept-language': accept_language }
    for (const path of ['/nowhere', `/e/${w.live.id}/nowhere`]) {
      const page = await open(path, headers)
      assert.deepEqual([page.headers.get('content-language'), titleOf(page)], [locale, title])
      assert.ok(page.body.includes(`<html lang="${locale}">`))
    }
    const client = await w.createApplication(w.live)
    const sign_in = await createAgent().get(authorizationRequest(w.live, client).url, headers)
    assert.equal(sign_in.headers.get('content-language'), locale)
  })
}

test('discovery lists the languages of the pages', async () => {
  const { body } = await open(`/e/${w.live.id}/.well-known/openid-configuration`, {})
  assert.deepEqual(body.ui_locales_supported, ['en', 'de'])
})

test('the root is a page for a browser and the same links as JSON for a program, and every link works', async () => {
  const page = await open('/')
  assert.deepEqual([page.status, titleOf(page)], [200, 'An identity service runs here'])
  assert.equal(page.headers.get('vary'), 'Accept, Accept-Language')
  const program = expectStatus(200, await open('/', {}))
  assert.deepEqual([program.name, program.base_url], ['Ostiary', w.base_url])
  const links = [...page.body.matchAll(/<li data-id="(\w+)"><a href="([^"]*)">/g)].map(([, id, url]) => [id, url])
  assert.deepEqual(Object.fromEntries(links), program.links)
  assert.deepEqual(
    Object.keys(program.links),
    ['dashboard', 'documentation', 'reference', 'openapi', 'errors', 'protected_resource', 'health', 'ready'],
    'without a demo there is no link to it',
  )
  // The service of the tests has no build of the dashboard.
  for (const [id, url = ''] of links) expectStatus(id === 'dashboard' ? 503 : 200, await w.call('GET', url, { key: null }))
  assert.equal((await open('/', { ...browser, 'accept-language': 'de' })).headers.get('content-language'), 'de')
})

test('the icon of the service is an SVG', async () => {
  const icon = await open('/favicon.ico', { accept: 'image/*' })
  assert.deepEqual([icon.status, icon.headers.get('content-type')], [200, 'image/svg+xml'])
  assert.match(icon.body, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg".*<\/svg>$/)
})

// biome-ignore format: this table is read by column
const forms: [step: string, status: number, says: RegExp, form: (environment: TestEnvironment) => Promise<Record<string, string>>][] = [
  ['sign-in',  400, /allow them for localhost/, async () => ({ email: 'ada@example.com', password: 'a memorable sentence' })],
  ['sign-up',  400, /allow them for localhost/, async () => ({ email: 'ada@example.com', password: 'a memorable sentence' })],
  ['federate', 400, /allow them for localhost/, async (environment) => ({ provider: await createProvider(environment) })],
]
for (const [step, status, says, fieldsOf] of forms) {
  test(`${step} says that cookies are turned off, and creates nothing`, async () => {
    const client = await w.createApplication(w.test)
    const { hidden } = formOf((await createAgent().get(authorizationRequest(w.test, client).url)).body)
    const reply = await createAgent().post(`${w.test.issuer}/${step}`, { ...hidden, ...(await fieldsOf(w.test)) })
    assert.equal(reply.status, status)
    assert.match(reply.body, says)
    assert.match(reply.body, /<title>Error: /)
    assert.deepEqual(expectStatus(200, await w.call('GET', `${w.test.path}/users?email=ada@example.com`)).data, [])
  })
}

test('a form token of another browser is an expired form, not a lack of cookies', async () => {
  const client = await w.createApplication(w.test)
  const { url } = authorizationRequest(w.test, client)
  const { hidden } = formOf((await createAgent().get(url)).body)
  const agent = createAgent()
  await agent.get(url)
  const reply = await agent.post(`${w.test.issuer}/sign-in`, { ...hidden, email: 'ada@example.com', password: 'a memorable sentence' })
  assert.equal(reply.status, 400)
  assert.match(reply.body, /cookie that belongs to this page is gone/)
})

async function createProvider({ path }: TestEnvironment): Promise<string> {
  // Nothing listens on the discard port of this machine, and its address may not be reached in any case.
  const body = { type: 'oidc', display_name: 'Staff', issuer: 'https://localhost:9', client_id: 'x', client_secret: 'y' }
  return expectStatus(201, await w.call('POST', `${path}/providers`, { body })).id
}

for (const type of ['test', 'live'] as const) {
  const environment = w[type]

  test(`a disabled application has its own page (${type})`, async () => {
    const { id, ...client } = await w.createApplication(environment)
    expectStatus(200, await w.call('PATCH', `${environment.path}/applications/${id}`, { body: { disabled: true } }))
    const page = await createAgent().get(authorizationRequest(environment, { client_id: id, redirect_uris: client.redirect_uris }).url)
    assert.deepEqual([page.status, titleOf(page)], [400, 'This app is turned off'])
    assert.equal(page.body.includes('<code>unauthorized_client</code>'), type === 'test')
  })

  test(`a provider that fails has a page with a way back${type === 'test' ? ', and the reason for developers' : ''} (${type})`, async () => {
    const client = await w.createApplication(environment)
    const provider = await createProvider(environment)
    const agent = createAgent()
    const { hidden } = formOf((await agent.get(authorizationRequest(environment, client).url)).body)
    const page = await agent.post(`${environment.issuer}/federate`, { ...hidden, provider })
    assert.deepEqual([page.status, titleOf(page)], [502, 'Sign-in with Staff did not work'])
    assert.match(page.body, /<a class="b p" href="[^"]*\/oauth\/authorize\?[^"]*" data-action="continue">Back to sign-in/)
    assert.equal(page.body.includes('<code>provider_unreachable</code>'), type === 'test')
    assert.equal(/(dns|address_not_allowed): The host/.test(page.body), type === 'test')
    assert.doesNotMatch(page.body, /ECONN|127\.0\.0\.1|::1/, 'nothing tells what answers in our network')
  })

  test(`signed out without a client, the page says how to go on (${type})`, async () => {
    const page = await createAgent().get(`${environment.issuer}/oauth/logout`)
    assert.deepEqual([page.status, titleOf(page)], [200, 'You are signed out'])
    assert.match(page.body, /data-step="signed-out"/)
    assert.match(page.body, /open the app that you want to use/)
    assert.equal(/send id_token_hint, or client_id/.test(page.body), type === 'test')
  })
}

test('a client of another environment of the project is named in Test only, and one of another project nowhere', async () => {
  const [of_test, of_live] = [await w.createApplication(w.test), await w.createApplication(w.live)]
  const other = await w.createApplication((await w.createProject('elsewhere')).test)
  const pageOf = async (environment: TestEnvironment, client: { client_id: string; redirect_uris: string[] }) =>
    (await createAgent().get(authorizationRequest(environment, client).url)).body
  const in_test = await pageOf(w.test, of_live)
  assert.ok(in_test.includes(`This client_id belongs to a Live environment of this project. Its issuer is ${w.live.issuer}`), in_test)
  const in_live = await pageOf(w.live, of_test)
  const unknown = await pageOf(w.live, { client_id: 'app_unknown', redirect_uris: of_test.redirect_uris })
  const withoutReference = (body: string) => body.replace(/<code>req_\w+<\/code>/, '')
  assert.equal(withoutReference(in_live), withoutReference(unknown), 'Live says what it says of any unknown client')
  assert.doesNotMatch(await pageOf(w.test, other), /belongs to/)
})

test('the comparison of return addresses after a sign-out is shown in Test only', async () => {
  for (const environment of [w.test, w.live]) {
    const client = await w.createApplication(environment, { post_logout_redirect_uris: ['https://app.example.com/bye'] })
    const query = new URLSearchParams({ client_id: client.client_id, post_logout_redirect_uri: 'https://app.example.com/by' })
    const page = await createAgent().get(`${environment.issuer}/oauth/logout?${query}`)
    assert.equal(page.status, 200)
    assert.match(page.body, /the return address it sent is not registered/)
    assert.equal(page.body.includes('<mark class="x gap">e is missing</mark>'), environment.type === 'test')
    assert.equal(page.body.includes('app.example.com/by'), environment.type === 'test')
  }
})

// biome-ignore format: this table is read by column
const received: [what: string, redirect_uri: string, links: RegExp[]][] = [
  ['an address that can be registered',        'https://app.example.com/cb?x=1&tab=y', [/\?tab=addresses&amp;redirect_uri=https%3A%2F%2Fapp\.example\.com%2Fcb%3Fx%3D1%26tab%3Dy$/, /\/go\/app_\w+$/]],
  ['one that is too long to come back to',     `https://app.example.com/${'a'.repeat(1_900)}`, [/\?tab=addresses$/, /\/go\/app_\w+$/]],
  ['one that is too long to be registered',    `https://app.example.com/${'a'.repeat(2_000)}`, [/\/go\/app_\w+$/]],
  ['one that cannot be registered',            'javascript:alert(1)',                  [/\/go\/app_\w+$/]],
]
for (const [what, redirect_uri, links] of received)
  test(`the error page for ${what} links to the application in the dashboard in Test, and to nothing of ours in Live`, async () => {
    for (const environment of [w.test, w.live]) {
      const client = await w.createApplication(environment)
      const { body } = await createAgent().get(authorizationRequest(environment, client, { redirect_uri }).url)
      const found = [...body.matchAll(/href="([^"]*\/dashboard\/[^"]*)"/g)].map(([, link = '']) => link)
      const wanted = environment === w.test ? [...links, /\/go\/app_\w+$/, /\/go\/req_\w+$/] : [] // of the client id and of the id of the call, too
      assert.equal(found.length, wanted.length)
      for (const [index, link] of found.entries()) {
        assert.ok(link.startsWith(`${w.base_url}/dashboard/go/`), link)
        assert.ok(link.includes('/go/req_') || link.includes(`/go/${client.client_id}`), link)
        assert.match(link, wanted[index] ?? /^$/)
      }
    }
  })

test('autofocus is on the address, on the password where the client names the address, and on the error after a failure', async () => {
  const client = await w.createApplication(w.live)
  const focused = (reply: Reply) => [...reply.body.matchAll(/<(?:input id|div class)="(\w+)"[^>]* autofocus/g)].map(([, name]) => name)
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(w.live, client).url)
  assert.deepEqual(focused(page), ['email'])
  assert.deepEqual(focused(await agent.get(authorizationRequest(w.live, client, { login_hint: 'ada@example.com' }).url)), ['password'])
  assert.deepEqual(focused(await agent.get(authorizationRequest(w.live, client, { prompt: 'create' }).url)), ['email'])
  assert.deepEqual(focused(await agent.submit(page, { email: 'ada@example.com', password: randomText() })), ['problem'])
})

test('an invented invitation is 404 and a link of it leads to the start page', async () => {
  const page = await followPages(createAgent(), await createAgent().get(`${w.base_url}/e/${root_id}/invitation?token=${randomText()}`))
  assert.deepEqual([page.status, titleOf(page)], [404, 'There is no such invitation'])
  assert.ok(page.body.includes(`<a class="b" href="${w.base_url}/">Start page</a>`))
})
