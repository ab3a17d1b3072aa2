/**
 * What belongs to another organization, environment or tenant is answered as what does not exist, in every route of organizations. The routes
 * are those of the table: a new one is called here without being named.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from '@ostiary/contract/route.ts'
import { organizationsOf } from '../support/organizations.ts'
import {
  type ApiRequest,
  admittedCredentials,
  ask,
  credentialHeaders,
  eachRow,
  type Ids,
  idsOf,
  newBody,
  parametersOf,
  pathOf,
  rows,
  testRows,
  visible,
} from '../support/route-table.ts'
import { createTwoTenants, type EnvironmentObjects, type Tenant } from '../support/tenants.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
const { ours, theirs } = await createTwoTenants(w)
const mine = ours.test
const api = await organizationsOf(w, mine)

/** Another organization of the same environment, with a member and an invitation of its own. */
const neighbour = await api.create({ name: 'Neighbour', members: [{ user_id: mine.other_user_id }] })
const { id: neighbours_invitation } = expectStatus(201, await api.invite(neighbour.id, 'neighbour@example.com'))
const inNeighbour: EnvironmentObjects = {
  ...mine,
  organization_id: neighbour.id,
  user_id: mine.other_user_id,
  invitation_id: neighbours_invitation,
}
const sibling = await w.createProject('sibling', { key: ours.platform })
const there = await organizationsOf(w, sibling.test)
const person = await there.user()
const customer = await there.create({ members: [{ user_id: person.id }] })
const { id: invitation_id } = expectStatus(201, await there.invite(customer.id, 'sibling@example.com'))
const inSibling = { ...mine, organization_id: customer.id, user_id: person.id, other_user_id: person.id, invitation_id }
await (await organizationsOf(w, ours.live)).role('only-in-live')

/** Whose ids are sent. */
const owners: Record<string, EnvironmentObjects> = {
  'another organization': inNeighbour,
  'Live of the project': ours.live,
  'another project': inSibling,
  'another tenant': theirs.test,
  'Live of another tenant': theirs.live,
}
const absent = '01m7wwr5ftevtv5yxb47hmb4ht'
const invented: Ids = { organization_id: `org_${absent}`, user_id: `usr_${absent}`, invitation_id: `oiv_${absent}` }

const isOfOrganizations = ({ path }: Route) => /\/organizations(\/|$)/.test(path) || path.endsWith('/users/{user_id}/access')
const concerned = rows.filter(({ route }) => isOfOrganizations(route))
const judged = (route: Route) => parametersOf(route).filter((name) => name in invented)
const named = concerned.filter(({ route }) => judged(route).length > 0)

test('the table has the routes of organizations, members, invitations and users', () => {
  for (const name of ['getOrganization', 'addOrganizationMember', 'resendOrganizationInvitation', 'listAuthUserOrganizations'])
    assert.ok(named.some((row) => row.name === name))
})

/** A valid request of the row, with these ids in its path. */
function requestOf(route: Route, ids: Ids, kind = admittedCredentials(route)[0] ?? 'secret'): ApiRequest {
  const body = route.body ? { body: newBody(route, ours, { ...mine, other_user_id: mine.user_id }) } : {}
  return { method: route.method, path: pathOf(route, ids), headers: credentialHeaders(kind, ours), ...body }
}

/** Every choice of at least one of these. */
const choices = (all: readonly string[]): string[][] =>
  Array.from({ length: 2 ** all.length - 1 }, (_, n) => all.filter((_, place) => ((n + 1) >> place) % 2 === 1))

testRows(
  'an id of others is the answer for an invented one, at each position of the path, to keys and administrators',
  named,
  async ({ name, route }) => {
    const own = idsOf(route, ours)
    for (const kind of admittedCredentials(route))
      for (const places of choices(judged(route))) {
        const at = (ids: Ids) => ({ ...own, ...Object.fromEntries(places.map((place) => [place, ids[place] ?? ''])) })
        const unknown = await ask(w, requestOf(route, at(invented), kind))
        assert.equal(`${unknown.status} ${unknown.body.code}`, '404 not_found', `${name} ${places}`)
        for (const [whose, objects] of Object.entries(owners)) {
          if (whose === 'another organization' && isWhole(route, places)) continue
          const reply = await ask(w, requestOf(route, at(idsOf(route, ours, objects)), kind))
          assert.equal(visible(reply), visible(unknown), `${name} as ${kind}: ${places} of ${whose}`)
        }
      }
  },
)

/** The caller may reach every organization of its environment with what belongs to it, and every user. */
const isWhole = (route: Route, places: readonly string[]) => places.length === judged(route).length

interface Place {
  /** The value that this place has. */
  of: (objects: EnvironmentObjects, tenant: Tenant) => string
  invented: string
  request: (id: string) => ApiRequest
}
const headers = credentialHeaders('secret', ours)
const auth = (method: string, path: string, body?: object): ApiRequest => ({
  ...{ method, path: `/v1/auth/${path}`, headers },
  ...(body === undefined ? {} : { body }),
})
const own_members = `organizations/${mine.organization_id}/members`
const user = ({ user_id }: EnvironmentObjects) => user_id
const organization = ({ organization_id }: EnvironmentObjects) => organization_id
const application = ({ application_id }: EnvironmentObjects) => application_id
const no_user = invented.user_id ?? ''
const no_organization = invented.organization_id ?? ''

/** Where else an id of others can stand: in bodies and queries. Another organization of the environment is not foreign there. */
// biome-ignore format: this table is read by line
const places: Record<string, Place> = {
  'user_id of a new member':         { of: user, invented: no_user, request: (user_id) => auth('POST', own_members, { user_id }) },
  'user_id of a first member':       { of: user, invented: no_user, request: (user_id) => auth('POST', 'organizations', { name: 'New', members: [{ user_id }] }) },
  'application_id of an invitation': { of: application, invented: `app_${absent}`, request: (application_id) => auth('POST', `organizations/${mine.organization_id}/invitations`, { email: 'new@example.com', send_email: false, application_id }) },
  'organization_id of access':       { of: organization, invented: no_organization, request: (id) => auth('GET', `users/${mine.user_id}/access?organization_id=${id}`) },
  'organization_id of grants':       { of: organization, invented: no_organization, request: (id) => auth('GET', `users/${mine.user_id}/grants?organization_id=${id}`) },
  'query of members':                { of: user, invented: no_user, request: (id) => auth('GET', `${own_members}?query=${id}`) },
}
const others = Object.entries(owners).filter(([whose]) => whose !== 'another organization')

for (const [place, { of, invented, request }] of Object.entries(places))
  test(`${place}: an id of others has the answer of an invented one`, async () => {
    const [known, unknown] = [await ask(w, request(of(mine, ours))), await ask(w, request(invented))]
    const seen = (reply: typeof known, id: string) => visible(reply).replaceAll(id, 'ID')
    for (const [whose, objects] of others) {
      if (whose === 'another project' && of === application) continue // it has none
      const id = of(objects, theirs)
      assert.equal(seen(await ask(w, request(id)), id), seen(unknown, invented), `${place}: ${whose}`)
    }
    if (place !== 'organization_id of grants')
      assert.notEqual(seen(known, of(mine, ours)), seen(unknown, invented), 'the own id has another answer')
  })

/** Bodies and filters with the slug of a role. */
const bodies: Record<string, (slug: string) => ApiRequest> = {
  'roles of a member': (slug) => auth('PATCH', `${own_members}/${mine.user_id}`, { roles: [slug] }),
  'roles of a new member': (slug) => auth('POST', own_members, { user_id: mine.other_user_id, roles: [slug] }),
  'roles of an invitation': (slug) =>
    auth('POST', `organizations/${mine.organization_id}/invitations`, { email: 'role@example.com', send_email: false, roles: [slug] }),
  'role of a list': (slug) => auth('GET', `${own_members}?role=${slug}`),
}
for (const [place, request] of Object.entries(bodies))
  test(`${place}: a role of another environment is unknown`, async () => {
    const [foreign, unknown] = [await ask(w, request('only-in-live')), await ask(w, request('nowhere-here'))]
    const seen = (reply: typeof foreign) => visible(reply).replaceAll(/only-in-live|nowhere-here/g, 'SLUG')
    assert.equal(seen(foreign), seen(unknown))
  })

test('a write that others refused changed nothing of theirs', async (t) => {
  await eachRow(
    t,
    Object.entries(owners).map(([name, objects]) => ({ name, objects })),
    async ({ name, objects }) => {
      const key = name === 'another project' ? there.key : objects.secret
      const read = (path: string) => w.call('GET', `/v1/auth/organizations/${objects.organization_id}${path}`, { key })
      assert.equal(expectStatus(200, await read('')).member_count, 1)
      assert.equal(
        expectStatus(200, await read(`/members/${objects.user_id}`)).updated_at,
        expectStatus(200, await read(`/members/${objects.user_id}`)).created_at,
      )
      assert.equal(expectStatus(200, await read(`/invitations/${objects.invitation_id}`)).status, 'pending')
    },
  )
})

test('a key reaches the organizations of its own environment alone', async () => {
  const list = async (path: string, kind: 'secret' | 'platform' = 'secret'): Promise<string[]> =>
    expectStatus(200, await ask(w, { method: 'GET', path, headers: credentialHeaders(kind, ours) })).data.map(
      ({ id }: { id: string }) => id,
    )
  const foreign = others.map(([, { organization_id }]) => organization_id)
  const every = await list('/v1/auth/organizations')
  assert.ok(every.includes(mine.organization_id) && every.includes(neighbour.id))
  assert.deepEqual(
    every.filter((id) => foreign.includes(id)),
    [],
  )
  assert.deepEqual(await list(`${mine.path}/organizations`, 'platform'), every)
  assert.deepEqual(await list(`${ours.live.path}/organizations`, 'platform'), [ours.live.organization_id])
  for (const query of [`slug=${customer.slug}`, 'query=Acme', 'external_id=none'])
    assert.deepEqual(await list(`/v1/auth/organizations?${query}`), [], query)
})
