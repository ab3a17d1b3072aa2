/** With OSTIARY_OTLP_URL events arrive at least once, whatever the collector does, and no call waits for it. Decision 0199. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { type Behaviour, startCollector } from '../support/collector.ts'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/receiver.ts'
import { areNumbered } from '../support/webhooks.ts'
import { expectStatus, type World, world } from '../support/world.ts'

const collector = await startCollector()
const metrics_port = await freePort()
const w = await world({ env: { OSTIARY_OTLP_URL: collector.url, OSTIARY_METRICS_PORT: String(metrics_port) } })

const Numbered = z.object({ id: z.string(), environment_id: z.string(), sequence: z.int() })
const eventsOf = (at: World) =>
  at.deployment.db.many.all(
    Numbered,
    sql`select id, environment_id, sequence from events where sequence is not null order by environment_id, sequence`,
  )

async function raise(at: World, count: number): Promise<void> {
  for (let n = 0; n < count; n++)
    expectStatus(
      201,
      await at.call('POST', `${(n % 2 ? at.test : at.live).path}/resource-servers`, {
        body: { name: 'API', identifier: `https://${at.deployment.newId('rs')}.example.com` },
      }),
    )
}

/** Moves the clock past the wait after a failure. Between two moves the process has time to take the lease and to send. */
function mover(at: World) {
  let moved_at = Number.NEGATIVE_INFINITY
  return () => {
    if (performance.now() - moved_at < 500) return
    moved_at = performance.now()
    at.advance(61)
  }
}

/** Waits until all events of the database have arrived. */
function untilAllArrived(at: World, ids: () => Set<unknown>) {
  const move = mover(at)
  return until('every event', async () => {
    move()
    const are_numbered = await areNumbered(at)
    const events = await eventsOf(at)
    const arrived = ids()
    return are_numbered && events.every(({ id }) => arrived.has(id))
  })
}

test('all events of all environments arrive, in order, with their ids', async () => {
  await raise(w, 6)
  await untilAllArrived(w, collector.ids)
  const events = await eventsOf(w)
  for (const { id, environment_id, sequence } of events) {
    const found = collector.taken.events.find(({ attributes }) => attributes['event.id'] === id) ?? assert.fail(id)
    assert.deepEqual([found.attributes.environment_id, Number(found.attributes['event.sequence'])], [environment_id, sequence])
    assert.equal(found.attributes['event.name'], JSON.parse(found.body ?? '').type)
  }
  for (const environment of [w.test, w.live]) {
    const own = collector.taken.events.filter(({ attributes }) => attributes.environment_id === environment.id)
    const numbers = own.map(({ attributes }) => Number(attributes['event.sequence']))
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    )
  }
  const { attributes } = collector.resources[0] as { attributes: { key: string; value: { stringValue: string } }[] } // as: the JSON of OTLP
  assert.equal(attributes.find(({ key }) => key === 'service.name')?.value.stringValue, 'ostiary')
})

test('each request has a line and a span, within the trace of its caller', async () => {
  const trace_id = '0af7651916cd43dd8448eb211c80319c'
  const parent_id = 'b7ad6b7169203331'
  const reply = await w.call('GET', '/v1/nothing', { headers: { traceparent: `00-${trace_id}-${parent_id}-01` } })
  const request_id = reply.headers.get('x-request-id')
  const of = (items: (typeof collector.taken)['spans']) => items.find(({ attributes }) => attributes.request_id === request_id)
  const span = await until('the span', () => of(collector.taken.spans) ?? false)
  assert.deepEqual([span.traceId, span.parentSpanId, span.name], [trace_id, parent_id, 'GET none'])
  assert.deepEqual(Number(span.attributes['http.response.status_code']), 404)
  const line = await until('the line', () => of(collector.taken.lines) ?? false)
  assert.deepEqual([line.traceId, line.spanId, line.body, line.severityText], [trace_id, span.spanId, 'request', 'INFO'])
  assert.equal(line.attributes.code, 'not_found')
  const other = await w.call('GET', '/v1/nothing')
  const alone = await until(
    'a span without a parent',
    () => collector.taken.spans.find(({ attributes }) => attributes.request_id === other.headers.get('x-request-id')) ?? false,
  )
  assert.deepEqual([alone.traceId?.length, alone.spanId?.length, alone.parentSpanId ?? ''], [32, 16, ''])
})

test('an attribute has the same type in every item', async () => {
  for (let n = 0; n < 20; n++) await w.call('GET', '/v1/nothing')
  const lines = () => collector.taken.lines.filter(({ attributes }) => attributes.status === 404).length
  await until('the lines', () => lines() >= 20)
  const mixed = [...collector.types].filter(([, types]) => types.size > 1 || types.has('doubleValue')).map(([name]) => name)
  assert.deepEqual(mixed, [])
})

for (const behaviour of ['refuses items', 'is a page'] as const)
  test(`when the collector ${behaviour}, the log says so at most once a minute`, async () => {
    await untilAllArrived(w, collector.ids) // what follows is lost
    const reports = () => w.log.filter((line) => line.includes('not that it took everything') && line.includes('logs')).length
    const requests = () => collector.calls.filter((path) => path === '/v1/logs').length
    w.advance(61)
    const reported = reports()
    collector.state.behaviour = behaviour
    for (let round = 0; round < 2; round++) {
      const before = requests()
      await w.call('GET', '/v1/nothing')
      await until('a request', () => requests() > before)
      await until('the report', () => reports() > reported)
    }
    assert.equal(reports(), reported + 1)
    collector.state.behaviour = 'takes'
  })

const behaviours: Behaviour[] = ['hangs', 'resets', 503, 429, 500, 400, 401, 301]
for (const behaviour of behaviours)
  test(`while the collector ${typeof behaviour === 'number' ? `answers ${behaviour}` : behaviour}, calls are answered, and all events arrive afterwards`, async () => {
    const before = collector.calls.length
    collector.state.behaviour = behaviour
    await raise(w, 4)
    const move = mover(w)
    await until('an attempt', () => {
      move()
      return collector.calls.length > before
    })
    await raise(w, 4)
    collector.state.behaviour = 'takes'
    await untilAllArrived(w, collector.ids)
  })

test('while the collector is down, calls are answered, and all events arrive once it is back', async () => {
  await collector.stop()
  await raise(w, 5)
  w.advance(61)
  await raise(w, 5)
  await collector.start()
  await untilAllArrived(w, collector.ids)
})

test('a refused request is counted and logged, and its events arrive later', async () => {
  collector.state.behaviour = 400
  await raise(w, 2)
  const move = mover(w)
  const metrics = await until('a failure of events', async () => {
    move()
    const text = await (await fetch(`http://127.0.0.1:${metrics_port}/metrics`)).text()
    return /^ostiary_telemetry_failures_total\{signal="events"\} [1-9]/m.test(text) && text
  })
  collector.state.behaviour = 'takes'
  await untilAllArrived(w, collector.ids)
  assert.match(metrics, /^ostiary_telemetry_dropped_total\{signal="traces"\} 0$/m)
  assert.ok(w.log.some((line) => line.includes('The collector of telemetry takes nothing')))
})

test('more events than one request has arrive, also of an environment that another process numbered', async () => {
  const beginning = w.deployment.newId('evt').slice(0, -10)
  const { last } = (await w.deployment.db.many.maybeOne(
    z.object({ last: z.int() }),
    sql`select last from event_counters where environment_id = ${w.test.id}`,
  )) ?? { last: 0 }
  await w.deployment.db.batch([
    sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 1200)
        insert into events (environment_id, id, sequence, type, created_at, actor_type, data)
        select ${w.test.id}, ${beginning} || substr('0000000000' || cast(n as text), length(cast(n as text)) + 1), ${last} + n,
          'user.created', ${w.now()}, 'system', '{}' from numbers`,
    sql`update event_counters set last = last + 1200 where environment_id = ${w.test.id}`,
  ])
  await untilAllArrived(w, collector.ids)
  await raise(w, 2)
  await untilAllArrived(w, collector.ids)
})

test('a process that begins later goes on at the cursors', async () => {
  await untilAllArrived(w, collector.ids)
  await collector.stop()
  await raise(w, 4)
  await w.service.stop() // gives the collector up
  const sent = collector.taken.events.length
  await collector.start()
  const { service } = await w.startAnotherService({ metrics: null })
  await untilAllArrived({ ...w, deployment: service.deployment }, collector.ids)
  assert.ok(collector.taken.events.length - sent < 50, 'not everything again')
})
