// pure
/** Every hosted page in each of its states, for tests of rules that all pages obey. */
import { accountChooserPage } from './account-chooser.ts'
import { type ConsentView, consentPage } from './consent.ts'
import { formPostPage } from './form-post.ts'
import { acceptedPage, type InvitationView, invitationPage, memberPage } from './invitation.ts'
import type { Page, PageContext } from './layout.ts'
import { languageFor } from './locale.ts'
import { messagePage } from './message.ts'
import { type RedirectMismatchView, redirectMismatchPage } from './redirect-mismatch.ts'
import { type SignInView, signInPage } from './sign-in.ts'
import { signOutDonePage, signOutPage } from './sign-out.ts'
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

export const exampleContext = (environment_type: 'test' | 'live', { brand } = usual): PageContext => ({
  issuer: 'https://id.example.com/e/env_1',
  environment_type,
  branding: { display_name: brand, logo_url: 'https://cdn.example.com/logo.svg', primary_color: '#1F4FD8' },
  links: { terms_url: 'https://example.com/terms', privacy_url: null, support_url: 'https://example.com/help' },
  ...languageFor(undefined, undefined),
})

export const exampleMismatch = ({ application } = usual): RedirectMismatchView => ({
  application_name: application,
  client_id: 'app_1',
  received: 'https://shop.example.com/auth/callback/',
  registered: ['http://localhost:5173/auth/callback', 'https://shop.example.com/auth/callback'],
  register_url: 'https://console.example.com/register',
  application_url: null,
  error_url: null,
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
  person: { email, name: person, picture: null, locale: 'en', zoneinfo: 'Europe/Vienna', phone_number: null },
  scopes: [
    ...['openid', 'profile', 'email', 'phone', 'offline_access'].map((scope) => ({ scope, description: null, resource_server_name: null })),
    { scope: 'orders:read', description: person, resource_server_name: 'Orders API' },
  ],
})

export const exampleSignIn = ({ application, email, request } = usual): SignInView => ({
  application_name: application,
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

export function examplePages(environment_type: 'test' | 'live', words = usual): Record<string, Page> {
  const { application, person, email, request } = words
  const context = exampleContext(environment_type, words)
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
  const back = { url: 'https://shop.example.com/', application_name: application }
  return {
    'sign-in': signInPage(context, sign_in),
    'sign-in, wrong': signInPage(context, { ...sign_in, problem: 'wrong_credentials' }),
    'sign-in, locked': signInPage(context, { ...sign_in, problem: 'locked', wait_seconds: 840 }),
    'sign-in, too many': signInPage(context, { ...sign_in, problem: 'too_many' }),
    'sign-in, expired': signInPage(context, { ...sign_in, problem: 'expired_form' }),
    'sign-in, no method': signInPage(context, { ...sign_in, methods: { password: false } }),
    'sign-up': signUpPage(context, sign_up),
    'sign-up, wrong': signUpPage(context, {
      ...sign_up,
      problems: { form: null, email: 'malformed', name: 'too_long', password: 'common' },
    }),
    'sign-up, expired': signUpPage(context, { ...sign_up, problems: { ...sign_up.problems, form: 'expired_form' } }),
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
    'invitation, ended': messagePage(context, { kind: 'invitation_ended', request_id: 'req_1', account_url: null, reason: null }),
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
      unregistered: null,
    }),
    'signed out, with a return address that is not registered': signOutDonePage(context, {
      decision: 'sign_out',
      back: null,
      sign_in_url: null,
      unregistered: { application_name: 'Storefront' },
    }),
    'still signed in': signOutDonePage(context, { decision: 'stay', back: null, sign_in_url: null, unregistered: null }),
    'unknown app': messagePage(context, {
      kind: 'unknown_app',
      request_id: 'req_1',
      account_url: null,
      reason: { error: 'invalid_client', detail: person },
    }),
    'not found': messagePage(context, {
      kind: 'not_found',
      request_id: 'req_1',
      account_url: 'https://id.example.com/e/env_1/account',
      reason: null,
    }),
    'redirect mismatch': redirectMismatchPage(context, exampleMismatch(words)),
    'form post': formPostPage(context, {
      application_name: application,
      redirect_uri: 'https://shop.example.com/cb',
      parameters: { code: 'c', state: person },
    }),
  }
}
