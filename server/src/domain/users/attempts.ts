/**
 * Limits failed sign-ins. An attempt is counted before the password is checked and given back when the password is correct,
 * so parallel guesses cannot exceed the limit. One batch increments every counter of an attempt, each as a guard: an attempt
 * that one limit refuses counts for none of them. Accounts that do not exist are counted in the same way (decision 0005).
 * A count before any check does not wait for the disk: everybody can cause it, and only a loss of power forgets it.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { FirstFactor } from '@ostiary/contract/sign-in-methods.ts'
import { z } from 'zod'
import { sha256 } from '../../base/digest.ts'
import { emailKey } from '../../base/email.ts'
import { constant, type Db, guard, list, type OfEnvironment, type Statement, sql, withoutSync } from '../../db/db.ts'
import { insertInto } from '../../db/rows.ts'

export interface Lockout {
  max_attempts: number
  duration_seconds: number
}

/** One attempt to sign in with a password. */
export interface Attempt {
  environment_id: EnvironmentId
  /** See `accountOf`. */
  account: string
  /** See `sourceOf`. */
  source: string
  /** Identifies a known browser, which signed in to this account before; `null` for every other browser. */
  device: string | null
  now: Date
}

/** All sources together have 10 × max_attempts per account: known browsers 2 × max_attempts, unknown browsers 8 ×. */
const shares = { unknown: 8, known: 2 }

/** Limits failed attempts from one source over all accounts, against password spraying. Known browsers do not count. */
const spraying = { kind: 'spraying', limit: 100, window_seconds: 900 }

/**
 * Limits of one source over all accounts. None is shared by all sources, so one source cannot block the others. A signature cannot be
 * guessed: the limit of passkeys bounds the work and the events that a stranger causes. Those of mailed codes and of provider sign-ins
 * bound the mails and the rows. Many people of one company begin to sign in at a provider at the same time. A provider sends the logout tokens
 * of all its people from a few addresses, and each makes the service verify a signature.
 */
const of_sources = {
  passkey: { kind: 'passkey', limit: 100, window_seconds: 900 },
  email_code: { kind: 'email-code', limit: 100, window_seconds: 900 },
  new_account: { kind: 'sign-up', limit: 200, window_seconds: 600 },
  mailed_code: { kind: 'mailed-code', limit: 200, window_seconds: 600 },
  provider: { kind: 'provider', limit: 2_000, window_seconds: 600 },
  provider_logout: { kind: 'provider-logout', limit: 60, window_seconds: 60 },
} as const satisfies Record<Exclude<FirstFactor, 'password'> | 'new_account' | 'mailed_code' | 'provider_logout', SourceLimit>

type OfSource = keyof typeof of_sources

/** Sensitive changes that a person makes on the account page, each with a mail, mails about a sign-in from an unknown browser, and sign-ins that succeeded, of which the deployment sets the limit. */
const of_persons = {
  notice: { kind: 'notice', limit: 10, window_seconds: 3_600 },
  new_sign_in: { kind: 'new-sign-in', limit: 1, window_seconds: 3_600 },
  sign_in: { kind: 'signed-in', limit: 300, window_seconds: 3_600 },
} as const

type OfPerson = keyof typeof of_persons

interface Person {
  environment_id: EnvironmentId
  user_id: string
  now: Date
}

/** Counts one for the person. Fails as a guard if the limit is reached. */
export const countForPerson = (kind: OfPerson, { user_id, ...rest }: Person, limit: number = of_persons[kind].limit): Statement[] =>
  countFromSource({ ...rest, source: user_id }, { ...of_persons[kind], limit })

/** Returns `null` if `countForPerson` would count, otherwise how many seconds to wait. */
export async function waitForPerson(
  db: Db,
  kind: OfPerson,
  { environment_id, user_id, now }: Person,
  limit: number = of_persons[kind].limit,
): Promise<number | null> {
  const limited = of_persons[kind]
  const slots = slotNames({ source: user_id, now }, limited)
  const rows = await db
    .of(environment_id)
    .all(Counted, liveRows({ environment_id, now }, sql`account = ${limited.kind} and source in (${slots})`))
  return rows.reduce((sum, { attempts }) => sum + attempts, 0) < limit ? null : waitOf(rows, user_id, now)
}

/** Reports whether `countForPerson` would count. */
export const hasRoomForPerson = async (db: Db, kind: OfPerson, person: Person): Promise<boolean> =>
  (await waitForPerson(db, kind, person)) === null

/** Returns the key under which an account is counted. The account need not exist, and its email is not stored. */
export function accountOf(email: string): string {
  return sha256(emailKey(email), 'hex')
}

/** The limit that refuses an attempt, and how long it will. */
export interface Refusal {
  limit: 'account' | 'source'
  wait_seconds: number
}

/** Counts one attempt. Returns `null` if it is allowed. A refused attempt is not counted. */
export async function takeAttempt(db: Db, attempt: Attempt, lockout: Lockout): Promise<Refusal | null> {
  const { account, device, source, now } = attempt
  const counters = countersOf(attempt, lockout)
  const counted = [
    ...(device === null ? countFromSource(attempt, spraying) : []),
    ...counters.map((counter) => countForAccount(attempt, counter, lockout)),
  ]
  const allowed = await db.of(attempt.environment_id).batch(counted.map(withoutSync))
  if (allowed) return null

  const rows = await db.of(attempt.environment_id).all(Counted, countedFor(attempt, counters))
  const exhausted = counters.flatMap(({ from, limit }) =>
    rows.filter((row) => row.account === account && row.source === from && row.attempts >= limit),
  )
  if (exhausted.length > 0) return { limit: 'account', wait_seconds: secondsUntil(now, Math.max(...exhausted.map(expiryTime))) }
  const slots = rows.filter((row) => row.account === spraying.kind)
  return { limit: 'source', wait_seconds: waitOf(slots, source, now) }
}

/**
 * Gives an attempt back, in the batch of a successful sign-in. Resets the counter of this source for this account. Decrements the
 * counters that it shares with other sources or accounts.
 */
export function giveBack(attempt: Attempt): Statement[] {
  const { environment_id, account } = attempt
  return giveBackBy(
    attempt,
    (own) => sql`delete from sign_in_attempts where environment_id = ${environment_id} and account = ${account} and source = ${own}`,
  )
}

/** A limit that is reached, and when it ends. */
export interface Lock {
  of: 'everywhere' | 'known_browsers' | 'one_place' | 'second_factor'
  until: Date
}

/** Places of one answer: an account cannot fail from many more before it is locked for all of them. */
const most_places = 1_000

/** Finds what is locked of an account, which need not exist, and of the second factors of its user. */
export async function findLocks(
  db: Db,
  { environment_id, account, user_id, now }: Pick<Attempt, 'environment_id' | 'account' | 'now'> & { user_id: string | null },
  { max_attempts }: Lockout,
): Promise<Lock[]> {
  const rows = await db
    .of(environment_id)
    .all(
      Counted,
      sql`${liveRows({ environment_id, now }, sql`account = ${account} and attempts >= ${max_attempts}`)} limit ${constant(most_places)}`,
    )
  const limits: Readonly<Record<string, [Lock['of'], number]>> = {
    everywhere: ['everywhere', max_attempts * shares.unknown],
    devices: ['known_browsers', max_attempts * shares.known],
  }
  const locks = rows.flatMap(({ source, attempts, expires_at }): Lock[] => {
    const [of, limit] = limits[source] ?? [source.startsWith('device:') ? 'known_browsers' : 'one_place', max_attempts]
    return source !== 'mailed' && attempts >= limit ? [{ of, until: expires_at }] : []
  })
  const second = user_id === null ? null : secondFactorsOf(user_id)
  const wrong =
    second === null
      ? []
      : await db
          .of(environment_id)
          .all(
            Counted,
            liveRows(
              { environment_id, now },
              sql`account = ${second.account} and source = ${second.source} and attempts >= ${max_attempts}`,
            ),
          )
  return [...latest(locks), ...wrong.map(({ expires_at }): Lock => ({ of: 'second_factor', until: expires_at }))]
}

/** One of each kind: that which lasts longest. */
const latest = (locks: readonly Lock[]): Lock[] =>
  [...Map.groupBy(locks, ({ of }) => of).values()].flatMap((alike) =>
    alike.toSorted((a, b) => b.until.getTime() - a.until.getTime()).slice(0, 1),
  )

/** Gives an attempt back whose password was not checked. Earlier wrong ones still count: filling the queue does not clear them. */
export const giveBackUnchecked = (attempt: Attempt): Statement[] =>
  giveBackBy(attempt, (own) => decrement(attempt.environment_id, attempt.account, own))

/** @param ofOwn changes the counter of this source, or of this browser, for the account */
function giveBackBy({ environment_id, account, source, device, now }: Attempt, ofOwn: (own: string) => Statement): Statement[] {
  return [
    ...(device === null ? [decrement(environment_id, spraying.kind, slotName(source, slotOf(now, spraying)))] : []),
    ofOwn(device === null ? source : `device:${device}`),
    decrement(environment_id, account, device === null ? 'everywhere' : 'devices'),
  ]
}

export type From = Pick<Attempt, 'environment_id' | 'source' | 'now'>

/** Counts one for the source, in the batch of what it causes. A guard: fails where the limit is reached. */
export const countForSource = (of: OfSource, from: From): Statement[] => countFromSource(from, of_sources[of])

/** Counts one for the source, before anything is checked. Returns `null` if it is allowed, otherwise how many seconds to wait. */
export async function takeFromSource(db: Db, of: OfSource, from: From): Promise<number | null> {
  const limited = of_sources[of]
  if (await db.of(from.environment_id).batch(countForSource(of, from).map(withoutSync))) return null
  const rows = await db
    .of(from.environment_id)
    .all(Counted, liveRows(from, sql`account = ${limited.kind} and source in (${slotNames(from, limited)})`))
  return waitOf(rows, from.source, from.now)
}

/** Gives one back that `takeFromSource` counted, in the batch of its success or because nothing was tried. */
export const giveBackToSource = (of: OfSource, { environment_id, source, now }: From): OfEnvironment =>
  decrement(environment_id, of_sources[of].kind, slotName(source, slotOf(now, of_sources[of])))

/** Limits wrong second factors. They count for the account, from any source: the password is known already. */
const secondFactorsOf = (user_id: string) => ({ account: `second-factor:${user_id}`, source: 'everywhere' })

type OfUser = Pick<Attempt, 'environment_id' | 'now'> & { user_id: string }

/** Counts one try of a second factor before it is checked. A guard. */
export function countSecondFactor({ environment_id, user_id, now }: OfUser, lockout: Lockout): Statement {
  const { account, source } = secondFactorsOf(user_id)
  return countForAccount({ environment_id, account, now }, { from: source, limit: lockout.max_attempts }, lockout)
}

/** For the batch of a right one. Earlier wrong ones still count, because others may have tried them. */
export function giveBackSecondFactor({ environment_id, user_id }: OfUser): Statement {
  const { account, source } = secondFactorsOf(user_id)
  return sql`update sign_in_attempts set attempts = attempts - 1
    where environment_id = ${environment_id} and account = ${account} and source = ${source} and attempts > 0`
}

/** Returns how many seconds second factors are refused after a refused one. */
export async function waitForSecondFactor(db: Db, of: OfUser): Promise<number> {
  const { account, source } = secondFactorsOf(of.user_id)
  const rows = await db.of(of.environment_id).all(Counted, liveRows(of, sql`account = ${account} and source = ${source}`))
  return secondsUntil(of.now, Math.max(...rows.map(expiryTime)))
}

const decrement = (environment_id: EnvironmentId, account: string, from: string) =>
  sql`update sign_in_attempts set attempts = attempts - 1
       where environment_id = ${environment_id} and account = ${account} and source = ${from} and attempts > 0`

interface Counter {
  from: string
  limit: number
}

/** Returns the counters of the account, in the order in which every batch writes them. */
function countersOf({ source, device }: Attempt, { max_attempts }: Lockout): Counter[] {
  if (device === null)
    return [
      { from: source, limit: max_attempts },
      { from: 'everywhere', limit: max_attempts * shares.unknown },
    ]
  return [
    { from: `device:${device}`, limit: max_attempts },
    { from: 'devices', limit: max_attempts * shares.known },
  ]
}

/** Every allowed attempt restarts the lockout time, so that at most `limit` attempts are allowed within any `duration_seconds`. */
function countForAccount(
  { environment_id, account, now }: Pick<Attempt, 'environment_id' | 'account' | 'now'>,
  { from, limit }: Counter,
  { duration_seconds }: Lockout,
): Statement {
  const until = new Date(now.getTime() + duration_seconds * 1000)
  return guard(
    insertInto(
      'sign_in_attempts',
      { environment_id, account, source: from, attempts: 1, expires_at: until },
      sql`on conflict (environment_id, account, source) do update
      set attempts = case when sign_in_attempts.expires_at <= ${now} then 1 else sign_in_attempts.attempts + 1 end,
          expires_at = excluded.expires_at
      where sign_in_attempts.expires_at <= ${now} or sign_in_attempts.attempts < ${limit}`,
    ),
  )
}

interface SourceLimit {
  kind: string
  limit: number
  window_seconds: number
}

/**
 * Counts in slots of a tenth of the window. Each slot is kept for one window after its last attempt, so that old attempts of a busy
 * source expire. The guard sums the rows of other slots. That is safe because every batch that adds an attempt of this source first
 * writes the row of the source itself, so attempts from one source wait for each other.
 */
function countFromSource({ environment_id, source, now }: From, limited: SourceLimit): Statement[] {
  const until = new Date(now.getTime() + limited.window_seconds * 1000)
  const slot = slotName(source, slotOf(now, limited))
  return [
    insertInto(
      'sign_in_attempts',
      { environment_id, account: limited.kind, source, attempts: 0, expires_at: until },
      sql`on conflict (environment_id, account, source) do update set expires_at = excluded.expires_at`,
    ),
    guard(sql`insert into sign_in_attempts (environment_id, account, source, attempts, expires_at)
      select ${environment_id}, ${limited.kind}, ${slot}, 1, ${until}
       where (select coalesce(sum(attempts), 0) from sign_in_attempts
               where environment_id = ${environment_id} and account = ${limited.kind}
                 and source in (${slotNames({ source, now }, limited)}) and expires_at > ${now}) < ${limited.limit}
      on conflict (environment_id, account, source) do update
        set attempts = sign_in_attempts.attempts + 1, expires_at = excluded.expires_at`),
  ]
}

const slots_of_window = 10

const slotOf = (now: Date, { window_seconds }: SourceLimit) => Math.floor((now.getTime() * slots_of_window) / (window_seconds * 1000))
const slotName = (source: string, slot: number) => `${source}#${slot}`

/** Returns the slots of the last window. Includes the next slot, for a process whose clock is ahead. */
function slotNames({ source, now }: Pick<Attempt, 'source' | 'now'>, limited: SourceLimit): Statement {
  const last = slotOf(now, limited) + 1
  const slots = Array.from({ length: slots_of_window + 3 }, (_, i) => last - i)
  return list(slots.map((slot) => slotName(source, slot)))
}

const Counted = z.object({ account: z.string(), source: z.string(), attempts: z.int(), expires_at: z.date() })
type Counted = z.infer<typeof Counted>

/** Some of these rows belong to no counter. An `or` that names each would make SQLite read every attempt of the environment. */
function countedFor(attempt: Attempt, counters: readonly Counter[]): OfEnvironment {
  return liveRows(
    attempt,
    sql`account in (${attempt.account}, ${spraying.kind})
      and source in (${list(counters.map(({ from }) => from))}, ${slotNames(attempt, spraying)})`,
  )
}

const liveRows = ({ environment_id, now }: Pick<Attempt, 'environment_id' | 'now'>, condition: Statement) =>
  sql`select account, source, attempts, expires_at from sign_in_attempts
       where environment_id = ${environment_id} and expires_at > ${now} and ${condition}`

const expiryTime = ({ expires_at }: Counted) => expires_at.getTime()

/** Returns the seconds until the oldest slot of a source expires, and with it some of its attempts. */
function waitOf(rows: readonly Counted[], source: string, now: Date): number {
  const slots = rows.filter((row) => row.source.startsWith(`${source}#`) && row.attempts > 0)
  return secondsUntil(now, Math.min(...slots.map(expiryTime)))
}

/** Returns at least one second, also for a counter that has expired since the refusal. */
function secondsUntil(now: Date, time: number): number {
  return Number.isFinite(time) ? Math.max(1, Math.ceil((time - now.getTime()) / 1000)) : 1
}
