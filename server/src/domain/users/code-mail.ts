/**
 * Codes and links on their way to an address: makes them, mails them, compares them. A request for an address that gets none leaves the
 * same rows and the same answer (a decoy), so nobody learns from it who has an account.
 *
 * A link is `{issuer}/link?token=…`. `newLink` makes one, `openLink` looks at it without an effect, and `spendCode` belongs into the
 * batch of what it proves. Each kind has a flow of its own.
 */
import { timingSafeEqual } from 'node:crypto'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { digestOf } from '../../base/digest.ts'
import { normalised } from '../../base/normalisation.ts'
import { withoutEnds } from '../../base/typed.ts'
import type { Statement } from '../../db/db.ts'
import { type Deployment, newSecret } from '../../deployment/deployment.ts'
import { sealed_columns } from '../../deployment/secrets/sealed-columns.ts'
import { waitOfAddress } from '../mail/address-limit.ts'
import { mailStatements } from '../mail/send.ts'
import type { Notice } from '../mail/texts/notice.ts'
import { accountOf, countForSource } from './attempts.ts'
import { type CodeKind, type CodeRow, codeExpiry, countCodeTry, findCodeOfLink, insertCode, type NewCode } from './mailed-codes.ts'

type Services = Pick<Deployment, 'db' | 'newId' | 'secrets' | 'random' | 'config'>

/** The data that a code or link keeps until it is used. */
const Payload = z.object({
  email: z.string(),
  name: z.string().nullable().default(null),
  /** Of a sign-up: the password is hashed before it is stored. */
  password_hash: z.string().nullable().default(null),
  /** Of a reset: the digest of the hash that the account had. Another password in the meantime ends the link. */
  password_digest: z.string().nullable().default(null),
  new_email: z.string().nullable().default(null),
  /** The request that the link of a sign-up or a reset goes on with. */
  request: z.string().nullable().default(null),
})
export type Payload = z.infer<typeof Payload>

export interface Requested {
  environment_id: EnvironmentId
  kind: CodeKind
  payload: z.input<typeof Payload>
  user_id: string | null
  /** The person whose mail it is, for its event, where that is a different person. */
  mail_user_id?: string | null
  /** The seed of the form tokens of the browser that asks; `null` outside of a browser. */
  browser: string | null
  source: string
  is_known: boolean
  /** Digits instead of random ones (`test.fixed_code`). */
  fixed_code: string | null
  /** The mail, or a decoy in the shape of the mail that another address would get. */
  letter: (secrets: { code: string; link: string; expires_at: Date }) => Notice
  is_decoy: boolean
  /** The code of this request opens nothing, as for a sign-up with the address of an account. */
  has_code: boolean
  has_link: boolean
  /** When it ends; without a value at the time of its kind. */
  expires_at?: Date
  /** The address as the account has it. */
  to: string
  locales: string | null
  request_id: string | null
  issuer_url: string
}

/** Stores a code or link, and mails it. False where a limit is reached: then nothing has changed. */
export async function requestCode(services: Services & Pick<Deployment, 'counters'>, asked: Requested, now: Date): Promise<boolean> {
  const statements = await codeStatements(services, asked, now)
  if (await services.db.of(asked.environment_id).batch(statements)) return true
  await waitOfAddress(services, asked.environment_id, asked, now)
  return false
}

/** The same for a batch of the caller. Its guard is the limit. */
export async function codeStatements(services: Services, asked: Requested, now: Date): Promise<Statement[]> {
  const { environment_id, kind, payload, user_id, browser, source, is_known, is_decoy, has_code, has_link, to } = asked
  const id = services.random(16).toString('base64url')
  const code = asked.fixed_code ?? sixDigits(services)
  const token = newSecret(services)
  const expires_at = asked.expires_at ?? codeExpiry(kind, now)
  const sealed = services.secrets.seal(
    JSON.stringify(Payload.parse(payload)),
    sealed_columns.mailed_codes.associatedData(environment_id, id),
  )
  const code_mac = macOf(services, environment_id, id, code)
  const link_hash = digestOf(token)
  const opens = !is_decoy
  const row: NewCode = {
    id,
    kind,
    account: accountOf(payload.email),
    browser: browser === null ? null : digestOf(browser),
    source,
    is_known,
    user_id,
    code_mac: opens && has_code ? code_mac : null,
    link_hash: opens && has_link ? link_hash : null,
    sealed,
    expires_at,
  }
  const notice = asked.letter({ code, link: `${asked.issuer_url}/link?token=${token}`, expires_at })
  const { locales, request_id } = asked
  const { mail_user_id = user_id } = asked
  const mail = await mailStatements(
    services,
    environment_id,
    { to, user_id: mail_user_id, request_id, notice, locales, is_decoy, is_known },
    now,
  )
  const counted = isOfStranger(asked) ? countForSource('mailed_code', { environment_id, source, now }) : []
  return [...counted, ...insertCode(environment_id, row, now), ...mail]
}

/** Forms that anyone can send, with any address. A known browser signed in to the account before, and a backend has no browser. */
const isOfStranger = ({ kind, browser, is_known }: Requested): boolean =>
  browser !== null && !is_known && (kind === 'sign_in' || kind === 'sign_up' || kind === 'reset_password')

export const payloadOf = ({ secrets }: Pick<Deployment, 'secrets'>, environment_id: EnvironmentId, { id, sealed }: CodeRow): Payload =>
  Payload.parse(JSON.parse(secrets.unseal(sealed, sealed_columns.mailed_codes.associatedData(environment_id, id))))

/**
 * Counts a try and reports whether the code is the mailed one. Counting comes first and is one guarded statement, so parallel tries
 * never compare more codes than the limits allow. Text that is not a code of six digits is not a try.
 */
export async function tryCode(
  services: Services,
  environment_id: EnvironmentId,
  { row, typed }: { row: CodeRow | null; typed: string },
  now: Date,
): Promise<boolean> {
  const code = digitsOf(typed)
  if (row === null || code === null) return false
  const counted = await services.db.of(environment_id).batch(countCodeTry(environment_id, row, now))
  if (!counted) return false
  const expected = Buffer.from(row.code_mac ?? '')
  const sent = Buffer.from(macOf(services, environment_id, row.id, code))
  return expected.length === sent.length && timingSafeEqual(expected, sent)
}

/** Looks at a link without an effect; `null` for one that is unknown, used or expired, or of another environment. */
export async function openLink(
  services: Services,
  environment_id: EnvironmentId,
  token: string,
  now: Date,
): Promise<{ row: CodeRow; payload: Payload } | null> {
  if (!/^[A-Za-z0-9_-]{43}$/.test(token)) return null
  const row = await findCodeOfLink(services.db, environment_id, digestOf(token), now)
  return row && { row, payload: payloadOf(services, environment_id, row) }
}

/** A code as people paste it: with spaces or hyphens, with what is not seen around it, in any digits that NFKC makes ASCII. */
function digitsOf(typed: string): string | null {
  if (typed.length > 40) return null
  const digits = normalised(withoutEnds(typed)).replaceAll(/[\s-]+/g, '')
  return /^[0-9]{6}$/.test(digits) ? digits : null
}

const macOf = ({ secrets }: Pick<Deployment, 'secrets'>, environment_id: string, id: string, code: string) =>
  secrets.mac('mailed code', JSON.stringify([environment_id, id, code])).toString('base64url')

/** Each of the million codes is equally likely: a number beyond the last whole million of three bytes is thrown away. */
function sixDigits({ random }: Pick<Deployment, 'random'>): string {
  for (;;) {
    const number = random(3).readUIntBE(0, 3)
    if (number < 16_000_000) return String(number % 1_000_000).padStart(6, '0')
  }
}
