/** For which organization a person acts: the request, the page of the choice, tokens, their validation, and how a grant ends. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stepOf } from '../support/account.ts'
import {
  authorizationRequest,
  createAgent,
  createPerson,
  exchange,
  type Fields,
  followPages,
  followToClient,
  obtainCode,
  refresh,
  userinfo,
} from '../support/cookie-browser.ts'
import { holdEndings, rowsFollowed } from '../support/endings.ts'
import { answerOf, organizationsOf } from '../support/organizations.ts'
import { createRoleWorld, payloadOf } from '../support/role-person.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()
const environment = w.test
const orgs = await organizationsOf(w, environment)
const roles = await createRoleWorld(w, environment)
const orders = await roles.createServer('orders', ['orders:read', 'orders:write'])
const of_members = { kind: 'organization' }
await roles.createRole('clerk', { orders: ['orders:read'] }, of_members)
await roles.createRole('boss', { orders: ['orders:read', 'orders:write'] }, of_members)
await roles.createRole('staff', { orders: ['orders:write'] })
const allowed_scopes = ['openid', 'profile', 'email', 'offline_access', 'orders:read', 'orders:write']
const application = (organizations: 'none' | 'optional' | 'required', fields: object = {}) =>
  w.createApplication(environment, { name: `Shop ${organizations}`, allowed_scopes, organizations, ...fields })
const clients = { none: await application('none'), optional: await application('optional'), required: await application('required') }

let made = 0
const newPerson = () => createPerson(w, environment, { email: `member${++made}@example.com` })
type Person = Awaited<ReturnType<typeof newPerson>>

/** Makes organizations of this person, and returns them. */
async function organizationsFor(person: Person, count: number, given: readonly string[] = []) {
  const every = []
  for (let n = 0; n < count; n++) {
    const organization = await orgs.create({ name: `Customer ${++made}` })
    expectStatus(201, await orgs.add(organization.id, person.id, given))
    every.push(organization)
  }
  return every
}
const signIn = async (person: Person) => followToClient(person.agent, authorizationRequest(environment, clients.none), person)

const resultOf = async (person: Person, client: Parameters<typeof answerOf>[2], change: Fields) =>
  (await answerOf(environment, person.agent, client, change)).result
/** The organization of the tokens of a code. */
async function organizationOfCode(person: Person, client: Parameters<typeof exchange>[2], change: Fields): Promise<unknown> {
  return payloadOf((await person.tokens(client, change)).access_token).org_id ?? null
}

test('the strictest of the application and the resource servers of the request counts', async () => {
  const person = await newPerson()
  await signIn(person)
  const strict = await roles.createServer('strict', ['strict:read'], { require_roles: false, organizations: 'required' })
  const client = await application('optional', { allowed_scopes: [...allowed_scopes, 'strict:read'] })
  assert.equal(await resultOf(person, client, {}), 'code')
  assert.equal(await resultOf(person, client, { resource: strict.identifier, scope: 'openid strict:read' }), 'no-access')
})

test('a request names the organization by its id or its slug, exactly', async () => {
  const person = await newPerson()
  const [, second] = await organizationsFor(person, 2)
  await signIn(person)
  for (const use of ['optional', 'required'] as const)
    for (const organization of [second?.id, second?.slug])
      assert.equal(await organizationOfCode(person, clients[use], { organization }), second?.id)
  assert.equal(await resultOf(person, clients.required, { organization: second?.slug.toUpperCase() }), 'no-access')
})

// biome-ignore format: this table is read by line
const named: [string, keyof typeof clients, Fields, string, string | null][] = [
  ['without a requirement none leaves it out',                 'optional', { organization: 'none' },                  'code',            null],
  ['none with a requirement is refused',                             'required', { organization: 'none' },                  'invalid_request', null],
  ['a text that is too long is refused',                             'required', { organization: 'o'.repeat(101) },         'invalid_request', null],
  ['a repeated parameter is refused',                                'required', { organization: ['a', 'b'] },              'invalid_request', null],
  ['an empty parameter is absent',                                   'required', { organization: '' },                      'code',            'first'],
  ['where organizations are not used, it is ignored',                'none',     { organization: 'unknown' },               'code',            null],
  ['where organizations are not used, its length does not matter',   'none',     { organization: 'o'.repeat(2_000) },       'code',            null],
]
for (const [rule, use, change, result, organization] of named)
  test(`organization: ${rule}`, async () => {
    const person = await newPerson()
    const [first] = await organizationsFor(person, 1)
    await signIn(person)
    assert.equal(await resultOf(person, clients[use], change), result)
    if (result === 'code') assert.equal(await organizationOfCode(person, clients[use], change), organization && first?.id)
  })

test('unknown, foreign and disabled organizations, and those of others, have one answer', async () => {
  const person = await newPerson()
  await organizationsFor(person, 1)
  const other = await orgs.create({ name: 'Other', members: [{ user_id: (await newPerson()).id }] })
  const disabled = await orgs.create({ name: 'Disabled' })
  expectStatus(201, await orgs.add(disabled.id, person.id))
  expectStatus(200, await orgs.auth('PATCH', `organizations/${disabled.id}`, { disabled: true }))
  const foreign = await (await organizationsOf(w, w.live)).create({ name: 'Foreign' })
  await signIn(person)
  const pages: string[] = []
  for (const organization of [other.id, other.slug, disabled.id, disabled.slug, foreign.id, 'unknown']) {
    const page = await person.agent.get(authorizationRequest(environment, clients.required, { organization, state: 's', nonce: 'n' }).url)
    assert.deepEqual([page.status, stepOf(page)], [403, 'no-access'])
    const without_request = page.body.replace(/name="(?:request|csrf)" value="[^"]*"/g, '').replaceAll(/href="[^"]*"/g, '')
    pages.push(without_request)
    assert.equal(await resultOf(person, clients.required, { organization, prompt: 'none' }), 'access_denied')
  }
  assert.equal(new Set(pages).size, 1)
})

test('nothing is said about organizations before the sign-in', async () => {
  const person = await newPerson()
  const page = await createAgent().get(authorizationRequest(environment, clients.required, { organization: 'unknown' }).url)
  assert.equal(stepOf(page), 'sign-in')
  await signIn(person)
  assert.equal(await resultOf(person, clients.required, { organization: 'unknown', prompt: 'login' }), 'sign-in')
})

const chosen = (page: Reply, id: string) => ({ ...formOf(page), organization: id })
const formOf = (page: Reply) => {
  assert.equal(stepOf(page), 'select-organization')
  return {}
}

test('a person chooses one of several organizations, or none where it is optional, and the request goes on with it', async () => {
  const person = await newPerson()
  const [first, second] = await organizationsFor(person, 2)
  await signIn(person)
  for (const [use, choice, organization] of [
    ['required', first?.id, first?.id],
    ['required', second?.id, second?.id],
    ['optional', second?.id, second?.id],
    ['optional', 'none', null],
  ] as const) {
    const request = authorizationRequest(environment, clients[use])
    const page = await followPages(person.agent, await person.agent.get(request.url))
    assert.equal(page.body.includes('data-action="no-organization"'), use === 'optional')
    const { url } = { url: (await person.agent.submit(page, chosen(page, choice ?? ''))).headers.get('location') ?? '' }
    const back = await followToClient(person.agent, { url, redirect_uri: request.redirect_uri }, person)
    assert.equal(back.searchParams.get('state'), request.state)
    const code = back.searchParams.get('code') ?? ''
    const tokens = expectStatus(200, await exchange(w, environment, clients[use], { request, code }))
    assert.equal(payloadOf(tokens.access_token).org_id ?? null, organization)
  }
})

test('the form of the choice gives nothing for an organization of others', async () => {
  const person = await newPerson()
  await organizationsFor(person, 2)
  const other = await orgs.create({ name: 'Other' })
  await signIn(person)
  const page = await person.agent.get(authorizationRequest(environment, clients.required).url)
  const after = await followPages(person.agent, await person.agent.submit(page, chosen(page, other.id)))
  assert.deepEqual([after.status, stepOf(after)], [403, 'no-access'])
})

test('an ID token with org_id as a hint stands for its organization', async () => {
  const person = await newPerson()
  const [, second] = await organizationsFor(person, 2)
  await signIn(person)
  const { id_token } = await person.tokens(clients.required, { organization: second?.id })
  assert.equal(payloadOf(id_token).org_id, second?.id)
  assert.equal(await organizationOfCode(person, clients.required, { id_token_hint: id_token, prompt: 'none' }), second?.id)
  expectStatus(204, await orgs.remove(second?.id ?? '', person.id))
  assert.equal(await resultOf(person, clients.required, { id_token_hint: id_token, prompt: 'none' }), 'access_denied')
})

test('tokens, UserInfo and validation say the organization, and the roles of the member count in it', async () => {
  const person = await newPerson()
  await roles.give(person, { slug: 'staff' })
  const [first] = await organizationsFor(person, 1, ['clerk'])
  const [second] = await organizationsFor(person, 1, ['boss'])
  const ask = { scope: 'openid profile offline_access orders:read orders:write', resource: orders.identifier }
  const without = await person.tokens(clients.optional, { ...ask, organization: 'none' })
  assert.equal(without.scope, 'openid profile offline_access orders:write')
  const tokens = await person.tokens(clients.optional, { ...ask, organization: first?.id })
  assert.equal(tokens.scope, 'openid profile offline_access orders:read')
  assert.equal((await person.tokens(clients.optional, { ...ask, organization: second?.slug })).scope, ask.scope)
  const verdict = await roles.validate(tokens.access_token)
  assert.deepEqual([verdict.org_id, verdict.roles, verdict.scope], [first?.id, ['clerk'], tokens.scope])
  const { org_id, org_slug, org_name } = expectStatus(200, await userinfo(w, environment, tokens.access_token))
  assert.deepEqual([org_id, org_slug], [first?.id, first?.slug])
  assert.match(org_name, /^Customer/)
  assert.deepEqual([(await roles.validate(without.access_token)).org_id, payloadOf(without.access_token).org_id], [null, undefined])
  const access = async (query: string) => expectStatus(200, await orgs.auth('GET', `users/${person.id}/access${query}`))
  const given = (answer: { permissions: { resource_server: string; scopes: { name: string }[] }[] }) =>
    answer.permissions.find(({ resource_server }) => resource_server === 'orders')?.scopes.map(({ name }) => name)
  const member = await access(`?organization_id=${first?.id}`)
  assert.deepEqual([member.organization_id, member.is_member, member.roles, given(member)], [first?.id, true, ['clerk'], ['orders:read']])
  const alone = await access('')
  assert.deepEqual([alone.organization_id, alone.is_member, alone.roles], [null, null, ['staff']])
  const elsewhere = await orgs.create({ name: 'Elsewhere' })
  const foreign = await access(`?organization_id=${elsewhere.id}`)
  assert.deepEqual(foreign, { organization_id: elsewhere.id, is_member: false, roles: [], permissions: [] })
  const grants = async (query: string) => expectStatus(200, await orgs.auth('GET', `users/${person.id}/grants${query}`)).data
  assert.deepEqual(
    (await grants(`?organization_id=${first?.id}`)).map((grant: { organization_id: string }) => grant.organization_id),
    [first?.id],
  )
  assert.deepEqual(
    (await grants('')).map((grant: { organization_id: string | null }) => grant.organization_id),
    [second?.id, first?.id, null],
  )
  const read = expectStatus(200, await orgs.auth('GET', `organizations/${first?.id}/members/${person.id}`))
  assert.ok(read.last_used_at !== null)
})

test('a token request changes no organization, and one that names another spends nothing', async () => {
  const person = await newPerson()
  const [first, second] = await organizationsFor(person, 2)
  const request = authorizationRequest(environment, clients.required, { organization: first?.id })
  const code = await obtainCode(person.agent, request, person)
  const tried = await exchange(w, environment, clients.required, { request, code, change: { organization: second?.id } })
  assert.deepEqual([tried.status, tried.body.error], [400, 'invalid_target'])
  let { refresh_token } = expectStatus(
    200,
    await exchange(w, environment, clients.required, { request, code, change: { organization: first?.slug } }),
  )
  for (const organization of [second?.id, 'none', 'unknown']) {
    const refused = await refresh(w, environment, clients.required, { refresh_token, organization })
    assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_target'])
  }
  for (const organization of [first?.id, first?.slug, undefined])
    ({ refresh_token } = expectStatus(200, await refresh(w, environment, clients.required, { refresh_token, organization })))
  const alone = await person.tokens(clients.optional, { organization: 'none' })
  const named = await refresh(w, environment, clients.optional, { refresh_token: alone.refresh_token, organization: first?.id })
  assert.deepEqual([named.status, named.body.error], [400, 'invalid_target'])
  expectStatus(200, await refresh(w, environment, clients.optional, { refresh_token: alone.refresh_token, organization: 'none' }))
  const plain = await person.tokens(clients.none)
  expectStatus(200, await refresh(w, environment, clients.none, { refresh_token: plain.refresh_token, organization: 'unknown' }))
})

/** Leaves an organization on the account page. */
async function leave(id: string, person: Person): Promise<Reply> {
  const question = await person.agent.get(`${environment.issuer}/account?action=leave-organization&id=${id}&user=${person.id}`)
  return person.agent.submit(question, {})
}

interface Ending {
  does: string
  act: (organization: string, person: Person) => Promise<Reply>
  /** Makes the member or the organization count again, as another one. */
  undo: (organization: string, person: Person) => Promise<unknown>
}
// biome-ignore format: this table is read by line
const endings: Ending[] = [
  { does: 'removing the member',        act: (id, { id: user }) => orgs.remove(id, user),                                       undo: (id, { id: user }) => orgs.add(id, user) },
  { does: 'leaving on the account page', act: leave, undo: (id, { id: user }) => orgs.add(id, user) },
  { does: 'disabling the organization', act: (id) => orgs.auth('PATCH', `organizations/${id}`, { disabled: true }),              undo: (id) => orgs.auth('PATCH', `organizations/${id}`, { disabled: false }) },
  { does: 'deleting the organization',  act: (id) => orgs.auth('DELETE', `organizations/${id}`),                                 undo: async () => {} },
]
for (const { does, act, undo } of endings)
  test(`${does} ends its grants and codes at once and for good, and no others`, async (t) => {
    const person = await newPerson()
    const [organization, other] = await organizationsFor(person, 2)
    const id = organization?.id ?? ''
    const tokens = await person.tokens(clients.required, { organization: id })
    const kept = await person.tokens(clients.required, { organization: other?.id })
    const alone = await person.tokens(clients.none)
    const { request, code } = await person.code(clients.required, { organization: id })
    const asked = await application('required', { consent: 'ask' })
    await person.tokens(asked, { organization: id })
    const held = holdEndings(w.deployment.db)
    t.after(() => held.goOn())
    assert.ok([200, 204, 303].includes((await act(id, person)).status))
    const isOver = async () => {
      assert.deepEqual(await roles.validate(tokens.access_token), { active: false, reason: 'revoked' })
      assert.equal((await refresh(w, environment, clients.required, tokens.refresh_token)).body.error, 'invalid_grant')
      assert.equal((await userinfo(w, environment, tokens.access_token)).status, 401)
      assert.equal((await exchange(w, environment, clients.required, { request, code })).body.error, 'invalid_grant')
    }
    await isOver()
    assert.equal(await resultOf(person, clients.required, { organization: id }), 'no-access')
    await undo(id, person)
    await isOver() // by the numbers alone: no row has followed
    held.goOn()
    await rowsFollowed(w.deployment.db)
    await isOver()
    assert.equal((await roles.validate(kept.access_token)).active, true)
    assert.equal((await roles.validate(alone.access_token)).active, true)
    expectStatus(200, await refresh(w, environment, clients.required, kept.refresh_token))
    const grants = expectStatus(200, await orgs.auth('GET', `users/${person.id}/grants?organization_id=${id}`)).data
    assert.deepEqual(grants, [])
    if (does !== 'disabling the organization' && does !== 'deleting the organization')
      assert.equal(await resultOf(person, asked, { organization: id }), 'consent', 'a member who returns is asked again')
    if (does === 'disabling the organization') assert.equal(await resultOf(person, asked, { organization: id }), 'code')
  })

test('consent is kept for each organization apart, and its page says for which', async () => {
  const client = await application('optional', { consent: 'ask' })
  const person = await newPerson()
  const [first, second] = await organizationsFor(person, 2)
  await signIn(person)
  const page = await person.agent.get(authorizationRequest(environment, client, { organization: first?.id }).url)
  assert.equal(stepOf(page), 'consent')
  assert.equal(/<main [^>]*data-organization="([^"]*)"/.exec(page.body)?.[1], first?.id)
  assert.match(page.body, /wants to act for you in <b>Customer/)
  await person.tokens(client, { organization: first?.id })
  for (const [organization, step] of [
    [first?.id, 'code'],
    [second?.id, 'consent'],
    ['none', 'consent'],
  ] as const)
    assert.equal(await resultOf(person, client, { organization }), step)
  await person.tokens(client, { organization: 'none' })
  assert.equal(await resultOf(person, client, { organization: second?.id }), 'consent')
})

test('the account page names the organization of an app, and disconnects it in this one alone', async () => {
  const client = await application('optional', { name: 'Planner', consent: 'ask' })
  const person = await newPerson()
  const [first, second] = await organizationsFor(person, 2)
  const tokens = new Map<string | undefined, { access_token: string }>()
  for (const id of [first?.id, second?.id, 'none']) tokens.set(id, await person.tokens(client, { organization: id }))
  const page = await followPages(person.agent, await person.agent.get(`${environment.issuer}/account`))
  assert.equal(page.body.match(/Planner in Customer/g)?.length, 4) // the name, and the words of its button
  const form = page.body.split('<form').find((part: string) => part.includes('/disconnect"') && part.includes(first?.id ?? '?')) ?? ''
  assert.ok(form, 'a form of its own')
  await person.agent.submit({ ...page, body: `<form${form}` }, {})
  const active = async (id: string | undefined) => (await roles.validate(tokens.get(id)?.access_token ?? '')).active
  assert.deepEqual([await active(first?.id), await active(second?.id), await active('none')], [false, true, true])
  assert.equal(await resultOf(person, client, { organization: first?.id }), 'consent')
  assert.equal(await resultOf(person, client, { organization: second?.id }), 'code')
})

test('where an organization becomes required, tokens without one are refused, and count again without the requirement', async () => {
  const client = await application('optional')
  const person = await newPerson()
  const [organization] = await organizationsFor(person, 1)
  const alone = await person.tokens(client, { organization: 'none' })
  const within = await person.tokens(client, { organization: organization?.id })
  await roles.change('applications', client, { organizations: 'required' })
  assert.deepEqual(await roles.validate(alone.access_token), { active: false, reason: 'not_allowed' })
  assert.equal((await refresh(w, environment, client, alone.refresh_token)).body.error, 'invalid_grant')
  assert.equal((await userinfo(w, environment, alone.access_token)).status, 401)
  assert.equal((await roles.validate(within.access_token)).active, true)
  await roles.change('applications', client, { organizations: 'none' })
  assert.equal((await roles.validate(alone.access_token)).active, true)
  expectStatus(200, await refresh(w, environment, client, alone.refresh_token))
  const going_on = expectStatus(200, await refresh(w, environment, client, within.refresh_token))
  assert.equal(payloadOf(going_on.access_token).org_id, organization?.id)
})

test('the same holds for a resource server of the token', async () => {
  const api = await roles.createServer('later', ['later:read'], { require_roles: false })
  const client = await application('none', { allowed_scopes: [...allowed_scopes, 'later:read'] })
  const person = await newPerson()
  const tokens = await person.tokens(client, { scope: 'openid offline_access later:read', resource: api.identifier })
  const others = await person.tokens(client)
  await roles.change('resource-servers', api, { organizations: 'required' })
  assert.deepEqual(await roles.validate(tokens.access_token), { active: false, reason: 'not_allowed' })
  assert.equal((await refresh(w, environment, client, tokens.refresh_token)).body.error, 'invalid_grant')
  assert.equal((await roles.validate(others.access_token)).active, true)
  await roles.remove('resource-servers', api)
  assert.equal((await roles.validate(tokens.access_token)).active, true)
})

test('the page of a person without access leads to the choice of another organization', async () => {
  const person = await newPerson()
  const [first] = await organizationsFor(person, 1)
  const [second] = await organizationsFor(person, 1, ['boss'])
  await signIn(person)
  const ask = { scope: 'openid orders:write', resource: orders.identifier, organization: first?.id }
  const request = authorizationRequest(environment, clients.required, ask)
  const page = await person.agent.get(request.url)
  assert.equal(stepOf(page), 'no-access')
  const list = await followPages(person.agent, await person.agent.submit(page, { decision: 'organizations' }))
  const { headers } = await person.agent.submit(list, chosen(list, second?.id ?? ''))
  const back = await followToClient(person.agent, { url: headers.get('location') ?? '', redirect_uri: request.redirect_uri }, person)
  const code = back.searchParams.get('code') ?? ''
  const tokens = expectStatus(200, await exchange(w, environment, clients.required, { request, code }))
  assert.equal(tokens.scope, 'openid orders:write')
})
