#!/usr/bin/env bash
# Version: @opentelemetry/exporter-logs-otlp-http 0.301.0 (npm): an attribute of log records that measures milliseconds with one decimal place.
#
# Guess: a number of JavaScript is a doubleValue, since the language has one type of number, so the attribute has one type in all records.
# Seen: the type follows from each value: 12.5 is a doubleValue, and 12 or 0 an intValue. A store with typed columns gets two types under one
# name, and one that takes the type from the first record cuts or refuses the others. An attribute needs values that are all whole, or none.
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

const common = { resource: emptyResource(), droppedAttributesCount: 0, instrumentationScope: { name: 'notes' } }
const record = (duration_ms) => ({ ...common, hrTime: [1, 0], hrTimeObserved: [1, 0], body: 'note', attributes: { duration_ms } })
const server = createServer(async (request, response) => {
  const { resourceLogs } = JSON.parse((await request.toArray()).join(''))
  for (const { attributes } of resourceLogs[0].scopeLogs[0].logRecords) console.log(JSON.stringify(attributes[0]))
  response.end('{}')
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const exporter = new OTLPLogExporter({ url: `http://127.0.0.1:${server.address().port}/v1/logs` })
await new Promise((resolve) => exporter.export([12.5, 12.0, 0].map(record), resolve))
await exporter.shutdown()
server.closeAllConnections()
server.close()
JS
node export.mjs | tee outcome
diff outcome - <<'TEXT'
{"key":"duration_ms","value":{"doubleValue":12.5}}
{"key":"duration_ms","value":{"intValue":12}}
{"key":"duration_ms","value":{"intValue":0}}
TEXT
