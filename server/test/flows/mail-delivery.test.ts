/** Mail by SMTP through the queue: retries, outages, expiry, what is stored, and the events (decision 0038). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { parseNetworks } from '../../src/base/networks.ts'
import { sql } from '../../src/db/db.ts'
import { createSmtp } from '../../src/deployment/outbound/smtp.ts'
import { compose } from '../../src/domain/mail/compose.ts'
import { mailStatements } from '../../src/domain/mail/send.ts'
import type { Notice } from '../../src/domain/mail/texts/notice.ts'
import { certificate, readMessage, reply, startMailServer } from '../support/mail-server.ts'
import { until } from '../support/receiver.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const loopback = parseNetworks('127.0.0.0/8')
const webhook_allowed_networks = 'networks' in loopback ? loopback.networks : []
const smtp = createSmtp(
  { base_url: 'http://localhost', webhook_allowed_networks },
  { resolve: async () => ['127.0.0.1'], ca: certificate.cert, most_reply_ms: 2_000 },
)
const w = await world({ smtp, env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' } })
let projects = 0

async function sender(port: number, type: 'test' | 'live' = 'live', more: object = {}): Promise<TestEnvironment> {
  const environment = (await w.createProject(`mail${++projects}`))[type]
  await w.changeSettings(environment, {
    email: {
      delivery: 'smtp',
      from: 'The Shop <shop@example.com>',
      smtp: { host: 'mail.test', port, username: 'shop', password: 'smtp password' },
    },
    ...more,
  })
  return environment
}

const minutes = (count: number) => new Date(w.now().getTime() + count * 60_000)
const codeNotice = (code: string, expires_at = minutes(10)): Notice => ({ kind: 'sign_in_code', code, expires_at, device: null })

async function mail(environment: TestEnvironment, to: string, notice: Notice, user_id: string | null = 'usr_1') {
  const statements = await mailStatements(w.deployment, environment.id, { to, user_id, request_id: 'req_1', notice }, w.now())
  assert.ok(statements.length > 0)
  await w.deployment.db.batch(statements)
}

const EventRow = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()), user_id: z.string().nullable(), request_id: z.string().nullable() }) // biome-ignore format: one row
const events = ({ id }: TestEnvironment) =>
  w.deployment.db.all(
    EventRow,
    sql`select type, data, user_id, request_id from events where environment_id = ${id} and type in ('mail.sent', 'mail.failed') order by created_at, id`,
  )
const eventually = (environment: TestEnvironment, count: number) =>
  until(`${count} events`, async () => {
    const all = await events(environment)
    return all.length >= count && all
  })
const Count = z.object({ count: z.int() })
const waiting = async ({ id }: TestEnvironment) =>
  (
    await w.deployment.db.maybeOne(
      Count,
      sql`select (select count(*) from mails where environment_id = ${id}) + (select count(*) from jobs where environment_id = ${id} and kind = 'mail') as count`,
    )
  )?.count

/** Moves the clock in small steps until the condition is true. */
const whileTimePasses = <T>(expected: string, step_seconds: number, ask: () => Promise<T | false>) =>
  until(expected, async () => {
    w.advance(step_seconds)
    return ask()
  })

test('a change of a password by the backend is mailed from the sender of the settings, with the brand and its event', async () => {
  const server = await startMailServer()
  const environment = await sender(server.port, 'test', { branding: { display_name: 'Söhne' } })
  const { key } = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } }))
  const user = await w.createUser(environment, { email: 'Ada@example.com', locale: 'de-AT' })
  const changed = await w.call('PATCH', `/v1/auth/users/${user.id}`, { key, body: { password: 'staple and something else' } })
  expectStatus(200, changed)
  const [event] = await eventually(environment, 1)
  const [received, ...others] = server.received
  assert.equal(others.length, 0)
  assert.deepEqual([received?.from, received?.to, received?.is_secure], ['shop@example.com', ['Ada@example.com'], true])
  const { headers, subject, text } = readMessage(received?.raw ?? '')
  assert.equal(subject, '[Test] Ihr Passwort für Söhne wurde geändert')
  assert.match(text, /Ada@example\.com/)
  assert.equal(headers.get('from'), 'The Shop <shop@example.com>')
  const { mail_id, ...data } = event?.data ?? {}
  assert.equal(headers.get('message-id'), `<${mail_id}@localhost>`)
  assert.deepEqual([event?.type, data], ['mail.sent', { kind: 'password_changed', attempts: 1 }])
  assert.deepEqual([event?.user_id, event?.request_id], [user.id, changed.headers.get('x-request-id')])
  assert.equal(await waiting(environment), 0)
  assert.equal((await w.call('GET', `${environment.path}/inbox`)).body.data.length, 0)
})

test('a refusal for now is tried again by the schedule; the first failure and the success have one event each', async () => {
  const server = await startMailServer({ decide: (_mail, count) => (count <= 2 ? reply(451, 'Later') : undefined) })
  const environment = await sender(server.port)
  await mail(environment, 'ada@example.com', codeNotice('111111'))
  await eventually(environment, 1)
  await whileTimePasses('the mail', 5, async () => server.received.length === 1)
  const all = await eventually(environment, 2)
  const { mail_id, ...failed } = all[0]?.data ?? {}
  assert.deepEqual(
    [all[0]?.type, failed],
    ['mail.failed', { kind: 'sign_in_code', attempts: 1, stage: 'data', reply: failed.reply, reason: 'rejected', final: false }],
  )
  assert.match(String(failed.reply), /^451 .*Later$/)
  assert.deepEqual([all[1]?.type, all[1]?.data], ['mail.sent', { mail_id, kind: 'sign_in_code', attempts: 3 }])
  assert.equal(all.length, 2)
  assert.equal(await waiting(environment), 0)
})

test('a refusal for good ends the mail with one final event', async () => {
  const server = await startMailServer({ recipient: () => reply(550, 'No such user') })
  const environment = await sender(server.port)
  await mail(environment, 'nobody@example.com', codeNotice('111111'))
  const [event, ...others] = await eventually(environment, 1)
  assert.equal(others.length, 0)
  const { mail_id, reply: shown, ...data } = event?.data ?? {}
  assert.match(String(shown), /^550 .*No such user$/)
  assert.deepEqual(
    [event?.type, data],
    ['mail.failed', { kind: 'sign_in_code', attempts: 1, stage: 'recipient', reason: 'rejected', final: true }],
  )
  assert.match(String(mail_id), /^eml_/)
  await until('no mail', async () => (await waiting(environment)) === 0)
})

test('a mail is given up when the code in it ends, and never sent afterwards', async () => {
  let is_open = false
  const server = await startMailServer({ decide: () => (is_open ? undefined : reply(451, 'Later')) })
  const environment = await sender(server.port)
  await mail(environment, 'ada@example.com', codeNotice('111111'))
  const all = await whileTimePasses('the last event', 3, async () => {
    const [first, last] = await events(environment)
    return last !== undefined && first !== undefined && [first, last]
  })
  assert.deepEqual(all.map(({ type, data }) => [type, data.final]), [['mail.failed', false], ['mail.failed', true]]) // biome-ignore format: a table
  assert.ok(Number(all[1]?.data.attempts) >= 2)
  is_open = true
  await until('no mail', async () => (await waiting(environment)) === 0)
  assert.deepEqual(server.received, [])
})

test('a mail whose code ended while the service did not run is not sent', async () => {
  const server = await startMailServer()
  const environment = await sender(server.port)
  await mail(environment, 'ada@example.com', codeNotice('111111', new Date(w.now().getTime())))
  const [event] = await eventually(environment, 1)
  const { mail_id: _, ...data } = event?.data ?? {}
  assert.deepEqual(
    [event?.type, data],
    ['mail.failed', { kind: 'sign_in_code', attempts: 0, stage: null, reply: null, reason: 'outlived', final: true }],
  )
  assert.deepEqual(server.received, [])
})

test('a server that breaks off after accepting gets the mail a second time with the same Message-ID, and no third time', async () => {
  const server = await startMailServer({ decide: (_mail, count) => (count === 1 ? 'drop' : undefined) })
  const environment = await sender(server.port)
  await mail(environment, 'ada@example.com', codeNotice('111111'))
  await whileTimePasses('the second copy', 5, async () => server.received.length === 2)
  await eventually(environment, 2)
  const ids = server.received.map(({ raw }) => readMessage(raw).headers.get('message-id'))
  assert.equal(ids[0], ids[1])
  w.advance(3_600)
  await mail(environment, 'grace@example.com', codeNotice('222222'))
  await until('the next mail', async () => server.received.length === 3)
})

test('the code and the recipient are sealed while the mail waits, gone afterwards, and never in events, the audit log or the log', async () => {
  let is_open = false
  const server = await startMailServer({ decide: ({ raw }) => (is_open ? undefined : reply(451, `${readMessage(raw).text}`.slice(0, 40))) })
  const environment = await sender(server.port)
  const [code, to] = ['739146', 'secret.person@example.com']
  await mail(environment, to, codeNotice(code))
  await eventually(environment, 1)
  const Stored = z.object({ text: z.string() })
  const textOf = async () =>
    JSON.stringify([
      await w.deployment.db.all(Stored, sql`select sealed as text from mails union all select payload as text from jobs`),
      await w.deployment.db.all(Stored, sql`select data as text from events where type in ('mail.sent', 'mail.failed')`),
      await w.deployment.db.all(Stored, sql`select coalesce(after_change, '') as text from audit_log`),
      w.log,
    ])
  for (const secret of [code, to, Buffer.from(code).toString('base64')]) assert.ok(!(await textOf()).includes(secret), secret)
  assert.equal(await waiting(environment), 2)
  is_open = true
  await whileTimePasses('the mail', 5, async () => server.received.length === 1)
  await until('an empty queue', async () => (await waiting(environment)) === 0)
  assert.ok(!(await textOf()).includes(code))
})

test('a mail is written with its cause or not at all', async () => {
  const server = await startMailServer()
  const environment = await sender(server.port)
  const { key } = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } }))
  const user = await w.createUser(environment)
  const stale = await w.call('PATCH', `/v1/auth/users/${user.id}`, {
    key,
    body: { password: 'staple and something else' },
    headers: { 'if-match': '"999"' },
  })
  assert.equal(stale.status, 412)
  assert.equal(await waiting(environment), 0)
  assert.deepEqual(await events(environment), [])
})

test('the settings of the moment decide: a mended server, captured instead, or given up with delivery none', async () => {
  const refusing = await startMailServer({ decide: () => reply(451, 'Later') })
  const mending = await startMailServer()
  const [mended, captured, ended] = [await sender(refusing.port), await sender(refusing.port, 'test'), await sender(refusing.port)]
  for (const environment of [mended, captured, ended]) {
    await mail(environment, 'ada@example.com', codeNotice('111111'))
    await eventually(environment, 1)
  }
  await w.changeSettings(mended, { email: { smtp: { port: mending.port, password: 'smtp password' } } })
  await w.changeSettings(captured, { email: { delivery: 'capture' } })
  await w.changeSettings(ended, { email: { delivery: 'none' } })
  await whileTimePasses(
    'the mails',
    5,
    async () => (await waiting(mended)) === 0 && (await waiting(captured)) === 0 && (await waiting(ended)) === 0,
  )
  assert.equal(mending.received.length, 1)
  const [inbox] = expectStatus(200, await w.call('GET', `${captured.path}/inbox`)).data
  assert.deepEqual([inbox.to, inbox.code], ['ada@example.com', '111111'])
  assert.deepEqual((await events(captured)).map(({ type }) => type), ['mail.failed', 'mail.sent']) // biome-ignore format: a table
  assert.equal((await events(ended)).at(-1)?.data.final, true)
})

test('a code, a link and the kind are in the inbox of a Test environment with its answer', async () => {
  const environment = (await w.createProject(`mail${++projects}`)).test
  const expires_at = minutes(60)
  const link = `${environment.issuer}/link?token=x`
  await mail(environment, 'ada@example.com', { kind: 'verify_email', code: '123456', link, expires_at, device: null }, null)
  const [captured] = expectStatus(200, await w.call('GET', `${environment.path}/inbox?to=ADA@example.com`)).data
  assert.deepEqual([captured.kind, captured.code, captured.link], ['verify_email', '123456', link])
  const look = { is_test: true, locales: undefined, primary_color: null }
  const envelope = { to: 'ada@example.com', brand: `Project mail${projects}`, support_url: null, at: new Date(captured.created_at) }
  const composed = compose({ kind: 'verify_email', code: '123456', link, expires_at, device: null }, envelope, look)
  assert.deepEqual([captured.subject, captured.text, captured.html], [composed.subject, composed.text, composed.html])
  const [event] = await events(environment)
  assert.deepEqual([event?.type, event?.data.mail_id, event?.data.attempts], ['mail.sent', captured.id, 1])
})

test('a mail server that does not answer delays no other tenant', async () => {
  const silent = await startMailServer({ onConnect: () => {} })
  const server = await startMailServer()
  const [slow, quick] = [await sender(silent.port), await sender(server.port)]
  for (let i = 0; i < 60; i++) await mail(slow, `person${i}@example.com`, codeNotice('111111'))
  await mail(quick, 'ada@example.com', codeNotice('222222'))
  await until('the mail of the other environment', async () => server.received.length === 1)
  assert.equal((await events(slow)).length, 0)
  assert.ok(silent.sockets.size <= 5)
})
