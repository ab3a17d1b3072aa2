/**
 * What roles cost: requests of people with many roles beside the same requests in an environment that has none, at one process in the same rounds;
 * and changes of a role that very many people have. A row of `columns` is an environment: another kind of person is another row.
 */
import { join } from 'node:path'
import { type Connection, expectStatus, openConnection, request } from './connection.ts'
import { type ColumnName, type Contestant, type ContestantName, type Ground, root, server } from './contestants.ts'
import { median } from './load.ts'
import type { Options } from './options.ts'
import { caller, newMasterKey, type Seeded, seedEnvironment, seedOstiary, startOstiary } from './ostiary.ts'
import { codeFlow } from './provider.ts'
import { ratio } from './report.ts'
import { type Measurement, runRounds } from './rounds.ts'
import { common, own, userinfoOf } from './scenarios.ts'

type Scenario = 'refresh' | 'validate' | 'userinfo'

const scenarios: readonly Scenario[] = ['refresh', 'validate', 'userinfo']
const people = 8
const roles_of_person = 20
const identifier = 'https://orders.example.com'
/** Each role gives one of them, and the application asks for the first few. */
const scopes = Array.from({ length: roles_of_person }, (_, n) => `orders:${n}`)
export const asked_scopes = scopes.slice(0, 4)

const in_flight = 16

type RoleKind = 'user' | 'organization'

type Caller = Awaited<ReturnType<typeof caller>>

/** An environment with a resource server, an application that asks for its scopes, and signed-in people. */
export interface Place {
  readonly call: Caller
  readonly path: string
  readonly platform: Record<string, string>
  readonly seeded: Seeded
  readonly server_id: string
}

/** Each gives the people of its environment what it measures. The first has nothing: the others are compared with it. */
const columns: Record<ColumnName, (place: Place) => Promise<unknown>> = {
  'no roles': async () => {},
  '20 roles': giveRoles,
  async '20 roles in claims'(place) {
    await giveRoles(place)
    const { call, path, platform, seeded, server_id } = place
    for (const object of [`resource-servers/${server_id}`, `applications/${seeded.client.client_id}`])
      await call.change(`${path}/${object}`, platform, { roles_claim: 'roles' })
  },
  'an organization and 20 roles': giveOrganization,
}

const column_names = Object.keys(columns) as ColumnName[] // as: the keys of the table

async function createRoles(place: Place, kind: RoleKind): Promise<string[]> {
  for (const [n, scope] of scopes.entries()) await createRole(place, { slug: `role-${n}`, kind, given: [scope] })
  return scopes.map((_, n) => `role-${n}`)
}

async function giveRoles(place: Place): Promise<void> {
  const { call, path, platform, seeded, server_id } = place
  const roles = await createRoles(place, 'user')
  for (const { id } of seeded.people) await call.change(`/v1/auth/users/${id}`, { 'x-api-key': seeded.secret_key }, { roles })
  await call.change(`${path}/resource-servers/${server_id}`, platform, { require_roles: true })
}

/** All people are members of one organization, and each signs in for it without a choice. */
async function giveOrganization(place: Place): Promise<void> {
  const { call, path, platform, seeded, server_id } = place
  const roles = await createRoles(place, 'organization')
  const members = seeded.people.map(({ id }) => ({ user_id: id, roles }))
  await call.post('/v1/auth/organizations', { 'x-api-key': seeded.secret_key }, { name: 'Acme', members })
  await call.change(`${path}/resource-servers/${server_id}`, platform, { require_roles: true })
  await call.change(`${path}/applications/${seeded.client.client_id}`, platform, { organizations: 'required' })
}

interface NewRole {
  readonly slug: string
  readonly kind: RoleKind
  readonly given: readonly string[]
}

export const createRole = ({ call, path, platform }: Pick<Place, 'call' | 'path' | 'platform'>, { slug, kind, given }: NewRole) =>
  call.post(`${path}/roles`, platform, {
    slug,
    name: slug,
    kind,
    permissions: [{ resource_server: 'orders', scopes: given }],
  })

export async function surveyRoles({ folder, core, freshDatabase }: Ground, options: Options, progress: (text: string) => void) {
  const on = async (engine: 'embedded' | 'postgres', database_url: string | null) => {
    const started = await startOstiary({ root, folder: join(folder, `roles-${engine}`), database_url, core }, newMasterKey())
    const first = await seedOstiary(root, started, 1)
    const say = (text: string) => progress(`roles, ${engine}: ${text}`)
    const contestants: Contestant[] = []
    for (const name of column_names) {
      say(name)
      const { seeded, call } = await createPlace(first, name)
      call.close()
      await proveColumn(seeded, name)
      contestants.push(enter(name, started.process, seeded))
    }
    const measurements = await runRounds({ ...options, scenarios, in_flight: [in_flight], profile: null }, contestants, {
      core,
      first_round: 0,
      progress: say,
    })
    const crowd = await measureCrowd(await createPlace(first, 'no roles', 'crowd'), options.holders, say)
    await started.process.stop()
    return { measured: figuresOf(measurements), ratios: ratiosOf(measurements), crowd }
  }
  return { embedded: await on('embedded', null), postgres: freshDatabase ? await on('postgres', await freshDatabase()) : null }
}

/** Of the requests a second of the first column: the median of the rounds. */
const ratiosOf = (measurements: readonly Measurement[]) =>
  column_names.slice(1).flatMap((column) =>
    scenarios.map((scenario) => {
      const of = (by: 'time' | 'processor') => ratio(measurements, [column, scenario], ['no roles', scenario], { in_flight, by })
      return { column, scenario, ratio: of('time'), by_processor: of('processor') }
    }),
  )

const figuresOf = (measurements: readonly Measurement[]) =>
  [...Map.groupBy(measurements, ({ contestant, scenario }) => `${scenario}, ${contestant}`)].map(([what, rounds]) => ({
    what,
    per_second: median(rounds.map(({ per_second }) => per_second)),
    cpu_us: median(rounds.map(({ cpu_us }) => cpu_us)),
    p99_ms: median(rounds.map(({ p99_ms }) => p99_ms)),
  }))

function enter(name: ContestantName, process: Contestant['process'], seeded: Seeded): Contestant {
  const steps: Record<Scenario, (in_flight: number) => ReturnType<typeof userinfoOf>> = {
    refresh: (in_flight) => common.refresh(seeded, in_flight),
    validate: (in_flight) => own.validate(seeded, in_flight),
    userinfo: (in_flight) => userinfoOf(seeded, in_flight),
  }
  const is_measured = (scenario: string): scenario is Scenario => scenario in steps
  return server({
    name,
    process,
    address: seeded.address,
    takesPart: is_measured,
    prepare(scenario, in_flight) {
      if (!is_measured(scenario)) throw new Error(`Roles are not measured by ${scenario}.`)
      return steps[scenario](in_flight)
    },
  })
}

export async function createPlace(
  { address, platform_key, project_id, admin_issuer }: Seeded,
  name: ColumnName,
  own_slug?: string,
): Promise<Place> {
  const call = await caller(address)
  const platform = { 'x-api-key': platform_key }
  const environments = `/v1/platform/projects/${project_id}/environments`
  const slug = own_slug ?? name.replaceAll(' ', '-')
  const environment = await call.post(environments, platform, { slug, name, type: 'test' })
  const path = `${environments}/${environment.id}`
  const orders = { slug: 'orders', name: 'Orders', identifier, scopes: scopes.map((scope) => ({ name: scope })) }
  const { id: server_id } = await call.post(`${path}/resource-servers`, platform, orders)
  const at_server = { identifier, scopes: asked_scopes }
  const seeded = await seedEnvironment(address, { platform_key, project_id, environment }, { people, at_server })
  const place = { call, path, platform, seeded: { ...seeded, admin_issuer }, server_id }
  await columns[name](place)
  return place
}

async function accessToken(provider: Seeded): Promise<string> {
  const connection = await openConnection(provider.address)
  const { tokens } = await codeFlow(provider, connection, provider.cookies[0] ?? '')
  connection.close()
  return tokens.access_token
}

export async function validation({ address, secret_key }: Seeded, connection: Connection, token: string) {
  const headers = { 'x-api-key': secret_key, 'content-type': 'application/json' }
  const asked = request(address, 'POST', '/v1/auth/tokens/validate', { headers, body: JSON.stringify({ token }) })
  return JSON.parse(expectStatus(200, await connection.send(asked)).body)
}

async function proveColumn(seeded: Seeded, name: ColumnName): Promise<void> {
  const connection = await openConnection(seeded.address)
  const { roles, scope } = await validation(seeded, connection, await accessToken(seeded))
  connection.close()
  if (roles.length !== (name === 'no roles' ? 0 : roles_of_person)) throw new Error(`${name}: the person has ${roles.length} roles.`)
  if (!asked_scopes.every((each) => scope.split(' ').includes(each))) throw new Error(`${name}: the token has the scope ${scope}.`)
}

/** Roles that everyone of the crowd has: each is edited and then deleted. */
export const roles_of_crowd = 5
const edits_of_role = 10
const makers = 16

/** Edits and deletes roles that very many people have. After each answer the token of one of them gives what is left. */
async function measureCrowd({ call, path, platform, seeded, server_id }: Place, holders: number, progress: (text: string) => void) {
  progress(`a role of ${holders} people`)
  const token = await accessToken(seeded)
  await call.change(`${path}/resource-servers/${server_id}`, platform, { require_roles: true })
  const other_scopes = asked_scopes.slice(1)
  const made: { id: string; slug: string }[] = []
  for (let n = 0; n < roles_of_crowd; n++)
    made.push(await createRole({ call, path, platform }, { slug: `crowd-${n}`, kind: 'user', given: other_scopes }))
  const roles = made.map(({ slug }) => slug)
  const key = { 'x-api-key': seeded.secret_key }
  for (const { id } of seeded.people) await call.change(`/v1/auth/users/${id}`, key, { roles })
  let left = holders - seeded.people.length
  const making = Array.from({ length: makers }, async () => {
    const own = await caller(seeded.address)
    for (let n = left--; n > 0; n = left--) await own.post('/v1/auth/users', key, { email: `crowd${n}@example.com`, roles })
    own.close()
  })
  await Promise.all(making)

  const changes = await measureRoleChanges({ call, path, platform, seeded }, made, token)
  call.close()
  return { holders, ...changes }
}

/**
 * Edits each of these roles, which the person of the token has and no other role replaces, and then deletes it. `next_ms`: the longest call after
 * such an answer, which reads again what roles give.
 */
export async function measureRoleChanges(
  { call, path, platform, seeded }: Omit<Place, 'server_id'>,
  made: readonly { readonly id: string }[],
  token: string,
) {
  const [first_scope = '', ...other_scopes] = asked_scopes
  const connection = await openConnection(seeded.address)
  const most_ms = { editing: 0, deleting: 0 }
  let [late, next_ms] = [0, 0]
  const timed = async (what: keyof typeof most_ms, change: () => Promise<unknown>, is_given: boolean) => {
    const began = performance.now()
    await change()
    most_ms[what] = Math.max(most_ms[what], performance.now() - began)
    const answered = performance.now()
    const { scope = '' } = await validation(seeded, connection, token)
    next_ms = Math.max(next_ms, performance.now() - answered)
    if (scope.split(' ').includes(first_scope) !== is_given) late++
  }
  for (const { id } of made) {
    const edit = (scopes: readonly string[]) => () =>
      call.change(`${path}/roles/${id}`, platform, { permissions: [{ resource_server: 'orders', scopes }] })
    for (let n = 0; n < edits_of_role; n++) {
      await timed('editing', edit(asked_scopes), true)
      await timed('editing', edit(other_scopes), false)
    }
    await edit(asked_scopes)()
    await timed('deleting', () => call.remove(`${path}/roles/${id}`, platform), false)
  }
  connection.close()
  return { most_ms, next_ms, late }
}
