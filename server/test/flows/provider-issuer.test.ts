/** The secret, the identities and the pending sign-ins of a provider belong to its issuer (decision 0018). */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { authorizationRequest, createAgent, formOf } from '../support/cookie-browser.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { expectStatus, world } from '../support/world.ts'

const upstreams = await startUpstreams()
const w = await world({ outbound: upstreams.outbound })
const environment = w.test
const application = await w.createApplication(environment)
const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

const add = async (body: object) =>
  expectStatus(201, await w.call('POST', `${environment.path}/providers`, { body: { client_id: 'c', ...body } }))
const change = (id: string, body: object) => w.call('PATCH', `${environment.path}/providers/${id}`, { body })

const oidc = { type: 'oidc', issuer: 'https://sso.example.com', client_secret: 'first' }
const microsoft = { type: 'microsoft', issuer: 'https://login.microsoftonline.com/one/v2.0', client_secret: 'first' }
const gitlab = { type: 'gitlab', client_secret: 'first' }
const apple = { type: 'apple', team_id: 'T', key_id: 'K', private_key: pem }

// biome-ignore format: this table is read by column
const changes: [created: object, change: object, pointers: string[] | null][] = [
  [oidc,       { issuer: 'https://attacker.example' },                                         ['/client_secret']],
  [oidc,       { issuer: 'https://attacker.example', client_id: 'd', display_name: 'New' },    ['/client_secret']],
  [oidc,       { issuer: 'https://sso.example.com.attacker.example' },                         ['/client_secret']],
  [oidc,       { issuer: 'https://sso.example.com/tenant' },                                   ['/client_secret']],
  [oidc,       { issuer: 'https://sso.example.com:444' },                                      ['/client_secret']],
  [oidc,       { issuer: 'https://login.example.com:8443', client_secret: undefined },                 ['/client_secret']],
  [oidc,       { issuer: 'https://attacker.example', client_secret: 'second' },                null],
  [oidc,       { issuer: 'https://attacker.example', client_secret: null },                    null],
  [oidc,       { issuer: 'https://sso.example.com' },                                          null],
  [oidc,       { issuer: 'https://sso.example.com/' },                                         null],
  [oidc,       { display_name: 'New' },                                                        null],
  [{ ...oidc, client_secret: null }, { issuer: 'https://attacker.example' },                   null],
  [microsoft,  { issuer: 'https://login.microsoftonline.com/two/v2.0' },                       ['/client_secret']],
  [gitlab,     { issuer: 'https://gitlab.attacker.example' },                                  ['/client_secret']],
  [gitlab,     { issuer: 'https://gitlab.com' },                                               null],
  [{ ...gitlab, issuer: 'https://gitlab.acme.example' }, { issuer: null },                     ['/client_secret']],
  [apple,      { team_id: 'U' },                                                               null],
]
for (const [created, sent, pointers] of changes) {
  const { type } = created as { type: string }
  test(`${type}: ${JSON.stringify(sent)} ${pointers ? `is 422 at ${pointers}` : 'needs no new secret'}`, async () => {
    const provider = await add(created)
    const reply = await change(provider.id, sent)
    const found = reply.body.errors?.map(({ pointer }: { pointer: string }) => pointer)
    assert.deepEqual([reply.status, found], pointers ? [422, pointers] : [200, undefined])
    if (pointers) assert.deepEqual((await w.call('GET', `${environment.path}/providers/${provider.id}`)).body, provider)
  })
}

let people = 0
const person = () => {
  const sub = `subject-${++people}`
  return { claims: { sub, email: `${sub}@example.com`, email_verified: true } }
}

async function startSignIn(provider_id: string) {
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(environment, application).url)
  const started = await agent.post(`${environment.issuer}/federate`, { ...formOf(page.body).hidden, provider: provider_id })
  return { agent, location: started.headers.get('location') ?? '' }
}

async function signIn(provider_id: string, identity: ReturnType<typeof person>) {
  const { agent, location } = await startSignIn(provider_id)
  const answer = upstreams.agree(location, identity)
  const reply = await agent.get(`${environment.issuer}/oauth/callback/${provider_id}?${new URLSearchParams(answer)}`)
  const session = await w.deployment.db.maybeOne(
    z.object({ user_id: z.string() }),
    sql`select user_id from sessions where environment_id = ${environment.id} order by created_at desc, id desc limit 1`,
  )
  return { status: reply.status, user_id: session?.user_id }
}

test('one subject is one user at each issuer, and the first user again when the first issuer returns', async () => {
  const provider = await add({ ...oidc, issuer: 'https://one.example' })
  const identity = person()
  const first = await signIn(provider.id, identity)
  assert.equal(first.status, 303)
  expectStatus(200, await change(provider.id, { issuer: 'https://two.example', client_secret: 'second' }))
  assert.equal((await signIn(provider.id, identity)).status, 400, 'the email belongs to another account')
  const other = { claims: { ...identity.claims, email: `other${people}@example.com` } }
  const second = await signIn(provider.id, other)
  assert.equal(second.status, 303)
  assert.notEqual(second.user_id, first.user_id)
  assert.equal((await signIn(provider.id, other)).user_id, second.user_id)
  expectStatus(200, await change(provider.id, { issuer: 'https://one.example/', client_secret: 'first' }))
  assert.equal((await signIn(provider.id, identity)).user_id, first.user_id, 'a slash at the end is the same issuer')
})

test('a code of the issuer at which a sign-in began is not sent to a new issuer of the provider', async () => {
  const provider = await add({ ...oidc, issuer: 'https://before.example' })
  const { agent, location } = await startSignIn(provider.id)
  const answer = upstreams.agree(location, person())
  expectStatus(200, await change(provider.id, { issuer: 'https://after.example', client_secret: 'second' }))
  const reply = await agent.get(`${environment.issuer}/oauth/callback/${provider.id}?${new URLSearchParams(answer)}`)
  assert.match(reply.headers.get('location') ?? '', /oauth\/authorize/)
  assert.ok(upstreams.requests.every(({ path, body }) => !path.startsWith('after.example') && body.get('code') !== answer.code))
})

test('fifty parallel first sign-ins of one subject create one account', async () => {
  const provider = await add({ ...oidc, issuer: 'https://parallel.example' })
  const identity = person()
  const started = await Promise.all(Array.from({ length: 50 }, () => startSignIn(provider.id)))
  const replies = await Promise.all(
    started.map(({ agent, location }) =>
      agent.get(`${environment.issuer}/oauth/callback/${provider.id}?${new URLSearchParams(upstreams.agree(location, identity))}`),
    ),
  )
  assert.ok(replies.some(({ status }) => status === 303))
  const { data } = expectStatus(200, await w.call('GET', `${environment.path}/users?email=${identity.claims.email}`))
  assert.equal(data.length, 1)
  assert.equal((await signIn(provider.id, identity)).user_id, data[0].id)
})
