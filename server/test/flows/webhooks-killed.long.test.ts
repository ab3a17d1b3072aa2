import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Webhook as Verifier } from 'standardwebhooks'
import { readConfig } from '../../src/base/config/config.ts'
import { createPasswords } from '../../src/domain/users/password.ts'
import { openDeployment } from '../../src/main.ts'
import { createFirstTenant } from '../../src/setup/first-tenant.ts'
import { freePort } from '../support/free-port.ts'
import { startReceiver, until } from '../support/receiver.ts'
import { owner } from '../support/world.ts'

const events = 1_000
const data_dir = mkdtempSync(join(tmpdir(), 'ostiary-killed-'))
const port = await freePort()
const base_url = `http://localhost:${port}`

async function bootstrap(): Promise<string> {
  const config = readConfig({ OSTIARY_DATA_DIR: data_dir, OSTIARY_PORT: String(port), OSTIARY_LOG_LEVEL: 'silent' })
  assert.ok(!Array.isArray(config))
  const deployment = await openDeployment(config)
  const { key } = await createFirstTenant(deployment, createPasswords(), { ...owner, tenant_name: 'Acme', slug: 'acme' })
  await deployment.db.close()
  return key
}

let service: ChildProcess | null = null
let ahead_seconds = 0

async function start(): Promise<void> {
  service = fork(join(import.meta.dirname, '../support/service-process.ts'), [data_dir, String(port)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  service.send({ ahead_seconds })
  await once(service, 'message')
}

async function kill(): Promise<void> {
  const dying = service
  if (!dying || dying.exitCode !== null) return
  dying.kill('SIGKILL')
  await once(dying, 'exit')
}

after(async () => {
  await kill()
  rmSync(data_dir, { recursive: true, force: true })
})

test('1,000 events arrive despite refusals, an outage of the receiver and two kills of the service, and first attempts are in order', async () => {
  const key = await bootstrap()
  await start()
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(base_url + path, {
      method,
      headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (response.status >= 300) throw new Error(`${response.status} ${await response.text()}`)
    return (await response.json()) as any // bodies of every shape
  }

  let is_down = false
  const seen = new Set<string>()
  const first_seen: number[] = []
  let verified = 0
  const receiver = await startReceiver(({ headers, body }) => {
    // Only while the service has the right time: the library refuses timestamps of the future.
    if (ahead_seconds === 0) {
      new Verifier(webhook.secret).verify(body, headers as Record<string, string>)
      verified++
    }
    const { sequence } = JSON.parse(body)
    const is_first = !seen.has(String(headers['webhook-id']))
    if (is_first) first_seen.push(sequence)
    seen.add(String(headers['webhook-id']))
    return { status: is_down || (is_first && sequence % 2 === 0) ? 503 : 200 }
  })
  const accepted = new Map<string, number>()

  const project = await call('POST', '/v1/platform/projects', { slug: 'shop', name: 'Shop' })
  const { data } = await call('GET', `/v1/platform/projects/${project.id}/environments`)
  const environment = `/v1/platform/projects/${project.id}/environments/${data.find(({ type }: { type: string }) => type === 'test').id}`
  const application = await call('POST', `${environment}/applications`, {
    name: 'First',
    application_type: 'spa',
    redirect_uris: ['https://app.example.com/'],
  })
  const webhook = await call('POST', `${environment}/webhooks`, { url: receiver.url, events: ['application.updated'] })

  const at_once = 10
  for (let i = 0; i < events; i += at_once) {
    if (i === 300 || i === 700) {
      await kill()
      await start()
    }
    is_down = i > 450 && i < 600
    const names = Array.from({ length: at_once }, (_, n) => `Name ${i + n}`)
    await Promise.all(names.map((name) => call('PATCH', `${environment}/applications/${application.id}`, { name })))
  }
  is_down = false

  const waiting = async () => (await call('GET', `${environment}/webhooks/${webhook.id}/deliveries?status=waiting&limit=1`)).data.length
  await until('nothing pending', async () => {
    ahead_seconds += 60
    service?.send({ ahead_seconds })
    return seen.size >= events && (await waiting()) === 0
  })

  for (const { headers, body } of receiver.received) accepted.set(String(headers['webhook-id']), JSON.parse(body).sequence)
  const sequences = [...new Set(accepted.values())].sort((a, b) => a - b)
  assert.equal(accepted.size, events, 'every message has one id')
  assert.equal(sequences.length, events)
  assert.equal((sequences.at(-1) ?? 0) - (sequences[0] ?? 0), events - 1, 'no sequence is missing')
  assert.deepEqual(
    first_seen,
    [...first_seen].sort((a, b) => a - b),
    'first attempts are in order',
  )
  assert.ok(verified > 0, 'signatures were verified')
  const given_up = (await call('GET', `${environment}/webhooks/${webhook.id}/deliveries?status=given_up`)).data
  assert.deepEqual(given_up, [])
})
