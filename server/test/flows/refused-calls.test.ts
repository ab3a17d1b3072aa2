/**
 * Planted failures: at least one for each code that the service records today. Its own tenant finds each by the reference that the
 * caller got, with the reason, and no other tenant finds it (decision 0032).
 */
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { errors } from '@ostiary/contract/errors.ts'
import { oauthErrors } from '@ostiary/contract/oidc.ts'
import { pageCodes } from '@ostiary/contract/refused-call.ts'
import { sql } from '../../src/db/db.ts'
import { confirmTotp, offerTotp, showOfferedTotp } from '../../src/domain/users/second-factor-changes.ts'
import { findUser } from '../../src/domain/users/store.ts'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { type Changes, createAuthenticator, type SoftwareAuthenticator } from '../support/authenticator.ts'
import { appCode } from '../support/authenticator-app.ts'
import { noBrowser } from '../support/chromium.ts'
import {
  authorizationRequest,
  createAgent,
  createPerson,
  exchange,
  followPages,
  formOf,
  postAsClient,
  posted_status,
  refresh,
  userinfo,
} from '../support/cookie-browser.ts'
import { dashboardFolder, openDashboard } from '../support/dashboard-browser.ts'
import { explanationOf } from '../support/explanations.ts'
import { createHeldPasswords } from '../support/held-passwords.ts'
import { startRawPeer } from '../support/mail-server.ts'
import { launchForTests } from '../support/page-audit.ts'
import { createPasskeyPerson, signInByPasskey } from '../support/passkeys.ts'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
import { until } from '../support/receiver.ts'
import { findCall, lookUp, referenceOf } from '../support/refused-calls.ts'
import { app_origin, createAuthKey, createMember, createPlatformKey, createTwoTenants } from '../support/tenants.ts'
import { expectStatus, owner, type Reply, randomText, world } from '../support/world.ts'

const held = createHeldPasswords()
const w = await world({
  passwords: held.passwords,
  env: {
    OSTIARY_LIMITS: '{"webhooks": 1}',
    OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
    OSTIARY_ISSUER_HOSTS: '*.acme.example=acme',
  },
  resolve: async () => [],
  dashboard_folder: dashboardFolder,
})
const aged = await administratorToken(w, owner)
w.advance(601)
const { ours, theirs } = await createTwoTenants(w)
const { test: environment } = ours
const { path, issuer } = environment

/** Values that no record and no log line may contain. */
const canaries: string[] = []
function canary(): string {
  const made = `canary${randomText().replaceAll(/[^a-z0-9]/g, '')}`
  canaries.push(made)
  return made
}

const create = async (list: string, body: object) =>
  expectStatus(201, await w.call('POST', `${path}/${list}`, { key: ours.platform, body }))
const redirect_uris = [`${app_origin}/callback`]
const client = await create('applications', { name: 'Shop', application_type: 'web', redirect_uris })
const spa = await create('applications', { name: 'Page', application_type: 'spa', consent: 'ask', redirect_uris })
const disabled = await create('applications', { name: 'Off', application_type: 'web', disabled: true, redirect_uris })
const exact = await create('applications', {
  name: 'Exact',
  application_type: 'web',
  token_endpoint_auth_method: 'client_secret_basic',
  redirect_uris,
})
const broken = await create('applications', { name: 'Broken', application_type: 'web', redirect_uris })
await create('roles', { slug: 'staff', name: 'Staff', kind: 'user' })
const members_only = await create('applications', { name: 'Members', application_type: 'web', organizations: 'required', redirect_uris })
const staff_only = await create('applications', { name: 'Staff', application_type: 'web', allowed_roles: ['staff'], redirect_uris })
const person = await createPerson(w, environment)
const tokens = await person.tokens(client)
const outsider = await createPerson(w, environment)
await outsider.tokens(client)
const blocked = await createPerson(w, environment)
const waiting = await w.createUser(environment, { waits: true })
expectStatus(200, await w.call('POST', `/v1/auth/users/${blocked.id}/block`, { key: environment.secret }))
const provider = await create('providers', {
  type: 'oidc',
  issuer: 'https://provider.example',
  client_id: 'a',
  client_secret: 'b',
  display_name: 'Elsewhere',
})
expectStatus(
  200,
  await w.call('PATCH', `${path}/settings`, { key: ours.platform, body: { lockout: { max_attempts: 3 }, sign_in: { passkey: true } } }),
)
const holder = await createPasskeyPerson(w, environment, client)

const secretKey = (fields: object = {}) => createAuthKey(w, environment, 'auth_secret', { made_by: ours.platform, ...fields })
const expired = await secretKey({ expires_at: new Date(w.now().getTime() + 60_000).toISOString() })
const [revoked, rotated, at_home] = [await secretKey(), await secretKey(), await secretKey({ ip_allowlist: ['192.0.2.1'] })]
const slow = await secretKey({ rate_limit: { limit: 1, window_seconds: 3_600 } })
expectStatus(204, await w.call('DELETE', `${path}/auth-keys/${revoked.id}`, { key: ours.platform }))
expectStatus(200, await w.call('POST', `${path}/auth-keys/${rotated.id}/rotate`, { key: ours.platform }))
w.advance(120)
const narrow = await createPlatformKey(w, ours, { scopes: ['projects:read'] })
const viewer = await createMember(w, ours, 'viewer')

const api = (method: string, to: string, body?: unknown, headers: Record<string, string> = {}) =>
  w.call(method, to, { key: ours.platform, body, headers })
const withKey = (key: string, headers: Record<string, string> = {}) => w.call('GET', '/v1/auth/users', { key, headers })
const asOwner = asAdministrator(w, ours.token, ours.tenant_id)
const authorize = (change: Record<string, string | undefined>, application = client, agent = createAgent()) =>
  agent.get(authorizationRequest(environment, application, { state: canary(), ...change }).url)
const atToken = (form: Record<string, string>, application: Parameters<typeof postAsClient>[2] = client) =>
  postAsClient(w, `${issuer}/v1/oauth/token`, application, form)

/** A request of a client whose client id is a URL, while the setting has this value. */
async function byAddress(mode: 'listed' | 'any', client_id: string): Promise<Reply> {
  await w.call('PATCH', `${path}/settings`, { key: ours.platform, body: { oauth: { metadata_clients: mode } } })
  const reply = await authorize({}, { ...client, client_id })
  await w.call('PATCH', `${path}/settings`, { key: ours.platform, body: { oauth: null } })
  return reply
}
const addClient = (client_id: string) => w.call('POST', `${path}/metadata-clients`, { key: ours.platform, body: { client_id } })
const manyTimes = async (ask: (n: number) => Promise<Reply>) => {
  w.advance(61)
  for (let n = 0; n < 10; n++) await ask(n)
  return ask(10)
}

async function signIn(fields: Record<string, string>, prompt?: string): Promise<Reply> {
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(environment, client, { prompt }).url)
  return agent.submit(page, fields)
}

/** A person with an authenticator app sends something else as its code. */
async function useSecondFactor(): Promise<Reply> {
  const { id, email, password } = await w.createUser(environment)
  const user = await findUser(w.deployment.db, environment.id, id)
  assert.ok(user)
  const offer = { session_id: 'ses_1', nonce: canary() }
  const { secret } = showOfferedTotp('Acme', email, offerTotp(w.deployment, user, offer))
  const commit = async (_: unknown, statements: Parameters<typeof w.deployment.db.batch>[0]) =>
    (await w.deployment.db.batch(statements)) !== null
  const asked = { request_id: 'req_1', device: null, now: w.now(), keep: () => [], commit }
  const added = await confirmTotp(w.deployment, user, { ...offer, code: appCode(secret, w.now()) }, asked)
  assert.ok(added.added)
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(environment, client).url)
  return agent.submit(await followPages(agent, await agent.submit(page, { email, password })), { code: canary() })
}

async function enterCode(): Promise<Reply> {
  const agent = createAgent()
  const { hidden } = formOf((await agent.get(authorizationRequest(environment, client).url)).body)
  return agent.post(`${issuer}/code`, { ...hidden, email: person.email, code: '000000' })
}

const project_path = `/v1/platform/projects/${ours.project_id}`
const livePlan = async (settings: object): Promise<string> =>
  expectStatus(
    201,
    await api('POST', `${project_path}/promotions`, { document: { version: 1, settings }, to_environment_id: ours.live.id }),
  ).id
const step = (id: string, name: 'apply' | 'revert') => api('POST', `${project_path}/promotions/${id}/${name}`, {})
const changeLive = async (settings: object) => expectStatus(200, await api('PATCH', `${ours.live.path}/settings`, settings))

async function applyMovedPlan(): Promise<Reply> {
  const id = await livePlan({ password: { min_length: 15 } })
  await changeLive({ lockout: { max_attempts: 9 } })
  return step(id, 'apply')
}

async function revertEdited(): Promise<Reply> {
  const id = await livePlan({ password: { min_length: 16 } })
  expectStatus(200, await step(id, 'apply'))
  await changeLive({ password: { min_length: 17 } })
  return step(id, 'revert')
}

async function applyUnapproved(): Promise<Reply> {
  await createMember(w, ours, 'admin')
  const asks = async (require_approval: boolean) =>
    expectStatus(200, await asOwner('PATCH', project_path, { promotion: { require_approval } }))
  await asks(true)
  const refused = await step(await livePlan({ password: { min_length: 18 } }), 'apply')
  await asks(false)
  return refused
}

interface Plant {
  code: string
  reason: string | RegExp
  /** The calls of the tenant itself, instead of the environment. */
  of_tenant?: true
  /** Other members of the record. */
  has?: object
  plant: () => Promise<Reply>
}

const unknown_app = 'app_01m7wwr5ftevtv5yxb47hmb4ht'

// biome-ignore format: this table is read by line
const plants: Plant[] = [
  // the management and runtime API
  { code: 'malformed_request', reason: 'The body is not well-formed JSON.', of_tenant: true, has: { status: 400, method: 'POST', route: '/v1/platform/projects' }, plant: () => api('POST', '/v1/platform/projects', `{"name": "${canary()}"`) },
  { code: 'conflicting_credentials', reason: /two different credentials/, plant: () => api('GET', `${path}/settings`, undefined, { authorization: `ApiKey ${environment.secret}` }) },
  { code: 'tenant_required', reason: 'The administrator did not send the header x-tenant-id.', has: { user_id: ours.member_id }, plant: () => asAdministrator(w, ours.token, null)('GET', `${path}/applications`) },
  { code: 'invalid_cursor', reason: /cursor does not belong/, plant: () => api('GET', `${path}/applications?cursor=${canary()}`) },
  { code: 'invalid_key', reason: `The key ${expired.id} has expired.`, has: { key_id: expired.id, key_start: expired.start, route: '/v1/auth/users' }, plant: () => withKey(expired.key) },
  { code: 'invalid_key', reason: `The key ${revoked.id} is revoked.`, has: { key_id: revoked.id, key_start: revoked.start }, plant: () => withKey(revoked.key) },
  { code: 'invalid_key', reason: `The key ${rotated.id} was rotated, and the call has its text from before.`, has: { key_id: rotated.id, key_start: rotated.start }, plant: () => withKey(rotated.key) },
  { code: 'ip_not_allowed', reason: `The address of the caller is not in ip_allowlist of the key ${at_home.id}.`, plant: () => withKey(at_home.key) },
  { code: 'origin_not_allowed', reason: `The Origin header is not in allowed_origins of the key`, plant: () => w.call('GET', '/v1/auth/config', { key: environment.publishable, headers: { origin: `https://${canary()}.example` } }) },
  { code: 'origin_not_allowed', reason: /has no Origin header/, plant: () => w.call('GET', '/v1/auth/config', { key: environment.publishable }) },
  { code: 'wrong_key_type', reason: 'The key is of the type platform_secret. The call needs a secret key of an environment.', of_tenant: true, plant: () => withKey(ours.platform) },
  { code: 'insufficient_scope', reason: 'The key lacks the scope applications:read.', has: { key_id: narrow.id, route: '/v1/platform/projects/{project_id}/environments/{environment_id}/applications' }, plant: () => w.call('GET', `${path}/applications`, { key: narrow.key }) },
  { code: 'insufficient_role', reason: 'This needs the role developer; yours is viewer.', plant: () => asAdministrator(w, viewer, ours.tenant_id)('PATCH', `${path}/settings`, {}) },
  { code: 'reauthentication_required', reason: 'The sign-in of the administrator is older than 600 s.', plant: () => asAdministrator(w, aged, ours.tenant_id)('POST', `${path}/auth-keys`, { type: 'auth_secret' }) },
  { code: 'not_found', reason: `There is no object with the id ${unknown_app} in the tenant, project and environment of the call.`, plant: () => api('GET', `${path}/applications/${unknown_app}`) },
  { code: 'not_found', reason: /There is no object with the id app_/, plant: () => api('GET', `${path}/applications/${theirs.test.application_id}`) },
  { code: 'not_found', reason: 'The tenant has no environment with the ids of the path.', of_tenant: true, plant: () => api('GET', theirs.test.path) },
  { code: 'not_found', reason: 'No route has this address.', of_tenant: true, has: { route: null }, plant: () => api('GET', `/v1/${canary()}`) },
  { code: 'method_not_allowed', reason: 'The address exists, but not with this method.', has: { method: 'DELETE', route: '/v1/platform/projects/{project_id}/environments/{environment_id}/settings' }, plant: () => api('DELETE', `${path}/settings?q=${canary()}`) },
  { code: 'issuer_taken', reason: 'Another environment has this issuer, or had it. Choose another origin.', of_tenant: true, plant: takeIssuerTwice },
  { code: 'misdirected_request', reason: 'No environment has the host of the request as its issuer.', of_tenant: true, has: { status: 421, route: '/v1/platform/projects' }, plant: callReservedHost },
  { code: 'already_member', reason: 'The user is a member of the organization.', plant: addMemberTwice },
  { code: 'slug_taken', reason: 'Another project of the tenant has the slug.', of_tenant: true, plant: () => api('POST', '/v1/platform/projects', { slug: 'ours', name: canary() }) },
  { code: 'identifier_taken', reason: 'Another user of the environment has the email.', plant: () => w.call('POST', '/v1/auth/users', { key: environment.secret, body: { email: person.email, name: canary() } }) },
  { code: 'key_revoked', reason: /The key is revoked/, plant: () => api('POST', `${path}/auth-keys/${revoked.id}/rotate`) },
  { code: 'last_owner', reason: /last owner/, of_tenant: true, plant: () => asOwner('DELETE', `/v1/tenants/${ours.tenant_id}/members/${ours.member_id}`) },
  { code: 'secret_not_used', reason: 'The application authenticates with none and has no secret.', plant: () => api('POST', `${path}/applications/${spa.id}/rotate-secret`) },
  { code: 'last_secret', reason: 'The application authenticates with this secret alone. Add another one first.', plant: deleteLastSecret },
  { code: 'no_signing_key', reason: 'No resource server of the environment asks for ES256, so it has no such key to replace.', plant: () => api('POST', `${path}/signing-keys/rotate?alg=ES256`) },
  { code: 'body_too_large', reason: 'Bodies are limited to 1 MiB.', plant: () => api('PATCH', `${path}/settings`, `"${canary()}${'a'.repeat(1_100_000)}"`) },
  { code: 'unsupported_media_type', reason: 'The Content-Type is not JSON in UTF-8.', plant: () => api('PATCH', `${path}/settings`, canary(), { 'content-type': 'text/plain' }) },
  { code: 'validation_failed', reason: 'The field /… is not accepted: unknown_field.', plant: () => api('PATCH', `${path}/settings`, { [canary()]: 1 }) },
  { code: 'validation_failed', reason: 'The field /email/from is not accepted: not_allowed.', plant: () => api('PATCH', `${path}/settings`, { email: { from: canary() } }) },
  { code: 'quota_exceeded', reason: /The limit is 1 webhooks in an environment/, plant: () => api('POST', `${path}/webhooks`, { url: `https://${canary()}.example/` }) },
  { code: 'idempotency_mismatch', reason: /used with another body/, of_tenant: true, plant: repeatWithAnotherBody },
  { code: 'promotion_state', reason: 'Only an applied promotion can be reverted. This one is planned.', of_tenant: true, has: { status: 409 }, plant: async () => step(await livePlan({}), 'revert') },
  { code: 'promotion_stale', reason: /has changed since the plan/, of_tenant: true, has: { status: 409 }, plant: applyMovedPlan },
  { code: 'promotion_conflict', reason: /is not as the promotion left it/, of_tenant: true, has: { status: 409 }, plant: revertEdited },
  { code: 'approval_required', reason: /approves this plan first/, of_tenant: true, has: { status: 409 }, plant: applyUnapproved },
  { code: 'promotion_blocked', reason: /Something stands in the way/, of_tenant: true, has: { status: 422 }, plant: async () => step(await livePlan({ sign_in: { email_code: true } }), 'apply') },
  { code: 'not_waiting', reason: 'The account does not wait for an approval.', has: { status: 409 }, plant: () => w.call('POST', `/v1/auth/users/${blocked.id}/approve`, { key: environment.secret }) },
  { code: 'mail_not_set_up', reason: /sends no mail/, has: { status: 409 }, plant: testMailWithoutDelivery },
  { code: 'idempotency_in_progress', reason: /first request with this Idempotency-Key is still running/, has: { status: 409 }, plant: repeatDuringTheFirst },
  { code: 'rate_limited', reason: 'The limit of the credential is 1 requests in 3600 s.', has: { status: 429, key_id: slow.id }, plant: async () => [await withKey(slow.key), await withKey(slow.key)][1] ?? assert.fail() },
  { code: 'unavailable', reason: 'Too many passwords were waiting to be hashed.', has: { status: 503 }, plant: () => held.whileFull(() => w.call('POST', '/v1/auth/users', { key: environment.secret, body: { email: `${canary()}@example.com`, password: canary() } })) },
  { code: 'internal_error', reason: /Something failed on our side/, has: { status: 500 }, plant: () => api('GET', `${path}/applications/${broken.id}`) },

  // the OAuth endpoints
  { code: 'invalid_request', reason: 'client_id is missing.', plant: () => w.call('POST', `${issuer}/v1/oauth/token`, { key: null, body: `code=${canary()}`, headers: { 'content-type': 'application/x-www-form-urlencoded' } }) },
  { code: 'invalid_request', reason: 'An unknown parameter was sent more than once.', has: { client_id: client.client_id, status: 303 }, plant: () => repeated(canary()) },
  { code: 'invalid_request', reason: /code_challenge is missing, and so is a nonce/, has: { client_id: client.client_id, remedy: { require_pkce: false } }, plant: () => authorize({ code_challenge: undefined, code_challenge_method: undefined, nonce: undefined }) },
  { code: 'invalid_client', reason: 'No application of the environment has the client_id that was sent.', has: { client_id: null, status: 401 }, plant: () => atToken({ grant_type: 'authorization_code' }, { ...client, client_id: canary() }) },
  { code: 'invalid_client', reason: 'The client_secret is wrong, or it was rotated or deleted.', has: { client_id: client.client_id }, plant: () => atToken({ grant_type: 'authorization_code' }, { ...client, client_secret: canary() }) },
  { code: 'invalid_client', reason: 'This application authenticates with client_secret_basic, not with client_secret_post.', has: { client_id: exact.client_id, remedy: { token_endpoint_auth_method: 'client_secret' } }, plant: () => atToken({ grant_type: 'authorization_code' }, { ...exact, token_endpoint_auth_method: 'client_secret_post' }) },
  { code: 'invalid_client', reason: 'The application is disabled.', has: { client_id: disabled.client_id }, plant: () => atToken({ grant_type: 'authorization_code' }, disabled) },
  { code: 'invalid_grant', reason: 'The code is unknown or has expired.', has: { client_id: client.client_id, route: '/e/{environment_id}/v1/oauth/token' }, plant: () => atToken({ grant_type: 'authorization_code', code: canary() }) },
  { code: 'invalid_grant', reason: 'code_verifier does not match code_challenge.', plant: exchangeWithAnotherVerifier },
  { code: 'unsupported_grant_type', reason: 'grant_type has a value that this service does not offer.', plant: () => atToken({ grant_type: canary() }) },
  { code: 'unsupported_response_type', reason: 'response_type must be code.', plant: () => authorize({ response_type: canary() }) },
  { code: 'invalid_scope', reason: /has a scope that is neither/, has: { remedy: { unknown_scopes: 'ignore' } }, plant: () => authorize({ scope: `openid ${canary()}` }) },
  { code: 'invalid_target', reason: /No resource server of the environment/, plant: () => authorize({ resource: `https://${canary()}.example` }) },
  { code: 'request_not_supported', reason: /not a request object/, plant: () => authorize({ request: canary() }) },
  { code: 'request_uri_not_supported', reason: /not request_uri/, plant: () => authorize({ request_uri: `https://${canary()}.example` }) },
  { code: 'registration_not_supported', reason: /registered beforehand/, plant: () => authorize({ registration: canary() }) },
  { code: 'login_required', reason: 'The person has to sign in.', plant: () => authorize({ prompt: 'none' }) },
  { code: 'consent_required', reason: /has not consented/, plant: () => authorize({ prompt: 'none' }, spa, person.agent) },
  { code: 'interaction_required', reason: 'The person has to use a second factor.', has: { status: 303 }, plant: () => authorize({ prompt: 'none', acr_values: 'urn:ostiary:passkey' }, client, holder.agent) },
  { code: 'access_denied', reason: 'The person did not allow it.', has: { user_id: person.id, client_id: spa.client_id }, plant: async () => person.agent.submit(await authorize({}, spa, person.agent), { decision: 'deny' }) },
  { code: 'invalid_token', reason: 'The text is not an access token of this issuer.', plant: () => userinfo(w, environment, canary()) },
  { code: 'invalid_token', reason: 'The request has no access token in its header or form.', plant: () => w.call('GET', `${issuer}/v1/oauth/userinfo?access_token=${canary()}`, { key: null }) },
  { code: 'insufficient_scope', reason: 'UserInfo needs the scope openid.', has: { user_id: person.id, status: 403 }, plant: async () => userinfo(w, environment, expectStatus(200, await refresh(w, environment, client, { refresh_token: tokens.refresh_token, scope: 'profile' })).access_token) },
  { code: 'server_error', reason: /The service failed/, has: { status: 500 }, plant: () => atToken({ grant_type: 'authorization_code', code: canary() }, broken) },
  { code: 'method_not_allowed', reason: 'The address exists, but not with this method.', has: { route: '/e/{environment_id}/v1/oauth/token' }, plant: () => w.call('GET', `${issuer}/v1/oauth/token?code=${canary()}`, { key: null }) },

  // the pages
  { code: 'invalid_redirect_uri', reason: 'redirect_uri is not registered for this application.', has: { client_id: client.client_id, status: 400 }, plant: () => authorize({ redirect_uri: `https://${canary()}.example` }) },
  { code: 'unknown_client', reason: 'No application has this client_id.', has: { client_id: null }, plant: () => authorize({ client_id: canary() }) },
  { code: 'application_disabled', reason: 'The application is disabled.', has: { client_id: disabled.client_id }, plant: () => authorize({}, disabled) },
  { code: 'wrong_password', reason: `The password for the user ${person.id} is wrong.`, has: { user_id: person.id }, plant: () => signIn({ email: person.email, password: canary() }) },
  { code: 'unknown_account', reason: 'No user of the environment has the email.', has: { user_id: null }, plant: () => signIn({ email: `${canary()}@example.com`, password: canary() }) },
  { code: 'not_approved', reason: `The user ${waiting.id} waits for an approval.`, has: { user_id: waiting.id }, plant: () => signIn({ email: waiting.email, password: waiting.password }) },
  { code: 'user_blocked', reason: `The user ${blocked.id} is blocked.`, has: { user_id: blocked.id }, plant: () => signIn({ email: blocked.email, password: blocked.password }) },
  { code: 'wrong_code', reason: /^The code of the second factor/, plant: useSecondFactor },
  { code: 'wrong_code', reason: 'This browser has no pending code for the email.', plant: enterCode },
  { code: 'locked_out', reason: /Too many attempts failed for this email/, plant: lockOut },
  { code: 'form_expired', reason: /sent no cookie with the form/, plant: async () => createAgent().post(`${issuer}/sign-in`, { request: authorizationRequest(environment, client).url.split('?')[1] ?? '', email: canary(), password: canary() }) },
  { code: 'form_expired', reason: 'The form holds no request.', plant: () => createAgent().post(`${issuer}/sign-in`, { email: canary() }) },
  { code: 'form_expired', reason: /holds no form token, or a part of one/, has: { status: 303 }, plant: () => postToConsent({ csrf: canary() }) },
  { code: 'form_expired', reason: 'The session of the page has ended, or does not belong to this browser.', plant: () => postToConsent({ session: canary() }) },
  { code: 'form_expired', reason: 'The session of the page has ended, or does not belong to this browser.', has: { status: 303 }, plant: () => postToConsent({ session: canary() }, `${issuer}/offer-passkey`) },
  { code: 'form_expired', reason: 'The session of the page has ended, or does not belong to this browser.', plant: () => person.agent.post(`${issuer}/account/disconnect`, { user: canary() }) },
  { code: 'invalid_request', reason: 'The body of the request is not form-encoded.', has: { status: 400, client_id: null }, plant: () => w.call('POST', authorizationRequest(environment, client).url, { key: null, body: { state: canary() } }) },
  { code: 'invalid_request', reason: 'The body of the request is not form-encoded.', has: { status: 400 }, plant: () => w.call('POST', authorizationRequest(environment, client).url, { key: null }) },
  { code: 'invalid_request', reason: 'The request is too long, or has too many parameters.', has: { status: 400 }, plant: () => authorize({ claims: canary().padEnd(24_600, 'x') }) },
  { code: 'validation_failed', reason: 'The form of the sign-up has problems: email malformed password too_short', plant: () => signIn({ email: canary(), password: 'short' }, 'create') },
  { code: 'validation_failed', reason: 'The form has no email or no password.', plant: () => signIn({ email: canary(), password: '' }) },
  { code: 'validation_failed', reason: 'The name is missing, or cannot be stored.', has: { user_id: person.id }, plant: () => postToConsent({ name: canary().padEnd(101, 'x') }, `${issuer}/profile`) },
  { code: 'provider_unreachable', reason: new RegExp(`The sign-in at the provider ${provider.id} failed`), plant: () => federate() },
  { code: 'provider_unreachable', reason: 'The provider was deleted, switched off or changed its issuer during the sign-in.', has: { status: 303 }, plant: () => federate(canary()) },
  { code: 'invalid_id_token_hint', reason: 'id_token_hint is not an ID token of this issuer.', plant: () => createAgent().get(`${issuer}/oauth/logout?id_token_hint=${canary()}`) },
  { code: 'unregistered_post_logout_uri', reason: new RegExp(`The application ${client.client_id}`), has: { client_id: client.client_id }, plant: () => createAgent().get(`${issuer}/oauth/logout?client_id=${client.client_id}&post_logout_redirect_uri=https://${canary()}.example`) },
  { code: 'unknown_passkey', reason: 'No user of the environment has the passkey.', has: { user_id: null }, plant: () => usePasskey(createAuthenticator(new URL(issuer).origin)) },
  { code: 'passkey_refused', reason: /The response for the passkey mth_\w+ is not valid/, has: { user_id: holder.id }, plant: () => usePasskey(holder.device, { origin: `https://${canary()}.example` }) },
  { code: 'passkey_counter_back', reason: /The counter of the passkey mth_\w+ went back/, has: { user_id: holder.id }, plant: async () => { await usePasskey(holder.device, { counter: 9 }); return usePasskey(holder.device, { counter: 9 }) } },
  { code: 'passkey_backup_changed', reason: /The passkey mth_\w+ changed whether it can be backed up/, has: { user_id: holder.id }, plant: () => usePasskey(holder.device, { counter: 20, backup_eligible: true }) },
  { code: 'no_access', reason: 'The person has none of the roles in allowed_roles of the application, such as staff.', has: { user_id: person.id, client_id: staff_only.client_id, status: 403 }, plant: () => authorize({}, staff_only, person.agent) },
  { code: 'not_a_member', reason: 'The person is a member of no organization that is enabled, and the request needs one.', has: { user_id: outsider.id, client_id: members_only.client_id, status: 403 }, plant: () => authorize({}, members_only, outsider.agent) },
  { code: 'not_a_member', reason: 'The person is not a member of the organization of the request, or it is unknown or disabled.', has: { user_id: person.id, client_id: members_only.client_id, status: 403 }, plant: () => authorize({ organization: canary() }, members_only, person.agent) },
  { code: 'metadata_client_unlisted', reason: 'No administrator has approved the URL of the client.', has: { client_id: 'https://agent.example/client.json', status: 400 }, plant: () => byAddress('listed', 'https://agent.example/client.json') },
  { code: 'metadata_client_unavailable', reason: /The document cannot be read/, has: { client_id: 'https://nowhere.example/agent.json', status: 400 }, plant: () => byAddress('any', 'https://nowhere.example/agent.json') },
  { code: 'metadata_client_invalid', reason: 'client_id of the document is not its URL.', has: { client_id: 'https://agent.example/of-another-url/client.json', status: 400 }, plant: () => byAddress('any', 'https://agent.example/of-another-url/client.json') },
  { code: 'metadata_client_busy', reason: 'Too many documents of clients are being read.', has: { client_id: 'https://agent.example/10/client.json', status: 503 }, plant: () => manyTimes((n) => byAddress('any', `https://agent.example/${n}/client.json`)) },
  { code: 'metadata_unavailable', reason: /The document cannot be read/, plant: () => addClient('https://nowhere.example/added.json') },
  { code: 'metadata_invalid', reason: 'client_id of the document is not its URL.', plant: () => addClient('https://agent.example/of-another-url/added/client.json') },
  { code: 'metadata_busy', reason: 'Too many documents of clients are being read.', plant: () => manyTimes((n) => addClient(`https://agent.example/added-${n}/client.json`)) },
  { code: 'access_denied', reason: 'The person has none of the roles in allowed_roles of the application, such as staff.', has: { client_id: staff_only.client_id }, plant: () => authorize({ prompt: 'none' }, staff_only, person.agent) },
  { code: 'temporarily_unavailable', reason: 'Too many passwords were waiting to be hashed.', plant: crowdSignIn },
]

async function addMemberTwice(): Promise<Reply> {
  const backend = (method: string, address: string, body: object) => w.call(method, address, { key: environment.secret, body })
  const { id } = expectStatus(201, await backend('POST', '/v1/auth/organizations', { name: canary() }))
  const add = () => backend('POST', `/v1/auth/organizations/${id}/members`, { user_id: person.id })
  expectStatus(201, await add())
  return add()
}

async function deleteLastSecret(): Promise<Reply> {
  const secrets = `${path}/applications/${environment.application_id}/secrets`
  return api('DELETE', `${secrets}/${expectStatus(200, await api('GET', secrets)).data[0].id}`)
}

async function takeIssuerTwice(): Promise<Reply> {
  const take = (slug: string) =>
    api('POST', `/v1/platform/projects/${ours.project_id}/environments`, {
      slug,
      name: canary(),
      type: 'test',
      issuer: 'https://login.acme.example',
    })
  expectStatus(201, await take('own'))
  return take('other')
}

async function callReservedHost(): Promise<Reply> {
  const headers = { host: 'new.acme.example', 'x-api-key': ours.platform }
  const reply = await sendRaw(w.base_url, rawRequest('GET', `/v1/platform/projects?query=${canary()}`, headers))
  return { status: reply.status, headers: new Headers(reply.headers), body: JSON.parse(reply.body) }
}

async function repeatWithAnotherBody(): Promise<Reply> {
  const headers = { 'idempotency-key': canary() }
  expectStatus(201, await api('POST', '/v1/platform/projects', { slug: 'first', name: 'First' }, headers))
  return api('POST', '/v1/platform/projects', { slug: 'second', name: canary() }, headers)
}

async function testMailWithoutDelivery(): Promise<Reply> {
  expectStatus(200, await api('PATCH', `${path}/settings`, { email: { delivery: 'none' } }))
  return api('POST', `${path}/settings/email/test`, { to: `${canary()}@example.com` })
}

/** The first request waits for a mail server that sends no greeting. */
async function repeatDuringTheFirst(): Promise<Reply> {
  const connected = Promise.withResolvers<Socket>()
  const silent = await startRawPeer(connected.resolve)
  const smtp = { host: '127.0.0.1', port: silent.port, tls: 'none' }
  expectStatus(200, await api('PATCH', `${path}/settings`, { email: { delivery: 'smtp', from: 'shop@example.com', smtp } }))
  const [to, key] = [`${canary()}@example.com`, canary()]
  const testMail = () => api('POST', `${path}/settings/email/test`, { to }, { 'idempotency-key': key })
  const first = testMail()
  const socket = await connected.promise
  const second = await testMail()
  socket.destroy()
  await first
  return second
}

const repeated = (name: string) => createAgent().get(`${authorizationRequest(environment, client).url}&${name}=1&${name}=${canary()}`)

async function exchangeWithAnotherVerifier(): Promise<Reply> {
  const { request, code } = await person.code(client)
  canaries.push(code)
  return exchange(w, environment, client, { request, code, change: { code_verifier: `${canary()}${'a'.repeat(43)}` } })
}

async function lockOut(): Promise<Reply> {
  const email = `${canary()}@example.com`
  for (let attempt = 0; attempt < 3; attempt++) await signIn({ email, password: canary() })
  return signIn({ email, password: canary() })
}

/** Sends the form of the consent page with other values. */
async function postToConsent(change: Record<string, string>, to?: string): Promise<Reply> {
  const { action, hidden } = formOf((await authorize({}, spa, person.agent)).body)
  return person.agent.post(to ?? action, { ...hidden, ...change })
}

async function federate(to = provider.id): Promise<Reply> {
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(environment, client).url)
  return agent.post(`${issuer}/federate`, { ...formOf(page.body).hidden, provider: to })
}

const usePasskey = async (device: SoftwareAuthenticator, change: Changes = {}): Promise<Reply> =>
  (await signInByPasskey(environment, client, device, { more: change })).reply

async function crowdSignIn(): Promise<Reply> {
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(environment, client).url)
  return held.whileFull(() => agent.submit(page, { email: `${canary()}@example.com`, password: canary() }))
}

await w.deployment.db.run(
  sql`update applications set redirect_uris = 'no JSON' where environment_id = ${environment.id} and id = ${broken.id}`,
)

const found: { id: string; plant: Plant }[] = []
for (const one of plants) {
  test(`the tenant finds why: ${one.code}, ${one.reason}`, async () => {
    const reply = await one.plant()
    const id = referenceOf(reply)
    const body = typeof reply.body === 'string' ? reply.body : (reply.body.request_id ?? id)
    if (reply.status >= 400 && body !== '' && !/name="(password|code|name|decision)"/.test(body))
      assert.ok(body.includes(id), 'the answer shows the reference')
    const record = expectStatus(200, await findCall(w, ours, one.of_tenant ? null : environment, id))
    assert.equal(record.code, one.code)
    if (typeof one.reason === 'string' && !one.reason.endsWith('the key')) assert.equal(record.reason, one.reason)
    else assert.match(record.reason, one.reason instanceof RegExp ? one.reason : new RegExp(one.reason))
    const expected = { id, status: Number(reply.headers.get(posted_status) ?? reply.status), ...one.has }
    assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, record[name]])), expected)
    assert.equal(record.ip, '127.0.0.1')
    found.push({ id, plant: one })

    const located = expectStatus(200, await lookUp(w, ours, id))
    assert.deepEqual(
      [located.object, located.tenant_id, located.environment_id],
      ['request', ours.tenant_id, one.of_tenant ? null : environment.id],
    )
    const line = w.log.map((text) => JSON.parse(text)).find((logged) => logged.request_id === id && logged.message === 'request')
    assert.equal(line?.code, one.code)
    assert.ok(line?.reason)
    assert.equal(line?.client_id, record.client_id)
  })
}

test('no other tenant finds any of them, in any of its places', async () => {
  assert.ok(found.length >= 40)
  for (const { id } of found) {
    for (const place of [theirs.test, theirs.live, null]) assert.equal((await findCall(w, theirs, place, id)).status, 404)
    assert.equal((await lookUp(w, theirs, id)).status, 404)
    assert.equal((await w.call('GET', `${path}/requests/${id}`, { key: theirs.platform })).status, 404)
    w.advance(1)
  }
})

test('every code that is recorded today is planted', () => {
  const planted = new Set(plants.map(({ code }) => code))
  // A call without a credential belongs to no tenant, 412 is not recorded, and a page has a code of its own for a disabled application.
  const not_recorded = ['unauthenticated', 'stale_version', 'unauthorized_client']
  const codes = [...Object.keys(errors), ...Object.keys(oauthErrors), ...pageCodes].filter((code) => !not_recorded.includes(code))
  assert.deepEqual(
    codes.filter((code) => !planted.has(code)),
    [],
  )
})

/** All pages of a list. */
async function everyRecord(list: string) {
  const records: any[] = [] // any: records as JSON
  for (let cursor = ''; ; ) {
    const page = expectStatus(200, await asOwner('GET', `${list}${list.includes('?') ? '&' : '?'}limit=100${cursor}`))
    records.push(...page.data)
    if (!page.has_more) return records
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
  }
}

const userinfo_in_uri = 'https://ada:secret@app.example.com/callback'
// biome-ignore format: this table is read by column
const refused_values: { why: string; plant: () => Promise<Reply>; refused: object | null }[] = [
  { why: 'a redirect URI, without its query',  plant: () => authorize({ redirect_uri: 'http://localhost:3001/callback?email=ada@example.com#x' }), refused: { parameter: 'redirect_uri', value: 'http://localhost:3001/callback' } },
  { why: 'a long redirect URI, cut',           plant: () => authorize({ redirect_uri: `https://a.example/${'b'.repeat(600)}` }), refused: { parameter: 'redirect_uri', value: `https://a.example/${'b'.repeat(482)}` } },
  { why: 'no redirect URI with a password',    plant: () => authorize({ redirect_uri: userinfo_in_uri }), refused: null },
  { why: 'no text that is not a URI',          plant: () => authorize({ redirect_uri: 'ada@example.com' }), refused: null },
  { why: 'no text beyond ASCII',               plant: () => authorize({ redirect_uri: 'https://bücher.example/callback' }), refused: null },
  { why: 'a scope',                            plant: () => authorize({ scope: 'openid orders:write' }), refused: { parameter: 'scope', value: 'orders:write' } },
  { why: 'a resource',                         plant: () => authorize({ resource: 'https://api.elsewhere.example' }), refused: { parameter: 'resource', value: 'https://api.elsewhere.example' } },
  { why: 'an origin',                          plant: () => w.call('GET', '/v1/auth/config', { key: environment.publishable, headers: { origin: 'https://shop.example.net' } }), refused: { parameter: 'origin', value: 'https://shop.example.net' } },
  { why: 'nothing of another refusal',         plant: () => authorize({ client_id: 'app_x' }), refused: null },
]
test('a record keeps the value that was refused, for readers of users, and the log does not', async (t) => {
  const { key } = await createPlatformKey(w, ours, { scopes: ['environments:read'] })
  const planted = await Promise.all(refused_values.map(async ({ plant, ...row }) => ({ ...row, id: referenceOf(await plant()) })))
  for (const { why, id, refused } of planted)
    await t.test(why, async () => {
      assert.deepEqual(expectStatus(200, await findCall(w, ours, environment, id)).refused, refused)
      assert.equal(expectStatus(200, await w.call('GET', `${path}/requests/${id}`, { key })).refused, null)
      const logged = w.log.filter((line) => line.includes(id)).join('')
      if (refused && 'value' in refused) assert.ok(!logged.includes(String(refused.value)), logged)
    })
})

test('neither a record nor the log holds anything that was typed or sent, but the refused value of the record', async () => {
  assert.ok(canaries.length > 40)
  const records = [...(await everyRecord(`${path}/requests`)), ...(await everyRecord(`/v1/tenants/${ours.tenant_id}/requests`))]
  assert.ok(records.length >= plants.length)
  const others = records.map(({ refused: _, ...others }) => others)
  for (const text of [JSON.stringify(others), w.log.filter((line) => line.includes('"message":"request"')).join('\n')])
    for (const secret of [
      ...canaries,
      owner.password,
      person.password,
      ours.platform,
      environment.secret,
      rotated.key,
      client.client_secret,
    ])
      assert.ok(!text.includes(secret), `it holds ${secret}`)
})

test('a failed sign-in has an event with the reason, which the record names', async () => {
  const id = referenceOf(await signIn({ email: person.email, password: canary() }))
  const { event_id } = expectStatus(200, await findCall(w, ours, environment, id))
  for (;;) {
    const { data } = expectStatus(200, await api('GET', `${path}/events?type=sign_in.failed&request_id=${id}`))
    if (data.length === 0) continue // the sequencer has not numbered it
    assert.deepEqual([data[0].id, data[0].data.reason], [event_id, 'wrong_password'])
    return
  }
})

test('the page of a failed sign-in is the same for each reason', async () => {
  const pages = await Promise.all(
    [person, blocked, { email: 'nobody@example.com' }].map(async ({ email }) => (await signIn({ email, password: 'not this one' })).body),
  )
  const plain = (html: string) => html.replaceAll(/(value|href|data-options)="[^"]*"/g, '')
  assert.equal(new Set(pages.map(plain)).size, 1)
})

test('a call with a mistyped, unknown or no credential is only in the log', async () => {
  const made = `svc_platform_sk_${'a'.repeat(38)}`
  for (const key of [null, made]) {
    const reply = await w.call('GET', `${path}/settings`, { key })
    const id = referenceOf(reply)
    assert.equal(reply.status, 401)
    assert.equal((await findCall(w, ours, environment, id)).status, 404)
    assert.equal((await findCall(w, ours, null, id)).status, 404)
    assert.equal((await lookUp(w, ours, id)).status, 404)
  }
})

test('412 is in the log with its reason, and not recorded', async () => {
  const reply = await api('PATCH', path, { name: 'Other' }, { 'if-match': '"999"' })
  assert.equal(reply.status, 412)
  assert.equal((await findCall(w, ours, environment, referenceOf(reply))).status, 404)
  assert.ok(w.log.some((line) => line.includes(referenceOf(reply)) && line.includes('"code":"stale_version"')))
})

test('a key without users:read sees neither the address nor the browser of a caller', async () => {
  const [{ id } = assert.fail()] = found.filter(({ plant }) => !plant.of_tenant)
  const reader = await createPlatformKey(w, ours, { scopes: ['environments:read'] })
  const full = await createPlatformKey(w, ours, { scopes: ['environments:read', 'users:read'] })
  for (const [key, ip] of [
    [reader.key, null],
    [full.key, '127.0.0.1'],
  ] as const) {
    const record = expectStatus(200, await w.call('GET', `${path}/requests/${id}`, { key }))
    assert.deepEqual([record.ip, record.user_agent === null], [ip, ip === null])
    const { data } = expectStatus(200, await w.call('GET', `${path}/requests`, { key }))
    assert.ok(data.every((one: { ip: string | null }) => one.ip === ip))
  }
})

// biome-ignore format: this table is read by column
const filters: [string, (record: any) => boolean][] = [ // any: records as JSON
  ['code=invalid_key',                         (record) => record.code === 'invalid_key'],
  ['status=303',                               (record) => record.status === 303],
  [`application_id=${client.client_id}`,       (record) => record.client_id === client.client_id],
  [`key_id=${expired.id}`,                     (record) => record.key_id === expired.id],
  [`route=${encodeURIComponent('/v1/auth/users')}`, (record) => record.route === '/v1/auth/users'],
]
for (const [query, matches] of filters)
  test(`the list has all calls with ${query}, the newest first, and no others`, async () => {
    const all = await everyRecord(`${path}/requests`)
    const data = await everyRecord(`${path}/requests?${query}`)
    assert.ok(data.length > 0)
    assert.deepEqual(data, all.filter(matches))
    const times = data.map(({ at }: { at: string }) => at)
    assert.deepEqual(times, times.toSorted().reverse())
  })

test('the summary counts the records by code and route, and takes a range', async () => {
  const all = await everyRecord(`${path}/requests`)
  const { data, dropped } = expectStatus(200, await api('GET', `${path}/requests/summary`))
  assert.equal(dropped, 0)
  const total = data.reduce((sum: number, { count }: { count: number }) => sum + count, 0)
  assert.equal(total, all.length)
  const first = data.find(({ code }: { code: string }) => code === 'ip_not_allowed')
  assert.deepEqual([first.route, first.count], ['/v1/auth/users', 1])
  const past = expectStatus(200, await api('GET', `${path}/requests/summary?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z`))
  assert.deepEqual(past, { data: [], dropped: 0 })
  assert.equal((await api('GET', `${path}/requests/summary?from=2020-01-02T00:00:00Z&to=2020-01-01T00:00:00Z`)).status, 422)
})

/** A mail that its server refuses, and a webhook whose name has no address: by the id of the call, and of the message. */
async function plantDeliveries(): Promise<[id: string, reason: RegExp, fix: RegExp][]> {
  const smtp = { host: '127.0.0.1', port: 9, tls: 'none' }
  expectStatus(200, await api('PATCH', `${path}/settings`, { email: { delivery: 'smtp', from: 'shop@example.com', smtp } }))
  const mail = await api('POST', `${path}/settings/email/test`, { to: 'person@example.com' })
  expectStatus(200, mail)
  const webhook = `${path}/webhooks/${environment.webhook_id}`
  expectStatus(200, await api('PATCH', webhook, { disabled: false }))
  const { event_id } = expectStatus(202, await api('POST', `${webhook}/test`))
  const message = await until('an attempt', async () => {
    const [found] = expectStatus(200, await api('GET', `${webhook}/deliveries?event_id=${event_id}`)).data
    return found?.attempts.length > 0 && found.id
  })
  return [
    [referenceOf(mail), /The mail server could not be reached/, /Check host and port/],
    [message, /The name has no address/, /Check the name in the address \(\S+\)/],
  ]
}

/** The dashboard shows the answers of the API, which are the same on both engines. It has one fix for each code. */
const noDashboard = noBrowser || (w.deployment.db.engine === 'postgres' && 'the pages are those of the other engine')

test('in the dashboard the pasted id of each code leads to its cause and its fix on one page', { skip: noDashboard }, async (t) => {
  const browser = await launchForTests(t)
  const { page } = await openDashboard(w, browser, owner)
  const one_of_each_code = [...Map.groupBy(found, ({ plant }) => plant.code).values()].flatMap(([one]) => one ?? [])
  const explained = one_of_each_code.map(({ id, plant: { reason } }) => [id, reason, /\w{3}/] as const)
  for (const [id, reason, fix] of [...explained, ...(await plantDeliveries())])
    await t.test(`${id}: ${reason}`, async () => {
      const shown = await explanationOf(page, id)
      // The page shows an object by its name, where it has one.
      const words = reason instanceof RegExp ? reason.source : reason.replaceAll(/[^\w ]/g, '.')
      assert.match(shown.reason, new RegExp(words.replaceAll(/\b(?:usr|app|key|prv)_\w{26}\b/g, '(?:$&|“[^”]+”)')))
      assert.match(shown.fix, fix)
      assert.doesNotMatch(shown.fix, /Read the reason/) // each code has a fix of its own
      assert.equal((await lookUp(w, theirs, id)).status, 404)
    })
})
