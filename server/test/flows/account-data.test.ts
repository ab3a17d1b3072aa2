/** Export and deletion on the account page, and the account page of administrators. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { linkOf, offersOf, openAccount, press, problemOf, stepOf } from '../support/account.ts'
import { acceptInvitation, asAdministrator, joinTenant } from '../support/administrator.ts'
import { createPerson, followPages, refresh, userinfo } from '../support/cookie-browser.ts'
import { replaceMethods } from '../support/db-methods.ts'
import { holdEndings, rowsFollowed } from '../support/endings.ts'
import { createTenant, storedMembers } from '../support/invitations.ts'
import { until } from '../support/receiver.ts'
import { createRole } from '../support/roles.ts'
import { mostRowsOfStatement } from '../support/slices.ts'
import { createAdministrator, createAuthKey } from '../support/tenants.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
await w.changeSettings(w.test, { notices: { new_sign_in: false } }) // people of this test sign in in several browsers
const client = await w.createApplication(w.test, { consent: 'ask' })
const account_url = `${w.test.issuer}/account`

const eventsOf = (user_id: string, type: string) =>
  until(`an event ${type}`, async () => {
    const { data } = expectStatus(200, await w.call('GET', `${w.test.path}/events?user_id=${user_id}&limit=100`))
    return data.some((event: { type: string }) => event.type === type) && data
  })

test('the export is one attachment with what is stored about the person, and nothing of anyone else', async () => {
  const [person, other] = [await createPerson(w, w.test), await createPerson(w, w.test)]
  await other.tokens(client)
  await person.tokens(client)
  await eventsOf(person.id, 'consent.granted')
  await createRole(w, w.test, { slug: 'everyone', default: true })
  await createRole(w, w.test, { slug: 'nobody' })
  await createRole(w, w.test, { slug: 'editor' })
  const { key } = await createAuthKey(w, w.test, 'auth_secret')
  expectStatus(200, await w.call('PATCH', `/v1/auth/users/${person.id}`, { key, body: { roles: ['editor'], claims: { plan: 'team' } } }))
  const page = await person.agent.get(account_url)
  const reply = await press(person.agent, page, 'export')
  assert.equal(reply.status, 200)
  assert.match(reply.headers.get('content-disposition') ?? '', /^attachment; filename="account-\d{4}-\d\d-\d\d\.json"$/)
  assert.equal(reply.headers.get('cache-control'), 'no-store')
  const { user, roles, organizations, sessions, methods, grants, consents, events, ...rest } =
    typeof reply.body === 'string' ? JSON.parse(reply.body) : reply.body
  assert.deepEqual([organizations, rest], [[], { trusted_browsers: [] }])
  assert.deepEqual(user, expectStatus(200, await w.call('GET', `${w.test.path}/users/${person.id}`)))
  assert.deepEqual([user.roles, user.claims], [['editor'], { plan: 'team' }])
  assert.deepEqual(roles, [
    { slug: 'editor', name: 'Role editor', description: null },
    { slug: 'everyone', name: 'Role everyone', description: null },
  ])
  assert.deepEqual([sessions.length, methods.length, grants.length, consents.length], [1, 1, 1, 1])
  assert.deepEqual([sessions[0].user_id, methods[0].type, grants[0].application_id], [person.id, 'password', client.id])
  assert.equal(consents[0].application_id, client.id)
  assert.ok(events.length >= 3 && events.every((event: { user_id: string }) => event.user_id === person.id))
  assert.doesNotMatch(JSON.stringify([user, sessions, methods, grants, consents, events]), /\$argon2|token_hash|password_hash/)
})

test('a person exports at most ten times an hour', async () => {
  const { agent, page } = await openAccount(w.test, await w.createUser(w.test))
  const replies = await Promise.all(Array.from({ length: 12 }, () => press(agent, page, 'export')))
  assert.deepEqual(replies.map(({ status }) => status).sort(), [...Array(10).fill(200), 429, 429])
})

test('an export with an old sign-in leads through a sign-in to a page with the button', async () => {
  const person = await w.createUser(w.test)
  const { agent, page } = await openAccount(w.test, person)
  w.advance(601)
  const asked = await followPages(agent, await press(agent, page, 'export'))
  assert.equal(stepOf(asked), 'sign-in')
  const ready = await followPages(agent, await agent.submit(asked, { email: person.email, password: person.password, method: 'password' }))
  assert.equal(stepOf(ready), 'account')
  assert.equal((await press(agent, ready, 'export')).headers.get('content-type'), 'application/json; charset=utf-8')
})

for (const typed of ['', 'someone@example.com', 'x'.repeat(70_000)])
  test(`an account is not deleted by the typed address ${typed.slice(0, 30) || '(none)'}`, async () => {
    const person = await w.createUser(w.test)
    const { agent, page } = await openAccount(w.test, person)
    const refused = await press(agent, await agent.get(linkOf(page, 'delete-account')), 'delete-account', { email: typed })
    assert.deepEqual([refused.status, stepOf(refused)], [400, 'account'])
    assert.match(problemOf(refused) ?? '', /not the address of your account/)
    expectStatus(200, await w.call('GET', `${w.test.path}/users/${person.id}`))
  })

const Kept = z.object({ ip: z.string().nullable(), user_agent: z.string().nullable() })

test('deletion is immediate and mailed, ends everything, frees the address, and leaves the id alone in events', async () => {
  const person = await createPerson(w, w.test, { email: 'Leaving@example.com' })
  const tokens = await person.tokens(client)
  const other = await openAccount(w.test, person)
  const page = await person.agent.get(account_url)
  const form = await person.agent.get(linkOf(page, 'delete-account'))
  assert.match(form.body, /keeps the id of the account for 90 days/)
  const deleted = await press(person.agent, form, 'delete-account', { email: ' leaving@EXAMPLE.com ' })
  assert.deepEqual([deleted.status, stepOf(deleted)], [200, 'account'])
  assert.match(deleted.body, /Your account has been deleted/)
  assert.equal((await w.call('GET', `${w.test.path}/users/${person.id}`)).status, 404)
  assert.equal((await userinfo(w, w.test, tokens.access_token)).status, 401)
  assert.equal((await refresh(w, w.test, client, tokens.refresh_token)).body.error, 'invalid_grant')
  for (const agent of [person.agent, other.agent]) assert.equal(stepOf(await agent.get(account_url)), 'sign-in')

  await rowsFollowed(w.deployment.db)
  const all = await eventsOf(person.id, 'user.deleted')
  const end = all.find(({ type }: { type: string }) => type === 'user.deleted')
  assert.deepEqual([end.type, end.actor, end.data], ['user.deleted', { type: 'user', id: person.id }, { sub: person.id }])
  assert.ok(all.length > 3)
  for (const { type, data } of all.filter((event: { type: string }) => event !== end && event.type !== 'mail.sent'))
    assert.deepEqual(data, {}, type)
  const kept = await w.deployment.db.all(
    Kept,
    sql`select ip, user_agent from sessions where environment_id = ${w.test.id} and user_id = ${person.id}`,
  )
  assert.deepEqual(kept, [
    { ip: null, user_agent: null },
    { ip: null, user_agent: null },
  ])
  const { data: mails } = expectStatus(200, await w.call('GET', `${w.test.path}/inbox?to=leaving@example.com`))
  assert.deepEqual(
    mails.map(({ kind }: { kind: string }) => kind),
    ['account_deleted'],
  )

  const again = await w.createUser(w.test, { email: 'leaving@example.com' })
  assert.notEqual(again.id, person.id)
  const fresh = await openAccount(w.test, again)
  assert.deepEqual([stepOf(fresh.page), /data-action="disconnect"/.test(fresh.page.body)], ['account', false])
})

test('a deletion by the backend leaves the id alone in events and sessions too', async () => {
  const person = await createPerson(w, w.test)
  await person.tokens(client)
  const key = await createAuthKey(w, w.test, 'auth_secret')
  expectStatus(204, await w.call('DELETE', `/v1/auth/users/${person.id}`, { key: key.key }))
  await rowsFollowed(w.deployment.db)
  const all = await eventsOf(person.id, 'user.deleted')
  assert.ok(all.length > 2)
  for (const { type, data } of all.filter(({ type }: { type: string }) => type !== 'mail.sent'))
    assert.deepEqual(data, type === 'user.deleted' ? { sub: person.id } : {}, type)
  const sessions = sql`select ip, user_agent from sessions where environment_id = ${w.test.id} and user_id = ${person.id}`
  assert.deepEqual(await w.deployment.db.all(Kept, sessions), [{ ip: null, user_agent: null }])
})

/** Adds many numbered events about a user. */
async function addEvents(user_id: string, count: number): Promise<void> {
  added += 10_000
  const { db } = w.deployment
  const user = await db.maybeOne(z.object({ environment_id: z.string() }), sql`select environment_id from users where id = ${user_id}`)
  await db.run(sql`insert into events (environment_id, id, sequence, type, created_at, actor_type, user_id, data)
    with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})
    select u.environment_id, ${`evt_${user_id}_`} || (1000000 + i), ${added} + i, 'sign_in.failed', 1, 'system', u.id, '{"ip":"192.0.2.1"}'
      from n join users u on u.environment_id = ${user?.environment_id ?? ''} and u.id = ${user_id}`)
  // The numbers of later events follow, as they always do.
  await db.run(sql`insert into event_counters (environment_id, last) values (${w.test.id}, ${added + count})
    on conflict (environment_id) do update set last = excluded.last`)
}
let added = 1_000_000

const Count = z.object({ count: z.int() })
const countTelling = async (user_id: string) =>
  (
    await w.deployment.db.all(
      Count,
      sql`select count(*) as count from events where user_id = ${user_id} and type = 'sign_in.failed' and data <> '{}'`,
    )
  )[0]?.count

test('a deleted user is gone at once, and the events are forgotten a slice at a time', async () => {
  const { db } = w.deployment
  const { key } = await createAuthKey(w, w.test, 'auth_secret')
  const user = await w.createUser(w.test)
  const remove = () => w.call('DELETE', `/v1/auth/users/${user.id}`, { key })
  await addEvents(user.id, 1_700)
  const most = await mostRowsOfStatement(db, async () => {
    const held = holdEndings(db)
    try {
      expectStatus(204, await remove())
      assert.equal((await w.call('GET', `${w.test.path}/users/${user.id}`)).status, 404)
      assert.notEqual((await w.createUser(w.test, { email: user.email })).id, user.id)
      assert.equal(await countTelling(user.id), 1_700)
    } finally {
      held.goOn()
    }
    await rowsFollowed(db)
  })
  assert.ok(most <= 200, `${most} rows in one statement`)
  assert.equal(await countTelling(user.id), 0)

  const person = await w.createUser(w.test)
  const { agent, page } = await openAccount(w.test, person)
  await addEvents(person.id, 1_700)
  const form = await agent.get(linkOf(page, 'delete-account'))
  const most_of_person = await mostRowsOfStatement(db, async () => {
    assert.equal((await press(agent, form, 'delete-account', { email: person.email })).status, 200)
    await rowsFollowed(db)
  })
  assert.ok(most_of_person <= 200, `${most_of_person} rows in one statement`)
  assert.equal(await countTelling(person.id), 0)
})

test('a deletion that is refused forgets no event', async () => {
  const { key } = await createAuthKey(w, w.test, 'auth_secret')
  const user = await w.createUser(w.test)
  await addEvents(user.id, 700)
  assert.equal((await w.call('DELETE', `/v1/auth/users/${user.id}`, { key, headers: { 'if-match': '"7"' } })).status, 412)
  assert.equal(await countTelling(user.id), 700)
})

test('deletion leaves another account of the browser signed in', async () => {
  const [one, two] = [await w.createUser(w.test, { name: 'Stays' }), await w.createUser(w.test)]
  const { agent } = await openAccount(w.test, one)
  const { page } = await openAccount(w.test, two, agent, '?prompt=login')
  await press(agent, await agent.get(linkOf(page, 'delete-account')), 'delete-account', { email: two.email })
  assert.match((await agent.get(account_url)).body, /<h1>Stays<\/h1>/)
})

test('of 50 parallel deletions one deletes, with one event and one mail', async () => {
  const person = await w.createUser(w.test)
  const { agent, page } = await openAccount(w.test, person)
  const form = await agent.get(linkOf(page, 'delete-account'))
  const replies = await Promise.all(Array.from({ length: 50 }, () => press(agent, form, 'delete-account', { email: person.email })))
  assert.equal(replies.filter(({ status }) => status === 200).length, 1)
  assert.ok(
    replies.every(({ status }) => status === 200 || status === 400),
    'the others find no session',
  )
  const events = await eventsOf(person.id, 'user.deleted')
  assert.equal(events.filter(({ type }: { type: string }) => type === 'user.deleted').length, 1)
  assert.equal(expectStatus(200, await w.call('GET', `${w.test.path}/inbox?to=${person.email}`)).data.length, 1)
})

const root = { issuer: w.admin_issuer }

test('an administrator has the same account page, and its changes leave memberships as they are', async () => {
  const olga = await createAdministrator(w, 'olga@example.com')
  const tenant = await createTenant(w, olga)
  const before = await storedMembers(w, tenant.id)
  const { agent, page } = await openAccount(root, olga)
  assert.equal(stepOf(page), 'account')
  await press(agent, await agent.get(linkOf(page, 'change-name')), 'change-name', { name: 'Olga' })
  await press(agent, await agent.get(linkOf(page, 'change-password')), 'change-password', { password: 'an engine of brass' })
  await press(agent, page, 'end-other-sessions')
  assert.match((await agent.get(`${root.issuer}/account`)).body, /<h1>Olga<\/h1>/)
  assert.deepEqual(await storedMembers(w, tenant.id), before)
})

test('the last owner of a tenant cannot delete their account; with another owner they can, and leave every tenant', async () => {
  const [paul, rita] = [await createAdministrator(w, 'paul@example.com'), await createAdministrator(w, 'rita@example.com')]
  const { agent, page } = await openAccount(root, paul)
  const form = await agent.get(linkOf(page, 'delete-account'))
  const tenant = await createTenant(w, paul)
  await joinTenant(w, { tenant_id: tenant.id, token: paul.token }, rita, 'admin')
  await addEvents(paul.user_id, 700)
  const pressed = await press(agent, form, 'delete-account', { email: paul.email })
  for (const refused of [pressed, await agent.get(linkOf(page, 'delete-account'))]) {
    assert.deepEqual([refused.status, stepOf(refused), offersOf(refused)], [409, 'account', ['continue']])
    assert.match(refused.body, /no other owner.*href="[^"]*\/dashboard\/t\/[^/"]+\/members"[^>]*>Members of Tenant \d/s)
  }
  assert.equal((await storedMembers(w, tenant.id)).length, 2)
  assert.equal(await countTelling(paul.user_id), 700)

  expectStatus(200, await tenant.as(paul, 'PATCH', `/${rita.user_id}`, { role: 'owner' }))
  const pending = await tenant.invite('pending@example.com', 'owner', paul)
  const deleted = await press(agent, form, 'delete-account', { email: paul.email })
  assert.match(deleted.body, /Your account has been deleted/)
  assert.deepEqual(
    (await storedMembers(w, tenant.id)).map(({ user_id }) => user_id),
    [rita.user_id],
  )
  const call = asAdministrator(w, rita.token, tenant.id)
  const data = await until('the entry of the audit log', async () => {
    const found = expectStatus(200, await call('GET', `/v1/tenants/${tenant.id}/audit-log?action=deleteOwnAccount`)).data
    return found.length > 0 && found
  })
  assert.deepEqual([data.length, data[0].actor.id, data[0].object.id], [1, paul.user_id, paul.user_id])
  assert.doesNotMatch(JSON.stringify(data), /paul@/)
  assert.equal((await w.call('GET', pending.invitation_url, { key: null })).status, 410)
  assert.equal((await asAdministrator(w, paul.token, null)('GET', '/v1/me')).status, 401)
})

test('of two owners that delete their accounts at once one stays', async () => {
  const [one, two] = [await createAdministrator(w, 'vera@example.com'), await createAdministrator(w, 'walt@example.com')]
  const tenant = await createTenant(w, one)
  await joinTenant(w, { tenant_id: tenant.id, token: one.token }, two, 'owner')
  const ready = await Promise.all(
    [one, two].map(async (person) => {
      const { agent, page } = await openAccount(root, person)
      return { person, agent, form: await agent.get(linkOf(page, 'delete-account')) }
    }),
  )
  const replies = await Promise.all(ready.map(({ person, agent, form }) => press(agent, form, 'delete-account', { email: person.email })))
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409])
  assert.equal((await storedMembers(w, tenant.id)).length, 1)
})

test('an account that is deleted also leaves a tenant that it joins meanwhile, and the log of that tenant says so', async () => {
  const [uma, vic] = [await createAdministrator(w, 'uma@example.com'), await createAdministrator(w, 'vic@example.com')]
  const tenant = await createTenant(w, vic)
  const { invitation_url } = await tenant.invite(uma.email, 'owner')
  const { agent, page } = await openAccount(root, uma)
  const form = await agent.get(linkOf(page, 'delete-account'))
  const { db } = w.deployment
  let joined = 0
  const restore = replaceMethods(db, ({ batch }) => ({
    batch: async (statements) => {
      const is_deletion = statements.some(({ parts }) => parts.join('').startsWith('delete from users'))
      if (is_deletion && joined++ === 0) expectStatus(200, await acceptInvitation(invitation_url, uma))
      return batch(statements)
    },
  }))
  try {
    const deleted = await press(agent, form, 'delete-account', { email: uma.email })
    assert.match(deleted.body, /Your account has been deleted/)
  } finally {
    restore()
  }
  assert.deepEqual(
    (await storedMembers(w, tenant.id)).map(({ user_id }) => user_id),
    [vic.user_id],
  )
  await until('the entries of the audit log', async () => {
    const call = asAdministrator(w, vic.token, tenant.id)
    const found = expectStatus(200, await call('GET', `/v1/tenants/${tenant.id}/audit-log?limit=100`)).data
    const actions = found.map(({ action }: { action: string }) => action)
    return actions.includes('acceptInvitation') && actions.includes('deleteOwnAccount')
  })
})
