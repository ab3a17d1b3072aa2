/** The mails to an address that another person took first, and its owner after the proof: path × proven × how the account began. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { sql } from '../../src/db/db.ts'
import { insertIdentity } from '../../src/domain/providers/store.ts'
import { insertUser } from '../../src/domain/users/store.ts'
import { type Agent, authorizationRequest, createAgent, formOf } from '../support/cookie-browser.ts'
import { enterMailedCode, newestMail } from '../support/mailed.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const upstreams = await startUpstreams()
const w = await world({ outbound: upstreams.outbound, env: { OSTIARY_TRUSTED_PROXIES: '127.0.0.0/8,::1' } })
const environment = w.test
const environment_id = environment.id as EnvironmentId // as: an id of ours
await w.changeSettings(environment, { sign_in: { email_code: true } })
const client = await w.createApplication(environment)
const google = { type: 'google', client_id: 'g', client_secret: 's', link_by_verified_email: true }
const provider = expectStatus(201, await w.call('POST', `${environment.path}/providers`, { body: google }))
const secret = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } })).key as string
const chosen = 'the sentence of the owner'

let sources = 0
const from = () => ({ 'x-forwarded-for': `198.19.${Math.floor(++sources / 250)}.${sources % 250}` })

const beginnings = ['self-registered', 'created by a backend', 'begun at a provider'] as const
type Beginning = (typeof beginnings)[number]

/** An account with a way in that another person may have planted. */
async function plant(began: Beginning, email: string, email_verified: boolean): Promise<string> {
  const { db, newId } = w.deployment
  const { id: template } = await w.createUser(environment, { password: 'planted password here' })
  const id = newId('usr')
  const self_registered = began !== 'created by a backend'
  const identity = { provider_id: provider.id, issuer: 'https://accounts.google.com', subject: `planted ${id}` }
  const way_in =
    began === 'begun at a provider'
      ? insertIdentity(environment_id, identity, { id: newId('mth'), user_id: id }, w.now())
      : sql`update users set password_hash = (select t.password_hash from users t where t.environment_id = ${environment_id} and t.id = ${template})
             where environment_id = ${environment_id} and id = ${id}`
  await db.batch([...insertUser({ environment_id, id }, { email, email_verified, self_registered }, null, w.now()), way_in])
  return id
}

async function open(prompt: string, agent: Agent) {
  return agent.get(authorizationRequest(environment, client, { prompt }).url)
}

/** Each path returns the answer after the proof; `null` where nothing was mailed that could prove. */
type Path = (email: string) => Promise<Reply | null>
const paths: Record<string, Path> = {
  async 'sign-up'(email) {
    const agent = createAgent()
    const page = await agent.submit(await open('create', agent), { email, password: chosen }, from())
    const { code } = await newestMail(w, environment, email)
    return code === null ? null : enterMailedCode(w, environment, { agent, page }, email)
  },
  async code(email) {
    const agent = createAgent()
    const page = await agent.submit(await open('login', agent), { email, password: '', method: 'email_code' }, from())
    return enterMailedCode(w, environment, { agent, page }, email)
  },
  async reset(email) {
    const agent = createAgent()
    const link = /href="([^"]*\/forgot-password\?[^"]*)"/.exec((await open('login', agent)).body)?.[1]?.replaceAll('&amp;', '&') ?? ''
    await agent.submit(await agent.get(link), { email }, from())
    const mail = await newestMail(w, environment, email)
    if (mail.link === null) return null
    const form = await agent.submit(await agent.get(mail.link), {})
    return agent.submit(form, { password: chosen })
  },
  async provider(email) {
    const agent = createAgent()
    const page = await open('login', agent)
    const started = await agent.post(`${environment.issuer}/federate`, { ...formOf(page.body).hidden, provider: provider.id })
    const claims = { sub: email, email, email_verified: true }
    const answer = new URLSearchParams(upstreams.agree(started.headers.get('location') ?? '', { claims }))
    return agent.get(`${environment.issuer}/oauth/callback/${provider.id}?${answer}`)
  },
}

async function signsIn(email: string, password: string): Promise<boolean> {
  const agent = createAgent()
  return (await agent.submit(await open('login', agent), { email, password, method: 'password' }, from())).status === 303
}

async function owner(email: string) {
  const { data } = expectStatus(200, await w.call('GET', `${environment.path}/users?email=${encodeURIComponent(email)}`))
  return data[0] as { id: string; email_verified: boolean; has_password: boolean }
}

let squatted = 0
for (const [path, prove] of Object.entries(paths))
  for (const began of beginnings) {
    test(`${path}: an unproven address of an account ${began} goes to the person who proves it`, async () => {
      const email = `squatted-${++squatted}@example.com`
      const id = await plant(began, email, false)
      const reply = await prove(email)
      assert.ok(reply && reply.status < 400, `${reply?.status}`)
      const user = await owner(email)
      assert.equal(user.email_verified, true)
      assert.equal(user.id === id, began === 'created by a backend', 'only an account of a backend is handed over')
      assert.equal(await signsIn(email, 'planted password here'), false)
      assert.equal(user.has_password, path === 'sign-up' || path === 'reset')
      if (user.has_password) assert.ok(await signsIn(email, chosen))
      const methods = expectStatus(200, await w.call('GET', `/v1/auth/users/${id}/methods`, { key: secret })).data as { type: string }[]
      const kept = methods.filter(({ type }) => type === 'provider').length
      assert.equal(kept, path === 'provider' && user.id === id ? 1 : 0, 'what was planted is gone')
    })

    test(`${path}: a proven address of an account ${began} stays with its account`, async () => {
      const email = `proven-${++squatted}@example.com`
      const id = await plant(began, email, true)
      await prove(email)
      assert.deepEqual(
        [(await owner(email)).id, await signsIn(email, 'planted password here')],
        [id, began !== 'begun at a provider' && path !== 'reset'],
      )
      const mailed = path === 'sign-up' || (path === 'reset' && began === 'begun at a provider')
      if (mailed) assert.equal((await newestMail(w, environment, email)).kind, 'existing_account')
    })
  }

test('a sign-up that begins in a session of the account itself proves its address and keeps the account', async () => {
  const user = await w.createUser(environment, { email_verified: false })
  const agent = createAgent()
  const signed_in = await agent.submit(
    await open('login', agent),
    { email: user.email, password: user.password, method: 'password' },
    from(),
  )
  assert.equal(signed_in.status, 303)
  const page = await agent.submit(await open('create', agent), { email: user.email, password: chosen }, from())
  assert.equal((await enterMailedCode(w, environment, { agent, page }, user.email)).status, 303)
  const after = await owner(user.email)
  assert.deepEqual([after.id, after.email_verified, await signsIn(user.email, user.password)], [user.id, true, true])
})

// biome-ignore format: a table
const changes: [object, object][] = [
  [{ email: 'changed-1@example.com' },                                   { email_verified: false, phone_number_verified: true }],
  [{ email: 'changed-2@example.com', email_verified: true },             { email_verified: true,  phone_number_verified: true }],
  [{ phone_number: '+431234567' },                                       { email_verified: true,  phone_number_verified: false }],
  [{ phone_number: '+431234567', phone_number_verified: true },          { email_verified: true,  phone_number_verified: true }],
  [{ name: 'Other' },                                                    { email_verified: true,  phone_number_verified: true }],
]
test('a new email or phone number is unverified unless the same request says otherwise', async () => {
  for (const [change, expected] of changes) {
    const body = { email_verified: true, phone_number: '+439999999', phone_number_verified: true }
    const user = await w.createUser(environment, body)
    const { email_verified, phone_number_verified } = expectStatus(
      200,
      await w.call('PATCH', `/v1/auth/users/${user.id}`, { key: secret, body: change }),
    )
    assert.deepEqual({ email_verified, phone_number_verified }, expected, JSON.stringify(change))
  }
  const created = await w.call('POST', '/v1/auth/users', {
    key: secret,
    body: { email: 'created-bare@example.com', phone_number: '+431111111' },
  })
  const { email_verified, phone_number_verified } = expectStatus(201, created)
  assert.deepEqual([email_verified, phone_number_verified], [false, false])
})
