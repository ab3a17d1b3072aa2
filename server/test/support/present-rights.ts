/**
 * Changes of what people may do, while calls run all the time at `ostiary serve` processes: two on PostgreSQL, one on the embedded database, which
 * belongs to one process. A call that begins after the answer to a change gives the present rights, at whichever process. `changes` and the
 * calls are tables: a change more is a row, and so is a call.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { sql } from '../../src/db/db.ts'
import { serve } from './cli-process.ts'
import { type Client, createPerson, exchange, refresh, userinfo } from './cookie-browser.ts'
import { freePort } from './free-port.ts'
import { migratedDatabase, noPostgres } from './postgres.ts'
import { createRoleWorld, payloadOf } from './role-person.ts'
import { expectStatus, type Reply, type World, world } from './world.ts'

type EngineName = 'sqlite' | 'postgres'
type RoleWorld = Awaited<ReturnType<typeof createRoleWorld>>
type Person = Awaited<ReturnType<typeof createPerson>>

/** One of the processes. */
interface Side {
  readonly issuer: string
  readonly roles: RoleWorld
}

/** What the tokens of a subject give. */
interface Rights {
  /** Why validation refuses them; `null`: it does not. */
  readonly refused: 'not_allowed' | 'revoked' | null
  /** Those of the resource server. */
  readonly scopes: readonly string[]
  /** The slugs. */
  readonly roles: readonly string[]
}
const rights = (scopes: readonly string[], ...roles: readonly { slug: string }[]): Rights => ({
  refused: null,
  scopes,
  roles: roles.map(({ slug }) => slug).sort(),
})

const [reading, writing] = ['orders:read', 'orders:write']
const both = [reading, writing]
const own_scopes = ['openid', 'offline_access']
const scopeOf = ({ scopes }: Rights) => [...own_scopes, ...scopes].join(' ')

interface Slugged {
  readonly id: string
  readonly slug: string
}

interface Subject {
  readonly person: Person
  readonly server: Slugged
  /** It gives both scopes. */
  readonly role: Slugged
  /** It gives one of them. The person has it where a row says so. */
  readonly reader: Slugged
  readonly client: Client & { readonly id: string }
  /** The person acts for it where a row says so, and its roles are of the kind `organization` then. */
  readonly organization: Slugged | null
  readonly ask: { scope: string; resource: string; organization: string }
}

interface Change {
  /** How the subject begins: by default the resource server requires roles, and the person has the one that gives both scopes. */
  readonly begins?: {
    readonly require_roles: boolean
    readonly in_organization?: true
    holds(subject: Pick<Subject, 'role' | 'reader'>): Slugged[]
  }
  change(subject: Subject, at: RoleWorld): Promise<unknown>
  after(subject: Subject): Rights
}

const in_organization = { require_roles: true, in_organization: true, holds: ({ role }) => [role] } as const satisfies Change['begins']
const organizationOf = ({ organization }: Subject): Slugged => organization ?? assert.fail('The row has no organization.')
const revoked = (): Rights => ({ ...rights([]), refused: 'revoked' })

const only_reading = ({ server }: Subject) => ({ permissions: [{ resource_server: server.slug, scopes: [reading] }] })

// biome-ignore format: this table is read by line
const changes: Record<string, Change> = {
  'a permission is taken from a role': { change: (who, at) => at.change('roles', who.role, only_reading(who)), after: ({ role }) => rights([reading], role) },
  'a role is deleted': { change: ({ role }, at) => at.remove('roles', role), after: () => rights([]) },
  'a role is taken from a user': { change: ({ person }, at) => at.give(person), after: () => rights([]) },
  'an application lets in holders of another role': { change: ({ client, reader }, at) => at.change('applications', client, { allowed_roles: [reader.slug] }), after: ({ role }) => ({ ...rights([], role), refused: 'not_allowed' }) },
  'a resource server requires roles': {
    begins: { require_roles: false, holds: () => [] },
    change: ({ server }, at) => at.change('resource-servers', server, { require_roles: true }),
    after: () => rights([]),
  },
  'an application requires an organization': { change: ({ client }, at) => at.change('applications', client, { organizations: 'required' }), after: () => ({ ...rights([]), refused: 'not_allowed' }) },
  'a resource server requires an organization': { change: ({ server }, at) => at.change('resource-servers', server, { organizations: 'required' }), after: () => ({ ...rights([]), refused: 'not_allowed' }) },
  'a permission is taken from a role of members': { begins: in_organization, change: (who, at) => at.change('roles', who.role, only_reading(who)), after: ({ role }) => rights([reading], role) },
  'a role of members is deleted': { begins: in_organization, change: ({ role }, at) => at.remove('roles', role), after: () => rights([]) },
  'a role is taken from a member': { begins: in_organization, change: (who, at) => at.giveMember(organizationOf(who), who.person), after: () => rights([]) },
  'a member is removed': { begins: in_organization, change: (who, at) => at.removeMember(organizationOf(who), who.person), after: revoked },
  'an organization is disabled': { begins: in_organization, change: (who, at) => at.changeOrganization(organizationOf(who), { disabled: true }), after: revoked },
  'an organization is deleted': { begins: in_organization, change: (who, at) => at.deleteOrganization(organizationOf(who)), after: revoked },
}

/** The ways in which a person gets a right after the sign-in, and how it is taken again. */
const gifts: Record<string, { give: Change['change']; take: Change['change']; in_organization?: true }> = {
  'a role that a user gets': {
    give: ({ person, reader, role }, at) => at.give(person, reader, role),
    take: ({ person, reader }, at) => at.give(person, reader),
  },
  'a role that a member gets': {
    in_organization: true,
    give: (who, at) => at.giveMember(organizationOf(who), who.person, who.reader, who.role),
    take: (who, at) => at.giveMember(organizationOf(who), who.person, who.reader),
  },
  'a permission that a role gets': {
    give: ({ server, reader }, at) => at.change('roles', reader, { permissions: [{ resource_server: server.slug, scopes: both }] }),
    take: (who, at) => at.change('roles', who.reader, only_reading(who)),
  },
}

type Send = (side: Side) => Promise<string>

interface Call {
  /** Each sender has credentials of its own. */
  prepare(subject: Subject): Promise<Send>
  /** What it answers with these rights. */
  expects(rights: Rights): string
  /** A sender has so many credentials to use before the change, and waits when they are used up. */
  readonly most_before?: number
}

const refusedGrant = ({ refused, scopes }: Rights) => (refused !== null ? 'invalid_grant' : scopes.length === 0 ? 'invalid_scope' : null)
const given = (scope: string, roles: readonly string[]) => `${scope} by ${roles}`

/** @param codes that an exchanging sender needs */
const callsOf = (w: World, codes: { before: number; after: number }): Record<string, Call> => {
  /** The scope of the response and of the token, which are the same, and the roles of the token. */
  const issued = ({ status, body }: Reply): string => {
    if (status !== 200) return body.error
    const { scope, roles } = payloadOf(body.access_token)
    assert.equal(scope, body.scope)
    return given(scope, roles)
  }
  const issues = (present: Rights) => refusedGrant(present) ?? given(scopeOf(present), present.roles)
  return {
    'tokens/validate': {
      async prepare({ person, client, ask }) {
        const { access_token } = await person.tokens(client, ask)
        return async ({ roles }) => {
          const verdict = await roles.validate(access_token)
          return verdict.active ? given(verdict.scope, verdict.roles) : verdict.reason
        }
      },
      expects: (present) => present.refused ?? given(scopeOf(present), present.roles),
    },
    refresh: {
      async prepare({ person, client, ask }) {
        let { refresh_token } = await person.tokens(client, ask)
        return async (side) => {
          const reply = await refresh(w, side, client, refresh_token)
          if (reply.status === 200) refresh_token = reply.body.refresh_token
          return issued(reply)
        }
      },
      expects: issues,
    },
    'code exchange': {
      async prepare({ person, client, ask }) {
        const obtained: Awaited<ReturnType<Person['code']>>[] = []
        while (obtained.length < codes.before + codes.after) obtained.push(await person.code(client, ask))
        return async (side) => issued(await exchange(w, side, client, obtained.pop() ?? assert.fail('All codes are used up.')))
      },
      expects: issues,
      most_before: codes.before,
    },
    UserInfo: {
      async prepare({ person, client, ask }) {
        const { access_token } = await person.tokens(client, ask)
        return async (side) => {
          const { status, body } = await userinfo(w, side, access_token)
          return status === 200 ? String(body.roles) : String(status)
        }
      },
      expects: ({ refused, roles }) => (refused === null ? String(roles) : '401'),
    },
  }
}

/** People whose rights change at the same time, each with senders of every call. */
const lanes = 4
const senders_of_call = 2
const least_before = 2
const most_before = 5

interface Amount {
  /** Times that each change is made for each person. */
  readonly rounds: number
  /** Calls of each sender that begin after a change. */
  readonly calls: number
  /** Times that each person gets a right. */
  readonly gifts: number
}

/** Tests every change on each engine of the run. Returns when the processes run. */
export async function testPresentRights(amount: Amount): Promise<void> {
  const of_run = process.env.OSTIARY_TEST_ENGINE
  const engines = (['sqlite', 'postgres'] as const).filter((engine) => of_run === undefined || of_run === engine)
  const grounds: Awaited<ReturnType<typeof start>>[] = []
  for (const engine of engines)
    if (engine === 'postgres' && noPostgres) test('present rights on PostgreSQL', { skip: noPostgres })
    else grounds.push(await start(engine, amount))
  for (const ground of grounds) testGround(ground, amount)
}

/** Creates the people, and then starts the processes. */
async function start(engine: EngineName, { calls }: Amount) {
  const children: Awaited<ReturnType<typeof serve>>[] = []
  after(async () => {
    for (const { process } of children) process.kill('SIGKILL')
    await Promise.all(children.map(({ ended }) => ended))
  })
  const on_postgres = engine === 'postgres'
  const database = on_postgres
    ? { OSTIARY_DATABASE_URL: await migratedDatabase(), OSTIARY_MASTER_KEY: randomBytes(32).toString('base64') }
    : null
  const w = await world(database ? { env: database } : { engine })
  await w.deployment.db.run(sql`update api_keys set rate_limit = ${{ limit: 100_000, window_seconds: 1 }} where id = ${w.key_id}`)
  const any_client = await w.createApplication(w.test)
  const people: Person[] = []
  for (let lane = 0; lane < lanes; lane++) {
    const person = await createPerson(w, w.test)
    await person.tokens(any_client)
    people.push(person)
  }
  await w.service.stop()

  const ports = [new URL(w.base_url).port, ...(on_postgres ? [String(await freePort())] : [])]
  const env = { ...(database ?? { OSTIARY_DATA_DIR: w.data_dir }), OSTIARY_BASE_URL: w.base_url }
  children.push(...(await Promise.all(ports.map((port) => serve({ ...env, OSTIARY_PORT: port })))))
  const sides = await Promise.all(
    ports.map(async (port): Promise<Side> => {
      const base_url = `http://localhost:${port}`
      const call: World['call'] = (method, path, options) => w.call(method, path.startsWith('/') ? base_url + path : path, options)
      return { issuer: base_url + new URL(w.test.issuer).pathname, roles: await createRoleWorld({ ...w, base_url, call }, w.test) }
    }),
  )
  const [first] = sides
  assert.ok(first)
  const calls_of_world = callsOf(w, { before: most_before, after: calls })
  return { engine, w, children, people, sides, first, calls: calls_of_world, sideOf: (n: number) => sides[n % sides.length] ?? first }
}
type Ground = Awaited<ReturnType<typeof start>>

let made = 0

async function createSubject({ w, first: { roles } }: Ground, person: Person, { begins }: Pick<Change, 'begins'> = {}): Promise<Subject> {
  const n = ++made
  const slug = `orders-${n}`
  const server = await roles.createServer(slug, both, { require_roles: begins?.require_roles ?? true, roles_claim: 'roles' })
  const kind = begins?.in_organization ? { kind: 'organization' } : {}
  const role = await roles.createRole(`role-${n}`, { [slug]: both }, kind)
  const reader = await roles.createRole(`reader-${n}`, { [slug]: [reading] }, kind)
  const allowed_scopes = [...own_scopes, ...both]
  const client = await w.createApplication(w.test, { allowed_scopes, organizations: 'optional', roles_claim: 'roles' })
  const held = begins?.holds({ role, reader }) ?? [role]
  const organization = begins?.in_organization ? await roles.createOrganization(person, ...held) : null
  if (organization === null) await roles.give(person, ...held)
  const ask = { scope: allowed_scopes.join(' '), resource: server.identifier, organization: organization?.id ?? 'none' }
  return { person, server, role, reader, client, organization, ask }
}

/** An environment keeps at most 200 roles. */
async function removeSubject({ w, first: { roles } }: Ground, { client, role, reader, server, organization }: Subject): Promise<void> {
  if (organization) await roles.deleteOrganization(organization).catch(() => {}) // a row may have deleted it

  for (const path of [`applications/${client.id}`, `roles/${role.id}`, `roles/${reader.id}`, `resource-servers/${server.id}`]) {
    const reply = await w.call('DELETE', `${w.test.path}/${path}`)
    if (reply.status !== 404) expectStatus(204, reply)
  }
}

interface Sender {
  readonly call: string
  readonly send: Send
  readonly most_before: number
  /** The first request goes to this process. */
  readonly first: number
}

const prepareSenders = ({ calls }: Ground, subject: Subject): Promise<Sender[]> =>
  Promise.all(
    Object.entries(calls).flatMap(([call, { prepare, most_before = Number.POSITIVE_INFINITY }]) =>
      Array.from({ length: senders_of_call }, async (_, first) => ({ call, send: await prepare(subject), most_before, first })),
    ),
  )

interface Answered {
  readonly call: string
  readonly outcome: string
  /** Before the change was sent, or begun after its answer, or neither. */
  readonly when: 'before' | 'meanwhile' | 'after'
}

/** Sends all the time, to the processes in turn: before the change, meanwhile, and until each sender has begun so many calls after its answer. */
async function sendAround(
  change: () => Promise<unknown>,
  senders: readonly Sender[],
  { calls, sideOf }: { calls: number } & Pick<Ground, 'sideOf'>,
) {
  const answers: Answered[] = []
  const [warm, changed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let [sent_at, answered_at] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  let cold = senders.length
  let has_failed = false

  async function sending({ call, send, most_before, first }: Sender): Promise<void> {
    for (let sent = 0, begun_after = 0; begun_after < calls && !has_failed; sent++) {
      if (sent >= most_before) await changed.promise
      const began = performance.now()
      const outcome = await send(sideOf(first + sent))
      const when = began > answered_at ? 'after' : performance.now() < sent_at ? 'before' : 'meanwhile'
      answers.push({ call, outcome, when })
      if (when === 'after') begun_after++
      if (sent + 1 === least_before && --cold === 0) warm.resolve()
    }
  }
  const fail = (error: unknown) => {
    has_failed = true
    for (const { reject } of [warm, changed]) reject(error)
  }
  changed.promise.catch(() => {}) // a failure is thrown by the others
  const all = Promise.all(senders.map(sending))
  all.catch(fail)
  await warm.promise
  sent_at = performance.now()
  await change().catch((error: unknown) => {
    fail(error)
    throw error
  })
  answered_at = performance.now()
  changed.resolve()
  await all
  return answers
}

/** Makes a change once. Returns the calls that began after its answer: each has the present rights. */
async function makeChange(ground: Ground, { person, row, calls, turn }: { person: Person; row: Change; calls: number; turn: number }) {
  const subject = await createSubject(ground, person, row)
  const before = rights(both, ...(row.begins?.holds(subject) ?? [subject.role]))
  const change = () => row.change(subject, ground.sideOf(turn).roles)
  const answers = await sendAround(change, await prepareSenders(ground, subject), { calls, sideOf: ground.sideOf })
  for (const { call, outcome, when } of answers) {
    const { expects } = ground.calls[call] ?? assert.fail()
    const [earlier, later] = [expects(before), expects(row.after(subject))]
    if (when === 'meanwhile') assert.ok([earlier, later].includes(outcome), `${call} meanwhile: ${outcome}`)
    else assert.equal(outcome, when === 'after' ? later : earlier, `${call} ${when}`)
  }
  await removeSubject(ground, subject)
  return answers.filter(({ when }) => when === 'after')
}

/** Waits for all people, even if one of them fails: the next test begins with none under way. */
async function inLanes(people: readonly Person[], work: (person: Person, lane: number) => Promise<void>): Promise<void> {
  for (const ended of await Promise.allSettled(people.map(work))) if (ended.status === 'rejected') throw ended.reason
}

function testGround(ground: Ground, { rounds, calls, gifts: gifts_of_each }: Amount): void {
  const { engine, people, children, w, sideOf } = ground
  const of_engine = engine === 'postgres' ? 'two processes on PostgreSQL' : 'a process on the embedded database'
  const each = lanes * rounds * senders_of_call * calls
  const counted = new Map<string, number>()

  for (const [what, row] of Object.entries(changes))
    test(`once ${what}, no call that begins after the answer gives more, at ${of_engine}`, async () => {
      await inLanes(people, async (person, lane) => {
        for (let round = 0; round < rounds; round++)
          for (const { call } of await makeChange(ground, { person, row, calls, turn: lane + round }))
            counted.set(`${call}, once ${what}`, (counted.get(`${call}, once ${what}`) ?? 0) + 1)
      })
    })

  for (const [what, { give, take, ...where }] of Object.entries(gifts))
    test(`${what} after the sign-in is in the next refresh, ${lanes * gifts_of_each} times, at ${of_engine}`, async () => {
      await inLanes(people, async (person, lane) => {
        const subject = await createSubject(ground, person, {
          begins: { require_roles: true, ...where, holds: ({ reader }) => [reader] },
        })
        let { refresh_token } = await person.tokens(subject.client, subject.ask)
        for (let n = lane; n < lane + gifts_of_each; n++)
          for (const [change, scopes] of [
            [give, both],
            [take, [reading]],
          ] as const) {
            await change(subject, sideOf(n).roles)
            const tokens = expectStatus(200, await refresh(w, sideOf(n + 1), subject.client, refresh_token))
            assert.deepEqual([tokens.scope, payloadOf(tokens.access_token).scope], Array(2).fill([...own_scopes, ...scopes].join(' ')))
            refresh_token = tokens.refresh_token
          }
        await removeSubject(ground, subject)
      })
    })

  test(`the first organization of a person is in the tokens of the next request, ${lanes * gifts_of_each} times, at ${of_engine}`, async () => {
    await inLanes(people, async (person, lane) => {
      const subject = await createSubject(ground, person, { begins: in_organization })
      await ground.first.roles.deleteOrganization(organizationOf(subject))
      for (let n = lane; n < lane + gifts_of_each; n++) {
        const { roles } = sideOf(n)
        const organization = await roles.createOrganization(person, subject.role)
        const tokens = await person.tokens(subject.client, { ...subject.ask, organization: organization.id, prompt: 'none' })
        const { org_id, scope } = payloadOf(tokens.access_token)
        assert.deepEqual([org_id, scope], [organization.id, [...own_scopes, ...both].join(' ')])
        await roles.deleteOrganization(organization)
      }
      await removeSubject(ground, subject)
    })
  })

  test(`these rounds counted ${each} of each call after each change, at ${of_engine}`, (t) => {
    const names = Object.keys(changes).flatMap((what) => Object.keys(ground.calls).map((call) => `${call}, once ${what}`))
    t.diagnostic(`${names.length * each} calls`)
    for (const name of names) assert.ok((counted.get(name) ?? 0) >= each, `${name}: ${counted.get(name)}`)
    assert.deepEqual(
      [new Set(children.map(({ process }) => process.pid)).size, children.map(({ process }) => process.exitCode)],
      [ground.sides.length, ground.sides.map(() => null)],
    )
  })
}
