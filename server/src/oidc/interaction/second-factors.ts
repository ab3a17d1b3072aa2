/**
 * The second factors that a person can use, each with the field of the page that holds it. Another kind is one more entry, and one more
 * part of `secondFactorsOf` (`users/second-factors.ts`).
 */
import type { Statement } from '../../db/db.ts'
import { mailStatements } from '../../mail/send.ts'
import { recoveryKey } from '../../users/recovery-codes.ts'
import { countRecoveryCodes, findTotps, recoveryHash, unsealTotp, useRecoveryCode, useTotp } from '../../users/second-factors.ts'
import { findUser } from '../../users/store.ts'
import { stepOf, typedCode } from '../../users/totp.ts'
import type { OidcCall, OidcServices } from '../call.ts'
import { deviceOf } from '../device.ts'

interface SecondFactor {
  /** The name in events and statistics. */
  method: 'totp' | 'recovery_code'
  field: 'code' | 'recovery_code'
  /** RFC 8176. */
  amr: readonly string[]
  /** Returns the statements that use up what the person sent, among them a guard of its single use; `null` if it is wrong. */
  check(services: OidcServices, call: OidcCall, user_id: string, sent: string): Promise<Statement[] | null>
}

const totp: SecondFactor = {
  method: 'totp',
  field: 'code',
  amr: ['otp'],
  async check(services, { issuer: { environment_id }, now }, user_id, sent) {
    for (const app of await findTotps(services.db, environment_id, user_id)) {
      const step = stepOf(unsealTotp(services, environment_id, app), typedCode(sent), { last_step: app.last_step, now })
      if (step !== null) return [useTotp(environment_id, user_id, app.id, step, now)]
    }
    return null
  },
}

/** The person is mailed, because a code may be used by another person who found it. */
const recovery_code: SecondFactor = {
  method: 'recovery_code',
  field: 'recovery_code',
  amr: ['otp'],
  async check(services, call, user_id, sent) {
    const { environment_id } = call.issuer
    const key = recoveryKey(sent)
    const user = key !== null && (await findUser(services.db, environment_id, user_id))
    if (!user || key === null) return null
    const left = Math.max(0, (await countRecoveryCodes(services.db, environment_id, user_id)) - 1)
    const notice = { kind: 'recovery_code_used' as const, left, device: deviceOf(call) }
    const mail = { user_id, request_id: call.request_id, notice, locales: user.locale }
    return [
      useRecoveryCode(environment_id, user_id, recoveryHash(services, environment_id, user_id, key), call.now),
      ...(user.email === null ? [] : await mailStatements(services, environment_id, { ...mail, to: user.email }, call.now)),
    ]
  },
}

export const second_factors: readonly SecondFactor[] = [recovery_code, totp]

/** In characters, checked before any work. No second factor is longer. */
export const longest_second_factor = 200
