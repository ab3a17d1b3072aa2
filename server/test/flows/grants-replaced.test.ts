/** Which grants a new one replaces, whatever a person has (decisions 0067 and 0174): a plain model says it too. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GrantId } from '@ostiary/contract/ids.ts'
import fc from 'fast-check'
import { z } from 'zod'
import { type Db, rowsOf, type Statement, sql } from '../../src/db/db.ts'
import { storeCode } from '../../src/domain/sessions/authorization-codes.ts'
import { findReplaced } from '../../src/domain/sessions/grant-search.ts'
import { insertChain } from '../../src/domain/sessions/refresh-chains.ts'
import { findSessions } from '../../src/domain/sessions/sessions.ts'
import { signInForTokens } from '../support/cookie-browser.ts'
import { withMethods } from '../support/db-methods.ts'
import { world } from '../support/world.ts'

const w = await world()
const { db } = w.deployment
const { id: environment_id } = w.test
const is_postgres = db.engine === 'postgres'
const after = (seconds: number) => new Date(w.now().getTime() + seconds * 1_000)

/** A grant is made so many seconds after the one before it, and used last so many seconds after that. */
interface Held {
  after: number
  used_after: number
  /** Where its last use is stored. */
  by: 'chain' | 'column' | 'none'
  is_over: boolean
  is_offline: boolean
  /** What its bounds say: nothing, as of a grant that the version before made, what was true when it was made, or what is true now. */
  known: 'nothing' | 'beginning' | 'now'
}
const Held: fc.Arbitrary<Held> = fc.record({
  after: fc.nat(3),
  used_after: fc.oneof(fc.nat(3), fc.nat(60)),
  by: fc.constantFrom('chain', 'chain', 'column', 'none'),
  is_over: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  is_offline: fc.boolean(),
  known: fc.constantFrom('nothing', 'beginning', 'beginning', 'now'),
})
const Bound = fc.record({
  limit: fc.integer({ min: 1, max: 20 }),
  added: fc.constantFrom<0 | 1>(0, 1),
  most: fc.integer({ min: 1, max: 12 }),
})

let people = 0

/** Stores grants of a new person, in one session at one application. */
async function plant(held: readonly Held[]) {
  const place = { environment_id, user_id: `usr_${++people}`, application_id: 'app', session_id: `ses_${people}` }
  let created = -1_000
  const grants = held.map(({ after: gap, used_after, by, is_over, is_offline, known }, n) => {
    created += gap
    const id = `grt_${people}_${String(n).padStart(3, '0')}` as GrantId // as: ids of the test
    const used = by === 'none' ? created : created + used_after
    const since = { nothing: null, beginning: created, now: used }[known]
    return { id, created, used, since, until: { nothing: null, beginning: -1, now: is_over ? 0 : 60 }[known], by, is_over, is_offline }
  })
  await db.batch(
    grants.flatMap(({ id, created, used, since, until, by, is_over, is_offline }) => [
      sql`insert into grants (environment_id, id, user_id, application_id, session_id, scope, resource, offline, auth_time, amr, acr,
                              began_with, created_at, used_since, expires_at, lasts_until, visit_at, last_used_at, code_hash)
          values (${environment_id}, ${id}, ${place.user_id}, 'app', ${place.session_id}, 'openid', '[]', ${is_offline}, ${after(created)},
                  '[]', '', 'email_code', ${after(created)}, ${since === null ? 0 : after(since)}, ${after(is_over ? 0 : 60)},
                  ${until === null ? 0 : after(until)}, ${after(60)}, ${by === 'column' ? after(used) : null}, ${id})`,
      ...(by === 'chain'
        ? [insertChain(environment_id, id, { number: 1, digest: id, salt: null, issued_at: after(used), expires_at: after(60) })]
        : []),
    ]),
  )
  return { place, grants: grants.map((grant) => ({ ...grant, since: grant.since ?? Number.NEGATIVE_INFINITY })) }
}

const inOrder = <T extends { id: string }>(rows: readonly T[], at: (row: T) => number): T[] =>
  rows.toSorted((a, b) => at(a) - at(b) || (a.id < b.id ? -1 : 1))
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

// biome-ignore format: this table is read by column
const kinds = [
  { is_offline: true,  of: 'a person',  then: 'those unused longest' },
  { is_offline: false, of: 'a session', then: 'its oldest' },
]

for (const { is_offline, of, then } of kinds)
  test(`of the grants of ${of} those that nothing can use give way first, and then ${then}`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(Held, { maxLength: 40 }), Bound, async (held, bound) => {
        const { place, grants } = await plant(held)
        // Within the bound all grants are in the window.
        const window = is_offline
          ? inOrder(
              grants.filter((grant) => grant.is_offline),
              ({ since }) => since,
            ).slice(0, bound.limit + bound.most + 1)
          : grants.slice(-(3 * bound.limit + bound.most))
        const use = ({ used }: { used: number }) => (is_offline ? used : 0)
        const over = inOrder(
          window.filter((grant) => grant.is_over),
          use,
        ).slice(0, bound.most)
        const live = inOrder(
          window.filter((grant) => !grant.is_over && grant.is_offline === is_offline),
          use,
        )
        const too_many = Math.max(0, Math.min(live.length + bound.added - bound.limit, bound.most - over.length))

        const { replaced, passed } = await findReplaced(db, { ...place, is_offline }, bound, w.now())
        assert.deepEqual(idsOf(replaced), [...idsOf(over), ...idsOf(live.slice(0, too_many))])
        assert.ok(passed.every(({ id }) => live.slice(too_many).some((grant) => grant.id === id)))
      }),
      { numRuns: 150 },
    )
  })

const limit = 8
/** A clock that stands still between the steps. */
let time = w.now().getTime()
const clock = () => new Date(time)
const wait = (seconds: number) => {
  time += seconds * 1_000
}
const within = (seconds: number) => new Date(time + seconds * 1_000)
const client = await w.createApplication(w.test)
const Token = z.object({ token_hash: z.string() })
const Open = z.object({ id: z.string() })

/** A person who is signed in, and what a model says about the live grants. */
async function signedIn() {
  time = w.now().getTime()
  const user = await w.createUser(w.test)
  await signInForTokens(w, w.test, client, { user, change: { scope: 'openid' } })
  await db.run(sql`delete from grants where user_id = ${user.id}`)
  const [token] = await db.all(Token, sql`select token_hash from sessions where user_id = ${user.id}`)
  const find = async () => (await findSessions(db, environment_id, [token?.token_hash ?? '']))[0] ?? assert.fail('The session is gone.')
  return { user, find }
}

interface Live {
  id: GrantId
  made: number
  used: number
  until: number
}

let codes = 0
/** Adds a grant as an authorization does. It is redeemed at once. */
async function addGrant(person: Awaited<ReturnType<typeof signedIn>>, is_offline: boolean, lasts: number, at: Db = db): Promise<Live> {
  const id = `grt_of_code_${String(++codes).padStart(6, '0')}` as GrantId // as: ids of the test
  const code = {
    code_hash: id,
    grant_id: id,
    client_id: client.client_id,
    consented_to: null,
    organization: null,
    redirect_uri: '',
    scope: is_offline ? 'openid offline_access' : 'openid',
    resource: [],
    nonce: null,
    code_challenge: null,
    expires_at: within(60),
    session_expires_at: within(86_400),
    grants_per_person: is_offline ? limit : 2 * limit,
  }
  assert.ok(await storeCode(at, { environment_id, ...(await person.find()) }, code, clock()))
  if (is_offline)
    await db.run(insertChain(environment_id, id, { number: 1, digest: id, salt: null, issued_at: clock(), expires_at: within(lasts) }))
  await db.run(sql`update grants set expires_at = ${within(lasts)} where environment_id = ${environment_id} and id = ${id}`)
  return { id, made: codes, used: clock().getTime(), until: within(lasts).getTime() }
}

/** A new grant, a use of one of those that are there, or time that passes. */
const Step = fc.oneof(
  fc.record({ what: fc.constant('new' as const), lasts: fc.constantFrom(61, 1_000, 100_000) }),
  fc.record({ what: fc.constant('new' as const), lasts: fc.constant(100_000) }),
  fc.record({ what: fc.constant('use' as const), which: fc.nat(limit) }),
  fc.record({ what: fc.constant('wait' as const), seconds: fc.constantFrom(1, 20, 70) }),
)

for (const { is_offline, of, then } of kinds)
  test(`a code after another, of the live grants of ${of} as many as the bound are left, and ${then} are gone`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(Step, { minLength: 20, maxLength: 50 }), async (steps) => {
        const person = await signedIn()
        let live: Live[] = []
        for (const step of steps) {
          if (step.what === 'wait') wait(step.seconds)
          live = live.filter(({ until }) => until > clock().getTime())
          const used = step.what === 'use' ? live[step.which] : undefined
          if (used && is_offline) {
            used.used = clock().getTime()
            await db.run(
              sql`update refresh_chains set issued_at = ${clock()} where environment_id = ${environment_id} and grant_id = ${used.id}`,
            )
          }
          if (step.what !== 'new') continue
          const added = await addGrant(person, is_offline, step.lasts)
          const stay = inOrder(live, (grant) => (is_offline ? grant.used : grant.made)).slice(Math.max(0, live.length + 1 - limit))
          live = inOrder([...stay, added], ({ made }) => made)
          const open = await db.all(
            Open,
            sql`select id from grants where user_id = ${person.user.id} and ended_at is null and expires_at > ${clock()} order by id`,
          )
          assert.deepEqual(idsOf(open), idsOf(live))
        }
      }),
      { numRuns: is_postgres ? 10 : 40 },
    )
  })

/** The rows of each search of codes with `offline_access`, one after the other at the bound. `use` is called after each. */
async function rowsOfSearches(use: (made: readonly Live[]) => readonly Live[]): Promise<number[]> {
  const person = await signedIn()
  const read: number[] = []
  const observed = withMethods(db, ({ all }) => ({
    async all(schema, statement) {
      const rows = await all(schema, statement)
      if (statement.parts.join('?').includes('from grants where user_id = ?')) read.push(rows.length)
      return rows
    },
  }))
  const made: Live[] = []
  for (let n = 0; n < 6 * limit; n++) {
    made.push(await addGrant(person, true, 100_000, observed))
    wait(1)
    for (const { id } of use(made))
      await db.run(sql`update refresh_chains set issued_at = ${clock()} where environment_id = ${environment_id} and grant_id = ${id}`)
  }
  return read
}

test('at the bound a code reads a few grants', async () => {
  const read = await rowsOfSearches((made) => made.slice(-1))
  assert.equal(read.length, 5 * limit)
  assert.equal(Math.max(...read), 2, `${read}`)
})

test('where most grants are used all the time, one code in several reads all of them', async () => {
  const read = await rowsOfSearches((made) => made.slice(0, 5))
  assert.ok(read.filter((rows) => rows === limit).length <= (5 * limit) / 2, `${read}`)
})

const Count = z.object({ grant_count: z.int() })
test('some codes after the grants of a person have ended, the number of them is counted again', async () => {
  const person = await signedIn()
  for (let n = 0; n < limit; n++) await addGrant(person, true, 100_000)
  await db.run(sql`update grants set ended_at = ${clock()} where user_id = ${person.user.id}`)
  const counts: (number | undefined)[] = []
  for (let n = 0; n < limit / 4; n++) {
    await addGrant(person, true, 100_000)
    counts.push((await db.all(Count, sql`select grant_count from users where id = ${person.user.id}`))[0]?.grant_count)
  }
  assert.ok(
    counts.some((count, n) => count === n + 1),
    `${counts}`,
  )
})

const Plan = z.object({ detail: z.string() })
const Explained = z.object({ 'QUERY PLAN': z.string() })
async function planOf(statement: Statement): Promise<string> {
  if (is_postgres)
    return rowsOf(Explained, (await db.batch([sql`set local enable_seqscan = off`, sql`explain ${statement}`]))?.[1])
      .map((row) => row['QUERY PLAN'])
      .join('\n')
  return rowsOf(Plan, (await db.batch([sql`explain query plan ${statement}`]))?.[0])
    .map(({ detail }) => detail)
    .join('\n')
}

for (const { is_offline, of } of kinds)
  test(`the search among the grants of ${of} reads the entries of one index, and grants by their key`, async () => {
    const { place } = await plant([])
    const sent: Statement[] = []
    const recording = withMethods(db, () => ({
      async all(_, statement) {
        sent.push(statement)
        return []
      },
    }))
    await findReplaced(recording, { ...place, is_offline }, { limit: 100, added: 1, most: 10 }, clock())
    const [front] = sent
    assert.ok(front)
    const plan = await planOf(front)
    const index = is_offline ? 'grants_in_turn' : 'grants_of_session'
    assert.match(
      plan,
      is_postgres ? new RegExp(`Index Only Scan (Backward )?using ${index}`) : new RegExp(`USING COVERING INDEX ${index} `),
    )
    const entered = is_postgres ? /using (?!grants_pkey|refresh_chains_pkey)(\w+)/g : /INDEX (?!sqlite_autoindex)(\w+)/g
    assert.deepEqual([...new Set([...plan.matchAll(entered)].map(([, name]) => name))], [index], plan)
  })

const Index = z.object({ text: z.string() })
test('no index of grants names a column that a use writes', async () => {
  const indexes = is_postgres
    ? sql`select indexdef as text from pg_indexes where tablename = 'grants'`
    : sql`select coalesce(sql, 'key of the table') as text from sqlite_schema where type = 'index' and tbl_name = 'grants'`
  const found = (await db.all(Index, indexes)).map(({ text }) => text)
  assert.equal(found.length, 6)
  for (const text of found) assert.doesNotMatch(text, /\b(expires_at|last_used_at)\b/)
})
