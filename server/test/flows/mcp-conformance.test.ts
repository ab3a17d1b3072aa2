/** The MCP conformance suite against the service: its scenarios for authorization servers, with a person who signs in. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createAgent, followToClient } from '../support/cookie-browser.ts'
import { freePort } from '../support/free-port.ts'
import { expectStatus, world } from '../support/world.ts'

const program = join(import.meta.dirname, '../../../.node/mcp-conformance/node_modules/@modelcontextprotocol/conformance/dist/index.js')
const skip = existsSync(program) ? false : 'needs @modelcontextprotocol/conformance, which .ci/run installs'

const w = await world()
const identifier = 'https://mcp.example.com/mcp'
const scopes = [{ name: 'tools:call', description: null }]
expectStatus(201, await w.call('POST', `${w.test.path}/resource-servers`, { body: { identifier, name: 'Tools', scopes } }))
await w.changeSettings(w.test, { oauth: { openid_optional: true } }) // the suite asks for no scope
const user = await w.createUser(w.test)

/** Runs every scenario. The suite prints the address that a person opens, and waits at its redirect URI. */
async function run(client_id: string, port: number, redirect_uri: string): Promise<{ code: number | null; output: string }> {
  const at = ['--url', w.test.issuer, '--resource', identifier, '--port', String(port), '--client-id', client_id]
  const running = spawn(process.execPath, [program, 'authorization', ...at], { timeout: 60_000 })
  let output = ''
  let is_opened = false
  for (const stream of [running.stdout, running.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const [url] = /http\S+[?&]response_type=code\S*/.exec(output) ?? []
      if (url === undefined || is_opened) return
      is_opened = true
      followToClient(createAgent(), { url, redirect_uri }, user)
        .then((back) => fetch(back))
        .catch((error) => {
          output += String(error)
          running.kill()
        })
    })
  const [code] = await once(running, 'close')
  return { code, output }
}

// With a secret it would send none all the same, since the metadata lists `none` too.
test('the scenarios of the MCP conformance suite for authorization servers pass', { skip }, async () => {
  const port = await freePort()
  const redirect_uri = `http://127.0.0.1:${port}/callback`
  const { client_id } = await w.createApplication(w.test, { application_type: 'native', redirect_uris: [redirect_uri] })
  const { code, output } = await run(client_id, port, redirect_uri)
  assert.equal(code, 0, output)
  assert.match(output, /authorization-server-metadata-endpoint: 1 passed, 0 failed.*authorization-code-grant: 1 passed, 0 failed/s)
})
