/**
 * Counting failed sign-ins. An attempt is counted before the password is looked at and given back when it was right, so
 * parallel guesses cannot slip past the limit. Guesses are counted per account and source (a browser that signed in before
 * counts for itself, others by address), so that a stranger who spends the limit locks out the stranger, not the
 * person; and per account over all strangers together, with a wider limit. An account need not exist to be counted.
 */
import { hash } from 'node:crypto'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, guard, sql } from '../db/db.ts'
import { emailKey } from './email.ts'

/** Guesses from everywhere together, as a multiple of those from one source. */
const everywhere_factor = 10

export interface Lockout {
  max_attempts: number
  duration_seconds: number
}

/** The account as it is counted: it may not exist, and its address need not be stored. */
export function accountOf(email: string): string {
  return hash('sha256', emailKey(email), 'hex')
}

/** An IPv6 subscriber has a whole /64, so that is one source. */
export function sourceOf(ip: string | null, device: string | null): string {
  if (device !== null) return `device:${device}`
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

const Until = z.object({ expires_at: z.date() })

/** Takes one attempt. `null` when it may be made; otherwise how long to wait, in seconds. */
export async function takeAttempt(
  db: Db,
  environment_id: EnvironmentId,
  account: string,
  source: string,
  { max_attempts, duration_seconds }: Lockout,
  now: Date,
): Promise<number | null> {
  const until = new Date(now.getTime() + duration_seconds * 1000)
  const count = (from: string, limit: number) =>
    guard(sql`insert into sign_in_attempts (environment_id, account, source, attempts, expires_at) values (${environment_id}, ${account}, ${from}, 1, ${until})
        on conflict (environment_id, account, source) do update
          set attempts = case when sign_in_attempts.expires_at <= ${now} then 1 else sign_in_attempts.attempts + 1 end, expires_at = excluded.expires_at
          where sign_in_attempts.expires_at <= ${now} or sign_in_attempts.attempts < ${limit}`)
  const is_device = source.startsWith('device:')
  const admitted = await db.batch([
    count(source, max_attempts),
    ...(is_device ? [] : [count('everywhere', max_attempts * everywhere_factor)]),
  ])
  if (admitted) return null
  const row = await db.maybeOne(
    Until,
    sql`select max(expires_at) as expires_at from sign_in_attempts where environment_id = ${environment_id} and account = ${account} and source in (${source}, 'everywhere')`,
  )
  return Math.max(1, Math.ceil(((row?.expires_at.getTime() ?? until.getTime()) - now.getTime()) / 1000))
}

/** The password was right: what this source had used up is forgotten. */
export function forgetAttempts(environment_id: EnvironmentId, account: string, source: string) {
  return sql`delete from sign_in_attempts where environment_id = ${environment_id} and account = ${account} and source in (${source}, 'everywhere')`
}
