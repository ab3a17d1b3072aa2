/** Each metric moves by the event that it counts, its labels come from closed sets, and docs/metrics.md names it. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { authorizationRequest, createAgent, createPerson, exchange, refresh } from '../support/cookie-browser.ts'
import { freePort } from '../support/free-port.ts'
import { createHeldPasswords } from '../support/held-passwords.ts'
import { citus_nodes } from '../support/postgres.ts'
import { startReceiver, until } from '../support/receiver.ts'
import { insertWebhooks } from '../support/webhooks.ts'
import { type World, world } from '../support/world.ts'

const metrics_port = await freePort()
const held = createHeldPasswords()
const w = await world({
  passwords: held.passwords,
  env: { OSTIARY_METRICS_PORT: String(metrics_port), OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1' },
})
const on_linux = process.platform === 'linux'
const on_postgres = w.deployment.db.engine === 'postgres'

const scrape = async () => (await fetch(`http://127.0.0.1:${metrics_port}/metrics`)).text()

/** The value of a sample such as `name{label="value"}`; 0 if there is none. */
function valueIn(text: string, sample: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${sample} `))
  return Number(line?.slice(sample.length) ?? 0)
}
const sampled = async (sample: string) => valueIn(await scrape(), sample)

const client = await w.createApplication(w.test)
const person = await createPerson(w, w.test)

async function guess(at: World, email: string) {
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(at.test, client).url)
  return agent.submit(page, { email, password: 'wrong' })
}

const events: { sample: string; by?: number; when: string; happens: () => Promise<unknown> }[] = [
  {
    sample: 'ostiary_sign_ins_total{method="password",outcome="succeeded"}',
    when: 'a person signs in',
    happens: async () => (await createPerson(w, w.test)).code(client),
  },
  {
    sample: 'ostiary_sign_ins_total{method="password",outcome="failed"}',
    when: 'a password is wrong',
    happens: () => guess(w, person.email),
  },
  {
    sample: 'ostiary_tokens_issued_total{grant_type="authorization_code"}',
    when: 'a code is exchanged',
    happens: () => person.tokens(client),
  },
  {
    sample: 'ostiary_tokens_issued_total{grant_type="refresh_token"}',
    when: 'a refresh token is exchanged',
    happens: async () => refresh(w, w.test, client, (await person.tokens(client)).refresh_token),
  },
  {
    sample: 'ostiary_refusals_total{code="unauthenticated"}',
    when: 'a call has no credential',
    happens: () => w.call('GET', '/v1/platform/projects', { key: null }),
  },
  {
    sample: 'ostiary_refusals_total{code="not_found"}',
    when: 'an object does not exist',
    happens: () => w.call('GET', `${w.test.path}/applications/app_01arz3ndektsv4rrffq69g5fav`),
  },
  {
    sample: 'ostiary_refusals_total{code="validation_failed"}',
    when: 'a field is wrong',
    happens: () => w.call('POST', '/v1/platform/projects', { body: { slug: 'A' } }),
  },
  {
    sample: 'ostiary_refusals_total{code="invalid_client"}',
    when: 'a client has the wrong secret',
    happens: async () => {
      const { request, code } = await person.code(client)
      await exchange(w, w.test, { ...client, client_secret: 'wrong' }, { request, code })
    },
  },
  {
    sample: 'ostiary_refusals_total{code="login_required"}',
    when: 'a redirect tells the client an error',
    happens: () => createAgent().get(authorizationRequest(w.test, client, { prompt: 'none' }).url),
  },
]
for (const { sample, by = 1, when, happens } of events)
  test(`${sample} counts when ${when}`, async () => {
    const before = await sampled(sample)
    await happens()
    assert.equal(await sampled(sample), before + by)
  })

test('a sign-in that is refused after too many attempts counts as limited', async () => {
  const { email } = await w.createUser(w.test)
  const limited = 'ostiary_sign_ins_total{method="password",outcome="limited"}'
  const before = await sampled(limited)
  await until('the account is locked', async () => (await guess(w, email)) && (await sampled(limited)) > before)
})

for (const [outcome, status] of [
  ['succeeded', 204],
  ['failed', 500],
] as const) {
  test(`a webhook whose receiver answers ${status} counts as ${outcome}`, async () => {
    const sample = `ostiary_deliveries_total{kind="webhook",outcome="${outcome}"}`
    const before = await sampled(sample)
    const { url } = await startReceiver(() => ({ status }))
    const [webhook] = await insertWebhooks(w, w.test, [url])
    await w.call('POST', `${w.test.path}/webhooks/${webhook?.id}/test`)
    await until('the attempt is counted', async () => (await sampled(sample)) > before)
    assert.equal(await sampled(sample), before + 1)
  })

  test(`a back-channel logout whose receiver answers ${status} counts as ${outcome}`, async () => {
    const sample = `ostiary_deliveries_total{kind="backchannel_logout",outcome="${outcome}"}`
    const before = await sampled(sample)
    const { url } = await startReceiver(() => ({ status }))
    const { id_token, agent } = await signInTo(await w.createApplication(w.test, { backchannel_logout_uri: url }))
    await agent.get(`${w.test.issuer}/oauth/logout?${new URLSearchParams({ id_token_hint: id_token })}`)
    await until('the attempt is counted', async () => (await sampled(sample)) > before)
    assert.equal(await sampled(sample), before + 1)
  })
}

async function signInTo(application: Awaited<ReturnType<World['createApplication']>>) {
  const { agent, tokens } = await createPerson(w, w.test)
  return { ...(await tokens(application)), agent }
}

test('the queue shows the jobs that are due behind a slow receiver, and how long the oldest waits', async () => {
  const [due, age] = ['ostiary_queue_due_jobs{kind="webhook"}', 'ostiary_queue_oldest_job_age_seconds{kind="webhook"}']
  let answer = () => {}
  const answers = new Promise<{ status: number }>((resolve) => {
    answer = () => resolve({ status: 204 })
  })
  const { url, received } = await startReceiver(() => answers)
  const [webhook] = await insertWebhooks(w, w.test, [url])
  for (let i = 0; i < 3; i++) await w.call('POST', `${w.test.path}/webhooks/${webhook?.id}/test`)
  await until('the first is being delivered, and the others wait', async () => received.length === 1 && (await sampled(due)) === 2)
  w.advance(10)
  assert.ok((await sampled(age)) >= 10)
  answer()
  await until('the queue is empty', async () => (await sampled(due)) === 0)
  assert.equal(await sampled(age), 0)
})

test('the queue of password hashes shows what runs and waits, and counts what it refuses', async () => {
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(w.live, await w.createApplication(w.live)).url)
  const shown = async () => {
    const text = await scrape()
    return ['running', 'waiting', 'refused_total{reason="busy"}'].map((name) => valueIn(text, `ostiary_password_hashes_${name}`))
  }
  assert.deepEqual(await shown(), [0, 0, 0])
  await held.whileFull(async () => {
    assert.equal((await agent.submit(page, { email: 'unknown@example.com', password: 'wrong' })).status, 503)
    assert.deepEqual(await shown(), [1, 1, 1])
  })
  assert.deepEqual(await shown(), [0, 0, 1])
})

/** Six for each of: what the coordinator answers alone, what needs every node, and for each worker what is sent there and what is passed on. */
const most_open = citus_nodes.length === 0 ? 6 : 6 * (2 + 2 * (citus_nodes.length - 1))

test('the connections to PostgreSQL show what they do', { skip: !on_postgres && 'SQLite has no connections' }, async () => {
  const { db } = w.deployment
  const reads = Array.from({ length: 20 }, () => db.runs(0))
  const busy = db.load?.() ?? assert.fail()
  assert.ok(busy.in_use >= 1 && busy.in_use <= busy.open && busy.open <= most_open, JSON.stringify(busy))
  assert.ok(busy.waiting >= 20 - busy.in_use, JSON.stringify(busy)) // background work reads too
  await Promise.all(reads)
  const text = await scrape()
  const [in_use, idle] = ['in_use', 'idle'].map((state) => valueIn(text, `ostiary_database_connections{state="${state}"}`))
  assert.ok((in_use ?? 0) + (idle ?? 0) >= 1)
  assert.match(text, /^ostiary_database_batches_waiting \d+$/m)
})

test('no label has a value from a request, and no id', async () => {
  const canary = 'canary7'
  const send = (path: string, init?: RequestInit) => fetch(w.reach(`${w.base_url}${path}`), { redirect: 'manual', ...init })
  const form = { 'content-type': 'application/x-www-form-urlencoded', authorization: `Basic ${btoa(`${canary}:${canary}`)}` }
  const { pathname } = new URL(w.test.issuer)
  await send(`/${canary}`)
  await send(`/e/${canary}/oauth/authorize`)
  await send('/v1/platform/projects', { headers: { 'x-api-key': canary, 'user-agent': canary, origin: `https://${canary}.test` } })
  await send(`/v1/platform/projects/${canary}`, { headers: { 'x-api-key': w.key } })
  await send(`${pathname}/oauth/authorize?client_id=${canary}&scope=${canary}&error=${canary}`)
  await send(authorizationRequest(w.test, client, { scope: canary, prompt: canary }).url.replace(w.base_url, ''))
  await send(`${pathname}/v1/oauth/token`, { method: 'POST', headers: form, body: `grant_type=${canary}&code=${canary}&scope=${canary}` })
  await send('/v1/platform/projects', { method: 'PROPFIND', headers: { 'x-api-key': w.key } })
  const text = await scrape()
  assert.doesNotMatch(text, new RegExp(canary))
  assert.doesNotMatch(text, /(?:env|app|usr|key|ten|prj|whk)_[0-9a-z]{26}/)
})

interface Described {
  name: string
  type: string
  labels: string[]
}

const isOfNode = ({ name }: Pick<Described, 'name'>) => /^(nodejs|process)_/.test(name)

function described(text: string): Described[] {
  return [...text.matchAll(/^# HELP (\S+) (.+)\n# TYPE \1 (\w+)$/gm)].map(([, name = '', , type = '']) => {
    const samples = text.matchAll(new RegExp(`^${name}(?:_bucket|_sum|_count)?\\{(.+)\\} `, 'gm'))
    const labels = [...samples].flatMap(([, pairs = '']) => [...pairs.matchAll(/(\w+)="/g)].map(([, label = '']) => label))
    return { name, type, labels: [...new Set(labels)].filter((label) => label !== 'le').sort() }
  })
}

test('the port of the metrics serves GET /metrics alone, and only on the loopback', async () => {
  const status = async (path: string, method = 'GET', host = '127.0.0.1') =>
    (await fetch(`http://${host}:${metrics_port}${path}`, { method })).status
  assert.deepEqual([await status('/metrics'), await status('/metrics?x=1')], [200, 200])
  for (const path of ['/', '/metrics/', '/METRICS', '/healthz', '/v1/me']) assert.equal(await status(path), 404, path)
  for (const method of ['POST', 'PUT', 'DELETE']) assert.equal(await status('/metrics', method), 405, method)
  const others = Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? []).filter(({ family, internal }) => family === 'IPv4' && !internal),
  )
  for (const { address } of others) await assert.rejects(status('/metrics', 'GET', address))
})

/** The rows of the tables in docs/metrics.md. */
function documented(): Described[] {
  const document = readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8')
  return [...document.matchAll(/^\| `(\w+)` \| (\w+) \|(.*?)\| .+ \|$/gm)].map(([, name = '', type = '', labels = '']) => ({
    name,
    type,
    labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label).sort(),
  }))
}

const byName = (a: Described, b: Described) => a.name.localeCompare(b.name)

test('docs/metrics.md names the metrics, their types and labels, and no other', async () => {
  const expected = documented().filter(
    (metric) => !isOfNode(metric) && (on_postgres || !/^ostiary_database_(connections|batches)/.test(metric.name)),
  )
  const found = described(await scrape()).filter((metric) => !isOfNode(metric))
  assert.deepEqual(found.sort(byName), expected.sort(byName))
})

test(
  'docs/metrics.md names the metrics of Node and of the process, and no other',
  { skip: !on_linux && 'Linux has more of them' },
  async () => {
    // A label has a sample only while the process has such a resource.
    const withoutLabels = (all: Described[]) =>
      all
        .filter(isOfNode)
        .map(({ name, type }) => ({ name, type, labels: [] }))
        .sort(byName)
    assert.deepEqual(withoutLabels(described(await scrape())), withoutLabels(documented()))
  },
)

/** The rules of `promtool check metrics` (Prometheus 2.42) for names. */
const unsuited = [
  { rule: 'a counter ends in _total', broken: ({ name, type }: Described) => type === 'counter' && !name.endsWith('_total') },
  { rule: 'only a counter ends in _total', broken: ({ name, type }: Described) => type !== 'counter' && name.endsWith('_total') },
  { rule: 'no name ends in _count, _sum or _bucket', broken: ({ name }: Described) => /_(count|sum|bucket)$/.test(name) },
  { rule: 'no name has its type', broken: ({ name, type }: Described) => name.split('_').includes(type) },
  { rule: 'no name has an abbreviated unit', broken: ({ name }: Described) => /_(ms|sec|secs|s|kb|mb|gb)(_|$)/.test(name) },
  { rule: 'a name is in lower case', broken: ({ name }: Described) => name !== name.toLowerCase() },
]
for (const { rule, broken } of unsuited)
  test(`names suit Prometheus: ${rule}`, async () => assert.deepEqual(described(await scrape()).filter(broken), []))

test('the Grafana dashboard uses metrics and labels that docs/metrics.md names', () => {
  const dashboard = JSON.parse(readFileSync(new URL('../../../packaging/grafana.json', import.meta.url), 'utf8'))
  const panels: { title: string; targets?: { expr: string; legendFormat: string }[] }[] = dashboard.panels
  const targets = panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })))
  assert.ok(targets.length > 15)
  const metrics = new Map(documented().map((metric) => [metric.name, metric]))
  const of_prometheus = ['job', 'instance', 'le', 'class'] // `class` is made by the expression
  const used = new Set<string>()
  for (const { title, expr, legendFormat } of targets) {
    const names = [...expr.matchAll(/\b((?:ostiary|http|nodejs|process)_\w+)/g)].map(([, name = '']) =>
      name.replace(/_(bucket|sum|count)$/, ''),
    )
    const known = names.flatMap((name) => metrics.get(name) ?? assert.fail(`${title}: there is no metric ${name}`))
    assert.ok(known.length > 0, title)
    const labels = [
      ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', ')),
      ...[...expr.matchAll(/(\w+)=~?"/g)].map(([, label = '']) => label),
      ...[...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label),
    ]
    for (const label of labels)
      assert.ok([...of_prometheus, ...known.flatMap((metric) => metric.labels)].includes(label), `${title}: there is no label ${label}`)
    for (const name of names) used.add(name)
  }
  const ours = documented().filter((metric) => !isOfNode(metric))
  assert.deepEqual(
    ours.map(({ name }) => name).filter((name) => !used.has(name)),
    [],
    'metrics without a panel',
  )
})

test('names follow the conventions of Prometheus: base units, and _total for counters', async () => {
  for (const { name, type } of described(await scrape()).filter((metric) => !isOfNode(metric))) {
    assert.match(name, /^(ostiary|http)_[a-z]+(_[a-z]+)*$/)
    assert.equal(name.endsWith('_total'), type === 'counter', name)
    assert.doesNotMatch(name, /_(ms|milliseconds|minutes)\b/)
  }
})

for (const [level, lines] of [
  ['info', 0],
  ['debug', 2],
] as const)
  test(`at the log level ${level}, the two probes write ${lines} lines`, async () => {
    const other = level === 'info' ? w : await world({ env: { OSTIARY_LOG_LEVEL: level } })
    for (const path of ['/healthz', '/readyz']) assert.equal((await other.call('GET', path, { key: null })).status, 200)
    await other.call('GET', '/v1/api-keys/whoami')
    const requests = other.log.map((line) => JSON.parse(line)).filter(({ message }) => message === 'request')
    const probes = requests.filter(({ route }) => ['/healthz', '/readyz'].includes(route))
    assert.equal(probes.length, lines)
    for (const line of probes) assert.equal(line.level, 'debug')
    assert.equal(requests.filter(({ route, level }) => route === '/v1/api-keys/whoami' && level === 'info').length, 1)
  })
