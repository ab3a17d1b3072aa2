#!/usr/bin/env bash
# Version: @opentelemetry/exporter-logs-otlp-http 0.301.0 (npm), `timeoutMillis: 2000`: a collector that asks for another attempt a second later, by
# 503 with `Retry-After: 1`, and answers that one after 1.5 s; and one that asks by `Retry-After: 10`.
#
# Guess: the limit is for the whole export, retries included (the specification of OTEL_EXPORTER_OTLP_TIMEOUT: the time that the exporter waits
# for each batch): a failure after 2 s. After the longer wait the error says how long to wait.
# Seen: the time between two attempts does not count, so the export succeeds after 2.5 s, and can take nearly twice its limit. A wait beyond the
# limit ends the export at once, with an error that has neither the status nor the time, so a caller that tries again cannot obey it.
#
# Needs Node 20 and npm. Fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --ignore-scripts --no-audit --no-fund @opentelemetry/exporter-logs-otlp-http@0.301.0 @opentelemetry/resources@3.1.0 @opentelemetry/api@1.10.0
cat >export.mjs <<'JS'
import { createServer } from 'node:http'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http'
import { emptyResource } from '@opentelemetry/resources'

const record = { resource: emptyResource(), droppedAttributesCount: 0, instrumentationScope: { name: 'notes' }, hrTime: [1, 0], hrTimeObserved: [1, 0], body: 'note', attributes: {} }

async function send(name, answers) {
  let calls = 0
  const server = createServer((request, response) => {
    const [status, after_ms, headers] = answers[calls++]
    request.resume().on('end', () => setTimeout(() => response.writeHead(status, headers).end('{}'), after_ms))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const exporter = new OTLPLogExporter({ url: `http://127.0.0.1:${server.address().port}/v1/logs`, timeoutMillis: 2000 })
  const began_at = performance.now()
  const { code, error } = await new Promise((resolve) => exporter.export([record], resolve))
  const seconds = Math.floor((performance.now() - began_at) / 1000)
  console.log(`${name}: ${code === 0 ? 'success' : `"${error.message}", code ${error.code}, data ${error.data}`}; calls: ${calls}; whole seconds: ${seconds}`)
  await exporter.shutdown()
  server.closeAllConnections()
  server.close()
}
await send('Retry-After: 1', [[503, 0, { 'retry-after': '1' }], [200, 1500]])
await send('Retry-After: 10', [[503, 0, { 'retry-after': '10' }]])
JS
node export.mjs | tee outcome
diff outcome - <<'TEXT'
Retry-After: 1: success; calls: 2; whole seconds: 2
Retry-After: 10: "Export failed with retryable status", code undefined, data undefined; calls: 1; whole seconds: 0
TEXT
