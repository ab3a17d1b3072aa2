/** Every hosted page in each of its states, for tests of rules that all pages obey. */
import { type AccountView, accountPage } from '../../src/pages/account.ts'
import { changeEmailPage, confirmEmailPage } from '../../src/pages/account-address.ts'
import { accountChooserPage } from '../../src/pages/account-chooser.ts'
import {
  deletedPage,
  deletionPage,
  exportPage,
  lastAdministratorPage,
  leavePage,
  passwordPage,
  profilePage,
  removalPage,
} from '../../src/pages/account-forms.ts'
import { addPasskeyPage, addProviderPage, addTotpPage, newCodesPage } from '../../src/pages/account-methods.ts'
import { type AskNameView, askNamePage } from '../../src/pages/ask-name.ts'
import { type ConsentView, consentPage } from '../../src/pages/consent.ts'
import type { DecisionView } from '../../src/pages/decision.ts'
import { type EmailCodeView, emailCodePage } from '../../src/pages/email-code.ts'
import { type EnrolFactorView, enrolFactorPage, enrolmentCodePage, recoveryCodesPage } from '../../src/pages/enrolment.ts'
import { formPostPage } from '../../src/pages/form-post.ts'
import { acceptedPage, type InvitationView, invitationPage, memberPage } from '../../src/pages/invitation.ts'
import type { Page, PageContext } from '../../src/pages/layout.ts'
import { languageFor, languagesAt } from '../../src/pages/locale.ts'
import { type MessageKind, type MessageView, messagePage } from '../../src/pages/message.ts'
import { type NoAccessView, noAccessPage } from '../../src/pages/no-access.ts'
import { automaticPasskeyPage, type OfferPasskeyView, offerPasskeyPage } from '../../src/pages/offer-passkey.ts'
import { type MemberView, type OrganizationView, organizationMemberPage, organizationPage } from '../../src/pages/organization.ts'
import {
  type OfferCodeView,
  type OfferView,
  offerCodePage,
  offerDeclinedPage,
  offerMemberPage,
  offerPage,
} from '../../src/pages/organization-invitation.ts'
import type { PasskeyCeremony } from '../../src/pages/passkey-block.ts'
import { pressPage } from '../../src/pages/press.ts'
import { type ProviderProblemView, providerProblemPage } from '../../src/pages/provider-problem.ts'
import { type RedirectMismatchView, redirectMismatchPage } from '../../src/pages/redirect-mismatch.ts'
import {
  changeConfirmedPage,
  forgotPage,
  forgotSentPage,
  linkPage,
  newPasswordPage,
  passwordSavedPage,
  verifiedPage,
} from '../../src/pages/reset.ts'
import { restorePage } from '../../src/pages/restore.ts'
import { type SecondFactorView, secondFactorPage } from '../../src/pages/second-factor.ts'
import { type SelectOrganizationView, selectOrganizationPage } from '../../src/pages/select-organization.ts'
import { type SignInView, signInPage } from '../../src/pages/sign-in.ts'
import { type SignOutDoneView, signOutDonePage, signOutPage } from '../../src/pages/sign-out.ts'
import { type SignUpView, signUpPage } from '../../src/pages/sign-up.ts'
import { waitingPage } from '../../src/pages/waiting.ts'
import { pseudo_language } from './pseudo-language.ts'

/** Texts that come from tenants, applications and people. */
export interface Words {
  brand: string
  tenant: string
  application: string
  resource_server: string
  /** The description of a scope of the resource server. */
  scope: string
  provider: string
  person: string
  email: string
  /** The colleague that invites the person. */
  inviter: { email: string; name: string }
  /** The name that the person gave a passkey. */
  device: string
  request: string
  /** The details for developers about a failure, and about one of a provider. */
  detail: string
  provider_detail: string
}

const usual: Words = {
  brand: 'Acme Shop',
  tenant: 'Acme',
  application: 'Meal Planner',
  resource_server: 'Orders',
  scope: 'Read your orders',
  provider: 'Acme staff',
  person: 'Ada Lovelace',
  email: 'ada.lovelace@example.com',
  inviter: { email: 'grace.hopper@example.com', name: 'Grace Hopper' },
  device: 'MacBook of Ada',
  request: 'client_id=app_1&state=x',
  detail: 'response_type is missing.',
  provider_detail: 'The name login.example.com has no address.',
}

/** As long as the ids that people see. */
const request_id = 'req_01jbnq6zt8e2m9w4x7c5v3k1ha'
const client_id = 'app_01jbnq6zt8e2m9w4x7c5v3k1ha'
const totp_secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const otpauth_url = `otpauth://totp/Acme%20Shop:ada.lovelace%40example.com?secret=${totp_secret}&issuer=Acme%20Shop`
const new_email = 'ada@analytical-engines.example'
/** As a person has typed it who stopped too early. */
const half_email = 'ada.lovelace@example'
const inbox_url = 'https://id.example.com/dashboard/go/env_1?page=inbox'
const recovery_codes = [
  '7k2m-04xw-9tqd',
  'q0rs-11ab-zz9y',
  'm3n4-p5q6-r7s8',
  'b8ft-2c9v-hw3x',
  'j5d1-n7ke-60pz',
  '4gya-x8m2-tr5c',
  'w9q3-e6hb-1vnd',
  'c2zs-5j0p-kf7m',
  '8txr-d4wa-93gq',
  'h6vb-ym1n-p2e0',
]

export const exampleContext = (environment_type: 'test' | 'live', { brand } = usual, locale = 'en'): PageContext => ({
  issuer: 'https://id.example.com/e/env_1',
  environment_type,
  branding: { display_name: brand, logo_url: 'https://cdn.example.com/logo.svg', primary_color: '#1F4FD8' },
  links: { terms_url: 'https://example.com/terms', privacy_url: null, support_url: 'https://example.com/help' },
  ...(locale === 'pseudo' ? pseudo_language : languageFor(locale, undefined)),
  languages: languagesAt('https://id.example.com/e/env_1/oauth/authorize?client_id=app_1'),
})

export const exampleMismatch = ({ application } = usual): RedirectMismatchView => ({
  application_name: application,
  client_id,
  received: 'https://shop.example.com/auth/callback/',
  registered: ['http://localhost:5173/auth/callback', 'https://shop.example.com/auth/callback'],
  register_url: 'https://id.example.com/dashboard/go/app_1?tab=addresses',
  application_url: 'https://id.example.com/dashboard/go/app_1',
  error_url: 'https://id.example.com/docs/errors/invalid_redirect_uri',
  call_url: `https://id.example.com/dashboard/go/${request_id}`,
  account_url: null,
  request_id,
  at: new Date('2026-11-20T16:31:08Z'),
})

export const exampleConsent = ({ application, resource_server, scope, person, email, request } = usual): ConsentView => ({
  csrf: 'token',
  request,
  session_id: 'ses_1',
  application: { name: application, logo_url: 'https://app.example.com/logo.png' },
  redirect_uri: 'https://planner.example.com/callback',
  not_you_url: 'https://id.example.com/e/env_1/select-account',
  account_url: 'https://id.example.com/e/env_1/account',
  person: { email, name: person, picture: null, locale: 'en', zoneinfo: 'Europe/Vienna', phone_number: null },
  scopes: [
    ...['openid', 'profile', 'email', 'phone', 'offline_access'].map((scope) => ({
      scope,
      description: null,
      resource_server_name: null,
      given: true,
    })),
    { scope: 'orders:read', description: scope, resource_server_name: resource_server, given: true },
  ],
  organization: null,
  problem: null,
})

/** The roles of the person give one of two scopes. */
const exampleNarrowConsent = (words: Words = usual): ConsentView => {
  const consent = exampleConsent(words)
  const later = { scope: 'orders:write', description: words.scope, resource_server_name: words.resource_server, given: false }
  return { ...consent, scopes: [...consent.scopes, later] }
}

/** A client that nobody registered. */
const exampleByAddress = (words: Words = usual): ConsentView => ({
  ...exampleConsent(words),
  application: { name: words.application, logo_url: null },
  metadata: { host: 'agent.example.com', listed: false },
})

const exampleNoAccess = (words: Words = usual): NoAccessView => {
  const { not_you_url, ...view } = examplePress(words)
  return { ...view, has_organizations: false, is_member: true, other_account_url: not_you_url }
}

const exampleOrganizations = (words: Words = usual): SelectOrganizationView => ({
  application_name: words.application,
  csrf: 'token',
  request: words.request,
  session_id: 'ses_1',
  person: { email: words.email, name: words.person },
  organizations: [words.tenant, words.resource_server].map((name, i) => ({ id: `org_${i}`, name, slug: `organization-${i}` })),
  words: '',
  next: null,
  has_search: false,
  may_have_none: false,
  not_you_url: 'https://id.example.com/e/env_1/select-account',
  problem: null,
})

const examplePress = ({ application, person, email, request } = usual): DecisionView => ({
  csrf: 'token',
  request,
  session_id: 'ses_1',
  application: { name: application, logo_url: null },
  person: { email, name: person },
  not_you_url: 'https://id.example.com/e/env_1/select-account',
  problem: null,
})

export const exampleSignIn = ({ application, email, request } = usual): SignInView => ({
  application_name: application,
  account: null,
  csrf: 'token',
  request,
  email,
  problem: null,
  wait_seconds: null,
  methods: { password: true, email_code: false },
  last_used: null,
  forgot_url: null,
  passkey: null,
  providers: [],
  sign_up_url: 'https://id.example.com/e/env_1/sign-up',
  other_accounts_url: 'https://id.example.com/e/env_1/select-account',
  cancel_url: 'https://shop.example.com/?error=access_denied',
})

const exampleSecondFactor = ({ application, request } = usual): SecondFactorView => ({
  page_url: 'https://id.example.com/e/env_1/second-factor?attempt=attempt&client_id=app_1',
  application_name: application,
  csrf: 'token',
  request,
  attempt: 'attempt',
  using: 'code',
  trust: null,
  has_app: true,
  has_recovery_codes: true,
  passkey: null,
  problem: null,
  wait_seconds: null,
  cancel_url: 'https://shop.example.com/?error=access_denied',
})

const exampleEnrolment = ({ application, request } = usual): EnrolFactorView => ({
  application_name: application,
  step_query: '?attempt=1&client_id=app_1',
  csrf: 'token',
  request,
  attempt: 'attempt',
  problem: null,
  app: {
    otpauth_url,
    secret: totp_secret,
  },
  passkey: null,
  again_url: 'https://id.example.com/e/env_1/oauth/authorize?prompt=login',
  cancel_url: 'https://shop.example.com/?error=access_denied',
})

const examplePasskey: PasskeyCeremony = {
  kind: 'get',
  options: '{"challenge":"AAAA","rpId":"id.example.com"}',
  able_cookie: 'able=1; Path=/e/env_1; SameSite=Lax',
  removed: null,
}

const exampleOffer = ({ request } = usual): OfferPasskeyView => ({
  csrf: 'token',
  request,
  session_id: 'ses_1',
  ceremony: { ...examplePasskey, kind: 'create', able_cookie: null },
  problem: null,
})

export const exampleSignUp = ({ application, person, email, request } = usual): SignUpView => ({
  application_name: application,
  csrf: 'token',
  request,
  email,
  name: person,
  asks_for_name: 'off',
  password_rule: { min_length: 12, reject_common: true },
  problems: { form: null, email: null, name: null, password: null },
  wait_seconds: null,
  sign_in_url: 'https://id.example.com/e/env_1/sign-in',
  invitation: null,
})

const exampleProfile = ({ application, email, request }: Words): AskNameView => ({
  application_name: application,
  csrf: 'token',
  request,
  session_id: 'ses_1',
  person: { email, name: null },
  name: '',
  may_skip: false,
  problem: null,
  not_you_url: 'https://id.example.com/e/env_1/select-account',
  cancel_url: 'https://shop.example.com/?error=access_denied',
})

const exampleProviders = ({ provider }: Words): SignInView['providers'] => [
  { id: 'prv_google', type: 'google', display_name: 'Google' },
  { id: 'prv_microsoft', type: 'microsoft', display_name: 'Microsoft' },
  { id: 'prv_github', type: 'github', display_name: 'GitHub' },
  { id: 'prv_apple', type: 'apple', display_name: 'Apple' },
  { id: 'prv_gitlab', type: 'gitlab', display_name: 'GitLab' },
  { id: 'prv_oidc', type: 'oidc', display_name: provider },
]

const exampleProviderProblem = ({ provider, provider_detail }: Words): ProviderProblemView => ({
  problem: 'unreachable',
  provider_name: provider,
  email: null,
  back_url: 'https://id.example.com/e/env_1/oauth/authorize',
  request_id,
  reason: { error: 'provider_unreachable', detail: provider_detail },
})

const exampleAccount = (words: Words): AccountView => {
  const { application, resource_server, provider, person, email, device } = words
  const at = new Date('2026-11-03T09:12:00Z')
  const later = new Date('2026-11-19T17:40:00Z')
  const method = { id: 'mth_1', provider_type: null, name: null, codes_left: null, stays: null, created_at: at, last_used_at: null }
  return {
    csrf: 'token',
    user_id: 'usr_1',
    has_mail: true,
    deletion_grace_days: 0,
    person: { email, email_verified: true, pending_email: null, name: person, locale: 'en', zoneinfo: 'Europe/Vienna' },
    notice: null,
    problem: null,
    other_account_url: 'https://id.example.com/e/env_1/account?prompt=select_account',
    password: { is_set: true, set_at: at },
    can_add: { passkey: true, totp: true, providers: exampleProviders(words).slice(0, 2) },
    methods: [
      { ...method, type: 'provider', provider_type: 'oidc', name: provider, last_used_at: later },
      { ...method, id: 'mth_2', type: 'passkey', name: device },
      { ...method, id: 'mth_3', type: 'totp' },
      { ...method, id: 'mth_4', type: 'recovery_codes', codes_left: 8 },
    ],
    sessions: [
      {
        id: 'ses_1',
        is_this: true,
        device: { browser: 'Firefox', system: 'Linux', is_phone: false },
        ip: '203.0.113.24',
        created_at: later,
        last_seen_at: later,
      },
      {
        id: 'ses_2',
        is_this: false,
        device: { browser: 'Safari', system: 'iPhone', is_phone: true },
        ip: null,
        created_at: at,
        last_seen_at: at,
      },
    ],
    trusted_browsers: [
      {
        id: 'tbr_1',
        device: { browser: 'Firefox', system: 'Linux', is_phone: false },
        ip: '203.0.113.24',
        last_used_at: at,
        expires_at: later,
      },
    ],
    applications: [
      {
        id: 'app_1',
        name: application,
        logo_url: 'https://app.example.com/logo.png',
        since: at,
        gets: ['profile', 'email', { resource_server }, 'offline_access'],
        organization: null,
      },
      {
        id: 'app_1',
        name: application,
        logo_url: null,
        since: at,
        gets: ['profile'],
        organization: { id: 'org_1', name: words.tenant },
      },
    ],
    invitations: [{ id: 'oiv_1', organization_name: words.tenant, roles: [words.resource_server, 'Editor'] }],
    more_organizations_url: 'https://id.example.com/account?after=org_1#organizations',
    organizations: [
      { id: 'org_1', name: words.tenant, roles: ['Editor'] },
      { id: 'org_2', name: words.application, roles: [] },
    ],
  }
}

type Method = AccountView['methods'][number]

function accountPages(context: PageContext, words: Words): Record<string, Page> {
  const { tenant, provider: provider_name, person, email } = words
  const account = exampleAccount(words)
  const [provider_method, , totp_method] = account.methods as [Method, Method, Method] // as: it has four
  const form = { csrf: 'token', user_id: 'usr_1', problem: null }
  const profile = {
    ...form,
    values: { name: person, given_name: '', family_name: '', nickname: '', locale: 'en', zoneinfo: 'Europe/Vienna' },
    languages: ['en', 'de'],
    wrong: [],
  }
  const password = { ...form, email, has_password: true, rule: { min_length: 12, reject_common: true }, is_mailed: true }
  const address = { ...form, email, email_verified: true, typed: '', pending: null, inbox_url: null }
  const pending = { email: new_email, new_confirmed: false, old: 'waits' as const }
  const removal = { ...form, method: { id: 'mth_1', type: 'provider' as const, name: provider_name }, ends_this: true, stays: null }
  const totp = { ...form, nonce: 'nonce', otpauth_url, secret: totp_secret }
  const passkey = { ...form, ceremony: { kind: 'create' as const, options: '{}', able_cookie: null, removed: null } }
  const provider = { id: 'prv_oidc', display_name: provider_name }
  const connection = { ...form, provider, email, is_mailed: true, wait_seconds: null }
  const deletion = { ...form, email, tenants: [], deletes_at: null }
  const choices = [
    { slug: 'editor', name: words.resource_server, is_held: true, may_change: true },
    { slug: 'owner', name: words.provider, is_held: true, may_change: false },
    { slug: 'viewer', name: words.device, is_held: false, may_change: true },
  ]
  const of_organization = {
    ...{ csrf: 'token', user_id: 'usr_1', organization: { id: 'org_1', name: tenant }, problem: null },
    page_url: 'https://id.example.com/e/env_1/organizations/org_1',
    account_url: 'https://id.example.com/e/env_1/account',
  }
  const organization_view: OrganizationView = {
    ...of_organization,
    own_roles: [words.resource_server, words.provider],
    leave_url: 'https://id.example.com/e/env_1/account?action=leave-organization',
    notice: null,
    managed: {
      words: '',
      members: [
        {
          user_id: 'usr_1',
          person: { email, name: person },
          roles: [words.provider],
          url: 'https://id.example.com/e/env_1/organizations/org_1?member=usr_1',
        },
        {
          user_id: 'usr_2',
          person: { email: new_email, name: null },
          roles: [],
          url: 'https://id.example.com/e/env_1/organizations/org_1?member=usr_2',
        },
      ],
      more_url: 'https://id.example.com/e/env_1/organizations/org_1?after=7',
      invitations: [{ id: 'oiv_1', email: new_email, roles: [words.device] }],
      invite: { email: '', roles: choices.filter(({ may_change }) => may_change).map((choice) => ({ ...choice, is_held: false })) },
    },
  }
  const member_view: MemberView = {
    ...of_organization,
    member: { user_id: 'usr_2', person: { email: new_email, name: person } },
    roles: choices,
    may_change: true,
    may_remove: true,
  }
  const bare = {
    ...account,
    password: null,
    methods: [],
    can_add: { passkey: false, totp: false, providers: [] },
    sessions: account.sessions.slice(0, 1),
    applications: [],
    invitations: [],
    organizations: [],
    more_organizations_url: null,
  }
  return {
    account: accountPage(context, account),
    'account, with methods that stay': accountPage(context, {
      ...account,
      password: { is_set: false, set_at: null },
      methods: [
        { ...provider_method, stays: 'last_way_in' },
        { ...totp_method, stays: 'last_factor' },
      ],
    }),
    'account, with a notice': accountPage(context, { ...account, notice: 'change-password' }),
    'account, expired': accountPage(context, { ...account, problem: 'expired_form' }),
    'account, with little': accountPage(context, {
      ...bare,
      person: { email, email_verified: false, pending_email: { email: new_email }, name: null, locale: null, zoneinfo: null },
    }),
    'account, profile': profilePage(context, profile),
    'account, profile, wrong': profilePage(context, {
      ...profile,
      values: { ...profile.values, name: `${person}\u2028`, zoneinfo: 'Vienna' },
      wrong: ['name', 'zoneinfo'],
    }),
    'account, new address': changeEmailPage(context, address),
    'account, new address, malformed': changeEmailPage(context, { ...address, typed: half_email, problem: 'malformed' }),
    'account, new address, ended': changeEmailPage(context, { ...address, problem: 'wrong_code' }),
    'account, pending address': changeEmailPage(context, { ...address, pending }),
    'account, pending address, wrong code': changeEmailPage(context, { ...address, pending, problem: 'wrong_code' }),
    'account, pending address of an unproven one': changeEmailPage(context, {
      ...address,
      email_verified: false,
      pending: { ...pending, old: 'not_needed' },
    }),
    'account, pending address, confirmed': changeEmailPage(context, { ...address, pending: { ...pending, new_confirmed: true } }),
    'account, proof of the address': confirmEmailPage(context, { ...form, email, inbox_url }),
    'account, proof of the address, wrong code': confirmEmailPage(context, { ...form, email, inbox_url: null, problem: 'wrong_code' }),
    'account, password': passwordPage(context, password),
    'account, first password': passwordPage(context, { ...password, has_password: false, is_mailed: false }),
    'account, password, common': passwordPage(context, { ...password, problem: 'common' }),
    'account, password, no cookies': passwordPage(context, { ...password, problem: 'no_cookies' }),
    organization: organizationPage(context, organization_view),
    'organization, for a member': organizationPage(context, { ...organization_view, own_roles: [], managed: null }),
    'organization, not allowed': organizationPage(context, { ...organization_view, problem: 'not_allowed' }),
    'organization, invited': organizationPage(context, { ...organization_view, notice: 'invite' }),
    'organization, a member': organizationMemberPage(context, member_view),
    'organization, a member who has more': organizationMemberPage(context, { ...member_view, may_change: false, may_remove: false }),
    'organization, the last administrator': organizationMemberPage(context, { ...member_view, problem: 'last_administrator' }),
    'account, leaving': leavePage(context, { ...form, organization: { id: 'org_1', name: tenant } }),
    'account, the last administrator': lastAdministratorPage(context, tenant),
    'account, removal': removalPage(context, removal),
    'account, removal, changed': removalPage(context, { ...removal, problem: 'changed' }),
    'account, removal of the last way in': removalPage(context, {
      ...removal,
      stays: {
        why: 'last_way_in',
        until: [
          { action: 'change-password' },
          { action: 'add-passkey' },
          { action: 'add-provider', id: 'prv_google', display_name: 'Google' },
        ],
      },
    }),
    'account, removal of an app': removalPage(context, { ...removal, method: { id: 'mth_3', type: 'totp', name: null } }),
    'account, removal of the last app': removalPage(context, {
      ...removal,
      method: { id: 'mth_3', type: 'totp', name: null },
      stays: { why: 'last_factor', until: [{ action: 'add-totp' }] },
    }),
    'account, removal of the last app, with nothing to add': removalPage(context, {
      ...removal,
      method: { id: 'mth_3', type: 'totp', name: null },
      stays: { why: 'last_factor', until: [] },
    }),
    'account, new provider': addProviderPage(context, connection),
    'account, new provider, too many': addProviderPage(context, { ...connection, problem: 'too_many', wait_seconds: 600 }),
    'account, new app': addTotpPage(context, totp),
    'account, new app, wrong code': addTotpPage(context, { ...totp, problem: 'wrong_code' }),
    'account, new app, too many': addTotpPage(context, { ...totp, problem: 'too_many_apps' }),
    'account, new recovery codes': newCodesPage(context, form),
    'account, new passkey': addPasskeyPage(context, passkey),
    'account, new passkey, refused': addPasskeyPage(context, { ...passkey, problem: 'refused' }),
    'account, export': exportPage(context, form),
    'account, too many changes': exportPage(context, { ...form, problem: 'too_many_changes' }),
    'account, deletion': deletionPage(context, deletion),
    'account, deletion, wrong address': deletionPage(context, { ...deletion, problem: 'wrong_address' }),
    'account, deletion that can be undone': deletionPage(context, { ...deletion, deletes_at: new Date('2026-12-04T16:31:00Z') }),
    'account, deletion of the last owner': deletionPage(context, {
      ...deletion,
      tenants: [{ name: tenant, members_url: 'https://id.example.com/dashboard/t/acme/members' }],
    }),
    'account, changed meanwhile': deletionPage(context, { ...deletion, problem: 'changed' }),
    'account, deleted': deletedPage(context, { is_mailed: true, deletes_at: null }),
    'account, closed': deletedPage(context, { is_mailed: true, deletes_at: new Date('2026-12-04T16:31:00Z') }),
  }
}

const message_kinds: readonly MessageKind[] = [
  'unknown_app',
  'app_disabled',
  'metadata_client_unlisted',
  'metadata_client_unavailable',
  'metadata_client_invalid',
  'metadata_client_busy',
  'unregistered_address',
  'unusable_request',
  'unusable_sign_out',
  'session_lost',
  'form_incomplete',
  'session_ended',
  'callback_over',
  'answer_lost',
  'codes_gone',
  'no_attempt',
  'invitation_unknown',
  'invitation_used',
  'invitation_expired',
  'invitation_replaced',
  'invitation_withdrawn',
  'invitation_ended',
  'link_ended',
  'not_found',
  'form_only',
  'for_programs',
  'trouble',
  'unavailable',
]

/** Where a page with a message leads, as the endpoints say. */
function waysOf({ issuer }: PageContext, kind: MessageKind): Partial<MessageView> {
  if (kind === 'session_ended') return { continue_url: `${issuer}/account`, reason: null }
  return kind.startsWith('invitation_') ? { home_url: 'https://id.example.com/' } : { account_url: `${issuer}/account` }
}

const restoring = {
  ...{ csrf: 'token', request: 'client_id=app_1&state=x', attempt: '0'.repeat(32), problem: null },
  ...{ page_url: 'https://id.example.com/e/env_1/second-factor?attempt=1', leave_url: 'https://id.example.com/e/env_1/account' },
  deletes_at: new Date('2026-12-04T16:31:00Z'),
}

export function examplePages(environment_type: 'test' | 'live', words = usual, locale = 'en'): Record<string, Page> {
  const { tenant, application, person, email, inviter, request, detail } = words
  const context = exampleContext(environment_type, words, locale)
  const sign_in = exampleSignIn(words)
  const sign_up = exampleSignUp(words)
  const sign_out = { csrf: 'token', request, application_name: application, problem: null }
  const second_factor = exampleSecondFactor(words)
  const only_passkey = { has_app: false, has_recovery_codes: false, passkey: examplePasskey }
  const enrols_passkey = { app: null, passkey: exampleOffer(words).ceremony }
  const who = { email, name: person }
  const { app: _app, passkey: _passkey, ...enrolment } = exampleEnrolment(words)
  const enrolment_code = { ...enrolment, email, inbox_url: null }
  const page_url = 'https://id.example.com/e/env_1/code?client_id=app_1&state=x'
  const forgot = { page_url, csrf: 'token', request, email, problem: null, back_url: 'https://id.example.com/e/env_1/oauth/authorize' }
  const link = { csrf: 'token', token: 'token', kind: 'reset_password' as const, email, new_email, problem: null }
  const new_password = {
    page_url,
    csrf: 'token',
    token: 'token',
    email,
    password_rule: { min_length: 12, reject_common: true },
    problem: null,
  }
  const code: EmailCodeView = {
    page_url,
    csrf: 'token',
    request,
    email,
    problem: null,
    wait_seconds: null,
    offers_password: true,
    inbox_url: null,
    back_url: 'https://id.example.com/e/env_1/oauth/authorize',
  }
  const offer: OfferView = {
    organization_name: tenant,
    roles: [words.resource_server, 'Editor'],
    inviter,
    email: words.email,
    csrf: 'token',
    request,
    reader: { session_id: 'ses_1', person: who, has_proved: true },
    other_account_url: 'https://id.example.com/e/env_1/invitation',
    problem: null,
  }
  const way_on = 'https://app.example.com/login'
  const offer_code: OfferCodeView = {
    ...offer,
    page_url: 'https://id.example.com/e/env_1/invitation-code?step=abc',
    problem: null,
    wait_seconds: null,
    inbox_url: null,
    back_url: 'https://id.example.com/e/env_1/invitation',
  }
  const invitation: InvitationView & { dashboard_url: string } = {
    tenant_name: tenant,
    role: 'developer',
    inviter,
    person: who,
    not_you_url: 'https://id.example.com/e/env_1/invitation',
    dashboard_url: 'https://id.example.com/dashboard/t/acme',
    csrf: 'token',
    request,
    session_id: 'ses_1',
    problem: null,
  }
  const message: Omit<MessageView, 'kind'> = {
    request_id,
    account_url: null,
    home_url: null,
    reason: { error: 'invalid_request', error_url: 'https://id.example.com/docs/errors/invalid_request', detail },
  }
  const signed_out: SignOutDoneView = {
    decision: 'sign_out',
    back: null,
    sign_in_url: null,
    account_url: 'https://id.example.com/e/env_1/account',
    no_return: null,
    is_without_client: false,
  }
  const back = { url: 'https://shop.example.com/', application_name: application }
  return {
    'sign-in': signInPage(context, sign_in),
    'sign-in, wrong': signInPage(context, { ...sign_in, problem: 'wrong_credentials' }),
    'sign-in, locked': signInPage(context, { ...sign_in, problem: 'locked', wait_seconds: 840 }),
    'sign-in, too many': signInPage(context, { ...sign_in, problem: 'too_many' }),
    'sign-in, busy': signInPage(context, { ...sign_in, problem: 'busy' }),
    'sign-in, too often': signInPage(context, { ...sign_in, problem: 'too_often', wait_seconds: 360 }),
    'sign-in, expired': signInPage(context, { ...sign_in, problem: 'expired_form' }),
    'sign-in, no cookies': signInPage(context, { ...sign_in, problem: 'no_cookies' }),
    'sign-in, with providers': signInPage(context, { ...sign_in, providers: exampleProviders(words), last_used: 'prv_github' }),
    'sign-in, with a code': signInPage(context, {
      ...sign_in,
      methods: { password: true, email_code: true },
      forgot_url: 'https://id.example.com/e/env_1/forgot-password',
    }),
    'sign-in, code only': signInPage(context, { ...sign_in, methods: { password: false, email_code: true } }),
    'sign-in, malformed address': signInPage(context, { ...sign_in, email: half_email, problem: 'malformed_email' }),
    'sign-in, no address': signInPage(context, { ...sign_in, email: '', problem: 'missing_email' }),
    'sign-in, no password': signInPage(context, { ...sign_in, problem: 'missing_password' }),
    code: emailCodePage(context, code),
    'code, wrong': emailCodePage(context, { ...code, problem: 'wrong' }),
    'code, too many': emailCodePage(context, { ...code, problem: 'too_many', wait_seconds: 600 }),
    'code, kept in the inbox': emailCodePage(context, { ...code, inbox_url }),
    'code, expired form': emailCodePage(context, { ...code, problem: 'expired_form', offers_password: false }),
    'forgot password': forgotPage(context, forgot),
    'forgot password, malformed address': forgotPage(context, { ...forgot, email: half_email, problem: 'malformed' }),
    'forgot password, sent': forgotSentPage(context, { ...forgot, inbox_url: null }),
    'forgot password, kept in the inbox': forgotSentPage(context, { ...forgot, inbox_url }),
    link: linkPage(context, link),
    'link, verification': linkPage(context, { ...link, kind: 'verify_email' }),
    'link, expired form': linkPage(context, { ...link, problem: 'expired_form' }),
    'link, new address': linkPage(context, { ...link, kind: 'change_email' }),
    'link, old address': linkPage(context, { ...link, kind: 'change_email_notice' }),
    'link, change waits': changeConfirmedPage(context, 'waits', email),
    'link, address changed': changeConfirmedPage(context, 'changed', email),
    'link, address kept': changeConfirmedPage(context, 'cancelled', email),
    'link, verified': verifiedPage(context, email),
    'new password': newPasswordPage(context, new_password),
    'new password, common': newPasswordPage(context, { ...new_password, problem: 'common' }),
    'new password, busy': newPasswordPage(context, { ...new_password, problem: 'busy' }),
    'new password, saved': passwordSavedPage(context, { continue_url: `${context.issuer}/oauth/authorize?client_id=app_1` }),
    'sign-up, without a password': signUpPage(context, { ...sign_up, password_rule: null }),
    'sign-in, providers only': signInPage(context, {
      ...sign_in,
      methods: { password: false, email_code: false },
      providers: exampleProviders(words),
    }),
    'sign-in, no method': signInPage(context, { ...sign_in, methods: { password: false, email_code: false } }),
    'sign-in, after five wrong codes': signInPage(context, { ...sign_in, problem: 'second_factor' }),
    'second factor': secondFactorPage(context, second_factor),
    'second factor, without a help page': secondFactorPage({ ...context, links: { ...context.links, support_url: null } }, second_factor),
    'second factor, wrong': secondFactorPage(context, { ...second_factor, problem: 'wrong' }),
    'second factor, locked': secondFactorPage(context, { ...second_factor, problem: 'locked', wait_seconds: 840 }),
    'second factor, a browser to trust': secondFactorPage(context, { ...second_factor, trust: { days: 30, is_ticked: false } }),
    'second factor, a browser to trust, wrong': secondFactorPage(context, {
      ...second_factor,
      trust: { days: 1, is_ticked: true },
      problem: 'wrong',
    }),
    'second factor, a browser to trust by a passkey': secondFactorPage(context, {
      ...second_factor,
      ...only_passkey,
      trust: { days: 30, is_ticked: false },
    }),
    'second factor, a browser to trust by a passkey or a code': secondFactorPage(context, {
      ...second_factor,
      passkey: examplePasskey,
      trust: { days: 30, is_ticked: false },
    }),
    'second factor, expired': secondFactorPage(context, { ...second_factor, problem: 'expired_form' }),
    'second factor, a recovery code': secondFactorPage(context, { ...second_factor, using: 'recovery_code' }),
    'second factor, a wrong recovery code': secondFactorPage(context, { ...second_factor, using: 'recovery_code', problem: 'wrong' }),
    'second factor, passkey': secondFactorPage(context, { ...second_factor, ...only_passkey }),
    'second factor, passkey refused': secondFactorPage(context, { ...second_factor, ...only_passkey, problem: 'passkey_failed' }),
    'second factor, passkey or code': secondFactorPage(context, { ...second_factor, passkey: examplePasskey }),
    'mailed code before an enrolment': enrolmentCodePage(context, { ...enrolment_code, problem: null }),
    'mailed code before an enrolment, kept in the inbox': enrolmentCodePage(context, { ...enrolment_code, inbox_url, problem: null }),
    'mailed code before an enrolment, wrong': enrolmentCodePage(context, { ...enrolment_code, problem: 'wrong' }),
    'authenticator app': enrolFactorPage(context, exampleEnrolment(words)),
    'authenticator app, wrong': enrolFactorPage(context, { ...exampleEnrolment(words), problem: 'wrong' }),
    'authenticator app or passkey': enrolFactorPage(context, { ...exampleEnrolment(words), passkey: exampleOffer(words).ceremony }),
    'passkey as a second factor': enrolFactorPage(context, { ...exampleEnrolment(words), ...enrols_passkey }),
    'passkey as a second factor, refused': enrolFactorPage(context, {
      ...exampleEnrolment(words),
      ...enrols_passkey,
      problem: 'passkey_refused',
    }),
    'recovery codes': recoveryCodesPage(context, {
      csrf: 'token',
      request,
      user_id: 'usr_1',
      codes: recovery_codes,
      problem: null,
    }),
    'sign-in, passkey': signInPage(context, { ...sign_in, passkey: examplePasskey, providers: exampleProviders(words) }),
    'sign-in, passkey refused': signInPage(context, { ...sign_in, passkey: examplePasskey, problem: 'passkey_failed' }),
    'sign-in, passkey unknown': signInPage(context, {
      ...sign_in,
      passkey: { ...examplePasskey, removed: request },
      problem: 'unknown_passkey',
    }),
    'sign-in, passkey only': signInPage(context, { ...sign_in, methods: { password: false, email_code: false }, passkey: examplePasskey }),
    'offer of a passkey': offerPasskeyPage(context, exampleOffer(words)),
    'passkey by itself': automaticPasskeyPage(context, exampleOffer(words)),
    ...Object.fromEntries(
      (['expired', 'refused', 'known', 'too_many'] as const).map((problem) => [
        `offer of a passkey, ${problem}`,
        offerPasskeyPage(context, { ...exampleOffer(words), problem }),
      ]),
    ),
    'sign-in, to the account': signInPage(context, { ...sign_in, application_name: null, account: 'page' }),
    'sign-in, for a change of the account': signInPage(context, { ...sign_in, application_name: null, account: 'change' }),
    ...accountPages(context, words),
    'sign-up': signUpPage(context, sign_up),
    'sign-up, wrong': signUpPage(context, {
      ...sign_up,
      email: half_email,
      name: `${person}\u200b`,
      problems: { form: null, email: 'malformed', name: 'not_allowed', password: 'common' },
    }),
    'sign-up, expired': signUpPage(context, { ...sign_up, problems: { ...sign_up.problems, form: 'expired_form' } }),
    'sign-up, no cookies': signUpPage(context, { ...sign_up, problems: { ...sign_up.problems, form: 'no_cookies' } }),
    'sign-up, taken': signUpPage(context, { ...sign_up, problems: { ...sign_up.problems, email: 'taken' } }),
    invitation: invitationPage(context, invitation),
    'invitation, changed': invitationPage(context, { ...invitation, problem: 'changed' }),
    'invitation, by the system': invitationPage(context, { ...invitation, inviter: null }),
    'invitation, sign-up': signUpPage(context, { ...sign_up, invitation }),
    'invitation, sign-up with a taken address': signUpPage(context, {
      ...sign_up,
      invitation,
      problems: { ...sign_up.problems, email: 'taken' },
    }),
    'invitation to an organization': offerPage(context, offer),
    'invitation to an organization, changed': offerPage(context, { ...offer, problem: 'changed' }),
    'invitation to an organization, full': offerPage(context, { ...offer, problem: 'full' }),
    'invitation to an organization, an unproved account': offerPage(context, {
      ...offer,
      inviter: null,
      reader: { session_id: 'ses_1', person: who, has_proved: false },
    }),
    'invitation to an organization, nobody signed in': offerPage(context, { ...offer, roles: [], reader: null }),
    'invitation to an organization, sign-up': signUpPage(context, { ...sign_up, invitation: offer }),
    'invitation to an organization, a member': offerMemberPage(context, { ...offer, person: who, way_on }),
    'invitation to an organization, declined': offerDeclinedPage(context, { ...offer, way_on }),
    'invitation to an organization, code': offerCodePage(context, offer_code),
    'invitation to an organization, wrong code': offerCodePage(context, { ...offer_code, problem: 'wrong' }),
    'invitation to an organization, too many codes': offerCodePage(context, { ...offer_code, problem: 'too_many', wait_seconds: 60 }),
    'invitation, a member': memberPage(context, invitation),
    'invitation, accepted': acceptedPage(context, invitation),
    ...Object.fromEntries(
      message_kinds.map((kind) => [`message, ${kind}`, messagePage(context, { ...message, ...waysOf(context, kind), kind })]),
    ),
    'restore an account': restorePage(context, restoring),
    'restore an account, old form': restorePage(context, { ...restoring, problem: 'expired_form' }),
    ...Object.fromEntries(
      (['waiting', 'refused'] as const).map((problem) => [
        `waiting, ${problem}`,
        waitingPage(context, {
          problem,
          ends_at: '2026-12-20T16:31:00.000Z',
          back_url: 'https://id.example.com/e/env_1/oauth/authorize?client_id=app_1',
          request_id: 'req_1',
        }),
      ]),
    ),
    'provider problem': providerProblemPage(context, exampleProviderProblem(words)),
    ...Object.fromEntries(
      (['connect_unreachable', 'connect_refused', 'connect_taken'] as const).map((problem) => [
        `provider problem, ${problem}`,
        providerProblemPage(context, { ...exampleProviderProblem(words), problem }),
      ]),
    ),
    'provider problem, an account exists': providerProblemPage(context, {
      ...exampleProviderProblem(words),
      problem: 'account_exists',
      email,
      reason: null,
    }),
    'provider problem, an unverified address': providerProblemPage(context, {
      ...exampleProviderProblem(words),
      problem: 'not_connected',
      email,
      reason: null,
    }),
    'sign-up, a required name is missing': signUpPage(context, {
      ...sign_up,
      name: '',
      asks_for_name: 'required',
      problems: { ...sign_up.problems, name: 'missing' },
    }),
    profile: askNamePage(context, exampleProfile(words)),
    'profile, can be left out': askNamePage(context, { ...exampleProfile(words), may_skip: true }),
    'profile, missing': askNamePage(context, { ...exampleProfile(words), problem: 'missing' }),
    'profile, wrong': askNamePage(context, { ...exampleProfile(words), name: `${person}\u200b`, problem: 'not_allowed' }),
    'profile, expired': askNamePage(context, { ...exampleProfile(words), problem: 'expired_form' }),
    'profile, no cookies': askNamePage(context, { ...exampleProfile(words), problem: 'no_cookies' }),
    consent: consentPage(context, exampleConsent(words)),
    'consent, a scope that no role gives': consentPage(context, exampleNarrowConsent(words)),
    'consent, for an organization': consentPage(context, { ...exampleConsent(words), organization: { id: 'org_1', name: words.tenant } }),
    'consent, a client by address': consentPage(context, exampleByAddress(words)),
    'consent, a client by address on this device': consentPage(context, {
      ...exampleByAddress(words),
      redirect_uri: 'http://127.0.0.1:49152/callback',
    }),
    'consent, an approved client by address': consentPage(context, {
      ...exampleByAddress(words),
      redirect_uri: 'https://agent.example.com/callback',
      metadata: { host: 'agent.example.com', listed: true },
    }),
    'consent, a client by a long address': consentPage(context, {
      ...exampleByAddress(words),
      metadata: { host: `${'a'.repeat(60)}.${'b'.repeat(60)}.xn--bcher-kva.example:8443`, listed: false },
    }),
    'no access': noAccessPage(context, exampleNoAccess(words)),
    'no access, not a member': noAccessPage(context, { ...exampleNoAccess(words), is_member: false }),
    'no access, with other organizations': noAccessPage(context, { ...exampleNoAccess(words), is_member: false, has_organizations: true }),
    'organization chooser': selectOrganizationPage(context, exampleOrganizations(words)),
    'organization chooser, one part of many': selectOrganizationPage(context, {
      ...exampleOrganizations(words),
      has_search: true,
      next: 50,
      may_have_none: true,
    }),
    'organization chooser, nothing found': selectOrganizationPage(context, {
      ...exampleOrganizations(words),
      organizations: [],
      has_search: true,
      words: words.tenant,
    }),
    'organization chooser, another token': selectOrganizationPage(context, { ...exampleOrganizations(words), problem: 'other_token' }),
    'no access, of the account that the app asks for': noAccessPage(context, { ...exampleNoAccess(words), other_account_url: null }),
    'no access, another token': noAccessPage(context, { ...exampleNoAccess(words), problem: 'other_token' }),
    press: pressPage(context, examplePress(words)),
    'press, another token': pressPage(context, { ...examplePress(words), problem: 'other_token' }),
    'account chooser': accountChooserPage(context, {
      application_name: application,
      csrf: 'token',
      request,
      accounts: [
        { ...who, session_id: 'ses_1' },
        { email: 'ada@analytical-engines.example', name: null, session_id: 'ses_2' },
      ],
      another_url: 'https://id.example.com/e/env_1/sign-in',
      problem: null,
    }),
    'account chooser, of another site': accountChooserPage(context, {
      application_name: application,
      csrf: 'token',
      request,
      accounts: [{ ...who, session_id: 'ses_1' }],
      another_url: 'https://id.example.com/e/env_1/sign-in',
      problem: 'other_site',
    }),
    'consent, another token': consentPage(context, { ...exampleConsent(words), problem: 'other_token' }),
    'sign-out': signOutPage(context, { ...sign_out, person: who }),
    'sign-out, no token': signOutPage(context, { ...sign_out, person: who, problem: 'no_token' }),
    'sign-out, only expired sessions': signOutPage(context, { ...sign_out, person: null }),
    'signed out': signOutDonePage(context, {
      decision: 'sign_out',
      back,
      sign_in_url: 'https://id.example.com/e/env_1/sign-in',
      account_url: 'https://id.example.com/e/env_1/account',
      no_return: null,
      is_without_client: false,
    }),
    'signed out, with a return address that is not registered': signOutDonePage(context, {
      ...signed_out,
      no_return: {
        why: 'unregistered',
        application_name: application,
        received: 'https://shop.example.com/by',
        registered: ['https://shop.example.com/bye'],
      },
    }),
    'signed out, without a client': signOutDonePage(context, { ...signed_out, is_without_client: true }),
    'signed out, with a token of another environment': signOutDonePage(context, {
      ...signed_out,
      no_return: { why: 'hint_elsewhere', application_name: null, received: 'https://shop.example.com/bye', registered: null },
      is_without_client: true,
    }),
    'still signed in': signOutDonePage(context, { ...signed_out, decision: 'stay' }),
    'not found, with an account page': messagePage(context, {
      ...message,
      kind: 'not_found',
      account_url: 'https://id.example.com/e/env_1/account',
    }),
    'redirect mismatch': redirectMismatchPage(context, exampleMismatch(words)),
    'form post': formPostPage(context, {
      application_name: application,
      redirect_uri: 'https://shop.example.com/cb',
      parameters: { code: 'c', state: person },
    }),
  }
}
