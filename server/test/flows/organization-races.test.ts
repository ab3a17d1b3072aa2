/** Sign-ins of members beside their removal: in either order no grant of a removed member counts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { digestOf } from '../../src/base/digest.ts'
import { findCode, redeemCode } from '../../src/domain/sessions/authorization-codes.ts'
import { findChain, spendRefreshToken } from '../../src/domain/sessions/refresh-tokens.ts'
import { stepOf } from '../support/account.ts'
import { authorizationRequest, createPerson, exchange, followToClient, refresh } from '../support/cookie-browser.ts'
import { holdEndings, rowsFollowed } from '../support/endings.ts'
import { organizationsOf } from '../support/organizations.ts'
import { payloadOf } from '../support/role-person.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
const environment = w.test
const { db } = w.deployment
const orgs = await organizationsOf(w, environment)
const client = await w.createApplication(environment, { organizations: 'required' })
const asking = await w.createApplication(environment, { organizations: 'required', consent: 'ask' })

let made = 0
async function member() {
  const person = await createPerson(w, environment, { email: `racer${++made}@example.com` })
  const { id } = await orgs.create({ name: `Race ${made}` })
  expectStatus(201, await orgs.add(id, person.id))
  return { person, id, ask: { organization: id } }
}
type Member = Awaited<ReturnType<typeof member>>
const validate = async (token: string) => expectStatus(200, await orgs.auth('POST', 'tokens/validate', { token }))

/** Asks silently for a code. */
async function silently({ person, ask }: Member) {
  const request = authorizationRequest(environment, client, { ...ask, prompt: 'none' })
  const { headers } = await person.agent.get(request.url)
  return { request, code: new URL(headers.get('location') ?? '').searchParams.get('code') }
}

test('of 50 codes that are asked for beside the removal of their members, none is redeemed after it, in either order', async () => {
  const every = await Promise.all(Array.from({ length: 50 }, member))
  for (const one of every) await followToClient(one.person.agent, authorizationRequest(environment, client, one.ask), one.person)
  const results = await Promise.all(
    every.map(async (one, n) => {
      const remove = async () => expectStatus(204, await orgs.remove(one.id, one.person.id))
      const asking = n % 10 === 0 ? remove().then(() => silently(one)) : silently(one)
      await (n % 10 === 0 ? asking : n % 10 === 1 ? asking.then(remove) : remove()) // the others overlap
      const asked = await asking
      if (asked.code === null) return 'removed first'
      const { request, code } = asked
      const { status, body } = await exchange(w, environment, client, { request, code })
      assert.deepEqual([status, body.error], [400, 'invalid_grant'])
      return 'stored first'
    }),
  )
  assert.deepEqual([...new Set(results)].sort(), ['removed first', 'stored first'])
  await rowsFollowed(db)
  for (const { person } of every) assert.deepEqual(expectStatus(200, await orgs.auth('GET', `users/${person.id}/grants`)).data, [])
})

test('of 50 refreshes beside the removal of the member, none gives a token that counts after it, in either order', async () => {
  const one = await member()
  const grants: { refresh_token: string; access_token: string }[] = []
  for (let n = 0; n < 50; n++) grants.push(await one.person.tokens(client, one.ask))
  const late = grants.splice(45)
  const refreshed = grants.map(({ refresh_token }) => refresh(w, environment, client, refresh_token))
  await refreshed[0]
  const [removed, ...replies] = await Promise.all([
    orgs.remove(one.id, one.person.id),
    ...refreshed,
    ...grants.slice(0, 5).map(({ refresh_token }) => refresh(w, environment, client, refresh_token)),
  ])
  expectStatus(204, removed)
  for (const { status, body } of replies) {
    if (status !== 200) assert.deepEqual([status, body.error], [400, 'invalid_grant'])
    else assert.deepEqual(await validate(body.access_token), { active: false, reason: 'revoked' })
    if (status === 200) assert.equal((await refresh(w, environment, client, body.refresh_token)).body.error, 'invalid_grant')
  }
  assert.ok(replies.some(({ status }) => status === 200))
  for (const { refresh_token } of late)
    assert.equal((await refresh(w, environment, client, refresh_token)).body.error, 'invalid_grant', 'it begins after the removal')
  expectStatus(201, await orgs.add(one.id, one.person.id))
  for (const { access_token } of [...grants, ...late]) assert.equal((await validate(access_token)).active, false)
  assert.equal((await validate((await one.person.tokens(client, one.ask)).access_token)).active, true)
})

test('a member who is removed and added between the reading of a code or token and its spending gets nothing by it', async (t) => {
  const one = await member()
  const held = holdEndings(db) // the numbers alone decide
  t.after(() => held.goOn())
  const { access_token } = await one.person.tokens(client, one.ask)
  const { code } = await one.person.code(client, one.ask)
  const found = await findCode(db, environment.id, digestOf(code))
  const chain = await findChain(db, environment.id, payloadOf(access_token).grant_id)
  assert.ok(found && chain && !found.has_ended && !chain.grant.has_ended)
  expectStatus(204, await orgs.remove(one.id, one.person.id))
  expectStatus(201, await orgs.add(one.id, one.person.id))
  const tokens = { opaque: null, last_expires_at: found.grant_expires_at }
  assert.equal(await redeemCode(db, environment.id, found, { attempt: 'req_1', chain: null, tokens })(), false)
  const next = { ...chain.chain, number: chain.chain.number + 1, digest: 'next' }
  assert.equal(await spendRefreshToken(db, environment.id, { grant: chain.grant, spent: chain.chain, next }, tokens)(), false)
})

test('a member who is removed and added is asked again for consent, also before the rows of the first membership are gone', async () => {
  const one = await member()
  await one.person.tokens(asking, one.ask)
  const step = async () => stepOf(await one.person.agent.get(authorizationRequest(environment, asking, one.ask).url)) ?? 'code'
  assert.equal(await step(), 'code')
  const held = holdEndings(db)
  try {
    expectStatus(204, await orgs.remove(one.id, one.person.id))
    expectStatus(201, await orgs.add(one.id, one.person.id))
    assert.equal(await step(), 'consent')
    await one.person.tokens(asking, one.ask)
    assert.equal(await step(), 'code')
  } finally {
    held.goOn()
  }
  await rowsFollowed(db)
  assert.equal(await step(), 'code', 'the worker leaves the consent of the second membership')
})
