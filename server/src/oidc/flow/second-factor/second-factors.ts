/** The second factors that a person can use, each with its field of the page. */
import { type SecondFactor, sign_in_methods } from '@ostiary/contract/sign-in-methods.ts'
import { reason } from '../../../base/reason.ts'
import { type Refusal, refusal } from '../../../base/refusal.ts'
import type { Statement } from '../../../db/db.ts'
import { mailStatements } from '../../../domain/mail/send.ts'
import { longest_response } from '../../../domain/passkeys/response.ts'
import type { HalfSignIn } from '../../../domain/sessions/half-sign-ins.ts'
import { recoveryKey } from '../../../domain/users/recovery-codes.ts'
import { countRecoveryCodes, findTotps, recoveryHash, unsealTotp, useRecoveryCode, useTotp } from '../../../domain/users/second-factors.ts'
import { findUser } from '../../../domain/users/store.ts'
import { matchingStep, typedCode } from '../../../domain/users/totp.ts'
import type { OidcCall, OidcServices } from '../../call.ts'
import { deviceOf } from '../../device.ts'
import { challenge_spent } from '../shared/passkey-ceremony.ts'
import { finishPasskeyFactor } from './passkey-second-factor.ts'

/** No code is longer. */
export const longest_code = 200

interface Check {
  field: 'code' | 'recovery_code' | 'credential'
  /** In characters, checked before any work. */
  longest: number
  check(
    services: OidcServices,
    call: OidcCall,
    half: Pick<HalfSignIn, 'user_id' | 'secret_hash'>,
    sent: string,
  ): Promise<Used | { refusal: Refusal }>
  /** Why the batch with the statements of a right one may fail. */
  used_up: Refusal
}

/** The person sent a correct code or response. */
interface Used {
  /** The statements that spend it, with a guard of its single use. */
  statements: Statement[]
  /** RFC 8176. */
  amr: readonly string[]
}

export const wrong_code = refusal(
  'wrong_code',
  reason`The code of the second factor, or the code that was mailed before its enrolment, is wrong or was used.`,
)

export const missing_code = refusal('wrong_code', reason`The form of the second factor holds no code, and no response of an authenticator.`)

const totp: Check = {
  field: 'code',
  longest: longest_code,
  used_up: wrong_code,
  async check(services, { issuer: { environment_id }, now }, { user_id }, sent) {
    for (const app of await findTotps(services.db, environment_id, user_id)) {
      const step = matchingStep(unsealTotp(services, environment_id, app), typedCode(sent), { last_step: app.last_step, now })
      if (step !== null)
        return { statements: [useTotp({ environment_id, id: user_id }, { id: app.id, step }, now)], amr: sign_in_methods.totp.amr }
    }
    return { refusal: wrong_code }
  },
}

/** The person is mailed, because a code may be used by another person who found it. */
const recovery_code: Check = {
  field: 'recovery_code',
  longest: longest_code,
  used_up: wrong_code,
  async check(services, call, { user_id }, sent) {
    const { environment_id } = call.issuer
    const key = recoveryKey(sent)
    const user = key !== null && (await findUser(services.db, environment_id, user_id))
    if (!user || key === null) return { refusal: wrong_code }
    const left = Math.max(0, (await countRecoveryCodes(services.db, environment_id, user_id)) - 1)
    const notice = { kind: 'recovery_code_used' as const, left, device: deviceOf(call) }
    const mail = { user_id, request_id: call.request_id, notice, locales: user.locale }
    const statements = [
      useRecoveryCode(environment_id, user_id, recoveryHash(services, environment_id, user_id, key), call.now),
      ...(user.email === null ? [] : await mailStatements(services, environment_id, { ...mail, to: user.email }, call.now)),
    ]
    return { statements, amr: sign_in_methods.recovery_code.amr }
  },
}

const passkey: Check = {
  field: 'credential',
  longest: longest_response,
  used_up: challenge_spent,
  check: (services, call, half, sent) => finishPasskeyFactor(services, call, waitingOf(half), sent),
}

/** The half sign-in that a challenge is bound to. */
export const waitingOf = ({ user_id, secret_hash }: Pick<HalfSignIn, 'user_id' | 'secret_hash'>) => ({ user_id, waiting: secret_hash })

const checks: Record<SecondFactor, Check> = { recovery_code, totp, passkey }

/** The second factor whose field a form has, under its name in events and statistics. */
export function sentFactor(form: URLSearchParams | null): (Check & { method: SecondFactor }) | undefined {
  const method = (Object.keys(checks) as SecondFactor[]).find((name) => form?.has(checks[name].field)) // as: the keys of the table
  return method && { method, ...checks[method] }
}
