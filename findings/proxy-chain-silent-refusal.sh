#!/usr/bin/env bash
# Version: proxy-chain 3.0.1 (npm): CONNECT to a port where nobody listens, to a name that does not exist, and without the credentials that the
# proxy wants.
#
# Guess: an answer 502 or 503 for a target that cannot be reached, as RFC 9110 §15.6.3 has for a gateway, so that a client can tell a
# dead target from a dead proxy.
# Seen: the proxy closes the connection without a byte, and answers only what it decides itself (407). A client sees a proxy that
# hung up, whatever is wrong with the target.
#
# Needs Node 20 and npm. Fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --ignore-scripts --no-audit --no-fund proxy-chain@3.0.1
cat >connect.mjs <<'JS'
import { connect, createServer } from 'node:net'
import { Server } from 'proxy-chain'

const target = createServer((socket) => socket.end())
await new Promise((resolve) => target.listen(0, '127.0.0.1', resolve))
const { port } = target.address()
async function tunnel(name, proxy, to) {
  const socket = connect(proxy.port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(`CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n\r\n`)
  const answer = await new Promise((resolve) => socket.once('data', (bytes) => resolve(`${bytes}`.split('\r\n')[0])).once('close', () => resolve('closed without an answer')))
  console.log(`${name}: ${answer}`)
  socket.destroy()
}
const open = new Server({ port: 0, host: '127.0.0.1' })
const guarded = new Server({ port: 0, host: '127.0.0.1', prepareRequestFunction: ({ username }) => ({ requestAuthentication: username !== 'user' }) })
await open.listen()
await guarded.listen()
await tunnel('a target', open, `127.0.0.1:${port}`)
await tunnel('no credentials', guarded, `127.0.0.1:${port}`)
await new Promise((resolve) => target.close(resolve))
await tunnel('nobody listens', open, `127.0.0.1:${port}`)
await tunnel('no such name', open, 'nothing.invalid:443')
process.exit()
JS
node connect.mjs | tee outcome
diff outcome - <<'TEXT'
a target: HTTP/1.1 200 Connection Established
no credentials: HTTP/1.1 407 Proxy Authentication Required
nobody listens: closed without an answer
no such name: closed without an answer
TEXT
