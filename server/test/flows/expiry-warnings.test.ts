/** Warnings before something ends: each once, over a moved clock, restarts and two processes (decision 0189). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { readCertificates } from '../../src/domain/expiry/certificates.ts'
import { mailWarnings } from '../../src/domain/expiry/mails.ts'
import { countExpiring } from '../../src/domain/expiry/sources.ts'
import { warnOfEnds } from '../../src/domain/expiry/warnings.ts'
import { findRoot } from '../../src/setup/root.ts'
import { administratorToken } from '../support/administrator.ts'
import { readMessage, startMailServer } from '../support/mail-server.ts'
import { until } from '../support/receiver.ts'
import { createPlatformKey } from '../support/tenants.ts'
import { expectStatus, owner, type TestEnvironment, world } from '../support/world.ts'

const server = await startMailServer({ disabledCommands: ['STARTTLS'] })
const w = await world({ resolve: async () => ['127.0.0.1'], env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' } })
const { db } = w.deployment
const root = (await findRoot(db)) ?? assert.fail('There is no root environment.')
const day = 86_400
const later = (seconds: number) => new Date(w.now().getTime() + seconds * 1000).toISOString()

/** As the worker does in each process. */
const work = (deployment = w.deployment) => warnOfEnds(deployment, root, () => false)

const Raised = z.object({ type: z.string(), application_id: z.string().nullable(), data: z.record(z.string(), z.unknown()) })
const raised = ({ id }: TestEnvironment) =>
  db.all(Raised, sql`select type, application_id, data from events where environment_id = ${id} and type like '%expiring' order by id`)
const stagesOf = async (environment: TestEnvironment) => (await raised(environment)).map(({ data }) => data.days)

async function withSecret(slug: string, seconds: number) {
  const { live: environment } = await w.createProject(slug)
  const application = await w.createApplication(environment)
  const secrets = `${environment.path}/applications/${application.id}/secrets`
  const secret = expectStatus(201, await w.call('POST', secrets, { body: { expires_at: later(seconds) } }))
  return { environment, application, secret }
}

test('a client secret, a key and a secret of a provider are warned of at 30, 7 and 1 days, once each', async () => {
  const { environment, application, secret } = await withSecret('stages', 31 * day)
  const expires_at = secret.expires_at
  const key = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret', expires_at } }))
  const body = { type: 'github', client_id: 'ours', client_secret: 'theirs', secret_expires_at: expires_at }
  const provider = expectStatus(201, await w.call('POST', `${environment.path}/providers`, { body }))
  assert.equal(provider.secret_expires_at, expires_at)
  const forever = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } }))
  assert.equal(forever.expires_at, null)

  await work()
  assert.deepEqual(await raised(environment), [])
  const of = (days: number) => [
    { type: 'application.secret_expiring', application_id: application.id, data: { client_secret_id: secret.id, expires_at, days } },
    { type: 'auth_key.expiring', application_id: null, data: { key_id: key.id, expires_at, days } },
    { type: 'provider.secret_expiring', application_id: null, data: { provider_id: provider.id, expires_at, days } },
  ]
  const expected: ReturnType<typeof of> = []
  for (const [days, forward] of [
    [30, 1],
    [7, 23],
    [1, 6],
  ] as const) {
    w.advance(forward * day)
    for (let times = 0; times < 3; times++) await work()
    expected.push(...of(days))
    assert.deepEqual((await raised(environment)).toSorted(byDays), expected)
    w.advance(3_600)
    await work()
    assert.equal((await raised(environment)).length, expected.length)
  }
  w.advance(2 * day)
  await work()
  assert.equal((await raised(environment)).length, 9)
})

const byDays = (one: z.infer<typeof Raised>, other: z.infer<typeof Raised>) =>
  Number(other.data.days) - Number(one.data.days) || (one.type < other.type ? -1 : 1)

test('what begins inside a stage gets the nearest warning alone, and another time begins again', async () => {
  const { live: environment } = await w.createProject('nearest')
  const keys = `${environment.path}/auth-keys`
  const key = expectStatus(201, await w.call('POST', keys, { body: { type: 'auth_secret', expires_at: later(5 * day) } }))
  await work()
  assert.deepEqual(await stagesOf(environment), [7])
  expectStatus(200, await w.call('PATCH', `${keys}/${key.id}`, { body: { expires_at: later(20 * day) } }))
  await work()
  assert.deepEqual(await stagesOf(environment), [7, 30])
  w.advance(19.5 * day)
  await work()
  assert.deepEqual(await stagesOf(environment), [7, 30, 1])
  expectStatus(200, await w.call('PATCH', `${keys}/${key.id}`, { body: { expires_at: null } }))
  w.advance(day)
  await work()
  assert.deepEqual(await stagesOf(environment), [7, 30, 1])
})

test('a revoked key and a deleted secret are not warned of', async () => {
  const { environment, application, secret } = await withSecret('ended', 20 * day)
  const keys = `${environment.path}/auth-keys`
  const key = expectStatus(201, await w.call('POST', keys, { body: { type: 'auth_secret', expires_at: later(20 * day) } }))
  expectStatus(204, await w.call('DELETE', `${keys}/${key.id}`))
  expectStatus(204, await w.call('DELETE', `${environment.path}/applications/${application.id}/secrets/${secret.id}`))
  await work()
  assert.deepEqual(await raised(environment), [])
})

test('ten workers at once, and a service that starts again, warn once', async () => {
  const { environment } = await withSecret('workers', 20 * day)
  await Promise.all(Array.from({ length: 10 }, () => work()))
  assert.deepEqual(await stagesOf(environment), [30])
  if (db.engine === 'postgres') {
    const { service } = await w.startAnotherService()
    w.advance(15 * day)
    await Promise.all(Array.from({ length: 10 }, (_, i) => work(i % 2 === 0 ? w.deployment : service.deployment)))
    assert.deepEqual(await stagesOf(environment), [30, 7])
    return
  }
  w.advance(15 * day)
  await Promise.all(Array.from({ length: 10 }, () => work()))
  assert.deepEqual(await stagesOf(environment), [30, 7])
})

test('owners and admins get one mail a day with all warnings, also of platform keys, and nobody a second one', async () => {
  const email = { delivery: 'smtp', from: 'Ostiary <ostiary@example.com>', smtp: { host: 'mail.test', port: server.port, tls: 'none' } }
  await db.run(
    sql`update environments set settings = ${{ email }}, settings_version = settings_version + 1 where id = ${root.environment_id}`,
  )
  await db.run(sql`delete from expiry_warnings`)
  const token = await administratorToken(w, owner)
  const platform = await createPlatformKey(w, { tenant_id: w.tenant_id, token }, { label: 'Pipeline', expires_at: later(20 * day) })
  const { application } = await withSecret('mailed', 20 * day)
  await work()
  const mail = () => mailWarnings(w.deployment, root.environment_id, () => false)
  await mail()
  assert.equal(server.received.length, 0, 'not before every process has written its warnings')
  w.advance(11 * 60)
  await Promise.all(Array.from({ length: 5 }, () => mail()))
  await mail()
  await until('the mail of the day', () => server.received.length > 0)
  w.advance(14 * day)
  await work()
  w.advance(11 * 60)
  await mail()
  await until('the mail of the other day', () => server.received.length > 1)
  await mail()
  const texts = server.received.map(({ to, raw }) => ({ to, text: readMessage(raw).text }))
  assert.deepEqual(
    texts.map(({ to }) => to),
    [[owner.email], [owner.email]],
  )
  for (const { text } of texts)
    for (const words of ['The platform key Pipeline', `of the application ${application.name}`]) assert.ok(text.includes(words), text)
  assert.ok(platform.id)
})

test('a mail has the 100 things that end first, and says that there are more', async () => {
  await db.run(sql`delete from expiry_warnings`)
  await db.run(sql`delete from expiry_mails`)
  const at = w.now()
  const { live: environment } = await w.createProject('very-many')
  const warn = async (from: number, count: number) => {
    for (let n = from; n < from + count; n++)
      await db.run(sql`insert into expiry_warnings (environment_id, object_id, tenant_id, kind, name, days, expires_at, warned_at)
        values (${environment.id}, ${`key_${n}`}, ${w.tenant_id}, 'auth_key', ${`Key-${n}`}, 30, ${new Date(at.getTime() + (20 * day + n) * 1000)}, ${w.now()})`)
  }
  const textOf = async (count: number): Promise<string> => {
    const before = server.received.length
    await warn(count - 1, 1)
    w.advance(11 * 60)
    await mailWarnings(w.deployment, root.environment_id, () => false)
    await until('the mail', () => server.received.length > before)
    return readMessage(server.received.at(-1)?.raw ?? '').text
  }
  await warn(0, 99)
  assert.doesNotMatch(await textOf(100), /More of them end soon/)
  await db.run(sql`delete from expiry_mails`)
  const text = await textOf(101)
  assert.match(text, /More of them end soon/)
  assert.ok(text.includes('Key-99') && !text.includes('Key-100'))
})

test('the certificate of an issuer host is read once a day, and warned of by mail alone', async () => {
  const ends = new Date(w.now().getTime() + 20 * day * 1000)
  const asked: string[] = []
  const answer = { status: 200, headers: {}, body: Buffer.alloc(0), certificate_ends_at: ends }
  const outbound: typeof w.deployment.outbound = async ({ url }) => {
    asked.push(url)
    return answer
  }
  const { live: environment } = await w.createProject('own-host')
  const issuer = 'https://login.own.example'
  await db.run(sql`update environments set issuer = ${issuer} where id = ${environment.id}`)
  await db.run(sql`insert into issuer_origins (issuer, environment_id, created_at) values (${issuer}, ${environment.id}, ${w.now()})`)
  const read = () => readCertificates({ ...w.deployment, outbound }, () => false)
  await Promise.all([read(), read(), read()])
  await read()
  assert.deepEqual(
    asked.filter((url) => url.startsWith(issuer)),
    [`${issuer}/.well-known/openid-configuration`],
  )
  await work()
  assert.deepEqual(await raised(environment), [])
  const Warning = z.object({ kind: z.string(), tenant_id: z.string(), days: z.int() })
  assert.deepEqual(await db.all(Warning, sql`select kind, tenant_id, days from expiry_warnings where object_id = ${environment.id}`), [
    { kind: 'certificate', tenant_id: root.tenant_id, days: 30 },
  ])
  w.advance(day)
  await read()
  assert.equal(asked.filter((url) => url.startsWith(issuer)).length, 2)
})

test('the metric counts what ends within the days of each stage', async () => {
  const before = await Promise.all(([1, 7, 30] as const).map((days) => countExpiring(db, 'client_secret', days, w.now())))
  await withSecret('counted', 5 * day)
  const after = await Promise.all(([1, 7, 30] as const).map((days) => countExpiring(db, 'client_secret', days, w.now())))
  assert.deepEqual(
    after.map((count, i) => count - (before[i] ?? 0)),
    [0, 1, 1],
  )
})

test('readiness names what ends first, with the address of it', async () => {
  const { environment, application, secret } = await withSecret('ready', 5 * day)
  const check = async () => {
    const { checks } = expectStatus(200, await w.call('GET', `${environment.path}/readiness`))
    return checks.find(({ code }: { code: string }) => code === 'nothing_ends_soon')
  }
  const found = await check()
  assert.deepEqual(
    [found.ok, found.level, new URL(found.link).pathname],
    [false, 'recommended', `${environment.path}/applications/${application.id}/secrets/${secret.id}`],
  )
  expectStatus(204, await w.call('DELETE', new URL(found.link).pathname))
  assert.equal((await check()).ok, true)
})

// biome-ignore format: this table is read by column
const times: { rule: string; secret_expires_at: unknown; status: number; stored?: string }[] = [
  { rule: 'a time in the future',              secret_expires_at: '2126-12-01T00:00:00Z',      status: 200, stored: '2126-12-01T00:00:00.000Z' },
  { rule: 'a time with an offset, as UTC',     secret_expires_at: '2126-12-01T01:00:00+01:00', status: 200, stored: '2126-12-01T00:00:00.000Z' },
  { rule: 'a time in the past',                secret_expires_at: '2020-01-01T00:00:00Z',      status: 422 },
  { rule: 'a day without a time',              secret_expires_at: '2126-12-01',                status: 422 },
  { rule: 'a number',                          secret_expires_at: 1_800_000_000,               status: 422 },
]
for (const { rule, secret_expires_at, status, stored } of times)
  test(`secret_expires_at of a provider: ${rule} is ${status}`, async () => {
    const providers = `${w.test.path}/providers`
    const { id } = expectStatus(
      201,
      await w.call('POST', providers, { body: { type: 'github', client_id: 'ours', client_secret: 'theirs' } }),
    )
    const reply = await w.call('PATCH', `${providers}/${id}`, { body: { secret_expires_at } })
    assert.equal(reply.status, status)
    if (stored) assert.equal(expectStatus(200, await w.call('GET', `${providers}/${id}`)).secret_expires_at, stored)
    else assert.equal(reply.body.errors[0].pointer, '/secret_expires_at')
  })

test('the issuers whose certificates were read longest ago are read first', async () => {
  const asked: string[] = []
  const outbound: typeof w.deployment.outbound = async ({ url }) => {
    asked.push(new URL(url).host)
    return { status: 200, headers: {}, body: Buffer.alloc(0) }
  }
  const read = () => readCertificates({ ...w.deployment, outbound }, () => false)
  for (let n = 0; n < 22; n++) {
    const { live: environment } = await w.createProject(`issuer-${n}`)
    const issuer = `https://${String(n).padStart(2, '0')}.issuers.example`
    await db.run(sql`update environments set issuer = ${issuer} where id = ${environment.id}`)
    await db.run(sql`insert into issuer_origins (issuer, environment_id, created_at) values (${issuer}, ${environment.id}, ${w.now()})`)
  }
  w.advance(2 * day)
  await read()
  assert.equal(asked.length, 20)
  const first = asked.splice(0)
  w.advance(2 * day)
  await read()
  const left = [...Array(22).keys()].map((n) => `${String(n).padStart(2, '0')}.issuers.example`).filter((host) => !first.includes(host))
  assert.ok(left.length > 0 && left.every((host) => asked.includes(host)), `${left} were not read`)
})
