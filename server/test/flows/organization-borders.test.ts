/** Organizations of others at the pages, in authorization requests and token requests: one answer, by the same statements. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asAdministrator } from '../support/administrator.ts'
import {
  type Agent,
  authorizationRequest,
  createAgent,
  createPerson,
  exchange,
  followPages,
  followToClient,
  refresh,
  reloaded,
} from '../support/cookie-browser.ts'
import { organizationsOf } from '../support/organizations.ts'
import { createRoleWorld, payloadOf } from '../support/role-person.ts'
import { recordStatements, traced } from '../support/sent-statements.ts'
import { createAdministrator, createAuthKey, createPlatformKey, storeInvitation } from '../support/tenants.ts'
import { visibleIn } from '../support/visible.ts'
import { expectStatus, type Reply, type TestEnvironment, world } from '../support/world.ts'

const w = await world({ database: (engine) => engine }) // no request begins a second time
const environment = w.test
const orgs = await organizationsOf(w, environment)
const statements = recordStatements(w.deployment.db)
const application = (organizations: 'optional' | 'required', fields: object = {}) =>
  w.createApplication(environment, { name: 'Shop', organizations, ...fields })
const clients = { optional: await application('optional'), required: await application('required') }

const person = await createPerson(w, environment, { email: 'ada@example.com' })
const neighbour = await createPerson(w, environment, { email: 'bob@example.com' })
const own = [await orgs.create({ name: 'Own' }), await orgs.create({ name: 'Also own' })] as const
for (const { id } of own) expectStatus(201, await orgs.add(id, person.id))

interface Organization {
  id: string
  slug: string
}
/** Organizations in which the person cannot act, each with members. */
const closed: Record<string, Organization> = {}
const inOurs = async (name: string, ...members: { id: string }[]) =>
  orgs.create({ name, members: members.map(({ id }) => ({ user_id: id })) })
closed['of others'] = await inOurs('Of others', neighbour)
closed.disabled = await inOurs('Disabled', person, neighbour)
expectStatus(200, await orgs.auth('PATCH', `organizations/${closed.disabled.id}`, { disabled: true }))
closed.left = await inOurs('Left', person, neighbour)
expectStatus(204, await orgs.remove(closed.left.id, person.id))
closed.deleted = await inOurs('Deleted', person)
expectStatus(204, await orgs.auth('DELETE', `organizations/${closed.deleted.id}`))
const live = await organizationsOf(w, w.live)
closed['of Live'] = await live.create({ name: 'In Live', members: [{ user_id: (await live.user({ email: 'ada@example.com' })).id }] })
const theirs = await ofAnotherTenant()
closed['of another tenant'] = theirs.organization
const invented: Organization = { id: 'org_01m7wwr5ftevtv5yxb47hmb4ht', slug: 'nowhere' }

async function ofAnotherTenant(): Promise<{ environment: TestEnvironment; organization: Organization }> {
  const stranger = await createAdministrator(w, 'stranger@example.org')
  const { id } = expectStatus(
    201,
    await asAdministrator(w, stranger.token, null)('POST', '/v1/tenants', { slug: 'globex', name: 'Globex' }),
  )
  const { key: made_by } = await createPlatformKey(w, { tenant_id: id, token: stranger.token })
  const { test: environment } = await w.createProject('globex', { key: made_by })
  const { key } = await createAuthKey(w, environment, 'auth_secret', { made_by })
  const post = async (path: string, body: object) => expectStatus(201, await w.call('POST', `/v1/auth/${path}`, { key, body }))
  const { id: user_id } = await post('users', { email: 'ada@example.com' })
  return { environment, organization: await post('organizations', { name: 'Theirs', members: [{ user_id }] }) }
}

await followToClient(person.agent, authorizationRequest(environment, await w.createApplication(environment)), person)

/** What a person sees, and what the database was asked, with the named organization left out. */
async function seen(named: string, act: () => Promise<Reply>) {
  let reply: Reply | undefined
  const sent = await statements(async () => {
    reply = await act()
  })
  const { status, headers, body } = visibleIn(reply ?? assert.fail(), person.email)
  const text = JSON.stringify({ status, headers, body }).replaceAll(named, 'NAMED')
  return { text: text.replaceAll(/req_[0-9a-z]{26}/g, 'REQUEST'), sent }
}

/** What an invented one gives, as soon as it gives it twice: a request to an issuer that a process did not know may begin again. */
async function expectedOf(act: () => ReturnType<typeof seen>) {
  for (let before = await act(), tries = 0; tries < 5; tries++) {
    const again = await act()
    if (JSON.stringify(again) === JSON.stringify(before)) return again
    before = again
  }
  throw new Error('No two answers were alike.')
}

const pathsAs = ['id', 'slug'] as const
/** Each closed organization gives what an invented one gives, by its id and by its slug. */
async function assertOneAnswer(what: string, ask: (named: string) => Promise<Reply>, by: readonly ('id' | 'slug')[] = pathsAs) {
  for (const as of by) {
    const expected = await expectedOf(() => seen(invented[as], () => ask(invented[as])))
    assert.ok(expected.sent.length > 0)
    for (const [whose, organization] of Object.entries(closed)) {
      const { text, sent } = await seen(organization[as], () => ask(organization[as]))
      assert.equal(text, expected.text, `${what}: the ${as} of an organization ${whose}`)
      assert.deepEqual(sent, expected.sent, `${what}: the statements for the ${as} of an organization ${whose}`)
    }
  }
}

const asked = (use: 'optional' | 'required', change: Record<string, string>) =>
  authorizationRequest(environment, clients[use], { state: 's', nonce: 'n', code_challenge: 'c'.repeat(43), ...change }).url

for (const use of ['optional', 'required'] as const)
  for (const prompt of [undefined, 'none', 'consent'])
    test(`a request with organizations ${use} and prompt ${prompt ?? 'absent'} has one answer for all that the person cannot act for`, () =>
      assertOneAnswer('authorization', (organization) =>
        person.agent.get(asked(use, { organization, ...(prompt === undefined ? {} : { prompt }) }), traced),
      ))

test('the form of the choice has one answer for all that the person cannot act for, and the request gets no code', () =>
  assertOneAnswer('choice', async (organization) => {
    const page = await person.agent.get(asked('required', {}))
    assert.match(page.body, /data-step="select-organization"/)
    const after = await followWith(person.agent, await person.agent.submit(page, { organization }, traced))
    assert.deepEqual([after.status, /data-step="([^"]*)"/.exec(after.body)?.[1]], [403, 'no-access'])
    return after
  }))

test('the form of the choice is for the account that the page named', async () => {
  const page = await person.agent.get(asked('required', {}))
  const after = await followPages(
    person.agent,
    await person.agent.submit(page, { organization: own[0].id, session: 'ses_01m7wwr5ftevtv5yxb47hmb4ht' }),
  )
  assert.doesNotMatch(after.headers.get('location') ?? '', /code=/)
})

/** Follows redirects within the service, to a page. */
async function followWith(agent: Agent, reply: Reply, most = 5): Promise<Reply> {
  const location = reply.headers.get('location')
  if (location === null || !location.startsWith(environment.issuer) || most === 0) return reply
  return followWith(agent, await agent.get(location, traced), most - 1)
}

const csrf = async () => /name="csrf" value="([^"]*)"/.exec((await person.agent.get(`${environment.issuer}/account`)).body)?.[1] ?? ''
const send = async (path: string, fields: Record<string, string>) =>
  person.agent.post(`${environment.issuer}/${path}`, reloaded({ csrf: await csrf(), user: person.id, ...fields }), traced)

/** The pages of an organization, and forms with its id. Members of a disabled one may leave it. */
const pages: Record<string, (id: string) => Promise<Reply>> = {
  'the page of an organization': (id) => person.agent.get(`${environment.issuer}/organizations/${id}`, traced),
  'an invitation by its page': (id) => send(`organizations/${id}`, { action: 'invite', email: 'new@example.com' }),
  'roles of a member by its page': (id) => send(`organizations/${id}`, { action: 'change-roles', member: neighbour.id }),
  'the removal of a member by its page': (id) => send(`organizations/${id}`, { action: 'remove-member', member: neighbour.id }),
}
for (const [what, ask] of Object.entries(pages))
  test(`${what} has one answer for all that the person cannot act for`, () => assertOneAnswer(what, ask, ['id']))

test('a person leaves no organization of others', async () => {
  for (const [whose, { id }] of [...Object.entries(closed), ['invented', invented] as const]) {
    if (whose === 'disabled') continue
    const page = await person.agent.get(`${environment.issuer}/account?action=leave-organization&id=${id}&user=${person.id}`)
    assert.doesNotMatch(page.body, /Of others|Left|In Live|Theirs/, whose)
    const { headers } = await send('account/leave-organization', { id })
    assert.doesNotMatch(headers.get('location') ?? '', /done=leave-organization/, whose)
  }
  const members = expectStatus(200, await orgs.auth('GET', `organizations/${closed['of others']?.id}/members`)).data
  assert.equal(members.length, 1)
})

test('the account page answers an invitation of others as an invented one', async () => {
  const ofOthers = [
    await storeInvitation(w, environment, own[0].id, 'someone@example.com'),
    await storeInvitation(w, w.live, closed['of Live']?.id ?? '', person.email),
    await storeInvitation(w, theirs.environment, theirs.organization.id, person.email),
  ]
  const absent = 'oiv_01m7wwr5ftevtv5yxb47hmb4ht'
  for (const decision of ['accept', 'decline']) {
    const ask = (id: string) => seen(id, () => send('account/invitation', { id, decision }))
    const expected = await expectedOf(() => ask(absent))
    for (const id of ofOthers) assert.deepEqual(await ask(id), expected, decision)
  }
})

test('a link of Test is the page of an invented one at Live and at another tenant, in bytes and statements, by GET and by POST', async () => {
  const { invitation_url } = expectStatus(201, await orgs.invite(own[0].id, 'linked@example.com'))
  const { search } = new URL(invitation_url)
  for (const { issuer } of [w.live, theirs.environment]) {
    for (const method of ['get', 'post'] as const) {
      const open = (query: string) => {
        const url = `${issuer}/invitation${query}`
        return method === 'get' ? createAgent().get(url, traced) : createAgent().post(url, { action: 'accept' }, traced)
      }
      const absent = `?token=${'a'.repeat(43)}`
      const expected = await expectedOf(() => seen('a'.repeat(43), () => open(absent)))
      if (method === 'get') assert.match(expected.text, /"status":404/)
      if (method === 'get') assert.ok(expected.sent.length > 0)
      assert.deepEqual(await seen(search.slice('?token='.length), () => open(search)), expected, `${method} at ${issuer}`)
    }
  }
  assert.equal((await createAgent().get(invitation_url)).status, 200)
})

test('a token request that names another organization is invalid_target in the same words, and spends nothing', async () => {
  const names = [...Object.values(closed), invented, own[1]].flatMap(({ id, slug }) => [id, slug])
  for (const [use, organization] of [
    ['required', own[0].id],
    ['optional', 'none'],
  ] as const) {
    const wrong = [...names, own[0].slug.toUpperCase(), ...(organization === 'none' ? [own[0].id, own[0].slug] : ['none'])]
    const { request, code } = await person.code(clients[use], { organization })
    const refused = new Set<string>()
    const note = ({ status, body }: Reply) => refused.add(JSON.stringify([status, body]).replaceAll(/req_[0-9a-z]{26}/g, 'REQUEST'))
    for (const name of wrong) note(await exchange(w, environment, clients[use], { request, code, change: { organization: name } }))
    const { refresh_token } = expectStatus(200, await exchange(w, environment, clients[use], { request, code, change: { organization } }))
    for (const name of wrong) note(await refresh(w, environment, clients[use], { refresh_token, organization: name }))
    assert.equal(refused.size, 1, [...refused].join('\n'))
    assert.match([...refused].join(), /invalid_target/)
    const tokens = expectStatus(200, await refresh(w, environment, clients[use], { refresh_token, organization }))
    assert.equal(payloadOf(tokens.access_token).org_id ?? null, organization === 'none' ? null : organization)
  }
})

test('a scope name of two resource servers is given in an organization only where the member has it at both', async () => {
  const roles = await createRoleWorld(w, environment)
  const of_members = { kind: 'organization' }
  const [one, two] = [await roles.createServer('one', ['read', 'one:read']), await roles.createServer('two', ['read'])]
  const half = await roles.createRole('half', { one: ['read', 'one:read'] }, of_members)
  const rest = await roles.createRole('rest', { two: ['read'] }, of_members)
  const ofUser = await roles.createRole('of-user', { two: ['read'] })
  const client = await application('required', { allowed_scopes: ['openid', 'read', 'one:read'] })
  const ask = { scope: 'openid read one:read', resource: [one.identifier, two.identifier], organization: own[0].id }
  await roles.give(person, ofUser)
  await roles.giveMember(own[0], person, half)
  await roles.giveMember(own[1], person, half, rest) // in another organization nothing of it counts
  const tokens = await person.tokens(client, ask)
  assert.deepEqual([tokens.scope, (await roles.validate(tokens.access_token)).scope], ['openid one:read', 'openid one:read'])
  await roles.giveMember(own[0], person, half, rest)
  assert.equal((await person.tokens(client, ask)).scope, 'openid read one:read')
})
