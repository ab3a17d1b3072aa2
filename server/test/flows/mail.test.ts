/** Mail in Test environments: which mail is captured, its readers, and how long it stays (decision 0031). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { until } from '../support/receiver.ts'
import { expectStatus, owner, type TestEnvironment, world } from '../support/world.ts'

const w = await world()

interface Backend {
  environment: TestEnvironment
  secret: string
}

async function createBackend(environment: TestEnvironment): Promise<Backend> {
  return {
    environment,
    secret: expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } })).key,
  }
}
const projectOf = async (slug: string) => {
  const { test, live } = await w.createProject(slug)
  return { test: await createBackend(test), live: await createBackend(live) }
}

const inbox = async ({ path }: TestEnvironment, search = '') => expectStatus(200, await w.call('GET', `${path}/inbox${search}`)).data
const changePassword = (backend: Backend, id: string, password: string | null = 'staple and something else', more: object = {}) =>
  w.call('PATCH', `/v1/auth/users/${id}`, { key: backend.secret, body: { password, ...more } })

test('a password change by the backend sends a mail in Test, which the inbox shows complete', async () => {
  const backend = (await projectOf('mails')).test
  const { environment } = backend
  await w.changeSettings(environment, {
    branding: { display_name: 'Tom & <b>Jerry</b>' },
    links: { support_url: 'https://help.example.com/' },
  })
  const user = await w.createUser(environment, { email: 'Ada.Lovelace@example.com' })
  const reply = await changePassword(backend, user.id)
  expectStatus(200, reply)

  const [mail, ...others] = await inbox(environment)
  assert.equal(others.length, 0)
  assert.deepEqual(Object.keys(mail).sort(), ['code', 'created_at', 'html', 'id', 'kind', 'link', 'subject', 'text', 'to'])
  assert.match(mail.id, /^eml_[0-9a-z]{26}$/)
  assert.deepEqual([mail.to, mail.kind, mail.code, mail.link], [user.email, 'password_changed', null, null])
  assert.match(mail.subject, /Tom & <b>Jerry<\/b>/)
  assert.match(mail.text, /Ada\.Lovelace@example\.com.*https:\/\/help\.example\.com\//s)
  assert.match(mail.html, /Tom &amp; &lt;b&gt;Jerry/)
  assert.doesNotMatch(mail.html + mail.text, /staple/)
  assert.deepEqual(expectStatus(200, await w.call('GET', `${environment.path}/inbox/${mail.id}`)), mail)

  const [event] = await until('the event', async () => {
    const { data } = expectStatus(200, await w.call('GET', `${environment.path}/events?type=mail.sent`))
    return data.length > 0 && data
  })
  assert.deepEqual(event.data, { mail_id: mail.id, kind: 'password_changed', attempts: 1, sub: event.user_id })
  assert.deepEqual(
    [event.user_id, event.request_id, event.actor],
    [user.id, reply.headers.get('x-request-id'), { type: 'system', id: null }],
  )
})

test('the mail goes to the email that the account had before', async () => {
  const backend = (await projectOf('moves')).test
  const user = await w.createUser(backend.environment, { email: 'before@example.com' })
  expectStatus(200, await changePassword(backend, user.id, undefined, { email: 'after@example.com' }))
  assert.deepEqual(
    (await inbox(backend.environment)).map(({ to }: { to: string }) => to),
    ['before@example.com'],
  )
})

test('no mail is captured for a refused or stale change, without a new password, with delivery none, or in Live', async () => {
  const { test, live } = await projectOf('silent')
  const user = await w.createUser(test.environment)
  assert.equal((await changePassword(test, user.id, 'short')).status, 422)
  const stale = await w.call('PATCH', `/v1/auth/users/${user.id}`, {
    key: test.secret,
    body: { password: 'staple and something else' },
    headers: { 'if-match': '"999"' },
  })
  assert.equal(stale.status, 412)
  expectStatus(200, await w.call('PATCH', `/v1/auth/users/${user.id}`, { key: test.secret, body: { name: 'Renamed' } }))
  await w.changeSettings(test.environment, { email: { delivery: 'none' } })
  expectStatus(200, await changePassword(test, user.id))
  const person = await w.createUser(live.environment)
  expectStatus(200, await changePassword(live, person.id))
  assert.deepEqual(await inbox(test.environment), [])
  const Count = z.object({ count: z.int() })
  for (const table of [sql`captured_mails`, sql`events`])
    for (const { id } of [test.environment, live.environment]) {
      const kind = table.parts[0] === 'events' ? sql`and type = 'mail.sent'` : sql``
      assert.equal(
        (await w.deployment.db.maybeOne(Count, sql`select count(*) as count from ${table} where environment_id = ${id} ${kind}`))?.count,
        0,
      )
    }
})

test('of 50 parallel changes with one version one succeeds and sends one mail', async () => {
  const backend = (await projectOf('races')).test
  const user = await w.createUser(backend.environment)
  const { headers } = await w.call('GET', `/v1/auth/users/${user.id}`, { key: backend.secret })
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      w.call('PATCH', `/v1/auth/users/${user.id}`, {
        key: backend.secret,
        body: { password: `staple and something else ${i}` },
        headers: { 'if-match': headers.get('etag') ?? '' },
      }),
    ),
  )
  assert.equal(replies.filter(({ status }) => status === 200).length, 1)
  assert.equal((await inbox(backend.environment)).length, 1)
})

const sought: [address: string, found: readonly string[]][] = [
  ['ada@example.com', ['ada@example.com']],
  ['ADA@Example.COM', ['ada@example.com']],
  [' ada@example.com', []],
  ...['ada', '@example.com', 'ada@example', '%', '_da@example.com', '', 'unknown@example.com'].map(
    (address): [string, readonly string[]] => [address, []],
  ),
]
test('?to= matches the whole email, case-insensitively', async (t) => {
  const backend = (await projectOf('sought')).test
  for (const email of ['ada@example.com', 'grace@example.com', 'ada@example.com.example.org', 'xada@example.com']) {
    const user = await w.createUser(backend.environment, { email })
    expectStatus(200, await changePassword(backend, user.id))
  }
  for (const [address, found] of sought)
    await t.test(`?to="${address}" finds ${found.length} mails`, async () => {
      const mails = await inbox(backend.environment, `?to=${encodeURIComponent(address)}`)
      assert.deepEqual(
        mails.map((mail: { to: string }) => mail.to),
        found,
      )
    })
  await t.test('without ?to= the inbox has every mail', async () => assert.equal((await inbox(backend.environment)).length, 4))
  await t.test('two ?to= are 422', async () =>
    assert.equal((await w.call('GET', `${backend.environment.path}/inbox?to=a&to=b`)).status, 422),
  )
})

test('the inbox is 404 in Live, and so is a mail of another environment', async (t) => {
  const { test, live } = await projectOf('alive')
  const user = await w.createUser(test.environment)
  expectStatus(200, await changePassword(test, user.id))
  const [{ id }] = await inbox(test.environment)
  const other = (await projectOf('other')).test
  for (const [what, path] of [
    ['the inbox of Live', `${live.environment.path}/inbox`],
    ['a mail in Live', `${live.environment.path}/inbox/${id}`],
    ['a mail of another environment', `${other.environment.path}/inbox/${id}`],
    ['an unknown mail', `${test.environment.path}/inbox/eml_01m7wwr5ftevtv5yxb47hmb4ht`],
  ] as const)
    await t.test(`${what} is 404`, async () => assert.equal((await w.call('GET', path)).status, 404))
})

test('a key needs users:read, an administrator the role developer', async () => {
  const admin = asAdministrator(w, await administratorToken(w, owner), w.tenant_id)
  const { key } = expectStatus(
    201,
    await admin('POST', `/v1/tenants/${w.tenant_id}/platform-keys`, {
      label: 'Webhooks only',
      scopes: ['webhooks:read', 'environments:read'],
    }),
  )
  const reply = await w.call('GET', `${w.test.path}/inbox`, { key })
  assert.deepEqual([reply.status, reply.body.required_scopes], [403, ['users:read']])
  expectStatus(200, await admin('GET', `${w.test.path}/inbox`))
})

test('the inbox keeps mail for seven days, and at most the newest 1,000', async () => {
  const backend = (await projectOf('kept')).test
  const { environment } = backend
  const [first, second] = [
    await w.createUser(environment, { email: 'first@example.com' }),
    await w.createUser(environment, { email: 'second@example.com' }),
  ]
  expectStatus(200, await changePassword(backend, first.id))
  const at = w.now()
  const insertMail = (i: number) => {
    const [id, to] = [w.deployment.newId('eml'), `p${i}@example.com`]
    return sql`insert into captured_mails (environment_id, id, recipient, recipient_key, kind, subject, body_text, body_html, created_at)
               values (${environment.id}, ${id}, ${to}, ${to}, 'password_changed', 's', 't', 'h', ${at})`
  }
  await w.deployment.db.batch(Array.from({ length: 1_000 }, (_, i) => insertMail(i)))
  expectStatus(200, await changePassword(backend, second.id))
  assert.equal((await inbox(environment, '?to=first@example.com')).length, 0)
  assert.equal((await inbox(environment, '?to=p0@example.com')).length, 0)
  assert.equal((await inbox(environment, '?to=p1@example.com')).length, 1)
  const [newest] = await inbox(environment)
  assert.equal(newest.to, 'second@example.com')
  w.advance(7 * 86_400 - 60)
  assert.equal((await inbox(environment, '?limit=100')).length, 100)
  w.advance(120)
  assert.deepEqual(await inbox(environment), [])
  assert.equal((await w.call('GET', `${environment.path}/inbox/${newest.id}`)).status, 404)
})
