import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { createOtlp } from './otlp.ts'

test('a request is not given up while the exporter still waits for the collector, which asked for another attempt', async () => {
  let calls = 0
  const server = createServer((request, response) => {
    calls += 1
    const is_first = calls === 1
    request.resume().on('end', () => {
      if (is_first) response.writeHead(503, { 'retry-after': '1' }).end()
      else setTimeout(() => response.end('{}'), 500)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  after(() => server.close())
  const { port } = server.address() as AddressInfo // as: a server on TCP has one
  const otlp = createOtlp({ url: `http://127.0.0.1:${port}`, instance_id: 'one', timeout_ms: 1_200, grace_ms: 0 })
  assert.equal(await otlp.sendLines([]), null)
  assert.equal(calls, 2)
  otlp.close()
})
