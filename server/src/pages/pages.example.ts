// pure
/** Every hosted page in each of its states, for tests of rules that all pages obey. */
import { type AccountView, accountPage } from './account.ts'
import { accountChooserPage } from './account-chooser.ts'
import { deletedPage, deletionPage, exportPage, passwordPage, profilePage, removalPage } from './account-forms.ts'
import { type ConsentView, consentPage } from './consent.ts'
import { formPostPage } from './form-post.ts'
import { acceptedPage, type InvitationView, invitationPage, memberPage } from './invitation.ts'
import type { Page, PageContext } from './layout.ts'
import { languageFor } from './locale.ts'
import { type MessageKind, type MessageView, messagePage } from './message.ts'
import { type ProviderProblemView, providerProblemPage } from './provider-problem.ts'
import { type RedirectMismatchView, redirectMismatchPage } from './redirect-mismatch.ts'
import { type SignInView, signInPage } from './sign-in.ts'
import { type SignOutDoneView, signOutDonePage, signOutPage } from './sign-out.ts'
import { type SignUpView, signUpPage } from './sign-up.ts'

/** Texts that come from tenants, applications and people. */
export interface Words {
  brand: string
  application: string
  person: string
  email: string
  request: string
}

const usual: Words = {
  brand: 'Acme Shop',
  application: 'Storefront web',
  person: 'Demo Example',
  email: 'demo@example.com',
  request: 'client_id=app_1&state=x',
}

export const exampleContext = (environment_type: 'test' | 'live', { brand } = usual, locale = 'en'): PageContext => ({
  issuer: 'https://id.example.com/e/env_1',
  environment_type,
  branding: { display_name: brand, logo_url: 'https://cdn.example.com/logo.svg', primary_color: '#1F4FD8' },
  links: { terms_url: 'https://example.com/terms', privacy_url: null, support_url: 'https://example.com/help' },
  ...languageFor(locale, undefined),
})

export const exampleMismatch = ({ application } = usual): RedirectMismatchView => ({
  application_name: application,
  client_id: 'app_1',
  received: 'https://shop.example.com/auth/callback/',
  registered: ['http://localhost:5173/auth/callback', 'https://shop.example.com/auth/callback'],
  register_url: 'https://console.example.com/register',
  application_url: null,
  error_url: 'https://id.example.com/docs/errors/invalid_request',
  account_url: null,
  request_id: 'req_1',
  at: new Date('2026-11-20T16:31:08Z'),
})

export const exampleConsent = ({ application, person, email, request } = usual): ConsentView => ({
  csrf: 'token',
  request,
  session_id: 'ses_1',
  application: { name: application, logo_url: 'https://app.example.com/logo.png' },
  redirect_uri: 'https://planner.example.com/callback',
  not_you_url: 'https://id.example.com/e/env_1/select-account',
  account_url: 'https://id.example.com/e/env_1/account',
  person: { email, name: person, picture: null, locale: 'en', zoneinfo: 'Europe/Vienna', phone_number: null },
  scopes: [
    ...['openid', 'profile', 'email', 'phone', 'offline_access'].map((scope) => ({ scope, description: null, resource_server_name: null })),
    { scope: 'orders:read', description: person, resource_server_name: 'Orders API' },
  ],
})

export const exampleSignIn = ({ application, email, request } = usual): SignInView => ({
  application_name: application,
  account: null,
  csrf: 'token',
  request,
  email,
  problem: null,
  wait_seconds: null,
  methods: { password: true },
  providers: [],
  sign_up_url: 'https://id.example.com/e/env_1/sign-up',
  other_accounts_url: 'https://id.example.com/e/env_1/select-account',
  cancel_url: 'https://shop.example.com/?error=access_denied',
})

export const exampleSignUp = ({ application, person, email, request } = usual): SignUpView => ({
  application_name: application,
  csrf: 'token',
  request,
  email,
  name: person,
  password_rule: { min_length: 12, reject_common: true },
  problems: { form: null, email: null, name: null, password: null },
  wait_seconds: null,
  sign_in_url: 'https://id.example.com/e/env_1/sign-in',
  invitation: null,
})

const exampleProviders = ({ application }: Words): SignInView['providers'] =>
  (['google', 'microsoft', 'github', 'apple', 'gitlab', 'oidc'] as const).map((type) => ({
    id: `prv_${type}`,
    type,
    display_name: type === 'oidc' ? application : type,
  }))

const exampleProviderProblem = ({ application, person }: Words): ProviderProblemView => ({
  problem: 'unreachable',
  provider_name: application,
  email: null,
  back_url: 'https://id.example.com/e/env_1/oauth/authorize',
  request_id: 'req_1',
  reason: { error: 'provider_unreachable', detail: person },
})

const exampleAccount = ({ application, person, email }: Words): AccountView => {
  const at = new Date('2026-11-03T09:12:00Z')
  const method = { id: 'mth_1', name: null, codes_left: null, created_at: at, last_used_at: null }
  return {
    csrf: 'token',
    user_id: 'usr_1',
    person: { email, email_verified: true, name: person, locale: 'en', zoneinfo: 'Europe/Vienna' },
    notice: null,
    problem: null,
    other_account_url: 'https://id.example.com/e/env_1/account?prompt=select_account',
    password: { is_set: true, set_at: at },
    methods: [
      { ...method, type: 'provider', name: application, last_used_at: at },
      { ...method, id: 'mth_2', type: 'passkey', name: person },
      { ...method, id: 'mth_3', type: 'totp' },
      { ...method, id: 'mth_4', type: 'recovery_codes', codes_left: 8 },
    ],
    sessions: [
      {
        id: 'ses_1',
        is_this: true,
        device: { browser: 'Firefox', system: 'Linux', is_phone: false },
        ip: '203.0.113.24',
        created_at: at,
        last_seen_at: at,
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
    applications: [
      {
        id: 'app_1',
        name: application,
        logo_url: 'https://app.example.com/logo.png',
        since: at,
        gets: ['profile', 'email', { resource_server: application }, 'offline_access'],
      },
    ],
  }
}

function accountPages(context: PageContext, words: Words): Record<string, Page> {
  const { application, person, email } = words
  const account = exampleAccount(words)
  const form = { csrf: 'token', user_id: 'usr_1', problem: null }
  const profile = {
    ...form,
    values: { name: person, given_name: '', family_name: '', nickname: '', locale: 'fr', zoneinfo: 'Europe/Vienna' },
    languages: ['en', 'de'],
    wrong: [],
  }
  const password = { ...form, email, has_password: true, rule: { min_length: 12, reject_common: true }, is_mailed: true }
  const removal = { ...form, method: { id: 'mth_1', name: application }, ends_this: true }
  const deletion = { ...form, email, tenants: [] }
  const bare = { ...account, password: null, methods: [], sessions: account.sessions.slice(0, 1), applications: [] }
  return {
    account: accountPage(context, account),
    'account, with a notice': accountPage(context, { ...account, notice: 'change-password' }),
    'account, expired': accountPage(context, { ...account, problem: 'expired_form' }),
    'account, with little': accountPage(context, {
      ...bare,
      person: { email, email_verified: false, name: null, locale: null, zoneinfo: null },
    }),
    'account, profile': profilePage(context, profile),
    'account, profile, wrong': profilePage(context, { ...profile, wrong: ['name', 'zoneinfo'] }),
    'account, password': passwordPage(context, password),
    'account, first password': passwordPage(context, { ...password, has_password: false, is_mailed: false }),
    'account, password, common': passwordPage(context, { ...password, problem: 'common' }),
    'account, password, no cookies': passwordPage(context, { ...password, problem: 'no_cookies' }),
    'account, removal': removalPage(context, removal),
    'account, removal of the last way in': removalPage(context, { ...removal, ends_this: false, problem: 'last_way_in' }),
    'account, export': exportPage(context, form),
    'account, too many exports': exportPage(context, { ...form, problem: 'too_many' }),
    'account, deletion': deletionPage(context, deletion),
    'account, deletion, wrong address': deletionPage(context, { ...deletion, problem: 'wrong_address' }),
    'account, deletion of the last owner': deletionPage(context, { ...deletion, problem: 'last_owner', tenants: [application] }),
    'account, changed meanwhile': deletionPage(context, { ...deletion, problem: 'changed' }),
    'account, deleted': deletedPage(context, { is_mailed: true }),
  }
}

const message_kinds: readonly MessageKind[] = [
  'unknown_app',
  'app_disabled',
  'unregistered_address',
  'unusable_request',
  'unusable_sign_out',
  'session_lost',
  'invitation_unknown',
  'invitation_used',
  'invitation_expired',
  'invitation_replaced',
  'invitation_withdrawn',
  'invitation_ended',
  'not_found',
  'form_only',
  'for_programs',
  'trouble',
  'unavailable',
]

export function examplePages(environment_type: 'test' | 'live', words = usual, locale = 'en'): Record<string, Page> {
  const { application, person, email, request } = words
  const context = exampleContext(environment_type, words, locale)
  const sign_in = exampleSignIn(words)
  const sign_up = exampleSignUp(words)
  const who = { email, name: person }
  const invitation: InvitationView = {
    tenant_name: application,
    role: 'developer',
    inviter: who,
    person: who,
    not_you_url: 'https://id.example.com/e/env_1/invitation',
    csrf: 'token',
    request,
    session_id: 'ses_1',
    problem: null,
  }
  const message: Omit<MessageView, 'kind'> = {
    request_id: 'req_1',
    account_url: null,
    home_url: null,
    reason: { error: 'invalid_request', error_url: 'https://id.example.com/docs/errors/invalid_request', detail: person },
  }
  const signed_out: SignOutDoneView = {
    decision: 'sign_out',
    back: null,
    sign_in_url: null,
    account_url: 'https://id.example.com/e/env_1/account',
    unregistered: null,
    is_without_client: false,
  }
  const back = { url: 'https://shop.example.com/', application_name: application }
  return {
    'sign-in': signInPage(context, sign_in),
    'sign-in, wrong': signInPage(context, { ...sign_in, problem: 'wrong_credentials' }),
    'sign-in, locked': signInPage(context, { ...sign_in, problem: 'locked', wait_seconds: 840 }),
    'sign-in, too many': signInPage(context, { ...sign_in, problem: 'too_many' }),
    'sign-in, expired': signInPage(context, { ...sign_in, problem: 'expired_form' }),
    'sign-in, no cookies': signInPage(context, { ...sign_in, problem: 'no_cookies' }),
    'sign-in, with providers': signInPage(context, { ...sign_in, providers: exampleProviders(words) }),
    'sign-in, providers only': signInPage(context, { ...sign_in, methods: { password: false }, providers: exampleProviders(words) }),
    'sign-in, to the account': signInPage(context, { ...sign_in, application_name: null, account: 'page' }),
    'sign-in, for a change of the account': signInPage(context, { ...sign_in, application_name: null, account: 'change' }),
    ...accountPages(context, words),
    'sign-in, no method': signInPage(context, { ...sign_in, methods: { password: false } }),
    'sign-up': signUpPage(context, sign_up),
    'sign-up, wrong': signUpPage(context, {
      ...sign_up,
      problems: { form: null, email: 'malformed', name: 'too_long', password: 'common' },
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
    'invitation, a member': memberPage(context, invitation),
    'invitation, accepted': acceptedPage(context, invitation),
    ...Object.fromEntries(message_kinds.map((kind) => [`message, ${kind}`, messagePage(context, { ...message, kind })])),
    'provider problem': providerProblemPage(context, exampleProviderProblem(words)),
    'provider problem, an account exists': providerProblemPage(context, {
      ...exampleProviderProblem(words),
      problem: 'account_exists',
      email,
      reason: null,
    }),
    consent: consentPage(context, exampleConsent(words)),
    'account chooser': accountChooserPage(context, {
      application_name: application,
      csrf: 'token',
      request,
      accounts: [
        { ...who, session_id: 'ses_1' },
        { email: 'work@example.org', name: null, session_id: 'ses_2' },
      ],
      another_url: 'https://id.example.com/e/env_1/sign-in',
    }),
    'sign-out': signOutPage(context, { csrf: 'token', request, application_name: application, person: who }),
    'signed out': signOutDonePage(context, {
      decision: 'sign_out',
      back,
      sign_in_url: 'https://id.example.com/e/env_1/sign-in',
      account_url: 'https://id.example.com/e/env_1/account',
      unregistered: null,
      is_without_client: false,
    }),
    'signed out, with a return address that is not registered': signOutDonePage(context, {
      ...signed_out,
      unregistered: {
        application_name: application,
        received: 'https://shop.example.com/by',
        registered: ['https://shop.example.com/bye'],
      },
    }),
    'signed out, without a client': signOutDonePage(context, { ...signed_out, is_without_client: true }),
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
