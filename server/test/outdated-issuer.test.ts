/**
 * Every endpoint of an issuer except the forms of its pages begins with the issuer that the process remembers (decision 0173). Here that is
 * outdated each time: nothing leaves before the database has said so, and then the request begins again.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { Route } from '@ostiary/contract/route.ts'
import { oidcRoutes } from '@ostiary/contract/routes.ts'
import { sql } from '../src/db/db.ts'
import { authorizationRequest, type Client, createAgent, createPerson, formOf } from './support/cookie-browser.ts'
import { createHold } from './support/held-premise.ts'
import { noPostgres } from './support/postgres.ts'
import { until } from './support/receiver.ts'
import { startUpstreams } from './support/upstream-provider.ts'
import { expectStatus, world } from './support/world.ts'

type Name = keyof typeof oidcRoutes
type Ask = () => Promise<Response>
type Fields = Record<string, string>

const isForm = ({ method, credential }: Route) => method === 'POST' && credential.kind === 'session'
/** How many other writes the database makes before what has not arrived is taken for held. */
const others = 5

if (noPostgres) test('an outdated issuer', { skip: noPostgres })
else await testOutdatedIssuers()

async function testOutdatedIssuers() {
  const hold = createHold()
  const upstreams = await startUpstreams()
  const w = await world({ engine: 'postgres', outbound: upstreams.outbound, database: hold.database })
  const { db, tally } = w.deployment
  const { issuer, id } = w.test
  const client: Client = await w.createApplication(w.test)
  const person = await createPerson(w, w.test)
  const { access_token, id_token, refresh_token } = await person.tokens(client)
  const body = { type: 'oidc', issuer: 'https://sso.example.com', client_id: 'o', client_secret: 's' }
  const provider: { id: string } = expectStatus(201, await w.call('POST', `${w.test.path}/providers`, { body }))

  const urlOf = (name: Name) => {
    const path = oidcRoutes[name].path.replace('{provider_id}', provider.id)
    return path.startsWith('/e/') ? path.replace('/e/{environment_id}', issuer) : w.base_url + path.replace('{environment_id}', id)
  }
  interface Sent {
    query?: string
    form?: Fields
    headers?: Fields
    agent?: typeof person.agent
  }
  const send = (name: Name, { query = '', form, headers = {}, agent = person.agent }: Sent, method: string = oidcRoutes[name].method) =>
    fetch(w.reach(urlOf(name) + query), {
      method,
      redirect: 'manual',
      headers: { cookie: [...agent.cookies].map(([name, value]) => `${name}=${value}`).join('; '), ...headers },
      ...(form ? { body: new URLSearchParams(form) } : {}),
    })

  const authorization = (change: Fields = {}) => new URL(authorizationRequest(w.test, client, change).url).search
  const fieldsOf = (query: string): Fields => Object.fromEntries(new URLSearchParams(query))
  const from_browser = { origin: 'https://app.example.com' }
  const as_client = {
    authorization: `Basic ${Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64')}`,
    ...from_browser,
  }
  const with_token = { authorization: `Bearer ${access_token}`, ...from_browser }
  async function redeem(): Promise<Ask> {
    const { request, code } = await person.code(client)
    const { redirect_uri, code_verifier } = request
    const form = { grant_type: 'authorization_code', code, redirect_uri, code_verifier }
    return () => send('token', { form, headers: as_client })
  }
  async function returnFromProvider(): Promise<Ask> {
    const agent = createAgent()
    const { hidden } = formOf((await agent.get(urlOf('authorize') + authorization())).body)
    const begun = await agent.post(urlOf('federate'), { ...hidden, provider: provider.id })
    const claims = { sub: 'pat', email: 'pat@example.com', email_verified: true }
    const query = `?${new URLSearchParams(upstreams.agree(begun.headers.get('location') ?? '', { claims }))}`
    return () => send('callback', { query, agent })
  }
  const stranger = createAgent()

  // biome-ignore format: this table is read by column
  const requests: [name: Name, what: string, status: number, Ask | { prepared: () => Promise<Ask> }][] = [
    ['discovery',            'the metadata',                     200, () => send('discovery', {})],
    ['authorizationServer',  'the metadata',                     200, () => send('authorizationServer', {})],
    ['ownServer',            'the metadata of an own host',      200, () => send('ownServer', {})],
    ['jwks',                 'the keys',                         200, () => send('jwks', {})],
    ['authorize',            'a code',                           303, () => send('authorize', { query: authorization() })],
    ['authorize',            'the page of a stranger',           200, () => send('authorize', { query: authorization(), agent: stranger })],
    ['authorize',            'an unknown client',                400, () => send('authorize', { query: authorization({ client_id: 'app_no' }) })],
    ['authorize',            'a query that is too long',         400, () => send('authorize', { query: `?${'a=b&'.repeat(1_000)}` })],
    ['authorizeByPost',      'a code',                           303, () => send('authorizeByPost', { form: fieldsOf(authorization()) })],
    ['token',                'a code redeemed',                  200, { prepared: redeem }],
    ['token',                'a refresh',                        200, () => send('token', { form: { grant_type: 'refresh_token', refresh_token }, headers: as_client })],
    ['token',                'a wrong secret',                   401, () => send('token', { form: { grant_type: 'refresh_token', client_id: client.client_id, client_secret: 'wrong', refresh_token } })],
    ['token',                'no parameters',                    400, () => send('token', { form: {} })],
    ['token',                'too many parameters',              400, () => send('token', { form: Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`p${i}`, ''])) })],
    ['userinfo',             'claims',                           200, () => send('userinfo', { headers: with_token })],
    ['userinfo',             'no token',                         401, () => send('userinfo', {})],
    ['userinfoByPost',       'claims',                           200, () => send('userinfoByPost', { form: {}, headers: with_token })],
    ['revoke',               'a token revoked',                  200, () => send('revoke', { form: { token: access_token }, headers: as_client })],
    ['logout',               'the page that asks',               200, () => send('logout', {})],
    ['signedOut',            'a return without a sign-out',      303, () => send('signedOut', {})],
    ['showCodePage',         'no request',                       400, () => send('showCodePage', {})],
    ['showForgotPassword',   'the page',                         200, () => send('showForgotPassword', { query: authorization() })],
    ['showLink',             'a link without a token',           410, () => send('showLink', {})],
    ['showNewPasswordPage',  'a link without a token',           410, () => send('showNewPasswordPage', {})],
    ['showSecondFactorPage', 'no sign-in that waits',            400, () => send('showSecondFactorPage', { query: authorization() })],
    ['openEnrolmentCode',    'no sign-in that waits',            303, () => send('openEnrolmentCode', { query: authorization() })],
    ['openEnrolTotp',        'no sign-in that waits',            303, () => send('openEnrolTotp', { query: authorization() })],
    ['openEnrolPasskey',     'no sign-in that waits',            303, () => send('openEnrolPasskey', { query: authorization() })],
    ['showRecoveryCodes',    'no codes that wait',               410, () => send('showRecoveryCodes', { query: authorization() })],
    ['callback',             'a sign-in at a provider',          303, { prepared: returnFromProvider }],
    ['callbackByPost',       'an answer that nobody waits for',  303, () => send('callbackByPost', { form: { state: 'x', code: 'y' } })],
    ['providerLogout',       'no logout token',                  400, () => send('providerLogout', { form: {} })],
    ['showInvitation',       'an invitation without a token',    404, () => send('showInvitation', {})],
    ['showInvitationCode',   'no request',                       400, () => send('showInvitationCode', {})],
    ['showOwnOrganization',  'an organization of others',        404, () => send('showOwnOrganization', {})],
    ['leadFromIssuer',       'the way to the account',           303, () => send('leadFromIssuer', {})],
    ['leadFromRoot',         'the way to the account',           303, () => send('leadFromRoot', {})],
    ['leadToPasswordChange', 'the way to the password',          303, () => send('leadToPasswordChange', {})],
    ['showAccount',          'the account page',                 200, () => send('showAccount', {})],
    ['userinfo',             'a preflight',                      204, () => send('userinfo', { headers: { ...from_browser, 'access-control-request-method': 'GET' } }, 'OPTIONS')],
    ['logoutByPost',         'a sign-out',                       303, () => send('logoutByPost', { form: { id_token_hint: id_token } })],
  ]

  const environment_id = id as EnvironmentId // as: the id of an environment
  const change = () => db.of(environment_id).run(sql`update environments set version = version + 1 where id = ${environment_id}`)
  const refusals = () => tally.read('refusals').reduce((sum, { count }) => sum + count, 0)

  for (const [name, what, status, asked] of requests)
    test(`${name}, ${what}: nothing leaves before the issuer is confirmed, and the outdated one is dropped`, async () => {
      const ask = typeof asked === 'function' ? asked : await asked.prepared()
      await change()
      let answer: Response | null = null
      const traces = () => ({
        answered: answer !== null,
        lines: w.log.length,
        calls: upstreams.requests.length,
        refusals: refusals(),
        counts: (['sign_ins', 'tokens', 'deliveries'] as const).map((counter) => tally.read(counter)),
        early: hold.seen.early,
      })
      hold.close()
      const before = traces()
      const answered = ask().then((response) => {
        answer = response
        return response
      })
      await until('the question is asked', () => hold.seen.questions > 0)
      for (let i = 0; i < others; i++) await change()
      assert.deepEqual(traces(), before)
      hold.open()
      assert.deepEqual({ status: (await answered).status, ...hold.seen }, { status, questions: 1, stamps: 1, early: [] })
      assert.equal(refusals() - before.refusals, status >= 400 ? 1 : 0)
      assert.equal(w.log.slice(before.lines).filter((line) => line.includes('"request_id"')).length, 1)
    })

  test('the table has every endpoint except the forms of pages', () => {
    const named = new Set<string>(requests.map(([name]) => name))
    const missing = Object.entries(oidcRoutes).filter(([name, route]) => !isForm(route) && !named.has(name))
    assert.deepEqual(missing, [])
  })

  const forms = Object.entries(oidcRoutes).filter(([, route]) => isForm(route))
  for (const [name] of forms)
    test(`${name}: a form waits for the current issuer before it begins`, async () => {
      await change()
      hold.close()
      hold.open()
      await send(name as Name, { form: {} }) // as: a name of the table
      assert.deepEqual({ ...hold.seen }, { questions: 0, stamps: 1, early: [] })
    })
}
