#!/usr/bin/env bash
# Version: @opentelemetry/exporter-logs-otlp-http 0.301.0 (npm): three log records for a collector that answers 200 and takes none of them, and for an
# address behind which there is no collector but a page.
#
# Guess: the result of `export` says so: for a partial success how many were rejected, and for an answer that is not OTLP that the export failed.
# Seen: the result is a success without anything else both times. The rejection and its reason are only in the diagnostic log of
# @opentelemetry/api, which is off unless the program sets a logger. So a program that moves a cursor after a success loses the records unseen.
#
# Needs Node 20 and npm. Fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --ignore-scripts --no-audit --no-fund @opentelemetry/exporter-logs-otlp-http@0.301.0 @opentelemetry/resources@3.1.0 @opentelemetry/api@1.10.0
cat >export.mjs <<'JS'
import { createServer } from 'node:http'
import { diag } from '@opentelemetry/api'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http'
import { emptyResource } from '@opentelemetry/resources'

const none = () => {}
let diagnostics = []
diag.setLogger({ error: none, warn: (...words) => diagnostics.push(words.join(' ')), info: none, debug: none, verbose: none })
const record = { resource: emptyResource(), droppedAttributesCount: 0, instrumentationScope: { name: 'notes' }, hrTime: [1, 0], hrTimeObserved: [1, 0], body: 'note', attributes: {} }

async function send(name, type, body) {
  const server = createServer((request, response) => request.resume().on('end', () => response.writeHead(200, { 'content-type': type }).end(body)))
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const exporter = new OTLPLogExporter({ url: `http://127.0.0.1:${server.address().port}/v1/logs` })
  diagnostics = []
  const result = await new Promise((resolve) => exporter.export([record, record, record], resolve))
  console.log(`${name}: ${JSON.stringify(result)}; diagnostics: ${diagnostics.join()}`)
  await exporter.shutdown()
  server.closeAllConnections()
  server.close()
}
await send('nothing taken', 'application/json', '{"partialSuccess":{"rejectedLogRecords":"3","errorMessage":"too old"}}')
await send('a page', 'text/html', '<!doctype html>')
JS
node export.mjs | tee outcome
diff outcome - <<'TEXT'
nothing taken: {"code":0}; diagnostics: Received Partial Success response: {"rejectedLogRecords":"3","errorMessage":"too old"}
a page: {"code":0}; diagnostics: Failed to parse logs export response: Unexpected token '<', "<!doctype html>" is not valid JSON. Returning empty response
TEXT
