/**
 * The challenges of WebAuthn ceremonies. A challenge proves by a MAC that this deployment made it for one purpose and one browser less
 * than ten minutes ago, so a page with a challenge writes nothing. The ceremony that succeeds stores its digest, and no second one can.
 */
import { timingSafeEqual } from 'node:crypto'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { digestOf } from '../../base/digest.ts'
import { guard, type Statement, sql } from '../../db/db.ts'
import { insertInto } from '../../db/rows.ts'
import type { Deployment } from '../../deployment/deployment.ts'

const life_ms = 600_000

/** The purpose of a challenge. Its response is not valid for any other. */
export interface Bound {
  environment_id: EnvironmentId
  purpose: 'sign_in' | 'second_factor' | 'enrolment' | 'automatic'
  /** Whom it belongs to: the form token of a browser, a session, or a sign-in that waits for its second factor. */
  to: string
}

/** A challenge that is valid now. Whether it was used, only the database can say. */
export interface Challenge {
  environment_id: EnvironmentId
  text: string
  expires_at: Date
}

/** Random bytes, the time of expiry and the MAC of both, in base64url. WebAuthn §13.4.3 asks for at least 16 random bytes. */
const random_bytes = 16
const time_bytes = 6
const mac_bytes = 32

export function newChallenge({ secrets, random }: Pick<Deployment, 'secrets' | 'random'>, bound: Bound, now: Date): string {
  const time = Buffer.alloc(time_bytes)
  time.writeUIntBE(now.getTime() + life_ms, 0, time_bytes)
  const body = Buffer.concat([random(random_bytes), time])
  return Buffer.concat([body, macOf(secrets, bound, body)]).toString('base64url')
}

/** `null` if the challenge is not one of ours, is for something else, or has expired. */
export function readChallenge({ secrets }: Pick<Deployment, 'secrets'>, bound: Bound, text: string, now: Date): Challenge | null {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length !== random_bytes + time_bytes + mac_bytes || bytes.toString('base64url') !== text) return null
  const body = bytes.subarray(0, -mac_bytes)
  if (!timingSafeEqual(bytes.subarray(-mac_bytes), macOf(secrets, bound, body))) return null
  const expires_at = new Date(body.readUIntBE(random_bytes, time_bytes))
  return expires_at > now ? { environment_id: bound.environment_id, text, expires_at } : null
}

/** Fails as a guard if a ceremony with this challenge has succeeded. */
export const spendChallenge = ({ environment_id, text, expires_at }: Challenge): Statement =>
  guard(
    insertInto(
      'passkey_ceremonies',
      { environment_id, challenge_hash: digestOf(text), expires_at },
      sql`on conflict (environment_id, challenge_hash) do nothing`,
    ),
  )

const macOf = (secrets: Deployment['secrets'], { environment_id, purpose, to }: Bound, body: Buffer) =>
  secrets.mac('passkey', JSON.stringify([environment_id, purpose, to, body.toString('base64url')]))
