/**
 * Limits failed sign-ins. An attempt is counted before the password is checked and given back when the password was right,
 * so parallel guesses cannot pass the limit. Every counter of an attempt is raised in one batch, as a guard: an attempt
 * that one limit refuses counts for none of them. Accounts that do not exist are counted alike (decision 0005).
 */
import { hash } from 'node:crypto'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, guard, join, type Statement, sql } from '../db/db.ts'
import { emailKey } from './email.ts'

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
  /** The mark of a browser that signed in to this account before; `null` for every other browser. */
  device: string | null
  now: Date
}

/** All sources together have 10 × max_attempts per account. Known browsers have two of these ten shares, all others eight. */
const shares = { strangers: 8, devices: 2 }

/** Failed attempts from one source, whatever the accounts: a limit for password spraying. Known browsers do not count. */
const spraying = { kind: 'spraying', limit: 100, window_seconds: 900 }

/** New accounts from one source: more than a household needs, fewer than a script wants. No limit is shared by all sources. */
const sign_ups = { kind: 'sign-up', limit: 200, window_seconds: 600 }

/** The account as it is counted: it may not exist, and its address need not be stored. */
export function accountOf(email: string): string {
  return hash('sha256', emailKey(email), 'hex')
}

/** An IPv4 address or an IPv6 /64, which one subscriber has to themselves. */
export function sourceOf(ip: string | null): string {
  if (ip === null) return 'unknown'
  return ip.includes(':') ? `ip:${prefix64(ip)}` : `ip:${ip}`
}

/** The first four groups of a canonical IPv6 address. */
function prefix64(ip: string): string {
  const [head = '', tail] = ip.split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail?.split(':').filter(Boolean) ?? []
  const zeros: string[] = tail === undefined ? [] : Array(8 - left.length - right.length).fill('0')
  return [...left, ...zeros, ...right].slice(0, 4).join(':')
}

/** Which limit refuses an attempt, and how long it does. */
export interface Refusal {
  limit: 'account' | 'source'
  wait_seconds: number
}

/** Takes one attempt. Returns `null` when it may be made; a refused attempt leaves no trace. */
export async function takeAttempt(db: Db, attempt: Attempt, lockout: Lockout): Promise<Refusal | null> {
  const { device, source, now } = attempt
  const counters = countersOf(attempt, lockout)
  const admitted = await db.batch([
    ...(device === null ? countFromSource(attempt, spraying) : []),
    ...counters.map((counter) => countForAccount(attempt, counter, lockout)),
  ])
  if (admitted) return null

  const rows = await db.all(Counted, countedFor(attempt, counters))
  const spent = counters.flatMap(({ from, limit }) => rows.filter((row) => row.source === from && row.attempts >= limit))
  if (spent.length > 0) return { limit: 'account', wait_seconds: secondsUntil(now, Math.max(...spent.map(timeOf))) }
  const sprayed = rows.filter((row) => row.account === spraying.kind)
  return { limit: 'source', wait_seconds: waitOf(sprayed, source, now) }
}

/**
 * Gives an attempt back, in a batch with what a right password causes, or because no password was checked. The source
 * starts again for this account; the limits that it shares with others get back this one attempt only.
 */
export function giveBack(attempt: Attempt): Statement[] {
  const { environment_id, account, source, device, now } = attempt
  const lower = (of: string, from: string) =>
    sql`update sign_in_attempts set attempts = attempts - 1 where environment_id = ${environment_id} and account = ${of} and source = ${from} and attempts > 0`
  const own = device === null ? source : `device:${device}`
  return [
    ...(device === null ? [lower(spraying.kind, slotName(source, slotOf(now, spraying)))] : []),
    sql`delete from sign_in_attempts where environment_id = ${environment_id} and account = ${account} and source = ${own}`,
    lower(account, device === null ? 'everywhere' : 'devices'),
  ]
}

/** Takes one attempt to sign up. Returns `null` when it may be made, otherwise how long to wait, in seconds. */
export async function takeSignUp(db: Db, from: Pick<Attempt, 'environment_id' | 'source' | 'now'>): Promise<number | null> {
  if (await db.batch(countFromSource(from, sign_ups))) return null
  const rows = await db.all(Counted, liveRows(from, sql`account = ${sign_ups.kind} and source in (${slotNames(from, sign_ups)})`))
  return waitOf(rows, from.source, from.now)
}

interface Counter {
  from: string
  limit: number
}

/** The counters of the account, in the order in which every batch writes them. */
function countersOf({ source, device }: Attempt, { max_attempts }: Lockout): Counter[] {
  if (device === null)
    return [
      { from: source, limit: max_attempts },
      { from: 'everywhere', limit: max_attempts * shares.strangers },
    ]
  return [
    { from: `device:${device}`, limit: max_attempts },
    { from: 'devices', limit: max_attempts * shares.devices },
  ]
}

/** Every admitted attempt starts the time again, so that no two stretches of it lie within one `duration_seconds`. */
function countForAccount({ environment_id, account, now }: Attempt, { from, limit }: Counter, { duration_seconds }: Lockout): Statement {
  const until = new Date(now.getTime() + duration_seconds * 1000)
  return guard(sql`insert into sign_in_attempts (environment_id, account, source, attempts, expires_at) values (${environment_id}, ${account}, ${from}, 1, ${until})
    on conflict (environment_id, account, source) do update
      set attempts = case when sign_in_attempts.expires_at <= ${now} then 1 else sign_in_attempts.attempts + 1 end, expires_at = excluded.expires_at
      where sign_in_attempts.expires_at <= ${now} or sign_in_attempts.attempts < ${limit}`)
}

interface SourceLimit {
  kind: string
  limit: number
  window_seconds: number
}

/**
 * Counts in slots of a tenth of the window, each kept for a window after its last attempt, so that a busy source is not
 * refused for what is long past. The row of the source itself is written first: attempts from one source wait for each other there.
 */
function countFromSource(
  { environment_id, source, now }: Pick<Attempt, 'environment_id' | 'source' | 'now'>,
  of: SourceLimit,
): Statement[] {
  const until = new Date(now.getTime() + of.window_seconds * 1000)
  const slot = slotName(source, slotOf(now, of))
  return [
    sql`insert into sign_in_attempts (environment_id, account, source, attempts, expires_at) values (${environment_id}, ${of.kind}, ${source}, 0, ${until})
      on conflict (environment_id, account, source) do update set expires_at = excluded.expires_at`,
    guard(sql`insert into sign_in_attempts (environment_id, account, source, attempts, expires_at)
      select ${environment_id}, ${of.kind}, ${slot}, 1, ${until}
       where (select coalesce(sum(attempts), 0) from sign_in_attempts
               where environment_id = ${environment_id} and account = ${of.kind} and source in (${slotNames({ source, now }, of)}) and expires_at > ${now}) < ${of.limit}
      on conflict (environment_id, account, source) do update set attempts = sign_in_attempts.attempts + 1, expires_at = excluded.expires_at`),
  ]
}

const slots_of_window = 10

const slotOf = (now: Date, { window_seconds }: SourceLimit) => Math.floor((now.getTime() * slots_of_window) / (window_seconds * 1000))
const slotName = (source: string, slot: number) => `${source}#${slot}`

/** The slots that may hold attempts of the last window. One to come is among them, for a process whose clock is ahead. */
function slotNames({ source, now }: Pick<Attempt, 'source' | 'now'>, of: SourceLimit): Statement {
  const last = slotOf(now, of) + 1
  const slots = Array.from({ length: slots_of_window + 3 }, (_, i) => last - i)
  return join(
    slots.map((slot) => sql`${slotName(source, slot)}`),
    ', ',
  )
}

const Counted = z.object({ account: z.string(), source: z.string(), attempts: z.int(), expires_at: z.date() })
type Counted = z.infer<typeof Counted>

function countedFor(attempt: Attempt, counters: readonly Counter[]): Statement {
  const from = join(
    counters.map((counter) => sql`${counter.from}`),
    ', ',
  )
  return liveRows(
    attempt,
    sql`((account = ${attempt.account} and source in (${from})) or (account = ${spraying.kind} and source in (${slotNames(attempt, spraying)})))`,
  )
}

const liveRows = ({ environment_id, now }: Pick<Attempt, 'environment_id' | 'now'>, which: Statement) =>
  sql`select account, source, attempts, expires_at from sign_in_attempts where environment_id = ${environment_id} and expires_at > ${now} and ${which}`

const timeOf = ({ expires_at }: Counted) => expires_at.getTime()

/** Until the oldest slot of a source is over, and with it some of the attempts that count. */
function waitOf(rows: readonly Counted[], source: string, now: Date): number {
  const slots = rows.filter((row) => row.source.startsWith(`${source}#`) && row.attempts > 0)
  return secondsUntil(now, Math.min(...slots.map(timeOf)))
}

/** At least a second: what was spent a moment ago may be free by now. */
function secondsUntil(now: Date, time: number): number {
  return Number.isFinite(time) ? Math.max(1, Math.ceil((time - now.getTime()) / 1000)) : 1
}
