/**
 * Sign-ins under way at a provider. Each is valid for ten minutes, once, in the browser that started it. It is sealed in a cookie of that
 * browser, so that requests of strangers store nothing; where it is too large for a cookie, or the browser has as many already, it is a
 * row. The rows of a source and of an environment are bounded (`roomForAttempt`).
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { digestOf } from '../../base/digest.ts'
import { guard, type Statement, sql } from '../../db/db.ts'
import { insertInto } from '../../db/rows.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { sealed_columns, sealedCookie } from '../../deployment/secrets/sealed-columns.ts'
import type { UpstreamSecrets } from './profile.ts'

export const upstream_kept_seconds = 600
/** In characters of the sealed text. RFC 6265 §6.1: browsers keep a cookie of 4,096 bytes with its name and attributes. */
export const longest_upstream_cookie = 3_000
/** A tab more than these has its attempt in a row. */
export const most_upstream_cookies = 2

/** In characters of the sealed text. A query has at most 24,576, of which sealing makes a third more. */
const longest_row = 34_000
/** The least size that is counted for a row, so that one more row replaces at most ten. */
const least_counted = longest_row / 10
const most_of_source = 1_000_000
const most_of_environment = 32_000_000
/** More than the ten rows of the least size that make room for one of the greatest. */
const most_to_give_way = 20

const Payload = z.object({
  issuer: z.string().default(''),
  query: z.string(),
  nonce: z.string(),
  code_verifier: z.string(),
  browser: z.string(),
  connects: z.object({ user_id: z.string(), session_id: z.string() }).nullable().default(null),
})

/** A sign-in at a provider that has started and not yet returned. */
export interface UpstreamSignIn extends UpstreamSecrets {
  provider_id: string
  /** See `issuerOfProvider`. */
  issuer: string
  /** The query of the application's authorization request, or of the page of the account, which continues after the callback. */
  query: string
  /** The seed of the browser's form tokens. The callback must come from the same browser. */
  browser: string
  /** The account to which a person connects the provider, and the session in which they asked; `null` for a sign-in. */
  connects: { user_id: string; session_id: string } | null
}

const { associatedData } = sealed_columns.upstream_sign_ins

type Services = Pick<Deployment, 'db' | 'secrets' | 'now'>

/** The attempt in a cookie. The seal binds it to the environment and the browser. */
const InCookie = Payload.omit({ browser: true }).extend({ provider_id: z.string(), state_hash: z.string(), expires_ms: z.int() })

/** The sealed attempt for a cookie; `null` where it is too large for one. */
export function sealUpstreamSignIn({ secrets, now }: Services, environment_id: EnvironmentId, sign_in: UpstreamSignIn): string | null {
  const { provider_id, issuer, state, query, nonce, code_verifier, browser, connects } = sign_in
  const expires_ms = now().getTime() + upstream_kept_seconds * 1_000
  const state_hash = digestOf(state)
  const attempt: z.infer<typeof InCookie> = { provider_id, issuer, query, nonce, code_verifier, connects, state_hash, expires_ms }
  const sealed = secrets.seal(JSON.stringify(attempt), sealedCookie(environment_id, digestOf(browser)))
  return sealed.length <= longest_upstream_cookie ? sealed : null
}

/** The attempt of a cookie of this browser; `null` where it has ended, or was sealed for another browser or environment. */
export function openUpstreamCookie({ secrets, now }: Services, environment_id: EnvironmentId, sealed: string, browser: string) {
  if (sealed.length > longest_upstream_cookie) return null
  try {
    const attempt = InCookie.parse(JSON.parse(secrets.unseal(sealed, sealedCookie(environment_id, digestOf(browser)))))
    return attempt.expires_ms > now().getTime() ? attempt : null
  } catch {
    return null // not sealed by this service for this browser, or under a master key that is gone
  }
}

/** Stores an attempt in a row. `false`: the environment has no room, which attempts of other sources fill. */
export async function storeUpstreamSignIn(
  { db, secrets, now }: Services,
  environment_id: EnvironmentId,
  sign_in: UpstreamSignIn,
  source: string,
): Promise<boolean> {
  const { provider_id, issuer, state, query, nonce, code_verifier, browser, connects } = sign_in
  const payload = JSON.stringify({ issuer, query, nonce, code_verifier, browser: digestOf(browser), connects })
  const sealed = secrets.seal(payload, associatedData(environment_id))
  if (sealed.length > longest_row) return false
  const size = Math.max(sealed.length, least_counted)
  const expires_at = new Date(now().getTime() + upstream_kept_seconds * 1_000)
  const stored = await db.of(environment_id).batch([
    ...roomForAttempt(environment_id, source, size),
    guard(sql`insert into upstream_sign_ins (environment_id, state_hash, provider_id, payload, expires_at, source, size)
      select cast(${environment_id} as text), cast(${digestOf(state)} as text), cast(${provider_id} as text), cast(${sealed} as text),
             cast(${expires_at} as bigint), cast(${source} as text), cast(${size} as bigint)
       where ${sizeOf(environment_id)} <= ${most_of_environment - size}`),
  ])
  return stored !== null
}

const sizeOf = (environment_id: EnvironmentId) =>
  sql`(select coalesce(sum(size), 0) from upstream_sign_ins where environment_id = ${environment_id})`

/**
 * Makes room for an attempt of this size: evicts the oldest ones of its source, and in a full environment the oldest ones of the source
 * with most. The first statement holds the attempts of the environment, so the sums that follow stay true until the commit.
 */
export function roomForAttempt(environment_id: EnvironmentId, source: string, size: number): Statement[] {
  const of_source = sql`environment_id = ${environment_id} and source = ${source}`
  const fullest = sql`(select source from upstream_sign_ins where environment_id = ${environment_id}
                        group by source order by sum(size) desc, source limit 1)`
  return [
    insertInto(
      'upstream_holds',
      { environment_id },
      sql`on conflict (environment_id) do update set environment_id = excluded.environment_id`,
    ),
    sql`delete from upstream_sign_ins where environment_id = ${environment_id} and state_hash in (
          select state_hash from (
            select state_hash, sum(size) over (order by expires_at desc, state_hash desc) as with_newer
              from upstream_sign_ins where ${of_source}) kept
           where with_newer > ${most_of_source - size} limit ${most_to_give_way})`,
    sql`delete from upstream_sign_ins where environment_id = ${environment_id} and state_hash in (
          select state_hash from (
            select state_hash, sum(size) over (order by expires_at, state_hash) - size as older
              from upstream_sign_ins where environment_id = ${environment_id} and source = ${fullest}) oldest
           where older < ${sizeOf(environment_id)} - ${most_of_environment - size} limit ${most_to_give_way})`,
  ]
}

const Row = z.object({ payload: z.string(), expires_at: z.date() })

/** Where the attempt of a callback may be, beside the rows. */
export interface ReturningBrowser {
  /** The seeds of its form tokens. */
  form_seeds: readonly { readonly seed: string }[]
  /** The values of its cookies of attempts. */
  upstreams: readonly (string | null)[]
}

/** The cookie that a taken sign-in was in is of no more use: `slot`, or `null` for a row. */
type Taken = UpstreamSignIn & { slot: number | null }

/**
 * Returns the sign-in that this browser started at this provider with this state, and takes it: `null` for any other browser, and for
 * every later call with the same state.
 */
export async function takeUpstreamSignIn(
  services: Services,
  environment_id: EnvironmentId,
  { provider_id, state }: { provider_id: string; state: string },
  { form_seeds, upstreams }: ReturningBrowser,
): Promise<Taken | null> {
  if (form_seeds.length === 0) return null
  const { db } = services
  const state_hash = digestOf(state)
  const opened = upstreams.flatMap((sealed, slot) =>
    form_seeds.map(({ seed }) => ({ slot, browser: seed, attempt: sealed && openUpstreamCookie(services, environment_id, sealed, seed) })),
  )
  const { attempt, slot, browser } = opened.find(({ attempt }) => attempt !== '' && attempt?.state_hash === state_hash) ?? {}
  if (!attempt || slot === undefined || browser === undefined) return takeRow(services, environment_id, { provider_id, state }, form_seeds)
  if (attempt.provider_id !== provider_id) return null
  // The browser can send a cookie again, so the database decides which call is the first.
  const first = await db
    .of(environment_id)
    .run(
      insertInto(
        'returned_upstream_states',
        { environment_id, state_hash, expires_at: new Date(attempt.expires_ms) },
        sql`on conflict (environment_id, state_hash) do nothing`,
      ),
    )
  return first === 1 ? { ...attempt, state, browser, slot } : null
}

async function takeRow(
  { db, secrets, now }: Services,
  environment_id: EnvironmentId,
  { provider_id, state }: { provider_id: string; state: string },
  form_seeds: ReturningBrowser['form_seeds'],
): Promise<Taken | null> {
  const row = await db.of(environment_id).changeOne(
    Row,
    sql`delete from upstream_sign_ins
         where environment_id = ${environment_id} and state_hash = ${digestOf(state)} and provider_id = ${provider_id}
         returning payload, expires_at`,
  )
  if (!row || row.expires_at <= now()) return null
  const payload = Payload.parse(JSON.parse(secrets.unseal(row.payload, associatedData(environment_id))))
  const browser = form_seeds.find(({ seed }) => payload.browser === digestOf(seed))?.seed
  return browser === undefined ? null : { ...payload, provider_id, state, browser, slot: null }
}
