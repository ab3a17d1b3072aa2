/**
 * Every way that ends something: from then on nothing of it is accepted, although its rows are still there, and the rows, events and
 * logouts follow, even after an interruption (decision 0065). A route or a button that is in neither list at the end fails a test.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { oidcRoutes, routes, serviceRoutes } from '@ostiary/contract/routes.ts'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { formFor, openAccount, press } from '../support/account.ts'
import {
  type Agent,
  authorizationRequest,
  type Client,
  createAgent,
  exchange,
  formOf,
  obtainCode,
  refresh,
  userinfo,
} from '../support/cookie-browser.ts'
import { holdEndings, rowsFollowed } from '../support/endings.ts'
import { examplePages } from '../support/example-pages.ts'
import { enterMailedCode, mailsTo, newestMail } from '../support/mailed.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { expectStatus, type Reply, randomText, world } from '../support/world.ts'

const upstreams = await startUpstreams()
const w = await world({ outbound: upstreams.outbound })
const environment = w.test
const { db, newId } = w.deployment
await w.changeSettings(environment, { sign_in: { email_code: true } })
const unlimited = { limit: 100_000, window_seconds: 1 }
const key = expectStatus(
  201,
  await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret', rate_limit: unlimited } }),
).key
const backend = (method: string, path: string, body?: unknown) => w.call(method, `/v1/auth/${path}`, { key, body })
const account_url = `${environment.issuer}/account`
const password = 'another long password'

/** Follows redirects within the service. Returns the answer that leads to the client, or a page. */
async function follow(agent: Agent, reply: Reply): Promise<Reply> {
  const location = reply.headers.get('location')
  return location?.startsWith(environment.issuer) ? follow(agent, await agent.get(location)) : reply
}

type Provider = { id: string }

async function codeByProvider(agent: Agent, request: { url: string }, provider: Provider, email: string): Promise<string> {
  const { hidden } = formOf((await agent.get(request.url)).body)
  const started = await agent.post(`${environment.issuer}/federate`, { ...hidden, provider: provider.id })
  const claims = { sub: `subject of ${email}`, email, email_verified: true }
  const answer = new URLSearchParams(upstreams.agree(started.headers.get('location') ?? '', { claims }))
  const reply = await follow(agent, await agent.get(`${environment.issuer}/oauth/callback/${provider.id}?${answer}`))
  return new URL(reply.headers.get('location') ?? '').searchParams.get('code') ?? ''
}

/** A person with two browsers. An act in the other one ends the session and tokens of the first, at an application with a logout URI. */
async function setUp({ by = 'password', scope = 'openid offline_access', fields = {} }: Pick<Way, 'by' | 'scope' | 'fields'>) {
  const client: Client & { id: string } = await w.createApplication(environment, { backchannel_logout_uri: 'https://app.example.com/out' })
  const body = { type: 'oidc', issuer: 'https://sso.example.com', client_id: 'o', client_secret: 's', link_by_verified_email: true }
  const provider: Provider = expectStatus(201, await w.call('POST', `${environment.path}/providers`, { body }))
  const person = await w.createUser(environment, fields)
  const agent = createAgent()
  const ask = async () => {
    const request = authorizationRequest(environment, client, { scope })
    const is_first = agent.cookies.size === 0
    const code =
      by === 'provider' && is_first
        ? await codeByProvider(agent, request, provider, person.email)
        : await obtainCode(agent, request, person)
    return { request, code }
  }
  const first = await ask()
  const tokens = expectStatus(200, await exchange(w, environment, client, { request: first.request, code: first.code }))
  const pending = await ask()
  const session_id = String(JSON.parse(Buffer.from(tokens.id_token.split('.')[1], 'base64url').toString()).sid)
  await plant(session_id)
  const here = createAgent()
  return { client, provider, person, agent, tokens, pending, session_id, here, here_page: () => openAccount(environment, person, here) }
}
type Subject = Awaited<ReturnType<typeof setUp>>

const planted = { sessions: 60, grants: 240 }

/** More rows than one slice ends: sessions like this one, and grants of it like its newest. */
async function plant(session_id: string) {
  const session = sql`user_id, amr, acr, began_with, ending, began_ending, created_at, auth_time, last_seen_at, expires_at, absolute_expires_at`
  const grant = sql`user_id, application_id, session_id, scope, resource, offline, auth_time, amr, acr, began_with, ending, began_ending,
    application_ending, disconnection, created_at, expires_at, visit_at, code_hash`
  const of_session = sql`environment_id = ${environment.id} and session_id = ${session_id}`
  await db.batch([
    ...Array.from({ length: planted.sessions }, () => newId('ses')).map(
      (id) => sql`insert into sessions (environment_id, id, token_hash, ${session})
        select environment_id, ${id}, ${id}, ${session} from sessions where environment_id = ${environment.id} and id = ${session_id}`,
    ),
    ...Array.from({ length: planted.grants }, () => newId('grt')).map(
      (id) => sql`insert into grants (environment_id, id, ${grant})
        select environment_id, ${id}, ${grant} from grants where ${of_session} and id = (select min(id) from grants where ${of_session})`,
    ),
  ])
}

/** Lists which requests of the ended browser and its tokens are still accepted. */
async function accepted({ client, agent, tokens, pending }: Subject): Promise<string[]> {
  const silent = await agent.get(authorizationRequest(environment, client, { prompt: 'none', scope: 'openid' }).url)
  const answers = {
    session: /[?&]code=/.test(silent.headers.get('location') ?? ''),
    code: (await exchange(w, environment, client, { request: pending.request, code: pending.code })).status === 200,
    access_token: (await userinfo(w, environment, tokens.access_token)).status === 200,
    validation: expectStatus(200, await backend('POST', 'tokens/validate', { token: tokens.access_token })).active,
    refresh_token: tokens.refresh_token !== undefined && (await refresh(w, environment, client, tokens.refresh_token)).status === 200,
  }
  return Object.entries(answers).flatMap(([what, is_accepted]) => (is_accepted ? [what] : []))
}

const Open = z.object({ sessions: z.int(), grants: z.int() })
async function open({ person, session_id }: Subject): Promise<z.infer<typeof Open>> {
  const [row] = await db.all(
    Open,
    sql`select (select count(*) from sessions where user_id = ${person.id} and ended_at is null) as sessions,
               (select count(*) from grants where user_id = ${person.id} and session_id = ${session_id} and ended_at is null) as grants`,
  )
  return row ?? assert.fail()
}

const Count = z.object({ count: z.int() })
const countOf = async (from: ReturnType<typeof sql>) => (await db.all(Count, sql`select count(*) as count from ${from}`))[0]?.count

const form = (s: Subject, action: string, query = '') => s.here.get(`${account_url}?action=${action}${query}`)
const methodOf = async ({ person }: Subject, type: string) =>
  expectStatus(200, await backend('GET', `users/${person.id}/methods`)).data.find((method: { type: string }) => method.type === type).id
const applicationOf = ({ client }: Subject) => `${environment.path}/applications/${client.id}`
const providerOf = ({ provider }: Subject) => `${environment.path}/providers/${provider.id}`
const done = (reply: Reply, notice?: string) => {
  assert.ok(reply.status < 400, `${reply.status}`)
  if (notice !== undefined) assert.equal(new URL(reply.headers.get('location') ?? '').searchParams.get('done'), notice)
}

interface Way {
  end(subject: Subject): Promise<unknown>
  /** Routes of the contract and buttons of the pages. */
  from: readonly string[]
  /** How the first browser signed in. */
  by?: 'password' | 'provider'
  scope?: string
  fields?: { email_verified?: boolean }
  /** The scope of the ending: everything of the person, all but the other browser, one session or those of a method, or grants. */
  goes: 'everything' | 'others' | 'session' | 'grants'
  /** The reason in `session.ended`; `null` where no event reports each session. */
  reason: string | null
}

const ways: Record<string, Way> = {
  'the backend blocks the user': {
    end: async ({ person }) => expectStatus(200, await backend('POST', `users/${person.id}/block`)),
    from: ['blockUser'],
    goes: 'everything',
    reason: null,
  },
  'the backend blocks and unblocks the user': {
    async end({ person }) {
      for (const action of ['block', 'unblock']) expectStatus(200, await backend('POST', `users/${person.id}/${action}`))
    },
    from: ['unblockUser'],
    goes: 'everything',
    reason: null,
  },
  'the backend ends all sessions': {
    end: async ({ person }) => expectStatus(200, await backend('POST', `users/${person.id}/end-sessions`)),
    from: ['endUserSessions'],
    goes: 'everything',
    reason: 'ended_by_api',
  },
  'the backend sets a password': {
    end: async ({ person }) => expectStatus(200, await backend('PATCH', `users/${person.id}`, { password })),
    from: ['changeUser'],
    goes: 'everything',
    reason: null,
  },
  'the backend deletes the user': {
    async end({ person }) {
      expectStatus(204, await backend('DELETE', `users/${person.id}`))
      assert.equal((await backend('GET', `users/${person.id}`)).status, 404)
      assert.notEqual((await w.createUser(environment, { email: person.email })).id, person.id)
    },
    from: ['deleteUser'],
    goes: 'everything',
    reason: null,
  },
  'the backend ends the session': {
    end: async ({ session_id }) => expectStatus(204, await backend('DELETE', `sessions/${session_id}`)),
    from: ['endSession'],
    goes: 'session',
    reason: 'ended_by_api',
  },
  'the backend removes the password': {
    end: async (s) => expectStatus(204, await backend('DELETE', `users/${s.person.id}/methods/${await methodOf(s, 'password')}`)),
    from: ['removeUserMethod'],
    goes: 'everything',
    reason: null,
  },
  'the backend removes the identity': {
    end: async (s) => expectStatus(204, await backend('DELETE', `users/${s.person.id}/methods/${await methodOf(s, 'provider')}`)),
    from: ['removeUserMethod'],
    by: 'provider',
    goes: 'others',
    reason: null,
  },
  'the backend disconnects the application': {
    async end({ person }) {
      const { data } = expectStatus(200, await backend('GET', `users/${person.id}/grants?limit=1`))
      expectStatus(204, await backend('DELETE', `users/${person.id}/grants/${data[0].id}`))
    },
    from: ['disconnectGrant'],
    goes: 'grants',
    reason: null,
  },
  'the application is disabled': {
    end: async (s) => expectStatus(200, await w.call('PATCH', applicationOf(s), { body: { disabled: true } })),
    from: ['changeApplication'],
    goes: 'grants',
    reason: null,
  },
  'the application is disabled and enabled': {
    async end(s) {
      for (const disabled of [true, false]) expectStatus(200, await w.call('PATCH', applicationOf(s), { body: { disabled } }))
    },
    from: ['changeApplication'],
    goes: 'grants',
    reason: null,
  },
  'a promotion disables the application and is reverted': {
    async end(s) {
      const { slug } = expectStatus(200, await w.call('GET', applicationOf(s)))
      const promotions = `${environment.path.replace(/\/environments\/.*$/, '')}/promotions`
      const document = { version: 1, applications: { [slug]: { disabled: true } } }
      const { id } = expectStatus(201, await w.call('POST', promotions, { body: { document, to_environment_id: environment.id } }))
      for (const step of ['apply', 'revert']) expectStatus(200, await w.call('POST', `${promotions}/${id}/${step}`, { body: {} }))
    },
    from: ['applyPromotion', 'revertPromotion'],
    goes: 'grants',
    reason: null,
  },
  'the application is deleted': {
    end: async (s) => expectStatus(204, await w.call('DELETE', applicationOf(s))),
    from: ['deleteApplication'],
    goes: 'grants',
    reason: null,
  },
  'the provider is disabled and enabled': {
    async end(s) {
      for (const enabled of [false, true]) expectStatus(200, await w.call('PATCH', providerOf(s), { body: { enabled } }))
    },
    from: ['changeProvider'],
    by: 'provider',
    goes: 'others',
    reason: null,
  },
  'the provider is deleted': {
    end: async (s) => expectStatus(204, await w.call('DELETE', providerOf(s))),
    from: ['deleteProvider'],
    by: 'provider',
    goes: 'others',
    reason: null,
  },
  'the person signs out everywhere else': {
    end: async (s) => done(await press(s.here, (await s.here_page()).page, 'end-other-sessions'), 'end-other-sessions'),
    from: ['endOtherSessions', 'end-other-sessions'],
    goes: 'others',
    reason: 'ended_by_person',
  },
  'the person ends the session in another browser': {
    async end(s) {
      const { page } = await s.here_page()
      // The page shows the newest sessions only; the form of another row has the same fields.
      const { action, fields } = formFor(page, 'end-session')
      done(await s.here.post(action, { ...fields, id: s.session_id }), 'end-session')
    },
    from: ['endOwnSession', 'end-session'],
    goes: 'session',
    reason: 'ended_by_person',
  },
  'the person disconnects the application': {
    end: async (s) => done(await press(s.here, (await s.here_page()).page, { action: 'disconnect', id: s.client.id }), 'disconnect'),
    from: ['disconnect'],
    goes: 'grants',
    reason: null,
  },
  'the person changes the password': {
    async end(s) {
      await s.here_page()
      done(await press(s.here, await form(s, 'change-password'), 'change-password', { password }), 'change-password')
    },
    from: ['changeOwnPassword', 'change-password'],
    goes: 'others',
    reason: 'password_changed',
  },
  'the person changes the address': {
    async end(s) {
      await s.here_page()
      const to = `new.${randomText().slice(0, 12)}@example.com`
      const page = await follow(s.here, await press(s.here, await form(s, 'change-email'), 'change-email', { email: to }))
      const [notice] = (await mailsTo(w, environment, s.person.email)).filter(({ kind }) => kind === 'change_email_notice')
      const link = createAgent()
      done(await link.submit(await link.get(notice?.link ?? ''), {}))
      done(await press(s.here, page, 'change-email', { code: (await newestMail(w, environment, to)).code ?? '' }), 'change-email')
    },
    from: ['changeOwnEmail', 'change-email', 'useLink'],
    goes: 'others',
    reason: 'address_changed',
  },
  'the person removes the identity': {
    async end(s) {
      await s.here_page()
      const page = await form(s, 'remove-provider', `&id=${await methodOf(s, 'provider')}`)
      done(await press(s.here, page, 'remove-provider'), 'remove-provider')
    },
    from: ['removeOwnMethod', 'remove-provider'],
    by: 'provider',
    goes: 'others',
    reason: null,
  },
  'the person deletes the account': {
    async end(s) {
      await s.here_page()
      done(await press(s.here, await form(s, 'delete-account'), 'delete-account', { email: s.person.email }))
      assert.equal((await backend('GET', `users/${s.person.id}`)).status, 404)
    },
    from: ['deleteOwnAccount', 'delete-account'],
    goes: 'everything',
    reason: null,
  },
  'the person resets the password': {
    async end({ person }) {
      expectStatus(202, await backend('POST', `users/${person.id}/send-reset`))
      const link = createAgent()
      const page = await link.submit(await link.get((await newestMail(w, environment, person.email)).link ?? ''), {})
      done(await link.submit(await follow(link, page), { password }))
    },
    from: ['newPassword'],
    goes: 'everything',
    reason: 'password_reset',
  },
  'the owner of the address proves it by a code, and gets the account': {
    async end({ person, client }) {
      const agent = createAgent()
      const page = await agent.get(authorizationRequest(environment, client).url)
      const code = await agent.submit(page, { email: person.email, password: '', method: 'email_code' })
      done(await enterMailedCode(w, environment, { agent, page: await follow(agent, code) }, person.email))
    },
    from: ['enterCode'],
    fields: { email_verified: false },
    goes: 'others',
    reason: 'address_proven',
  },
  'the person signs out by hand': {
    end: async ({ agent }) => done(await agent.submit(await agent.get(`${environment.issuer}/oauth/logout`), { decision: 'sign_out' })),
    from: ['signOut', 'sign-out'],
    scope: 'openid',
    goes: 'session',
    reason: 'signed_out',
  },
  'the application signs the person out': {
    end: async ({ agent, tokens }) => done(await agent.get(`${environment.issuer}/oauth/logout?id_token_hint=${tokens.id_token}`)),
    from: ['logout', 'logoutByPost'],
    scope: 'openid',
    goes: 'session',
    reason: 'signed_out',
  },
  'the person removes the account from the chooser': {
    async end({ agent, client, session_id }) {
      const page = await agent.get(authorizationRequest(environment, client, { prompt: 'select_account' }).url)
      done(await agent.submit(page, { remove: session_id }))
    },
    from: ['selectAccount'],
    scope: 'openid',
    goes: 'session',
    reason: 'signed_out',
  },
}

for (const [name, way] of Object.entries(ways))
  test(`once ${name}, nothing that it ended is accepted, and rows, events and logouts follow`, async () => {
    const subject = await setUp(way)
    const { person, session_id } = subject
    assert.equal((await userinfo(w, environment, subject.tokens.access_token)).status, 200)
    const before = await open(subject)
    assert.deepEqual([before.sessions > planted.sessions, before.grants > planted.grants], [true, true])
    const stays = way.goes === 'grants' && name !== 'the application is disabled' && name !== 'the application is deleted'
    const none = stays ? ['session'] : []
    const held = holdEndings(db)
    try {
      await way.end(subject)
      // A browser that may go on gets a grant of its own, so its session is asked for once.
      assert.deepEqual(await accepted(subject), none)
      const kept = await open(subject)
      assert.ok(kept.grants > planted.grants, 'an ending writes no row of a grant')
      if (way.goes !== 'session') assert.ok(kept.sessions >= before.sessions, 'nor of a session')
      held.allow(1)
      await new Promise((resolve) => setImmediate(resolve))
      assert.deepEqual(await accepted(subject), none)
    } finally {
      held.goOn()
    }
    w.advance(6)
    await rowsFollowed(db)
    assert.deepEqual(await accepted(subject), none)

    const after = await open(subject)
    const is_gone = way.goes === 'everything' || way.goes === 'others'
    if (stays) assert.ok(after.grants <= 3, `${after.grants} grants: those of the silent requests`)
    else assert.equal(after.grants, 0)
    assert.equal(after.sessions >= planted.sessions, !is_gone, `${after.sessions} sessions`)
    const ended_events = sql`events where environment_id = ${environment.id} and type = 'session.ended' and user_id = ${person.id}`
    const ended = way.goes === 'grants' || way.reason === null ? 0 : way.goes === 'session' ? 1 : planted.sessions + 1
    assert.equal(await countOf(ended_events), ended, 'one event for each session')
    if (ended > 0) assert.equal(await countOf(sql`${ended_events} and data like ${`%"reason":"${way.reason}"%`}`), ended)
    const logouts = sql`backchannel_logouts where environment_id = ${environment.id} and session_id = ${session_id}`
    assert.equal(await countOf(logouts), way.goes === 'grants' ? 0 : 1)
  })

test('"sign out everywhere else" keeps this session with its grants, even after their rows have followed', async () => {
  const subject = await setUp({})
  const { person, client } = subject
  const request = authorizationRequest(environment, client)
  const code = await obtainCode(subject.here, request, person)
  const tokens = expectStatus(200, await exchange(w, environment, client, { request, code }))
  const page = await subject.here.get(account_url)
  const held = holdEndings(db)
  const works = async () => [
    (await userinfo(w, environment, tokens.access_token)).status,
    expectStatus(200, await backend('POST', 'tokens/validate', { token: tokens.access_token })).active,
    (await subject.here.get(authorizationRequest(environment, client, { prompt: 'none' }).url)).headers.get('location')?.includes('code='),
  ]
  done(await press(subject.here, page, 'end-other-sessions'), 'end-other-sessions')
  assert.deepEqual(await works(), [200, true, true])
  assert.equal(expectStatus(200, await backend('GET', `users/${person.id}/sessions`)).data.length, 1)
  assert.equal(expectStatus(200, await backend('GET', `users/${person.id}/grants`)).data.length, 2)
  held.goOn()
  await rowsFollowed(db)
  assert.deepEqual(await works(), [200, true, true])
  assert.equal(expectStatus(200, await backend('GET', `users/${person.id}/grants`)).data.length, 3)
  const refreshed = expectStatus(200, await refresh(w, environment, client, tokens.refresh_token))
  expectStatus(200, await backend('POST', `users/${person.id}/end-sessions`))
  assert.equal((await refresh(w, environment, client, refreshed.refresh_token)).body.error, 'invalid_grant')
})

/** Ways that other tests follow, with a part of the title of the test. */
const elsewhere: Record<string, { file: string; title: string }> = {
  'remove-passkey': { file: 'passkeys', title: 'passkey' },
  revoke: { file: 'revoke', title: 'revok' },
  token: { file: 'codes', title: 'second' },
  dashboardSignOut: { file: 'dashboard-session', title: 'sign' },
  // A sign-in ends the sessions that leave the cookie of the browser.
  signIn: { file: 'backchannel-logout', title: 'six other people sign in to the browser' },
  secondFactor: { file: 'backchannel-logout', title: 'six other people sign in to the browser' },
  signInByPasskey: { file: 'backchannel-logout', title: 'six other people sign in to the browser' },
  callback: { file: 'reset', title: 'proof from outside' },
  providerLogout: { file: 'provider-logout', title: 'ends what began there' },
  callbackByPost: { file: 'reset', title: 'proof from outside' },
  signUp: { file: 'reset', title: 'proof from outside' },
  removeOrganizationMember: { file: 'organization-sign-in', title: 'ends its grants and codes' },
  changeOrganization: { file: 'organization-sign-in', title: 'ends its grants and codes' },
  deleteOrganization: { file: 'organization-sign-in', title: 'ends its grants and codes' },
  leaveOrganization: { file: 'organization-sign-in', title: 'leaving on the account page' },
  'leave-organization': { file: 'organization-sign-in', title: 'leaving on the account page' },
  changeOwnOrganization: { file: 'organization-page', title: 'remove' },
  'remove-member': { file: 'organization-page', title: 'remove' },
  createUserJob: { file: 'user-jobs', title: 'a job does to each user what the call for one user does' },
  changeMetadataClient: { file: 'metadata-clients', title: 'everything of the client ends at once' },
  deleteMetadataClient: { file: 'metadata-clients', title: 'everything of the client ends at once' },
  changeSettings: { file: 'metadata-clients', title: 'everything of the client ends at once' },
  enterInvitationCode: { file: 'organization-invitations', title: 'loses what was planted' },
}

// biome-ignore format: lists of names
const ends_nothing = `
  removeTrustedBrowser removeOwnTrustedBrowser remove-trusted-browser
  authorize authorizeByPost userinfoByPost showForgotPassword forgotPassword showLink showSecondFactorPage enrolmentCode enrolTotp
  openEnrolmentCode openEnrolTotp openEnrolPasskey
  enrolPasskey offerPasskey saveProfile consent federate showInvitation acceptInvitation leadFromIssuer leadFromRoot leadToPasswordChange signedOut showAccount changeOwnName confirmOwnEmail addOwnPasskey addOwnTotp addOwnProvider
  renewOwnCodes exportOwnData showCodePage showNewPasswordPage showRecoveryCodes confirmRecoveryCodes
  validateToken createUser approveUser refuseUser restoreUser sendReset sendVerification createProject changeProject createEnvironment changeEnvironment
  createPromotion approvePromotion
  previewSettings testMail createApplication rotateClientSecret addClientSecret deleteClientSecret createMetadataClient readMetadataClient createResourceServer changeResourceServer deleteResourceServer createRole changeRole deleteRole previewRole
  createOrganization addOrganizationMember changeOrganizationMember selectOrganization
  inviteToOrganization resendOrganizationInvitation deleteOrganizationInvitation showInvitationCode answerOwnInvitation
  showOwnOrganization createAuthKey
  changeAuthKey revokeAuthKey rotateAuthKey createProvider checkProvider createWebhook changeWebhook deleteWebhook rotateWebhookSecret testWebhook
  resendDelivery resendSince resendBackchannelLogout rotateSigningKey createTenant changeTenant addMember changeMember removeMember
  resendInvitation createPlatformKey changePlatformKey revokePlatformKey rotatePlatformKey
  start documents documentSearch document guide settingsPage example decision operatorExample reference referenceGroup errorIndex errorPage setup
  createFirst dashboard dashboardSignIn dashboardCallback dashboardPreview tryCallback demo deleteDemoOrder
  password email-code resend-code passkey provider create-account forgot-password use-password use-recovery-code use-totp continue not-now
  choose-organization no-organization search confirm cancel accept-invitation decline-invitation organization invite change-roles more change-name add-passkey add-totp add-provider remove-totp new-recovery-codes export sign-in use-other-address
  use-other-account begin-again save-profile account stay-signed-in copy-codes download-codes print-codes open-inbox
`.trim().split(/\s+/)

test('every route that changes something, and every button, is a way of this file or ends nothing', () => {
  const table = { ...routes, ...oidcRoutes, ...serviceRoutes }
  const changing = Object.entries(table).flatMap(([name, route]) =>
    route.method !== 'GET' || ('page' in route && route.page) ? [name] : [],
  )
  const actions = Object.values(examplePages('test')).flatMap(({ html }) => [...html.matchAll(/ data-action="([^"]*)"/g)])
  const buttons = [...new Set(actions.map(([, name = '']) => name))]
  assert.ok(changing.length > 100 && buttons.length > 20, `${changing.length} routes, ${buttons.length} buttons`)
  const listed = [...Object.values(ways).flatMap(({ from }) => from), ...Object.keys(elsewhere)]
  assert.deepEqual(
    [...changing, ...buttons].filter((name) => !listed.includes(name) && !ends_nothing.includes(name)),
    [],
  )
  assert.deepEqual(
    ends_nothing.filter((name) => listed.includes(name)),
    [],
  )
})

for (const [name, { file, title }] of Object.entries(elsewhere))
  test(`the end by ${name} is tested in ${file}`, () =>
    assert.match(readFileSync(new URL(`${file}.test.ts`, import.meta.url), 'utf8'), new RegExp(`test\\([^]*${title}`)))
