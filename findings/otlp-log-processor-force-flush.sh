#!/usr/bin/env bash
# Version: @opentelemetry/sdk-logs 3.1.0 and exporter-logs-otlp-http 0.301.0 (npm): ten records in a BatchLogRecordProcessor for four, and a
# collector that answers 400.
#
# Guess: forceFlush rejects, or says in some way that it failed (the specification: it "SHOULD provide a way to let the caller know whether it
# succeeded, failed or timed out"), and records that nobody took stay for the next flush.
# Seen: it resolves as after a success. Six records were sent and refused and are gone; four never left: those that came last.
# So a program that ends after a flush, or a test that waits for one, cannot see that nothing arrived.
#
# Needs Node 20 and npm. Fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --ignore-scripts --no-audit --no-fund @opentelemetry/exporter-logs-otlp-http@0.301.0 @opentelemetry/sdk-logs@3.1.0 @opentelemetry/api@1.10.0
cat >flush.mjs <<'JS'
import { createServer } from 'node:http'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http'
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs'

const bodies = []
const server = createServer(async (request, response) => {
  const { resourceLogs } = JSON.parse((await request.toArray()).join(''))
  bodies.push(...resourceLogs[0].scopeLogs[0].logRecords.map(({ body }) => body.stringValue))
  response.writeHead(400).end('{}')
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const exporter = new OTLPLogExporter({ url: `http://127.0.0.1:${server.address().port}/v1/logs` })
const processor = new BatchLogRecordProcessor({ exporter, maxQueueSize: 4, maxExportBatchSize: 2 })
const provider = new LoggerProvider({ processors: [processor] })
const flush = (name) => provider.forceFlush().then(() => 'resolves', (error) => error.message).then((end) => console.log(`${name}: ${end}; sent so far: ${bodies}`))

for (let n = 1; n <= 10; n++) provider.getLogger('notes').emit({ body: `${n}` })
await flush('first')
await flush('second')
await provider.shutdown()
server.closeAllConnections()
server.close()
JS
node flush.mjs | tee outcome
diff outcome - <<'TEXT'
first: resolves; sent so far: 1,2,3,4,5,6
second: resolves; sent so far: 1,2,3,4,5,6
TEXT
