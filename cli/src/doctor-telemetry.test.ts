import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Behaviour, startCollector } from '../../server/test/support/collector.ts'
import { checkTelemetry } from './doctor-telemetry.ts'

const collector = await startCollector()

// biome-ignore format: this table is read by column
const cases: [Behaviour, string, RegExp][] = [
  ['takes',  'ok',      /takes logs and traces/],
  ['is a page', 'warning', /answers, but not as a collector \(.+\)/],
  [404,      'warning', /takes nothing \(.+\)/],
  [401,      'warning', /takes nothing \(.+\)/],
  ['resets', 'warning', /takes nothing \(.+\)/],
  ['hangs',  'warning', /takes nothing \(.+\)/],
]
for (const [behaviour, level, text] of cases)
  test(`doctor reports ${level} for a collector that ${typeof behaviour === 'number' ? `answers ${behaviour}` : behaviour}`, async () => {
    collector.state.behaviour = behaviour
    const [finding, ...others] = await checkTelemetry({ otlp_url: collector.url })
    assert.deepEqual([finding?.level, others], [level, []])
    assert.match(finding?.text ?? '', text)
  })

test('without a collector nothing is reported', async () => {
  assert.deepEqual(await checkTelemetry({ otlp_url: null }), [])
})
