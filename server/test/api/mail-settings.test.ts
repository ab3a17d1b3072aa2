/** The settings group `email` and the test of a mail server (decision 0038). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MailFailure } from '@ostiary/contract/mail.ts'
import { mailExplanations } from '@ostiary/contract/outcome-words.ts'
import { z } from 'zod'
import { parseNetworks } from '../../src/base/networks.ts'
import { sql } from '../../src/db/db.ts'
import { createSmtp, type DeliverBySmtp } from '../../src/deployment/outbound/smtp.ts'
import { certificate, readMessage, reply, startMailServer } from '../support/mail-server.ts'
import { until } from '../support/receiver.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const loopback = parseNetworks('127.0.0.0/8')
const webhook_allowed_networks = 'networks' in loopback ? loopback.networks : []
const deliver = createSmtp(
  { base_url: 'http://localhost', webhook_allowed_networks },
  { resolve: async (name) => (name === 'unknown.test' ? [] : ['127.0.0.1']), ca: certificate.cert },
)
let last_exchange: Parameters<DeliverBySmtp>[0] | null = null
const smtp: DeliverBySmtp = (exchange) => {
  last_exchange = exchange
  return deliver(exchange)
}
const w = await world({ smtp, env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,10.0.0.0/8' } })
let projects = 0
const newEnvironment = async (type: 'test' | 'live' = 'live') => (await w.createProject(`set${++projects}`))[type]
const change = (environment: TestEnvironment, email: unknown) => w.call('PATCH', `${environment.path}/settings`, { body: { email } })
const ready = { delivery: 'smtp', from: 'Shop <shop@example.com>', smtp: { host: 'mail.example.com', username: 'shop', password: 'p' } }

// biome-ignore format: this table is read by column
const refused: [why: string, email: object, pointers: string[]][] = [
  ['smtp without a sender and a server',       { delivery: 'smtp' },                                                  ['/email/from', '/email/smtp']],
  ['smtp without a sender',                    { ...ready, from: null },                                              ['/email/from']],
  ['smtp without a server',                    { ...ready, smtp: null },                                              ['/email/smtp']],
  ['a username without a password',            { ...ready, smtp: { host: 'mail.example.com', username: 'shop' } },    ['/email/smtp/password']],
  ['two senders',                              { from: 'a@example.com, b@example.com' },                              ['/email/from']],
  ['a sender with two addresses',              { from: 'a@example.com <b@example.com>' },                             ['/email/from']],
  ['a sender without an address',              { from: 'Shop' },                                                      ['/email/from']],
  ['a sender with a bare comma',               { from: 'Shop, Inc. <a@example.com>' },                                ['/email/from']],
  ['a header in the sender',                   { from: 'Shop\r\nBcc: b@example.com <a@example.com>' },                ['/email/from']],
  ['an unknown kind of TLS',                   { smtp: { host: 'mail.example.com', tls: 'maybe' } },                  ['/email/smtp/tls']],
  ['the field of earlier versions',            { smtp: { host: 'mail.example.com', secure: true } },                  ['/email/smtp/secure']],
  ['a host with a port',                       { smtp: { host: 'mail.example.com:25' } },                             ['/email/smtp/host']],
  ['a host with a path',                       { smtp: { host: 'mail.example.com/x' } },                              ['/email/smtp/host']],
  ['a private address that is not allowed',    { smtp: { host: '192.168.1.1', port: 25 } },                           ['/email/smtp/host']],
  ['the address of a metadata service',        { smtp: { host: '169.254.169.254', port: 25 } },                       ['/email/smtp/host']],
  ['a private address in another spelling',    { smtp: { host: '3232235777', port: 25 } },                            ['/email/smtp/host']],
  ['a private IPv6 address',                   { smtp: { host: 'fd00::1', port: 25 } },                               ['/email/smtp/host']],
  ['a public address without TLS',             { smtp: { host: '8.8.8.8', port: 25, tls: 'none' } },                  ['/email/smtp/tls']],
  ['a public address at another port',         { smtp: { host: '8.8.8.8', port: 6379 } },                             ['/email/smtp/port']],
]
for (const [why, email, pointers] of refused)
  test(`${why} is 422 and changes nothing`, async () => {
    const { status, body } = await change(w.live, email)
    assert.deepEqual([status, body.errors?.map(({ pointer }: { pointer: string }) => pointer)], [422, pointers])
    assert.deepEqual(expectStatus(200, await w.call('GET', `${w.live.path}/settings`)).email, { delivery: 'none', from: null, smtp: null })
  })

// biome-ignore format: this table is read by column
const accepted: [why: string, email: object][] = [
  ['a sender with a name',                     ready],
  ['a sender without a name',                  { ...ready, from: 'shop@example.com' }],
  ['a sender with a quoted name',              { ...ready, from: '"Shop, Inc." <shop@example.com>' }],
  ['a sender of another script',               { ...ready, from: 'Söhne <läden@müller.example>' }],
  ['a server without authentication',          { ...ready, smtp: { host: 'mail.example.com' } }],
  ['an allowed address without TLS at another port', { ...ready, smtp: { host: '10.1.2.3', port: 1025, tls: 'none' } }],
  ['a name without TLS, which is judged later', { ...ready, smtp: { host: 'mail.internal', tls: 'none' } }],
  ['an IPv6 address',                          { ...ready, smtp: { host: '2606:4700::1', port: 465, tls: 'implicit' } }],
]
for (const [why, email] of accepted)
  test(`${why} is accepted in Test and Live, and shown without the password`, async () => {
    for (const type of ['test', 'live'] as const) {
      const shown = expectStatus(200, await change(await newEnvironment(type), email)).email
      const { password = null, ...sent } = (email as typeof ready).smtp as { password?: string } // as: a row of the table
      assert.deepEqual(shown.smtp, { port: 587, username: null, tls: 'starttls', ...sent, has_password: password !== null })
    }
  })

test('the defaults are port 587 and STARTTLS', async () => {
  const { smtp: shown } = expectStatus(200, await change(await newEnvironment(), { smtp: { host: 'mail.example.com' } })).email
  assert.deepEqual(shown, { host: 'mail.example.com', port: 587, username: null, tls: 'starttls', has_password: false })
})

// biome-ignore format: this table is read by column
const elsewhere: [change: object, needs_password: boolean][] = [
  [{ host: 'mail.attacker.example' },           true],
  [{ port: 465 },                               true],
  [{ tls: 'none' },                             true],
  [{ tls: 'implicit' },                         false],
  [{ username: 'other' },                       false],
  [{ host: 'MAIL.example.com' },                false],
]
for (const [smtp_change, needs_password] of elsewhere)
  test(`${JSON.stringify(smtp_change)} ${needs_password ? 'needs' : 'does not need'} the password again`, async () => {
    const environment = await newEnvironment()
    expectStatus(200, await change(environment, ready))
    const { status, body } = await change(environment, { smtp: smtp_change })
    assert.equal(status, needs_password ? 422 : 200)
    if (needs_password) assert.deepEqual(body.errors.map(({ pointer }: { pointer: string }) => pointer), ['/email/smtp/password']) // biome-ignore format: one assertion
    expectStatus(200, await change(environment, { smtp: { ...smtp_change, password: 'again' } }))
  })

const testMail = (environment: TestEnvironment, to = 'ada@example.com') =>
  w.call('POST', `${environment.path}/settings/email/test`, { body: { to } })
async function senderAt(port: number, more: object = {}) {
  const environment = await newEnvironment()
  expectStatus(
    200,
    await change(environment, { ...ready, smtp: { host: 'mail.test', port, username: 'shop', password: 'smtp password', ...more } }),
  )
  return environment
}
const eventsOf = (environment: TestEnvironment, type: string) =>
  until('an event', async () => {
    const { data } = expectStatus(200, await w.call('GET', `${environment.path}/events?type=${type}`))
    return data.length > 0 && data
  })

test('a test mail is delivered at once, and reported with the last reply and an event', async () => {
  const server = await startMailServer({ decide: () => 'queued as 4F2' })
  const environment = await senderAt(server.port)
  const tested = expectStatus(200, await testMail(environment, 'däisy@müller.example'))
  assert.deepEqual(tested, { accepted: true, stage: 'data', reply: tested.reply, reason: null, detail: null })
  assert.match(tested.reply, /^250 .*queued as 4F2$/)
  assert.match(readMessage(server.received[0]?.raw ?? '').text, /works/)
  const [event] = await eventsOf(environment, 'mail.sent')
  const { mail_id, ...data } = event.data
  assert.match(mail_id, /^eml_/)
  assert.deepEqual(data, { kind: 'test', attempts: 1 })
})

// biome-ignore format: this table is read by column
const failures: [what: string, options: Parameters<typeof startMailServer>[0], smtp: object, expected: { accepted: boolean; stage: string; reply: string | null }, reason: MailFailure, to?: string][] = [
  ['an unknown name',          {},                                             { host: 'unknown.test' }, { accepted: false, stage: 'dns', reply: null }, 'dns'],
  ['a closed port',            {},                                             { port: 1 },              { accepted: false, stage: 'connect', reply: null }, 'refused'],
  ['a certificate of another name', {},                                        { host: 'other.test' },   { accepted: false, stage: 'tls', reply: null }, 'tls'],
  ['wrong credentials',        { onAuth: (_auth, _session, done) => done(reply(535, 'No')) }, {},        { accepted: false, stage: 'auth', reply: '535 No' }, 'auth'],
  ['an unknown recipient',     { recipient: () => reply(550, 'No such user') }, {},                      { accepted: false, stage: 'recipient', reply: '550 No such user' }, 'rejected'],
  ['a refused message',        { decide: () => reply(554, 'Spam') },           {},                       { accepted: false, stage: 'data', reply: '554 Spam' }, 'rejected'],
  ['a missing SMTPUTF8',       { hideSMTPUTF8: true },                         {},                       { accepted: false, stage: 'recipient', reply: null }, 'no_smtputf8', 'däisy@example.com'],
]
for (const [what, options, smtp_change, expected, reason, to] of failures)
  test(`the test of a mail server shows ${what} with its stage, and the event is final and names the reason`, async () => {
    const server = await startMailServer({ hideENHANCEDSTATUSCODES: true, ...options })
    const environment = await senderAt(server.port, smtp_change)
    const tested = expectStatus(200, await testMail(environment, to))
    assert.deepEqual(tested, { ...expected, reason, detail: mailExplanations[reason] })
    const [event] = await eventsOf(environment, 'mail.failed')
    const { mail_id: _, ...data } = event.data
    const { accepted: __, ...shown } = expected
    assert.deepEqual(data, { kind: 'test', attempts: 1, ...shown, reason, final: true })
  })

test('the test gives up within 10 seconds, whatever the server does', async () => {
  const server = await startMailServer()
  expectStatus(200, await testMail(await senderAt(server.port)))
  assert.ok(last_exchange && last_exchange.reply_timeout_ms < 10_000 && last_exchange.signal)
})

test('the refusal of a sender whose name has a comma says to put it in quotes, and that of two senders does not', async () => {
  const messageOf = async (from: string) => (await change(w.live, { from })).body.errors[0].detail
  assert.match(
    await messageOf('Shop, Inc. <a@example.com>'),
    /Put a name with a comma .* in double quotes: "Acme, Inc\." <id@example\.com>\./,
  )
  assert.doesNotMatch(await messageOf('a@example.com, b@example.com'), /quotes/)
})

test('the test is 409 without mail, and captured in a Test environment that captures', async () => {
  const { status, body } = await testMail(await newEnvironment())
  assert.deepEqual([status, body.code], [409, 'mail_not_set_up'])
  const environment = await newEnvironment('test')
  assert.deepEqual(expectStatus(200, await testMail(environment)), {
    accepted: true,
    stage: 'data',
    reply: null,
    reason: null,
    detail: null,
  })
  const [mail] = expectStatus(200, await w.call('GET', `${environment.path}/inbox`)).data
  assert.deepEqual([mail.kind, mail.to, mail.code, mail.link], ['test', 'ada@example.com', null, null])
})

test('an environment has ten tests an hour, however many come at once; a refused one sends nothing', async () => {
  const [environment, other] = [await newEnvironment('test'), await newEnvironment('test')]
  const replies = await Promise.all(Array.from({ length: 50 }, () => testMail(environment)))
  const statuses = replies.map(({ status }) => status)
  assert.deepEqual([statuses.filter((status) => status === 200).length, statuses.filter((status) => status === 429).length], [10, 40])
  const limited = replies.find(({ status }) => status === 429)
  assert.equal(limited?.body.code, 'rate_limited')
  assert.ok(Number(limited?.headers.get('retry-after')) > 3_500)
  assert.equal(expectStatus(200, await w.call('GET', `${environment.path}/inbox?limit=100`)).data.length, 10)
  expectStatus(200, await testMail(other))
  w.advance(3_601)
  expectStatus(200, await testMail(environment))
})

for (const to of [
  '',
  'ada',
  'ada@example.com, eve@example.com',
  'Ada <ada@example.com>',
  'ada@example.com\r\nBcc: eve@example.com',
  'ada@[127.0.0.1]',
  '@example.com',
])
  test(`a test to ${JSON.stringify(to)} is 422`, async () => {
    const { status, body } = await testMail(w.test, to)
    assert.deepEqual([status, body.errors[0].pointer], [422, '/to'])
  })

test('the recipient of a test is neither in the audit log, nor in the events, nor in the log', async () => {
  const server = await startMailServer({ recipient: () => reply(450, 'Later') })
  for (const environment of [await newEnvironment('test'), await senderAt(server.port)])
    expectStatus(200, await testMail(environment, 'secret.person@example.com'))
  const Text = z.object({ text: z.string() })
  const { db } = w.deployment
  const written = [
    ...(await db.all(Text, sql`select coalesce(after_change, '') as text from audit_log where action = 'testMail'`)),
    ...(await db.all(Text, sql`select data as text from events where type in ('mail.sent', 'mail.failed')`)),
  ]
  assert.ok(written.length >= 4)
  assert.ok(!JSON.stringify([written, w.log]).includes('secret.person'))
})
