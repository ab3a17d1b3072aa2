/** Chains of refresh tokens (decision 0125): each answer to a token of a chain. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { z } from 'zod'
import { checkRestored } from '../../../cli/src/doctor-restored.ts'
import { digestOf } from '../../src/base/digest.ts'
import { identifiers, lock_order, sql } from '../../src/db/db.ts'
import { readRefreshToken, refreshTokenOf } from '../../src/protocol/refresh-token.ts'
import { visitGrants } from '../../src/workers/visit-grants.ts'
import { createPerson, refresh, reuseEvents, revoke, userinfo } from '../support/cookie-browser.ts'
import { expectStatus, type Reply, randomText, types_of_run, world } from '../support/world.ts'

const w = await world()
const { db, secrets } = w.deployment
const environment = w[types_of_run[0] ?? 'test']
const elsewhere = environment === w.test ? w.live : w.test
const person = await createPerson(w, environment)
const window_seconds = 20
const setWindow = (seconds: number) => w.changeSettings(environment, { tokens: { refresh_retry_window_seconds: seconds } })
await setWindow(window_seconds)

interface Tokens {
  access_token: string
  refresh_token: string
}
const Chain = z.object({ number: z.int(), digest: z.string(), salt: z.string().nullable(), ahead_at: z.date().nullable() })
const Ended = z.object({ ended_by: z.string().nullable() })
const grantOf = ({ access_token }: Tokens) => String(decodeJwt(access_token).grant_id)
const chainOf = (tokens: Tokens) =>
  db.maybeOne(
    Chain,
    sql`select number, digest, salt, ahead_at from refresh_chains
    where environment_id = ${environment.id} and grant_id = ${grantOf(tokens)}`,
  )
const endOf = async (tokens: Tokens) =>
  (await db.maybeOne(Ended, sql`select ended_by from grants where environment_id = ${environment.id} and id = ${grantOf(tokens)}`))
    ?.ended_by
const mac = (data: string) => secrets.mac('refresh-token', data)
const partsOf = ({ refresh_token }: Tokens) => readRefreshToken(refresh_token, environment.id, mac) ?? assert.fail('no token of a chain')
const doctor = async () => (await checkRestored(db)).map(({ level, text }) => `${level} ${text}`).join('\n')

/** A sign-in at an application of its own, and this many refreshes one after the other. */
async function family(refreshes: number) {
  const client = await w.createApplication(environment)
  const first: Tokens = await person.tokens(client)
  const use = (refresh_token: string): Promise<Reply> => refresh(w, environment, client, refresh_token)
  const tokens = [first]
  for (let n = 0; n < refreshes; n++) tokens.push(expectStatus(200, await use(tokens.at(-1)?.refresh_token ?? '')))
  const nth = (n: number) => tokens[n - 1] ?? assert.fail(`no token ${n}`)
  return { client, first, nth, latest: nth(refreshes + 1), use, count: tokens.length }
}
type Family = Awaited<ReturnType<typeof family>>

const isRefused = (reply: Reply) => assert.deepEqual([reply.status, reply.body.error], [400, 'invalid_grant'])
const isUnknown = (reply: Reply) => {
  isRefused(reply)
  assert.equal(reply.body.error_description, 'The refresh token is unknown or has expired.')
}

/** The family ended, with one event. */
async function isReuse({ client, first, latest, use }: Family, refresh_token: string) {
  for (let times = 0; times < 2; times++) isRefused(await use(refresh_token))
  isRefused(await use(latest.refresh_token))
  assert.equal(await endOf(first), 'refresh_token_reused')
  assert.equal((await reuseEvents(w, environment, client.id)).length, 1)
}
async function isSame({ use, latest }: Family, refresh_token: string) {
  assert.equal(expectStatus(200, await use(refresh_token)).refresh_token, latest.refresh_token)
  expectStatus(200, await use(latest.refresh_token))
}

// Families of the hour, for the time after it.
/** Makes the row of the chain that of an earlier time, as a restored copy of the database. */
const restoreTo = async (of: Family, n: number) =>
  db.run(sql`update refresh_chains set number = ${n}, digest = ${digestOf(of.nth(n).refresh_token)} where grant_id = ${grantOf(of.first)}`)
const remove = (table: 'grants' | 'refresh_chains', column: string) => (of: Family) =>
  db.run(sql`delete from ${identifiers(table)} where ${identifiers(column)} = ${grantOf(of.first)}`)

type Answer = 'live' | 'same' | 'spent' | 'ahead' | 'unknown' | 'gone'
// biome-ignore format: this table is read by column
const answers: { what: string; answer: Answer; arrange?: (of: Family) => unknown; present: (of: Family) => string }[] = [
  { what: 'the latest token',                           answer: 'live',    present: ({ latest }) => latest.refresh_token },
  { what: 'the token before, within the window',        answer: 'same',    present: ({ nth }) => nth(2).refresh_token },
  { what: 'the token before, after the window',         answer: 'spent',   present: ({ nth }) => nth(2).refresh_token, arrange: () => w.advance(window_seconds) },
  { what: 'the first token, within the window',         answer: 'spent',   present: ({ nth }) => nth(1).refresh_token },
  { what: 'the first token, a month later',             answer: 'spent',   present: ({ nth }) => nth(1).refresh_token, arrange: () => w.advance(30 * 86_400) },
  { what: 'the latest number of another copy',          answer: 'spent',   present: ({ latest }) => latest.refresh_token, arrange: ({ first }) => db.run(sql`update refresh_chains set digest = 'another' where grant_id = ${grantOf(first)}`) },
  { what: 'a token of another copy with the number before', answer: 'spent', present: (of) => refreshTokenOf({ ...partsOf(of.nth(2)), random: partsOf(of.first).random }, environment.id, mac) },
  { what: 'a token after the state of the database',    answer: 'ahead',   present: ({ latest }) => latest.refresh_token, arrange: (of) => restoreTo(of, 2) },
  { what: 'a token long after it',                      answer: 'ahead',   present: ({ latest }) => latest.refresh_token, arrange: (of) => restoreTo(of, 1) },
  { what: 'a token whose grant has no chain',           answer: 'gone',    present: ({ latest }) => latest.refresh_token, arrange: remove('refresh_chains', 'grant_id') },
  { what: 'a token whose grant is gone',                answer: 'gone',    present: ({ latest }) => latest.refresh_token, arrange: remove('grants', 'id') },
  { what: 'the parts in another environment',           answer: 'unknown', present: ({ latest }) => refreshTokenOf(partsOf(latest), elsewhere.id, mac) },
  { what: 'the parts in another deployment',            answer: 'unknown', present: ({ latest }) => refreshTokenOf(partsOf(latest), environment.id, (data) => createHmac('sha256', 'x').update(data).digest()) },
  { what: 'a token with a longer end',                  answer: 'unknown', present: ({ latest }) => `${latest.refresh_token}${'A'.repeat(100)}` },
  { what: 'a random text',                              answer: 'unknown', present: () => randomText() },
]

for (const { what, answer, arrange, present } of answers)
  test(`a refresh with ${what}: ${answer}`, async () => {
    const of = await family(2)
    await arrange?.(of)
    const presented = present(of)
    const before = await chainOf(of.first)
    if (answer === 'live') expectStatus(200, await of.use(presented))
    if (answer === 'same') await isSame(of, presented)
    if (answer === 'spent') await isReuse(of, presented)
    if (answer === 'ahead' || answer === 'unknown' || answer === 'gone') {
      isUnknown(await of.use(presented))
      assert.deepEqual(await reuseEvents(w, environment, of.client.id), [])
    }
    if (answer === 'ahead') {
      assert.equal(await endOf(of.first), 'older_database')
      assert.notEqual((await chainOf(of.first))?.ahead_at, null)
      for (let n = 1; n <= of.count; n++) isRefused(await of.use(of.nth(n).refresh_token))
      assert.equal((await userinfo(w, environment, of.latest.access_token)).status, 401)
      assert.deepEqual(await reuseEvents(w, environment, of.client.id), [])
      assert.match(
        await doctor(),
        /^warning Sign-ins that ended since an older copy of the database was restored, in the last days: [12]\./m,
      )
    }
    if (answer === 'unknown') {
      assert.deepEqual(await chainOf(of.first), before)
      expectStatus(200, await of.use(of.latest.refresh_token))
    }
  })

for (const { what, answer, arrange, present } of answers)
  test(`a revocation of ${what} ${answer === 'live' || answer === 'same' || answer === 'spent' ? 'ends the family, without an event' : 'has no effect'}`, async () => {
    const of = await family(2)
    await arrange?.(of)
    const before = await endOf(of.first)
    expectStatus(200, await revoke(w, environment, of.client, present(of)))
    assert.equal(await endOf(of.first), answer === 'live' || answer === 'same' || answer === 'spent' ? 'revoked' : before)
    assert.deepEqual(await reuseEvents(w, environment, of.client.id), [])
  })

for (const window of [0, window_seconds])
  test(`a second copy of the database, ten rotations from an older state, makes no token that the first accepts (window ${window})`, async () => {
    await setWindow(window)
    const of = await family(1)
    const old = await chainOf(of.first)
    const copy: Tokens[] = []
    const rotate = async (refresh_token: string): Promise<Tokens> => expectStatus(200, await of.use(refresh_token))
    for (let n = 0; n < 10; n++) copy.push(await rotate(copy.at(-1)?.refresh_token ?? of.latest.refresh_token))
    await db.run(sql`update refresh_chains set number = ${old?.number ?? 0}, digest = ${old?.digest ?? ''}, salt = ${old?.salt ?? null}
      where grant_id = ${grantOf(of.first)}`)
    let latest = of.latest
    for (let n = 0; n < 5; n++) latest = await rotate(latest.refresh_token)
    const row = await chainOf(of.first)
    for (const { refresh_token } of copy) {
      isRefused(await of.use(refresh_token))
      assert.notEqual(await endOf(of.first), null)
      await db.run(sql`update grants set ended_at = null, ended_by = null where id = ${grantOf(of.first)}`)
    }
    assert.equal((await chainOf(of.first))?.digest, row?.digest)
    expectStatus(200, await of.use(latest.refresh_token))
    await setWindow(window_seconds)
  })

const Count = z.object({ count: z.int() })
/** Of buffered counts, refused calls, and workers, which note in `deployment` how far they are. */
const moving = ['counters', 'refused_calls', 'dropped_calls', 'key_usage', 'event_counters', 'leases', 'deployment']
/** The rows of each table but those of others. */
async function rowsOfTables(): Promise<Record<string, number>> {
  const counted = lock_order.filter((table) => !moving.includes(table))
  const rows = await Promise.all(
    counted.map(async (table) => (await db.all(Count, sql`select count(*) as count from ${identifiers(table)}`))[0]?.count),
  )
  return Object.fromEntries(counted.map((table, n) => [table, rows[n] ?? 0]))
}

/** Sweeps may remove rows meanwhile, and nothing may add one. */
async function addsNoRow(before: Record<string, number>) {
  for (const [table, rows] of Object.entries(await rowsOfTables())) assert.ok(rows <= (before[table] ?? 0), `${table} has more rows`)
}

/** `npm test -- --all` makes more of them. */
const many = process.env.OSTIARY_TEST_ALL === '1' ? 10 : 1

test('refreshes of one grant add no row, and each is one statement', async () => {
  const batches: number[] = []
  const note = (message: unknown) => {
    const { statements } = message as { statements: readonly { parts: readonly string[] }[] } // as: what `db.ts` publishes
    if (statements[0]?.parts[0]?.startsWith('update refresh_chains')) batches.push(statements.length)
  }
  subscribe('ostiary.statements', note)
  const of = await family(1)
  const before = await rowsOfTables()
  let { refresh_token } = of.latest
  for (let n = 0; n < 40 * many; n++) refresh_token = expectStatus(200, await of.use(refresh_token)).refresh_token
  unsubscribe('ostiary.statements', note)
  assert.deepEqual(batches, Array(1 + 40 * many).fill(1))
  await addsNoRow(before)
})

test('invented, cut and swapped tokens change nothing, by refresh and by revocation', async () => {
  const [of, other] = [await family(1), await family(1)]
  const [before, chain] = [await rowsOfTables(), await chainOf(of.first)]
  const [mine, theirs] = [of.latest.refresh_token.split('.'), other.latest.refresh_token.split('.')]
  const sent = Array.from({ length: 100 * many }, (_, n) => {
    const swapped = mine.with(n % 4, theirs[n % 4] ?? '').join('.')
    return (
      [
        randomText(),
        of.latest.refresh_token.slice(0, n),
        `${of.latest.refresh_token}${n}`,
        swapped,
        `svc_rt_${n}.1.${'A'.repeat(22)}.${'A'.repeat(22)}`,
      ][n % 5] ?? ''
    )
  }).filter((text) => text !== '' && text !== of.latest.refresh_token)
  await Promise.all(
    sent.map(async (text, n) => (n % 2 ? expectStatus(200, await revoke(w, environment, of.client, text)) : isUnknown(await of.use(text)))),
  )
  await addsNoRow(before)
  assert.deepEqual(await chainOf(of.first), chain)
  expectStatus(200, await of.use(of.latest.refresh_token))
})

test('a refresh token in place of an access token is malformed for validation, and 401 at UserInfo', async () => {
  const { latest } = await family(0)
  assert.equal((await userinfo(w, environment, latest.refresh_token)).status, 401)
  const { key } = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } }))
  const verdict = expectStatus(200, await w.call('POST', '/v1/auth/tokens/validate', { key, body: { token: latest.refresh_token } }))
  assert.deepEqual(verdict, { active: false, reason: 'malformed' })
})

const Name = z.object({ name: z.string() })
test('no index names a column that a rotation writes, and PostgreSQL leaves room for it on the page', async () => {
  const is_postgres = db.engine === 'postgres'
  const indexes = is_postgres
    ? sql`select indexdef as name from pg_indexes where tablename = 'refresh_chains'`
    : sql`select coalesce(sql, 'key of the table') as name from sqlite_schema where type = 'index' and tbl_name = 'refresh_chains'`
  const found = (await db.all(Name, indexes)).map(({ name }) => name)
  assert.ok(found.length >= 2)
  for (const text of found) assert.doesNotMatch(text, /\b(number|digest|salt|issued_at|expires_at)\b/)
  if (!is_postgres) return
  const [options] = await db.all(Name, sql`select cast(reloptions as text) as name from pg_class where relname = 'refresh_chains'`)
  assert.match(options?.name ?? '', /fillfactor=75/)
})

test('a chain goes with its grant', async () => {
  const orphans = sql`from refresh_chains where not exists (
    select 1 from grants g where g.environment_id = refresh_chains.environment_id and g.id = refresh_chains.grant_id)`
  const countOf = async (rows: typeof orphans) => (await db.all(Count, sql`select count(*) as count ${rows}`))[0]?.count ?? 0
  await db.run(sql`delete ${orphans}`) // of the tests that removed a grant
  const before = await countOf(sql`from refresh_chains`)
  w.advance(400 * 86_400)
  await visitGrants(w.deployment)
  assert.ok((await countOf(sql`from refresh_chains`)) < before)
  assert.equal(await countOf(orphans), 0)
})
