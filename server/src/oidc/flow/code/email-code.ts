/** Emailed codes as a way in, and as the proof of a sign-up (decision 0041). */
import { sign_in_methods } from '@ostiary/contract/sign-in-methods.ts'
import {
  type Chosen,
  findOwner,
  isProven,
  type Owner,
  type Proven,
  proveFromOutside,
  verifyAddress,
} from '../../../accounts/address-proof.ts'
import { createAccount } from '../../../accounts/create-account.ts'
import { waysIn } from '../../../accounts/methods.ts'
import { digestOf } from '../../../base/digest.ts'
import { accountAddress } from '../../../base/email.ts'
import { idIn, reason } from '../../../base/reason.ts'
import { type Refusal, refusal } from '../../../base/refusal.ts'
import { sourceOf } from '../../../base/source.ts'
import type { Statement } from '../../../db/db.ts'
import { type CodeView, codePage } from '../../../pages/code.ts'
import { accountOf, giveBackToSource, takeFromSource } from '../../../users/attempts.ts'
import { type Payload, payloadOf, requestCode, tryCode } from '../../../users/code-mail.ts'
import { type CodeRow, findCodeOfBrowser, spendCode } from '../../../users/mailed-codes.ts'
import { aboutUser, findCredential } from '../../../users/store.ts'
import { formToken, knownDevice, readBrowser, withCookies } from '../../browser.ts'
import { type Answer, type OidcCall, type OidcServices, redirect, refused } from '../../call.ts'
import { deviceOf } from '../../device.ts'
import { html, pageContext } from '../../hosted-page.ts'
import { fixedCodeOf } from '../../issuer.ts'
import { stepQuery } from '../../step-token.ts'
import { beginInteraction, type Interaction } from '../shared/begin.ts'
import { continueUrl, withPrompt } from '../shared/continue.ts'
import type { SignedIn } from '../shared/establish-session.ts'
import { recordFailedSignIn } from '../shared/failed-sign-in.ts'
import { finishSignIn } from '../shared/finish-sign-in.ts'
import { mayCreateAccount, offersCodes, takeNewAccount, too_many_accounts, useInvitation } from '../shared/new-account.ts'
import { afterWait, showSignIn } from '../shared/screens.ts'

/** In the words of events and statistics, and in those of RFC 8176. */
const by_code = { method: 'email_code', amr: sign_in_methods.email_code.amr, began_with: 'email_code' } as const

interface Wanted {
  kind: 'sign_in' | 'sign_up'
  /** As it was typed. */
  email: string
  name?: string | null
  password_hash?: string | null
}

const nobody = { id: '', email: '', password_hash: null, blocked_at: null }

/**
 * Mails a code, or does the same work for an address that gets none, and leads to the page that asks for it. Text that no account can have
 * as its address leads back to the sign-in page.
 */
export async function sendCode(services: OidcServices, call: OidcCall, interaction: Interaction, wanted: Wanted): Promise<Answer> {
  const { issuer, now, request_id } = call
  const { environment_id } = issuer
  const { email } = wanted
  const address = accountAddress(email)
  if (address === null)
    return showSignIn(services, call, interaction, { email, problem: 'malformed_email', refusal: no_address, wait_seconds: null })
  const owner = await findOwner(services.db, environment_id, address)
  const account = owner ?? nobody
  call.subject.user_id = owner?.id ?? null
  const to = owner?.email ?? address
  const marked = { user_id: account.id, email: address, password_hash: account.password_hash }
  const { texts, locale } = pageContext(call, interaction.request.ui_locales)
  const ways = await waysIn(services.db, { environment_id, id: account.id }, issuer.settings.sign_in, texts.ways_in)
  const device = deviceOf(call)
  const { query } = interaction
  const is_sign_up = wanted.kind === 'sign_up'
  const is_taken = is_sign_up && isProven(owner)
  const is_refused = owner ? owner.blocked_at !== null && !is_taken : !mayCreateAccount(call, interaction)
  await requestCode(
    services,
    {
      environment_id,
      kind: wanted.kind,
      payload: {
        email: to,
        name: wanted.name ?? null,
        password_hash: wanted.password_hash ?? null,
        request: is_sign_up ? keptRequest(query) : null,
      },
      user_id: owner?.id ?? null,
      browser: interaction.browser.form_seed,
      source: sourceOf(call.ip),
      is_known: knownDevice(services, call, interaction.browser, marked) !== null,
      fixed_code: fixedCodeOf(issuer),
      letter: ({ code, link, expires_at }) =>
        is_taken
          ? { kind: 'existing_account', asked_for: 'sign_up', ways, expires_at, device }
          : is_sign_up
            ? { kind: 'verify_email', code, link, expires_at, device, makes_account: true }
            : { kind: 'sign_in_code', code, expires_at, device },
      is_decoy: is_refused,
      has_code: !is_taken,
      has_link: is_sign_up && !is_taken,
      to,
      locales: locale,
      request_id,
      issuer_url: issuer.url,
    },
    now,
  )
  return toCodePage(services, call, interaction, email)
}

/** The request with which the link of a sign-up goes on. Rows are small, so a link of a longer request leads to the account page. */
const keptRequest = (query: string): string => (query.length <= longest_kept_request ? query : 'visit=account')
const longest_kept_request = 4_000

/** The page of the code has an address of its own, so that it can be loaded again. */
const toCodePage = (services: OidcServices, call: OidcCall, interaction: Interaction, email: string): Answer =>
  redirect(codePageUrl(services, call, interaction, email))

const codePageUrl = (services: OidcServices, call: OidcCall, { browser, query }: Interaction, email: string): string =>
  `${call.issuer.url}/code?${stepQuery(services, call, browser, { page: 'code', email })}&${query}`

const no_address = refusal('validation_failed', reason`The email is missing or malformed.`)

/** Mails a new code for what this browser asked for before. */
export async function resendCode(services: OidcServices, call: OidcCall, interaction: Interaction, email: string): Promise<Answer> {
  const row = await findPending(services, call, interaction, email)
  if (row?.kind === 'sign_up') {
    const { name, password_hash } = payloadOf(services, call.issuer.environment_id, row)
    return sendCode(services, call, interaction, { kind: 'sign_up', email, name, password_hash })
  }
  if (offersCodes(call) || row) return sendCode(services, call, interaction, { kind: 'sign_in', email })
  return toCodePage(services, call, interaction, email)
}

function findPending({ db }: OidcServices, call: OidcCall, { browser }: Interaction, email: string): Promise<CodeRow | null> {
  const seed = digestOf(browser.form_seed ?? '')
  return findCodeOfBrowser(db, call.issuer.environment_id, { kind: 'sign_in', account: accountOf(email), browser: seed }, call.now)
}

/** Signs in or signs up by a code, or shows the page again. */
export async function checkCode(
  services: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  { email, code }: { email: string; code: string },
): Promise<Answer> {
  const { environment_id } = call.issuer
  const credential = await findCredential(services.db, environment_id, email)
  const { id: user_id, password_hash } = credential ?? nobody
  // A known browser has a count of its own, which no stranger behind the same address can use up.
  const device = knownDevice(services, call, interaction.browser, { user_id, email, password_hash })
  const attempt = { environment_id, source: device === null ? sourceOf(call.ip) : `device:${device}`, now: call.now }
  const wait_seconds = await takeFromSource(services.db, 'email_code', attempt)
  if (wait_seconds !== null) {
    services.counters.count(environment_id, 'sign_in', 'email_code.limited')
    return showCode(services, call, interaction, { email, problem: 'too_many', wait_seconds, refusal: too_many })
  }

  const row = await findPending(services, call, interaction, email)
  const is_right = await tryCode(services, environment_id, row, code, call.now)
  call.subject.user_id = row?.user_id ?? null
  if (row && is_right) {
    const first = [giveBackToSource('email_code', attempt), spendCode(environment_id, row.id, { tried: true }, call.now)]
    const payload = payloadOf(services, environment_id, row)
    const finish = row.kind === 'sign_up' ? signUp : signIn
    const answer = await finish(services, call, interaction, payload, first)
    if (answer) return answer
  }
  const refusal = whyRefused(row, is_right)
  await recordFailedSignIn(services, call, interaction, { method: 'email_code', user_id: row?.user_id ?? null, refusal })
  return showCode(services, call, interaction, { email, problem: 'wrong', refusal })
}

const too_many = refusal('locked_out', reason`Too many emailed codes were wrong from the same address of the network.`)

/** For the tenant only: the page is the same in all these cases. */
function whyRefused(row: CodeRow | null, is_right: boolean): Refusal {
  if (!row) return refusal('wrong_code', reason`This browser has no pending code for the email.`)
  if (is_right) return refusal('wrong_code', reason`The code is right, but the account is blocked, taken or changed, or sign-up is closed.`)
  if (row.user_id === null) return refusal('wrong_code', reason`The code is wrong, has expired or was tried too often.`)
  return refusal('wrong_code', reason`The code for the user ${idIn(row.user_id)} is wrong, has expired or was tried too often.`)
}

type Finish = (
  services: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  payload: Payload,
  first: readonly Statement[],
) => Promise<Answer | null>

const signIn: Finish = async (services, call, interaction, payload, first) => {
  const owner = await findOwner(services.db, call.issuer.environment_id, payload.email)
  if (!offersCodes(call) && !isProofForInvitation(interaction, owner)) return null
  if (!owner) return signUpByCode(services, call, interaction, payload, first)
  if (owner.blocked_at !== null) return null
  const { statements, ...account } = prove(services, call, interaction, { owner })
  const signed_in: SignedIn = { ...by_code, ...account, step: 'sign_in' }
  return finishSignIn(services, call, interaction, signed_in, [aboutUser(call.issuer.environment_id, owner.id), ...first, ...statements])
}

/** Where codes are not a way in, one proves the address of the signed-in account that accepts an invitation. */
const isProofForInvitation = ({ invitation, browser }: Interaction, owner: Owner | null) =>
  invitation !== null && owner !== null && !isProven(owner) && browser.sessions.some(({ user_id }) => user_id === owner.id)

/** A browser that is signed in to the account proves its address from within. */
function prove(
  services: OidcServices,
  call: OidcCall,
  { browser }: Interaction,
  { owner, chosen }: { owner: Owner; chosen?: Chosen },
): Proven {
  const proof = { environment_id: call.issuer.environment_id, request_id: call.request_id, now: call.now }
  if (!browser.sessions.some(({ user_id }) => user_id === owner.id)) return proveFromOutside(services, proof, owner, chosen)
  const { id: user_id, email, password_hash } = owner
  return { user_id, email, password_hash, loses_factors: false, statements: verifyAddress(services, proof, owner) }
}

/** A sign-up form has counted its account already. */
const signUpByCode: Finish = async (services, call, interaction, payload, first) => {
  if (!mayCreateAccount(call, interaction)) return null
  const wait_seconds = await takeNewAccount(services, call)
  if (wait_seconds === null) return signUp(services, call, interaction, payload, first)
  const { email } = payload
  return showCode(services, call, interaction, { email, problem: 'too_many', wait_seconds, refusal: too_many_accounts })
}

/**
 * Of several who prove the address at once, one gets the account. An account that had the address without a
 * proof loses it, or is handed over with the password that the person typed.
 */
const signUp: Finish = async (services, call, interaction, payload, first) => {
  const made = await accountOfProof(services, call, interaction, payload, first)
  return made && finishSignIn(services, call, interaction, made.signed_up, made.statements)
}

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
  const is_same = form_seed !== null && (await findPending(services, call, interaction, payload.email))?.id === row.id
  const spent = spendCode(call.issuer.environment_id, row.id, { tried: false }, call.now)
  const made = await accountOfProof(services, call, interaction, { ...payload, password_hash: is_same ? password_hash : null }, [spent])
  return made && (await services.db.batch(made.statements)) ? continueUrl(call, withPrompt(query, 'login')) : null
}

/** The statements that make the account of a proven address, or hand it over; `null` where it cannot be made. */
async function accountOfProof(
  services: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  { email, name, password_hash }: Payload,
  first: readonly Statement[],
): Promise<{ signed_up: SignedIn; statements: Statement[] } | null> {
  if (!mayCreateAccount(call, interaction)) return null
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
  }
  const { user_id, statements } = createAccount(services, account, () => [...first, ...useInvitation(services, call, interaction)])
  return { signed_up: { ...by_code, user_id, email, password_hash, step: 'sign_up' }, statements }
}

type CodeStep = Pick<CodeView, 'email' | 'problem'> & { wait_seconds?: number | null; refusal?: Refusal }

export function showCode(
  services: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  { refusal, wait_seconds = null, ...view }: CodeStep,
): Answer {
  const { query, request, browser } = interaction
  const { csrf, set_cookie } = formToken(services, call, browser)
  const address = browser.form_seed === null ? continueUrl(call, query) : codePageUrl(services, call, interaction, view.email)
  const page = codePage(pageContext(call, request.ui_locales, address), {
    csrf,
    request: query,
    ...view,
    wait_seconds,
    offers_password: call.issuer.settings.sign_in.password,
    back_url: continueUrl(call, withPrompt(query, 'login')),
  })
  const answer = afterWait(withCookies(html(page), set_cookie), wait_seconds)
  return refusal ? refused(answer, refusal) : answer
}
