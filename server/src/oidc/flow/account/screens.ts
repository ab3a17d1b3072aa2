/** Builds the pages of the account page from what is stored about the person. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SignInMethod } from '@ostiary/contract/method.ts'
import { membersUrl } from '../../../base/dashboard-links.ts'
import { deviceName } from '../../../base/device-name.ts'
import { digestOf } from '../../../base/digest.ts'
import { day_ms } from '../../../base/durations.ts'
import { sendsMail } from '../../../base/mail-settings.ts'
import { reason } from '../../../base/reason.ts'
import { type Refusal, refusal } from '../../../base/refusal.ts'
import { sql } from '../../../db/db.ts'
import { listMethods, type RemovalRules, whyMethodStays } from '../../../domain/accounts/methods.ts'
import { findSoleOwnerships } from '../../../domain/members/store.ts'
import { most_passkeys } from '../../../domain/passkeys/store.ts'
import { findOfferedProviders } from '../../../domain/providers/store.ts'
import { listLatestSessions } from '../../../domain/sessions/account-lists.ts'
import { offerTotp, showOfferedTotp } from '../../../domain/users/second-factor-changes.ts'
import { findTotps, most_totps } from '../../../domain/users/second-factors.ts'
import { listTrusted } from '../../../domain/users/trusted-browsers.ts'
import { type AccountView, accountPage } from '../../../pages/account.ts'
import {
  type AccountAction,
  type AccountNotice,
  isRemovable,
  type RemovalAction,
  removals,
  type WhyMethodStays,
} from '../../../pages/account-actions.ts'
import {
  type Addition,
  type DeletionView,
  deletionPage,
  type ExportView,
  exportPage,
  type FormProblem,
  type PasswordView,
  type ProfileField,
  type ProfileView,
  passwordPage,
  profile_fields,
  profilePage,
  removalPage,
} from '../../../pages/account-forms.ts'
import {
  type AddPasskeyView,
  type AddProviderView,
  type AddTotpView,
  addPasskeyPage,
  addProviderPage,
  addTotpPage,
  newCodesPage,
} from '../../../pages/account-methods.ts'
import { locales } from '../../../pages/locale.ts'
import { accountUrl } from '../../account-url.ts'
import { type Answer, type OidcCall, type OidcServices, redirect, refused, typedOf } from '../../call.ts'
import { withCookies } from '../../cookies.ts'
import { formToken } from '../../form-token.ts'
import { accountContext, html } from '../../hosted-page.ts'
import { showStep } from '../../refused-form.ts'
import { trustRule } from '../../trusted-browser.ts'
import { beginEnrolment } from '../passkey/passkey-enrolment.ts'
import { relyingPartyOf } from '../shared/passkey-ceremony.ts'
import { afterLimit, placeOf, withForm } from './account-form.ts'
import { showChangeEmail, showConfirmEmail } from './address-screens.ts'
import { applicationsOf } from './connected.ts'
import type { OwnAccount } from './gate.ts'
import { organizationsOf, showLeaving } from './organization-screens.ts'

interface ShownAction {
  action: AccountAction | null
  /** The object of the action. */
  id: string | null
  problem: FormProblem | null
}

/** The account page, or the page of an action there. */
export function showPlace(
  services: OidcServices,
  call: OidcCall,
  own: OwnAccount,
  { action, id, problem }: ShownAction,
): Answer | Promise<Answer> {
  switch (action) {
    case null:
      return showAccountPage(services, call, own, { notice: null, problem })
    case 'change-name':
      return showProfile(services, call, own, { problem, wrong: [] })
    case 'change-email':
      return showChangeEmail(services, call, own, problem)
    case 'confirm-email':
      return showConfirmEmail(services, call, own, problem)
    case 'change-password':
      return showPassword(services, call, own, problem)
    case 'add-passkey':
      return showAddPasskey(services, call, own, problem)
    case 'add-totp':
      return offerNewTotp(services, call, own, problem)
    case 'new-recovery-codes':
      return showNewCodes(services, call, own, problem)
    case 'add-provider':
      return showAddProvider(services, call, own, { id, problem, wait_seconds: null })
    case 'remove-passkey':
    case 'remove-totp':
    case 'remove-provider':
      return showRemoval(services, call, own, { action, id, problem })
    case 'organization':
    case 'manage-organization':
      return redirect(`${call.issuer.url}/organizations/${encodeURIComponent(id ?? '')}?user=${own.user.id}`)
    case 'leave-organization':
      return showLeaving(services, call, own, { id, problem })
    case 'export':
      return showExport(services, call, own, problem)
    case 'delete-account':
      return showDeletion(services, call, own, problem)
  }
}

/** In UTF-16 code units: longer than every field of the profile. */
const longest_field = 1_000

export function showProfile(
  services: OidcServices,
  call: OidcCall,
  own: OwnAccount,
  { values, ...rest }: Pick<ProfileView, 'problem' | 'wrong'> & { values?: ProfileView['values'] },
): Answer {
  const { user } = own
  // A form that was not accepted keeps the typed values.
  const present = Object.fromEntries(
    profile_fields.map((name) => [
      name,
      call.form?.has(name) ? typedOf(call, name, longest_field).slice(0, longest_field) : (user[name] ?? ''),
    ]),
  ) as Record<ProfileField, string> // as: every field
  const view = { ...rest, values: values ?? present }
  return withForm(services, call, { ...own, action: 'change-name', view }, (context, form, shown) =>
    profilePage(context, {
      ...form,
      ...shown,
      languages: [...locales, ...(user.locale ? [user.locale] : [])],
    }),
  )
}

export const showPassword = (services: OidcServices, call: OidcCall, own: OwnAccount, problem: PasswordView['problem']): Answer =>
  withForm(services, call, { ...own, action: 'change-password', view: { problem } }, (context, form, shown) =>
    passwordPage(context, {
      ...form,
      ...shown,
      email: own.user.email,
      has_password: own.user.has_password,
      rule: call.issuer.settings.password,
      is_mailed: sendsMail(call.issuer.settings.email),
    }),
  )

/** `refused` is why the removal was refused, where it was. */
export async function showRemoval(
  services: OidcServices,
  call: OidcCall,
  own: OwnAccount,
  {
    action,
    id,
    problem,
    refused: refused_now = null,
  }: { action: RemovalAction; id: string | null; problem: FormProblem | null; refused?: WhyMethodStays | null },
): Promise<Answer> {
  const { methods, providers } = await methodsOf(services, call, own)
  const method = methods.find((one) => one.id === id)
  if (!method || !isRemovable(method.type) || removals[method.type] !== action) return redirect(accountUrl(call))
  const { type, name } = method
  const ends_this = (own.session.began_with ?? method.id) === method.id
  const why = refused_now ?? whyMethodStays(methods, method, removalRules(call, providers))
  const stays = why && { why, until: additionsFor(call, why, { methods, providers }) }
  const answer = withForm(services, call, { ...own, action, id: method.id, view: { problem } }, (context, form, shown) =>
    removalPage(context, { ...form, ...shown, method: { id: method.id, type, name }, ends_this, stays }),
  )
  return why ? refused(answer, stays_because[why]) : answer
}

const stays_because = {
  last_way_in: refusal('validation_failed', reason`Without the method the person could not sign in any more.`),
  last_factor: refusal(
    'validation_failed',
    reason`The environment requires a second factor, and the method is the last one of the person.`,
  ),
} satisfies Record<WhyMethodStays, Refusal>

interface OwnMethods {
  methods: readonly SignInMethod[]
  /** Those that the sign-in page offers. */
  providers: Awaited<ReturnType<typeof findOfferedProviders>>
}

async function methodsOf({ db }: OidcServices, { issuer: { environment_id } }: OidcCall, { user }: OwnAccount): Promise<OwnMethods> {
  const [methods, providers] = await Promise.all([
    listMethods(db, environment_id, user.id, sql`order by created_at, id limit ${most_methods}`),
    findOfferedProviders(db, environment_id),
  ])
  return { methods, providers }
}

const removalRules = ({ issuer: { settings } }: OidcCall, providers: OwnMethods['providers']): RemovalRules => ({
  on: settings.sign_in,
  requires_second: settings.mfa.mode === 'required',
  providers,
})

/** Returns the methods that the person can add. */
function addable(call: OidcCall, { methods, providers }: OwnMethods): AccountView['can_add'] {
  const hasRoom = (type: string, most: number) => methods.filter((method) => method.type === type).length < most
  return {
    passkey: relyingPartyOf(call) !== null && hasRoom('passkey', most_passkeys),
    totp: mayAddTotp(call) && hasRoom('totp', most_totps),
    providers: providers.filter(({ id }) => !methods.some(({ provider_id }) => provider_id === id)),
  }
}

/** Returns the methods to add before this one can be removed. */
function additionsFor(call: OidcCall, why: WhyMethodStays, own: OwnMethods): Addition[] {
  const { passkey, totp, providers } = addable(call, own)
  const passkeys: Addition[] = passkey ? [{ action: 'add-passkey' }] : []
  if (why === 'last_factor') return [...(totp ? [{ action: 'add-totp' } as const] : []), ...passkeys]
  const has_password = own.methods.some(({ type }) => type === 'password')
  const passwords: Addition[] = call.issuer.settings.sign_in.password && !has_password ? [{ action: 'change-password' }] : []
  return [...passwords, ...passkeys, ...providers.map(({ id, display_name }) => ({ action: 'add-provider' as const, id, display_name }))]
}

/** A person can add an app where the environment asks for second factors. */
export const mayAddTotp = ({ issuer }: Pick<OidcCall, 'issuer'>): boolean => issuer.settings.mfa.mode !== 'off' && issuer.settings.mfa.totp

/** Until it is added, or the person signs in again, each load of the page offers the same app, so that a scanned one is not lost. */
async function offerNewTotp(services: OidcServices, call: OidcCall, own: OwnAccount, problem: AddTotpView['problem']): Promise<Answer> {
  const present = await findTotps(services.db, call.issuer.environment_id, own.user.id)
  const nonce = digestOf(JSON.stringify([own.session.auth_time.getTime(), present.map(({ id }) => id)])).slice(0, 32)
  return showAddTotp(services, call, own, { nonce, problem })
}

/** Offers an app. A form that was not accepted keeps its `nonce`, so that the person need not scan again. */
export function showAddTotp(
  services: OidcServices,
  call: OidcCall,
  own: OwnAccount,
  { nonce, problem }: Pick<AddTotpView, 'nonce' | 'problem'>,
): Answer {
  const { user, session } = own
  if (!mayAddTotp(call)) return redirect(accountUrl(call))
  const offered = showOfferedTotp(call.issuer.display_name, user.email, offerTotp(services, user, { session_id: session.id, nonce }))
  return withForm(services, call, { ...own, action: 'add-totp', view: { problem } }, (context, form, shown) =>
    addTotpPage(context, { ...form, ...offered, ...shown, nonce }),
  )
}

export async function showAddPasskey(
  services: OidcServices,
  call: OidcCall,
  own: OwnAccount,
  problem: AddPasskeyView['problem'],
): Promise<Answer> {
  const options = await beginEnrolment(services, call, own.session)
  if (options === null) return redirect(accountUrl(call))
  const ceremony = { kind: 'create' as const, options, able_cookie: null, removed: null }
  return withForm(services, call, { ...own, action: 'add-passkey', view: { problem } }, (context, form, shown) =>
    addPasskeyPage(context, { ...form, ceremony, ...shown }),
  )
}

/** `id` is the provider's. Only one that the sign-in page offers can be connected. */
export async function showAddProvider(
  services: OidcServices,
  call: OidcCall,
  own: OwnAccount,
  { id, ...rest }: Pick<AddProviderView, 'problem' | 'wait_seconds'> & { id: string | null },
): Promise<Answer> {
  const offered = await findOfferedProviders(services.db, call.issuer.environment_id)
  const provider = offered.find((one) => one.id === id)
  if (!provider) return redirect(accountUrl(call))
  const is_mailed = sendsMail(call.issuer.settings.email)
  return withForm(services, call, { ...own, action: 'add-provider', id: provider.id, view: rest }, (context, form, shown) =>
    addProviderPage(context, { ...form, ...shown, provider, email: own.user.email, is_mailed }),
  )
}

/** A page whose form has a button alone. */
const showConfirm =
  (action: 'export' | 'new-recovery-codes', pageOf: typeof exportPage) =>
  (services: OidcServices, call: OidcCall, own: OwnAccount, problem: ExportView['problem']): Answer =>
    withForm(services, call, { ...own, action, view: { problem } }, (context, form, shown) => pageOf(context, { ...form, ...shown }))
const showNewCodes = showConfirm('new-recovery-codes', newCodesPage)
const showExport = showConfirm('export', exportPage)

export async function showDeletion(
  services: OidcServices,
  call: OidcCall,
  own: OwnAccount,
  problem: DeletionView['problem'],
): Promise<Answer> {
  const { user } = own
  const owned = call.issuer.is_root ? await findSoleOwnerships(services.db, user.id) : []
  const tenants = owned.map(({ name, slug }) => ({ name, members_url: membersUrl(services.config.base_url, slug) }))
  const answer = withForm(services, call, { ...own, action: 'delete-account', view: { problem } }, (context, form, shown) =>
    deletionPage(context, { ...form, email: user.email, ...shown, tenants, deletes_at: deletionAt(call) }),
  )
  return tenants.length > 0 ? refused(answer, last_owner) : answer
}

/** When an account that is deleted now is erased; `null`: at once. */
export function deletionAt({ issuer, now }: OidcCall): Date | null {
  const { deletion_grace_days } = issuer.settings.users
  return deletion_grace_days === 0 ? null : new Date(now.getTime() + deletion_grace_days * day_ms)
}

const last_owner = refusal('last_owner', reason`The person is the last owner of a tenant.`)

const most_methods = 100
const most_sessions = 100

export async function showAccountPage(
  services: OidcServices,
  call: OidcCall,
  own: OwnAccount,
  { notice, problem }: { notice: AccountNotice | null; problem: AccountView['problem'] },
): Promise<Answer> {
  const { browser, session, user } = own
  const place = placeOf(call, user.id, { action: null, id: null })
  // The page of another account than the current one of the browser names it.
  const address = accountUrl(call, { user: browser.sessions[0] === session ? null : user.id })
  const page = async (shown: { problem: typeof problem }) =>
    afterLimit(await accountAnswer(services, call, own, { notice: shown.problem === null ? notice : null, ...shown }), shown)
  return showStep(services, call, browser, { place: { ...place, address }, view: { problem }, page })
}

async function accountAnswer(
  services: OidcServices,
  call: OidcCall,
  own: OwnAccount,
  { notice, problem }: { notice: AccountNotice | null; problem: AccountView['problem'] },
): Promise<Answer> {
  const { now, issuer } = call
  const { environment_id, settings } = issuer
  const { session, user } = own
  const [{ methods, providers }, sessions, trusted_browsers, applications] = await Promise.all([
    methodsOf(services, call, own),
    listLatestSessions(services.db, { environment_id, ...session }, most_sessions, now),
    listTrusted(services.db, user, trustRule(call), sql`order by id desc`),
    applicationsOf(services, call, user.id),
  ])
  await nextTurn()
  const organizations = await organizationsOf(services, call, user)
  const password = methods.find(({ type }) => type === 'password')
  const rules = removalRules(call, providers)
  const { csrf, set_cookie } = formToken(services, call, own.browser)
  // The page of an account that the address names stays the page of that account.
  const named = new URLSearchParams(call.query).get('user') === user.id ? user.id : null
  const page = accountPage(accountContext(call, { user: named }), {
    csrf,
    user_id: user.id,
    person: user,
    notice,
    problem,
    other_account_url: accountUrl(call, { prompt: 'select_account' }),
    password: settings.sign_in.password
      ? { is_set: password !== undefined, set_at: password === undefined ? null : new Date(password.created_at) }
      : null,
    methods: methods
      .filter((method) => method !== password)
      .map(({ id, type, name, provider_id, codes_left, created_at, last_used_at }) => ({
        id,
        type,
        provider_type: providers.find((provider) => provider.id === provider_id)?.type ?? null,
        name,
        codes_left,
        stays: isRemovable(type) ? whyMethodStays(methods, { id, type, provider_id }, rules) : null,
        created_at: new Date(created_at),
        last_used_at: last_used_at === null ? null : new Date(last_used_at),
      })),
    has_mail: sendsMail(settings.email),
    deletion_grace_days: settings.users.deletion_grace_days,
    can_add: addable(call, { methods, providers }),
    sessions: sessions.map(({ id, ip, user_agent, created_at, last_seen_at }) => ({
      id,
      is_this: id === session.id,
      device: deviceName(user_agent),
      ip,
      created_at,
      last_seen_at,
    })),
    trusted_browsers: trusted_browsers.map(({ id, user_agent, ip, last_used_at, expires_at }) => ({
      id,
      device: deviceName(user_agent),
      ip,
      last_used_at: new Date(last_used_at),
      expires_at: new Date(expires_at),
    })),
    applications,
    ...organizations,
  })
  return withCookies(html(page), set_cookie)
}
