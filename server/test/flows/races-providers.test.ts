/** Sign-ins at a provider while the user is blocked or deleted: none leaves a session or an identity of the user. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { authorizationRequest, createAgent, formOf } from '../support/cookie-browser.ts'
import { createAuthKey } from '../support/tenants.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { expectStatus, world } from '../support/world.ts'

const upstreams = await startUpstreams()
const w = await world({ outbound: upstreams.outbound })
const client = await w.createApplication(w.test)
const secret = await createAuthKey(w, w.test, 'auth_secret')
const body = { type: 'oidc', issuer: 'https://sso.example.com', client_id: 'o', client_secret: 's', link_by_verified_email: true }
const provider = expectStatus(201, await w.call('POST', `${w.test.path}/providers`, { body }))

/** Starts a sign-in at the provider. The function that it returns sends the callback. */
async function start(claims: Record<string, unknown>) {
  const agent = createAgent()
  const { hidden } = formOf((await agent.get(authorizationRequest(w.test, client).url)).body)
  const started = await agent.post(`${w.test.issuer}/federate`, { ...hidden, provider: provider.id })
  const answer = new URLSearchParams(upstreams.agree(started.headers.get('location') ?? '', { claims }))
  return () => agent.get(`${w.test.issuer}/oauth/callback/${provider.id}?${answer}`)
}

const Count = z.object({ n: z.int() })
const countOf = async (user_id: string, what: 'sessions' | 'identities') =>
  (
    await w.deployment.db.maybeOne(
      Count,
      what === 'sessions'
        ? sql`select count(*) as n from sessions where environment_id = ${w.test.id} and user_id = ${user_id} and ended_at is null`
        : sql`select count(*) as n from identities where environment_id = ${w.test.id} and user_id = ${user_id}`,
    )
  )?.n

const block = (user_id: string) => w.call('POST', `/v1/auth/users/${user_id}/block`, { key: secret.key })
const remove = (user_id: string) => w.call('DELETE', `/v1/auth/users/${user_id}`, { key: secret.key })

// biome-ignore format: this table is read by column
const cases = [
  { title: 'of 50 parallel sign-ins while the user is blocked, no session remains',                           is_linked: true,  end: block,  identities: 1 },
  { title: 'of 50 parallel sign-ins while the user is deleted, no session and no identity remains',           is_linked: true,  end: remove, identities: 0 },
  { title: 'of 50 parallel sign-ins that link a user who is deleted, no session and no identity remains',     is_linked: false, end: remove, identities: 0 },
]
for (const { title, is_linked, end, identities } of cases)
  test(title, async () => {
    const user = await w.createUser(w.test)
    const claims = { sub: `subject-of-${user.id}`, email: user.email, email_verified: true }
    if (is_linked) assert.equal((await (await start(claims))()).status, 303)
    const callbacks = await Promise.all(Array.from({ length: 50 }, () => start(claims)))

    const before = callbacks.slice(0, 25).map((send) => send())
    const ended = end(user.id)
    const after = callbacks.slice(25).map((send) => send())
    assert.ok((await ended).status < 300)
    for (const { status } of await Promise.all([...before, ...after])) assert.ok([200, 303, 400, 403, 409].includes(status), `${status}`)
    assert.equal(await countOf(user.id, 'sessions'), 0)
    assert.equal(await countOf(user.id, 'identities'), identities)
  })
