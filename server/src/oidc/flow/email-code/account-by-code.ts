/** Creates the account of an address that a code or its link proved, or hands an existing one over (decision 0041). */
import { sign_in_methods } from '@ostiary/contract/sign-in-methods.ts'
import type { Statement } from '../../../db/db.ts'
import {
  type Chosen,
  findOwner,
  isProven,
  type Owner,
  type Proven,
  proveFromOutside,
  verifyAddress,
} from '../../../domain/accounts/address-proof.ts'
import { createAccount } from '../../../domain/accounts/create-account.ts'
import type { Payload } from '../../../domain/users/code-mail.ts'
import { type CodeRow, spendCode } from '../../../domain/users/mailed-codes.ts'
import { aboutUser } from '../../../domain/users/store.ts'
import { readBrowser } from '../../browser.ts'
import type { OidcCall, OidcServices } from '../../call.ts'
import { beginInteraction, type Interaction } from '../shared/begin.ts'
import { continueUrl, withPrompt } from '../shared/continue.ts'
import type { SignedIn } from '../shared/establish-session.ts'
import { admitsAddress, mayCreateAccount, useInvitation, waitsForApproval } from '../shared/new-account.ts'
import { findPendingCode } from './send-code.ts'

/** In the words of events and statistics, and in those of RFC 8176. */
export const by_code = { method: 'email_code', amr: sign_in_methods.email_code.amr, began_with: 'email_code' } as const

/**
 * The same by the link of the mail, in any browser, which signs nobody in. Another browser than the one that signed up makes an account
 * without the password that was typed there: who reads the mail may not be who chose it.
 */
export async function createAccountByLink(services: OidcServices, call: OidcCall, row: CodeRow, payload: Payload): Promise<string | null> {
  const { request: query, password_hash } = payload
  const begun = query === null ? null : await beginInteraction(services, call, query)
  if (query === null || !begun || 'answer' in begun) return null
  const interaction = { query, ...begun, browser: await readBrowser(services, call) }
  const { form_seed } = interaction.browser
  const is_same = form_seed !== null && (await findPendingCode(services, call, interaction, payload.email))?.id === row.id
  const spent = spendCode(call.issuer.environment_id, row.id, { tried: false }, call.now)
  const made = await accountOfProof(services, call, interaction, {
    ...payload,
    password_hash: is_same ? password_hash : null,
    first: [spent],
  })
  return made && (await services.db.of(call.issuer.environment_id).batch(made.statements))
    ? continueUrl(call, withPrompt(query, 'login'))
    : null
}

/** The data of a correct code or link, and the statements that spend it. */
export interface RightCode extends Pick<Payload, 'email' | 'name' | 'password_hash'> {
  first: readonly Statement[]
  /** No form asked for a name. */
  asks_name?: boolean
}

/** The statements that make the account of a proven address, or hand it over; `null` where it cannot be made. */
export async function accountOfProof(
  services: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  { email, name, password_hash, first }: RightCode,
): Promise<{ signed_up: SignedIn; statements: Statement[] } | null> {
  if (!mayCreateAccount(call, interaction, email) || !admitsAddress(call, interaction, email)) return null
  const owner = await findOwner(services.db, call.issuer.environment_id, email)
  if (owner) {
    if (isProven(owner) || owner.blocked_at !== null) return null
    const { statements, ...account } = prove(services, call, interaction, { owner, chosen: { name, password_hash } })
    const signed_up: SignedIn = { ...by_code, ...account, step: 'sign_up' }
    const about = aboutUser(call.issuer.environment_id, owner.id)
    return { signed_up, statements: [about, ...first, ...useInvitation(services, call, interaction), ...statements] }
  }
  const method = interaction.invitation ? 'invitation' : password_hash === null ? 'email_code' : 'password'
  const account = {
    ...{ environment_id: call.issuer.environment_id, request_id: call.request_id, now: call.now },
    user: { email, email_verified: true, name },
    password_hash,
    method,
    waits: waitsForApproval(call, interaction, email),
  }
  const { user_id, waits, statements } = createAccount(services, account, () => [...first, ...useInvitation(services, call, interaction)])
  return { signed_up: { ...by_code, user_id, email, password_hash, waits, step: 'sign_up' }, statements }
}

/** A browser that is signed in to the account proves its address from within. */
export function prove(
  services: OidcServices,
  call: OidcCall,
  { browser, invitation }: Interaction,
  { owner, chosen }: { owner: Owner; chosen?: Chosen },
): Proven {
  const waits = waitsForApproval(call, { invitation }, owner.email)
  const proof = { environment_id: call.issuer.environment_id, waits, request_id: call.request_id, now: call.now }
  if (!browser.sessions.some(({ user_id }) => user_id === owner.id)) return proveFromOutside(services, proof, owner, chosen)
  const { id: user_id, email, password_hash } = owner
  return { user_id, email, password_hash, loses_factors: false, waits: false, statements: verifyAddress(services, proof, owner) }
}
