import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { reason } from '../base/reason.ts'
import type { AuthorizationRequest } from './authorize.ts'
import { type NextStep, nextStep, type Situation, withoutSatisfied } from './next-step.ts'

const now = new Date('2026-11-20T16:31:00.000Z')
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000)

const request: AuthorizationRequest = {
  client_id: 'app_1',
  redirect_uri: 'https://app.example.com/callback',
  response_mode: 'query',
  scope: 'openid email offline_access',
  resource: [],
  consent_to: ['openid', 'email', 'offline_access'],
  state: undefined,
  nonce: undefined,
  code_challenge: undefined,
  prompt: [],
  max_age: undefined,
  signed_in_since: undefined,
  of_session: undefined,
  asks_name: false,
  login_hint: undefined,
  id_token_hint: undefined,
  ui_locales: [],
  acr_values: [],
  organization_use: 'none',
  organization: undefined,
  choosing: undefined,
}
const anna = {
  session_id: 'ses_anna',
  user_id: 'usr_anna',
  auth_time: ago(600),
  acr: 'urn:ostiary:1fa',
  has_second_factor: false,
  has_passkey: false,
  trust: null,
  has_name: true,
  consented_to: ['openid', 'email', 'offline_access'],
  pressed: false,
  organization: { kind: 'none' as const },
  no_access: null,
}
const bert = {
  session_id: 'ses_bert',
  user_id: 'usr_bert',
  auth_time: ago(5),
  acr: 'urn:ostiary:1fa',
  has_second_factor: false,
  has_passkey: false,
  trust: null,
  has_name: true,
  consented_to: [],
  pressed: false,
  organization: { kind: 'none' as const },
  no_access: null,
}
const situation: Situation = {
  sessions: [anna, bert],
  hinted_user_id: null,
  sign_up_open: true,
  mfa: { mode: 'off', can_enrol: true },
  names: 'off',
  now,
}
const signed_out = { sessions: [] }

const issue = (session_id: string, consented_to: readonly string[] | null = null) => ({
  kind: 'issue',
  session_id,
  consented_to,
  organization: null,
})
const consent = (session_id: string) => ({ kind: 'consent', session_id })
const press = (session_id: string) => ({ kind: 'press', session_id })
const sign_in = { kind: 'sign_in', user_id: null }
const second_factor = { kind: 'second_factor', session_id: 'ses_anna' }
const two = ['urn:ostiary:2fa']
const optional = { mfa: { mode: 'optional', can_enrol: true } } as const
const required = { mfa: { mode: 'required', can_enrol: true } } as const
const enrolled = { sessions: [{ ...anna, has_second_factor: true }] }
const stepped_up = { sessions: [{ ...anna, acr: 'urn:ostiary:2fa', has_second_factor: true }] }
const passkey = ['urn:ostiary:passkey']
const nameless = { sessions: [{ ...anna, has_name: false }] }
const profile = { kind: 'profile', session_id: 'ses_anna' }
const why = reason`The person has no role.`
const not_in_it = reason`The person is not a member of the organization of the request, or it is unknown or disabled.`
const in_organization = (kind: 'open' | 'missing') => ({ sessions: [{ ...anna, organization: { kind } }] })
const acting = {
  kind: 'one',
  membership: { organization_id: 'org_1', organization_slug: 'acme', organization_name: 'Acme', membership: 1, role_ids: [] },
} as const
const kept_out = { sessions: [{ ...anna, no_access: why }, bert] }
const no_access = { kind: 'no_access', session_id: 'ses_anna', code: 'no_access', why }
const has_passkey = { sessions: [{ ...anna, has_second_factor: true, has_passkey: true }] }
const two_has_passkey = { sessions: [{ ...anna, acr: 'urn:ostiary:2fa', has_second_factor: true, has_passkey: true }] }
const trusted = (trust: boolean, has_second_factor = true) => ({ sessions: [{ ...anna, has_second_factor, trust }] })
const with_passkey = { sessions: [{ ...anna, acr: 'urn:ostiary:passkey' }] }

interface Case {
  rule: string
  request?: Partial<AuthorizationRequest>
  client?: 'skip' | 'ask'
  needs_press?: boolean
  situation?: Partial<Situation>
  step: object | string
}

// biome-ignore format: this table is read by line
const cases: Case[] = [
  { rule: 'the current session is enough', step: issue('ses_anna') },
  { rule: 'without a session the step is sign-in', situation: signed_out, step: sign_in },

  { rule: 'prompt=none with a session issues a code', request: { prompt: ['none'] }, step: issue('ses_anna') },
  { rule: 'prompt=none without a session is login_required', request: { prompt: ['none'] }, situation: signed_out, step: 'login_required' },
  { rule: 'prompt=none with a sign-in older than max_age is login_required', request: { prompt: ['none'], max_age: 599 }, step: 'login_required' },
  { rule: 'prompt=none with max_age=0 is login_required', request: { prompt: ['none'], max_age: 0 }, step: 'login_required' },
  { rule: 'prompt=none without consent is consent_required', request: { prompt: ['none'] }, client: 'ask', situation: { sessions: [bert] }, step: 'consent_required' },
  { rule: 'prompt=none with consent for all of the scope issues a code', request: { prompt: ['none'] }, client: 'ask', step: issue('ses_anna', anna.consented_to) },
  { rule: 'prompt=none with a hint for a user without session is login_required', request: { prompt: ['none'] }, situation: { hinted_user_id: 'usr_cara' }, step: 'login_required' },
  { rule: 'prompt=none with a hint for the second session issues a code for it', request: { prompt: ['none'] }, situation: { hinted_user_id: 'usr_bert' }, step: issue('ses_bert') },

  { rule: 'prompt=login asks for a sign-in despite a session', request: { prompt: ['login'] }, step: sign_in },
  { rule: 'prompt=create opens sign-up despite a session', request: { prompt: ['create'] }, step: { kind: 'sign_up' } },
  { rule: 'prompt=create opens sign-up without a session', request: { prompt: ['create'] }, situation: signed_out, step: { kind: 'sign_up' } },
  { rule: 'prompt=create with sign-up closed is sign-in', request: { prompt: ['create'] }, situation: { sign_up_open: false }, step: sign_in },
  { rule: 'prompt=create with a hint is a sign-in of the hinted user', request: { prompt: ['create'] }, situation: { hinted_user_id: 'usr_anna' }, step: { kind: 'sign_in', user_id: 'usr_anna' } },
  { rule: 'prompt=select_account opens the account chooser', request: { prompt: ['select_account'] }, step: { kind: 'select_account' } },
  { rule: 'prompt=select_account opens the account chooser even for one session', request: { prompt: ['select_account'] }, situation: { sessions: [anna] }, step: { kind: 'select_account' } },
  { rule: 'prompt=select_account without a session is sign-in', request: { prompt: ['select_account'] }, situation: signed_out, step: sign_in },
  { rule: 'prompt=select_account with a hint selects the hinted session', request: { prompt: ['select_account'] }, situation: { hinted_user_id: 'usr_bert' }, step: issue('ses_bert') },
  { rule: 'the account chooser comes before sign-in', request: { prompt: ['login', 'select_account'] }, step: { kind: 'select_account' } },
  { rule: 'sign-in comes before consent', request: { prompt: ['login', 'consent'] }, step: sign_in },

  { rule: 'a sign-in exactly max_age ago is recent enough', request: { max_age: 600 }, step: issue('ses_anna') },
  { rule: 'a sign-in longer than max_age ago is too old', request: { max_age: 599 }, step: sign_in },
  { rule: 'max_age=0 asks for a sign-in despite one at this moment', request: { max_age: 0 }, situation: { sessions: [{ ...bert, auth_time: now }] }, step: sign_in },
  { rule: 'a request that went on with a session issues a code for it', request: { of_session: 'ses_anna' }, step: issue('ses_anna') },
  { rule: 'a request that went on with a session ends in no other one', request: { of_session: 'ses_bert' }, situation: { sessions: [anna] }, step: sign_in },
  { rule: 'the session of the sign-in for this request issues a code', request: { signed_in_since: ago(600) }, step: issue('ses_anna') },
  { rule: 'a session older than the sign-in for this request is too old', request: { signed_in_since: ago(599) }, step: sign_in },
  { rule: 'a newer session of another user does not satisfy max_age', request: { max_age: 60 }, step: sign_in },

  { rule: 'a hint selects the session of its user', situation: { hinted_user_id: 'usr_bert' }, step: issue('ses_bert') },
  { rule: 'a hint for a user without session is a sign-in of that user', situation: { hinted_user_id: 'usr_cara' }, step: { kind: 'sign_in', user_id: 'usr_cara' } },
  { rule: 'a hint for a session older than max_age is a sign-in of that user', request: { max_age: 1 }, situation: { hinted_user_id: 'usr_bert' }, step: { kind: 'sign_in', user_id: 'usr_bert' } },

  { rule: 'a person without a name gets a code where no name is asked for', request: { asks_name: true }, situation: nameless, step: issue('ses_anna') },
  { rule: 'a person without a name enters one where it is required', situation: { ...nameless, names: 'required' }, step: profile },
  { rule: 'a person with a name is not asked for one', request: { asks_name: true }, situation: { names: 'required' }, step: issue('ses_anna') },
  { rule: 'a new account is asked for an optional name', request: { asks_name: true }, situation: { ...nameless, names: 'optional' }, step: profile },
  { rule: 'an earlier account is not asked for an optional name', situation: { ...nameless, names: 'optional' }, step: issue('ses_anna') },
  { rule: 'the name comes before the consent', request: { prompt: ['consent'] }, client: 'ask', situation: { ...nameless, names: 'required' }, step: profile },
  { rule: 'the second factor comes before the name', situation: { ...nameless, ...required, names: 'required' }, step: second_factor },
  { rule: 'sign-in comes before the name', request: { prompt: ['login'] }, situation: { ...nameless, names: 'required' }, step: sign_in },
  { rule: 'prompt=none without a required name is interaction_required', request: { prompt: ['none'] }, situation: { ...nameless, names: 'required' }, step: 'interaction_required' },
  { rule: 'prompt=none asks for no optional name', request: { prompt: ['none'], asks_name: true }, situation: { ...nameless, names: 'optional' }, step: issue('ses_anna') },

  { rule: 'consent for all of the scope issues a code', client: 'ask', step: issue('ses_anna', anna.consented_to) },
  { rule: 'consent for more than the scope issues a code', request: { consent_to: ['openid'] }, client: 'ask', step: issue('ses_anna', anna.consented_to) },
  { rule: 'consent without offline_access is asked for', client: 'ask', situation: { sessions: [{ ...anna, consented_to: ['openid', 'email'] }] }, step: consent('ses_anna') },
  { rule: 'consent without a scope of a resource server is asked for', request: { consent_to: ['openid', 'https://api.test', 'https://api.test#email'] }, client: 'ask', step: consent('ses_anna') },
  { rule: 'consent is asked for where there is none', client: 'ask', situation: { sessions: [bert] }, step: consent('ses_bert') },
  { rule: 'consent of another user does not count', client: 'ask', situation: { hinted_user_id: 'usr_bert' }, step: consent('ses_bert') },
  { rule: 'a first-party application needs no consent', situation: { sessions: [bert] }, step: issue('ses_bert') },
  { rule: 'prompt=consent asks for consent despite earlier consent', request: { prompt: ['consent'] }, client: 'ask', step: consent('ses_anna') },
  { rule: 'a session alone is not enough for a client that needs a press', needs_press: true, step: press('ses_anna') },
  { rule: 'a client that needs a press gets a code after it', needs_press: true, situation: { sessions: [{ ...anna, pressed: true }] }, step: issue('ses_anna') },
  { rule: 'a press in another session does not count', needs_press: true, situation: { sessions: [anna, { ...bert, pressed: true }] }, step: press('ses_anna') },
  { rule: 'a press does not replace consent', client: 'ask', needs_press: true, situation: { sessions: [{ ...bert, pressed: true }] }, step: consent('ses_bert') },
  { rule: 'a press does not replace a sign-in', needs_press: true, request: { max_age: 60 }, situation: { sessions: [{ ...anna, pressed: true }] }, step: sign_in },
  { rule: 'earlier consent does not replace a press', client: 'ask', needs_press: true, step: press('ses_anna') },
  { rule: 'the press comes after the name', needs_press: true, situation: { ...nameless, names: 'required' }, step: profile },
  { rule: 'prompt=consent asks for consent even after a press', needs_press: true, request: { prompt: ['consent'] }, situation: { sessions: [{ ...anna, pressed: true }] }, step: consent('ses_anna') },
  { rule: 'consent that is missing comes before the press', client: 'ask', needs_press: true, situation: { sessions: [bert] }, step: consent('ses_bert') },
  { rule: 'prompt=none is interaction_required for a client that needs a press', needs_press: true, request: { prompt: ['none'] }, step: 'interaction_required' },
  { rule: 'prompt=none is interaction_required for a client that needs a press, even after it', needs_press: true, request: { prompt: ['none'] }, situation: { sessions: [{ ...anna, pressed: true }] }, step: 'interaction_required' },
  { rule: 'prompt=none without a session is login_required for a client that needs a press', needs_press: true, request: { prompt: ['none'] }, situation: signed_out, step: 'login_required' },
  { rule: 'acr_values of two factors asks a person with a second factor for it', request: { acr_values: two }, situation: enrolled, step: second_factor },
  { rule: 'acr_values of two factors asks for an enrolled factor even where mfa is off', request: { acr_values: two }, situation: { ...enrolled, mfa: { mode: 'off', can_enrol: true } }, step: second_factor },
  { rule: 'acr_values of two factors enrols a person without one, where mfa is optional', request: { acr_values: two }, situation: optional, step: second_factor },
  { rule: 'acr_values that the account cannot reach is dropped: mfa is off and nothing enrolled', request: { acr_values: two }, step: issue('ses_anna') },
  { rule: 'acr_values that the account cannot reach is dropped: no kind can be enrolled', request: { acr_values: two }, situation: { mfa: { mode: 'optional', can_enrol: false } }, step: issue('ses_anna') },
  { rule: 'unknown acr_values are dropped', request: { acr_values: ['urn:mace:incommon:iap:silver', 'phr', ''] }, situation: { ...enrolled, ...optional }, step: issue('ses_anna') },
  { rule: 'of several acr_values any one satisfies', request: { acr_values: ['urn:ostiary:2fa', 'urn:ostiary:1fa'] }, situation: enrolled, step: issue('ses_anna') },
  { rule: 'an unknown acr value beside a missing one does not satisfy', request: { acr_values: ['phr', 'urn:ostiary:2fa'] }, situation: enrolled, step: second_factor },
  { rule: 'a session of two factors satisfies acr_values', request: { acr_values: two }, situation: stepped_up, step: issue('ses_anna') },
  { rule: 'acr_values of a passkey asks for it', request: { acr_values: passkey }, situation: has_passkey, step: second_factor },
  { rule: 'acr_values of a passkey asks for it after two other factors', request: { acr_values: passkey }, situation: two_has_passkey, step: second_factor },
  { rule: 'acr_values of a passkey asks for it where two factors are required', request: { acr_values: passkey }, situation: { ...two_has_passkey, ...required }, step: second_factor },
  { rule: 'acr_values of a passkey is dropped for a person without one', request: { acr_values: passkey }, situation: { ...enrolled, ...optional }, step: issue('ses_anna') },
  { rule: 'acr_values of a passkey or two factors is satisfied by two factors', request: { acr_values: [...passkey, ...two] }, situation: two_has_passkey, step: issue('ses_anna') },
  { rule: 'a session by passkey satisfies acr_values of a passkey', request: { acr_values: passkey }, situation: { sessions: [{ ...anna, acr: 'urn:ostiary:passkey', has_passkey: true }] }, step: issue('ses_anna') },
  { rule: 'a trusted browser stands for the second factor where two are required', situation: { ...trusted(true), ...required }, step: issue('ses_anna') },
  { rule: 'a trusted browser stands for the second factor with prompt=none', request: { prompt: ['none'] }, situation: { ...trusted(true), ...required }, step: issue('ses_anna') },
  { rule: 'a trusted browser stands for no level', request: { acr_values: two }, situation: trusted(true), step: second_factor },
  { rule: 'a trusted browser stands for no level that another one in acr_values is below', request: { acr_values: ['urn:ostiary:1fa', ...two] }, situation: trusted(true), step: second_factor },
  { rule: 'an unknown level is not reached', request: { acr_values: ['phr'] }, situation: trusted(true), step: issue('ses_anna') },
  { rule: 'a trusted browser does not answer max_age', request: { max_age: 3_600 }, situation: trusted(true), step: second_factor },
  { rule: 'a trusted browser does not answer max_age with prompt=none', request: { max_age: 3_600, prompt: ['none'] }, situation: trusted(true), step: 'interaction_required' },
  { rule: 'a trusted browser does not answer a fresh sign-in that came before', request: { signed_in_since: ago(900) }, situation: trusted(true), step: second_factor },
  { rule: 'a session of two factors that rested on a trusted browser answers max_age', request: { max_age: 3_600 }, situation: { sessions: [{ ...anna, acr: 'urn:ostiary:2fa', has_second_factor: true, trust: true }] }, step: issue('ses_anna') },
  { rule: 'a session whose trusted browser is gone is asked for its second factor where none is required', situation: trusted(false), step: second_factor },
  { rule: 'a session whose trusted browser is gone is asked for its second factor where second factors are optional', situation: { ...trusted(false), ...optional }, step: second_factor },
  { rule: 'a session whose trusted browser is gone is refused with prompt=none', request: { prompt: ['none'] }, situation: trusted(false), step: 'interaction_required' },
  { rule: 'a session whose trusted browser is gone with the last factor is one of one factor', situation: trusted(false, false), step: issue('ses_anna') },
  { rule: 'a session whose trusted browser is gone with the last factor enrols where two are required', situation: { ...trusted(false, false), ...required }, step: second_factor },
  { rule: 'a trusted browser of a person without a second factor counts for nothing where two are required', situation: { ...trusted(true, false), ...required }, step: second_factor },
  { rule: 'acr_values of a passkey with prompt=none is refused', request: { acr_values: passkey, prompt: ['none'] }, situation: two_has_passkey, step: 'interaction_required' },
  { rule: 'a session by passkey satisfies acr_values of two factors', request: { acr_values: two }, situation: { ...with_passkey, ...required }, step: issue('ses_anna') },
  { rule: 'prompt=none with a level that is missing is interaction_required', request: { prompt: ['none'], acr_values: two }, situation: enrolled, step: 'interaction_required' },
  { rule: 'prompt=none with a level that has to be enrolled is interaction_required', request: { prompt: ['none'], acr_values: two }, situation: optional, step: 'interaction_required' },
  { rule: 'prompt=none with an unreachable level issues a code', request: { prompt: ['none'], acr_values: two }, step: issue('ses_anna') },
  { rule: 'prompt=none with a level and without a session is login_required', request: { prompt: ['none'], acr_values: two }, situation: { ...enrolled, sessions: [] }, step: 'login_required' },
  { rule: 'a session of one factor gets no code where mfa is required', situation: required, step: second_factor },
  { rule: 'a session of one factor gets no code where mfa is required, enrolled', situation: { ...enrolled, ...required }, step: second_factor },
  { rule: 'acr_values of one factor lowers nothing where mfa is required', request: { acr_values: ['urn:ostiary:1fa'] }, situation: required, step: second_factor },
  { rule: 'prompt=none is interaction_required for a session of one factor where mfa is required', request: { prompt: ['none'] }, situation: required, step: 'interaction_required' },
  { rule: 'a session of two factors gets a code where mfa is required', situation: { ...stepped_up, ...required }, step: issue('ses_anna') },
  { rule: 'a session of one factor is enough where mfa is optional', situation: { ...enrolled, ...optional }, step: issue('ses_anna') },
  { rule: 'a new sign-in comes before the second factor', request: { acr_values: two, max_age: 60 }, situation: enrolled, step: sign_in },
  { rule: 'prompt=login comes before the second factor', request: { acr_values: two, prompt: ['login'] }, situation: enrolled, step: sign_in },
  { rule: 'the account chooser comes before the second factor', request: { acr_values: two, prompt: ['select_account'] }, situation: enrolled, step: { kind: 'select_account' } },
  { rule: 'the second factor comes before consent', request: { acr_values: two, prompt: ['consent'] }, client: 'ask', situation: enrolled, step: second_factor },
  { rule: 'the second factor of another session does not count', situation: { sessions: [anna, { ...bert, acr: 'urn:ostiary:2fa' }], ...required }, step: second_factor },
  { rule: 'a person whose roles leave nothing of the request learns it', situation: kept_out, step: no_access },
  { rule: 'prompt=none is access_denied for a person whose roles leave nothing', request: { prompt: ['none'] }, situation: kept_out, step: 'access_denied' },
  { rule: 'prompt=none is login_required before it says anything about roles', request: { prompt: ['none'], max_age: 0 }, situation: kept_out, step: 'login_required' },
  { rule: 'nothing is said about roles before a sign-in that the request asks for', request: { prompt: ['login'] }, situation: kept_out, step: sign_in },
  { rule: 'nothing is said about roles before the second factor', situation: { ...kept_out, ...required }, step: second_factor },
  { rule: 'a person without access can choose another account', request: { prompt: ['select_account'] }, situation: kept_out, step: { kind: 'select_account' } },
  { rule: 'a person without access is asked for no name', situation: { sessions: [{ ...anna, has_name: false, no_access: why }], names: 'required' }, step: no_access },
  { rule: 'a person without access is asked for no consent', request: { prompt: ['consent'] }, client: 'ask', situation: kept_out, step: no_access },
  { rule: 'a person without access is asked for no press', needs_press: true, situation: kept_out, step: no_access },
  { rule: 'the roles of another session do not count', situation: { sessions: [anna, { ...bert, no_access: why }] }, step: issue('ses_anna') },
  { rule: 'a person in several organizations chooses one', situation: in_organization('open'), step: { kind: 'select_organization', session_id: 'ses_anna' } },
  { rule: 'prompt=none is interaction_required where an organization has to be chosen', request: { prompt: ['none'] }, situation: in_organization('open'), step: 'interaction_required' },
  { rule: 'nothing is said about organizations before a sign-in that the request asks for', request: { prompt: ['login'] }, situation: in_organization('missing'), step: sign_in },
  { rule: 'nothing is said about organizations before the second factor', situation: { ...in_organization('open'), ...required }, step: second_factor },
  { rule: 'an organization is chosen before the roles are judged', situation: { sessions: [{ ...anna, organization: { kind: 'open' }, no_access: why }] }, step: { kind: 'select_organization', session_id: 'ses_anna' } },
  { rule: 'a code is for the organization of the person', situation: { sessions: [{ ...anna, organization: acting }] }, step: { ...issue('ses_anna'), organization: acting.membership } },
  { rule: 'a person who is not a member has no access', situation: in_organization('missing'), step: { kind: 'no_access', session_id: 'ses_anna', code: 'not_a_member', why: reason`The person is a member of no organization that is enabled, and the request needs one.` } },
  { rule: 'a person who is not a member of the organization of the request has no access', request: { organization: 'acme' }, situation: in_organization('missing'), step: { kind: 'no_access', session_id: 'ses_anna', code: 'not_a_member', why: not_in_it } },
  { rule: 'prompt=none is access_denied for a person who is not a member', request: { prompt: ['none'] }, situation: in_organization('missing'), step: 'access_denied' },
  { rule: 'where another account of the browser is a member of the organization of the request, the person can choose it', request: { organization: 'acme' }, situation: { sessions: [{ ...anna, organization: { kind: 'missing' } }, { ...bert, organization: acting }] }, step: { kind: 'select_account' } },
  { rule: 'where the request names no organization, that of another account does not count', situation: { sessions: [{ ...anna, organization: { kind: 'missing' } }, { ...bert, organization: acting }] }, step: { kind: 'no_access', session_id: 'ses_anna', code: 'not_a_member', why: reason`The person is a member of no organization that is enabled, and the request needs one.` } },
  { rule: 'a person who chose an account that is not a member has no access', request: { organization: 'acme', of_session: 'ses_anna' }, situation: { sessions: [{ ...anna, organization: { kind: 'missing' } }, { ...bert, organization: acting }] }, step: { kind: 'no_access', session_id: 'ses_anna', code: 'not_a_member', why: not_in_it } },
  { rule: 'the member of another account answers no request with a hint', request: { organization: 'acme' }, situation: { hinted_user_id: 'usr_anna', sessions: [{ ...anna, organization: { kind: 'missing' } }, { ...bert, organization: acting }] }, step: { kind: 'no_access', session_id: 'ses_anna', code: 'not_a_member', why: not_in_it } },
  { rule: 'prompt=consent asks for consent of a first-party application too', request: { prompt: ['consent'] }, step: consent('ses_anna') },
]
for (const { rule, step, ...change } of cases) {
  test(rule, () => {
    const next = nextStep(
      { ...request, ...change.request },
      { consent: change.client ?? 'skip', needs_press: change.needs_press ?? false },
      { ...situation, ...change.situation },
    )
    if (typeof step === 'string') assert.equal(next.kind === 'refuse' && next.error.code, step)
    else assert.deepEqual(next, step)
  })
}

const rests: { step: Parameters<typeof withoutSatisfied>[1]; query: string; left: string }[] = [
  { step: 'sign_in', query: 'prompt=login&max_age=0&state=a', left: `state=a&signed_in_since=${now.getTime()}` },
  { step: 'sign_in', query: 'prompt=login+consent&state=a', left: `prompt=consent&state=a&signed_in_since=${now.getTime()}` },
  { step: 'sign_in', query: 'state=a&signed_in_since=5', left: 'state=a&signed_in_since=5' },
  { step: 'sign_in', query: 'prompt=select_account&state=a', left: 'state=a' },
  { step: 'sign_in', query: 'state=a', left: 'state=a' },
  { step: 'sign_up', query: 'prompt=create+login+select_account&max_age=5', left: `signed_in_since=${now.getTime()}` },
  { step: 'select_account', query: 'prompt=select_account+login&max_age=5', left: 'prompt=login&max_age=5' },
  { step: 'consent', query: 'prompt=login+consent&max_age=5', left: 'prompt=login&max_age=5' },
  { step: 'consent', query: '?state=%26%3D%2B%20%C3%BC&prompt=consent', left: 'state=%26%3D%2B+%C3%BC' },
  { step: 'consent', query: 'resource=a&resource=b&id_token_hint=x', left: 'resource=a&resource=b&id_token_hint=x' },
]
for (const { step, query, left } of rests) {
  test(`${step} leaves ${left || 'nothing'} of the request ${query}`, () => assert.equal(withoutSatisfied(query, step, now), left))
}

const without_prompt: readonly NextStep['kind'][] = ['second_factor', 'profile', 'press', 'select_organization']

/** The situation after a person finished a step. */
function done(step: NextStep, before: Situation, scope: string): Situation {
  if (step.kind === 'consent') {
    return {
      ...before,
      sessions: before.sessions.map((s) =>
        s.session_id === step.session_id ? { ...s, consented_to: scope.split(' '), pressed: true } : s,
      ),
    }
  }
  if (step.kind === 'press')
    return { ...before, sessions: before.sessions.map((s) => (s.session_id === step.session_id ? { ...s, pressed: true } : s)) }
  if (step.kind === 'select_account') return { ...before, sessions: before.sessions.map((s, i) => ({ ...s, pressed: i === 0 })) }
  if (step.kind === 'second_factor') {
    const stepUp = (s: Situation['sessions'][number]) => ({
      ...s,
      acr: s.has_passkey ? 'urn:ostiary:passkey' : 'urn:ostiary:2fa',
      has_second_factor: true,
      pressed: true,
    })
    return { ...before, sessions: before.sessions.map((s) => (s.session_id === step.session_id ? stepUp(s) : s)) }
  }
  if (step.kind === 'select_organization')
    return {
      ...before,
      sessions: before.sessions.map((s) => (s.session_id === step.session_id ? { ...s, organization: acting, pressed: true } : s)),
    }
  if (step.kind === 'profile')
    return { ...before, sessions: before.sessions.map((s) => (s.session_id === step.session_id ? { ...s, has_name: true } : s)) }
  if (step.kind !== 'sign_in' && step.kind !== 'sign_up') return before
  const user_id = step.kind === 'sign_in' ? (step.user_id ?? 'usr_anna') : 'usr_new'
  const fresh = { ...anna, session_id: 'ses_fresh', user_id, auth_time: now, consented_to: [], pressed: true, has_name: false }
  return { ...before, sessions: [fresh, ...before.sessions.filter((session) => session.user_id !== user_id)] }
}

test('for any request each step happens at most once, and then the hinted user gets a code, has no access, or the request is refused', () => {
  const prompts: fc.Arbitrary<AuthorizationRequest['prompt']> = fc.oneof(
    fc.constant(['none' as const]),
    fc.subarray(['login' as const, 'consent' as const, 'select_account' as const, 'create' as const]),
  )
  const organizations = fc.constantFrom<Situation['sessions'][number]['organization']>(
    { kind: 'none' },
    acting,
    { kind: 'open' },
    { kind: 'missing' },
  )
  const requests = fc.record({
    prompt: prompts,
    max_age: fc.option(fc.nat(1_000), { nil: undefined }),
    sessions: fc
      .tuple(
        fc.subarray([anna, bert]),
        fc.boolean(),
        fc.constantFrom(null, null, null, why),
        fc.array(organizations, { minLength: 2, maxLength: 2 }),
      )
      .map(([sessions, has_passkey, no_access, choices]) =>
        sessions.map((each, i) => ({
          ...each,
          has_passkey,
          has_second_factor: has_passkey,
          no_access,
          organization: choices[i] ?? { kind: 'none' as const },
        })),
      ),
    hinted_user_id: fc.constantFrom(null, 'usr_anna', 'usr_bert', 'usr_cara'),
    sign_up_open: fc.boolean(),
    consent: fc.constantFrom('skip' as const, 'ask' as const),
    needs_press: fc.boolean(),
    names: fc.constantFrom('off' as const, 'optional' as const, 'required' as const),
    acr_values: fc.subarray(['urn:ostiary:2fa', 'urn:ostiary:1fa', 'urn:ostiary:passkey', 'phr']),
    mfa: fc.record({ mode: fc.constantFrom('off' as const, 'optional' as const, 'required' as const), can_enrol: fc.constant(true) }),
  })
  const property = fc.property(requests, ({ prompt, max_age, consent, needs_press, acr_values, ...rest }) => {
    let query = new URLSearchParams({ prompt: prompt.join(' '), ...(max_age !== undefined && { max_age: `${max_age}` }) }).toString()
    let at: Situation = { ...rest, now }
    let of_session: string | undefined
    const seen: string[] = []
    for (;;) {
      const search = new URLSearchParams(query)
      const left = prompt.filter((word) => search.get('prompt')?.split(' ').includes(word))
      const step = nextStep(
        { ...request, acr_values, of_session, prompt: left, max_age: search.has('max_age') ? Number(search.get('max_age')) : undefined },
        { consent, needs_press },
        at,
      )
      if (step.kind === 'refuse') return assert.deepEqual(prompt, ['none'])
      if (step.kind === 'issue') {
        const session = at.sessions.find(({ session_id }) => session_id === step.session_id)
        assert.ok(rest.mfa.mode !== 'required' || session?.acr !== 'urn:ostiary:1fa', 'a code for one factor')
        assert.ok(!needs_press || seen.length > 0, 'a code without a press')
        assert.equal(session?.no_access, null)
        assert.ok(session.organization.kind === 'none' || session.organization.kind === 'one', 'a code without a choice')
        return assert.ok(session && (rest.hinted_user_id === null || session.user_id === rest.hinted_user_id))
      }
      assert.ok(!seen.includes(step.kind), `${step.kind} twice`)
      assert.notDeepEqual(prompt, ['none'])
      if (step.kind === 'no_access') {
        const session = at.sessions.find(({ session_id }) => session_id === step.session_id)
        return assert.ok(step.why === why || session?.organization.kind === 'missing')
      }
      seen.push(step.kind)
      at = done(step, at, request.scope)
      of_session = 'session_id' in step ? step.session_id : at.sessions[0]?.session_id
      if (!without_prompt.includes(step.kind)) query = withoutSatisfied(query, step.kind as 'sign_in', now) // as: a step of a prompt
    }
  })
  fc.assert(property, { numRuns: 500 })
})
