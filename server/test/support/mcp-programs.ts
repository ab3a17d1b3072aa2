/**
 * Programs that connect to MCP servers for people: the SDK for TypeScript 2, mcp-remote and the Inspector on the command line. Like the clients of
 * `mcp.ts` they know the address of a server and who they are, and nothing of this service.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'
import { pathToFileURL } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { awaiting } from './awaited.ts'
import { freePort } from './free-port.ts'
import { environmentOfPrograms } from './front.ts'
import { type Known, type Outcome, outcomeOf, type Sdk, typescriptClient } from './mcp.ts'

const modules = join(import.meta.dirname, '../../../.node/mcp-clients/node_modules')
const packages = {
  sdk: '@modelcontextprotocol/client/dist/index.mjs',
  remote: 'mcp-remote/dist/proxy.js',
  inspector: '@modelcontextprotocol/inspector/clients/launcher/build/index.js',
}
export const noSecondSdk = existsSync(join(modules, packages.sdk)) ? false : 'needs the MCP SDK 2 for TypeScript, which .ci/run installs'
export const noPrograms =
  existsSync(join(modules, packages.remote)) && existsSync(join(modules, packages.inspector))
    ? false
    : 'needs mcp-remote and the Inspector, which .ci/run --long installs'

/** The SDK for TypeScript 2. Its package is not in the lock file, so its types are those of the SDK 1 as far as `Sdk` needs them. */
const second_sdk: Sdk | null = noSecondSdk
  ? null
  : {
      ...(await import(pathToFileURL(join(modules, packages.sdk)).href)),
      answerOf: ({ searchParams }) => searchParams,
      asks_for_refresh: true,
    }

export const secondTypescriptClient = (known: Known) => typescriptClient(known, second_sdk ?? assert.fail())

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ostiary-mcp-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A program has no browser here: it prints an address, which the person opens. The browser then returns to the program. */
function openPrinted(pattern: RegExp, browse: Known['browse']) {
  let output = ''
  let opened = 0
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  return {
    output: () => output,
    failed: failed.promise,
    read(chunk: string) {
      output += chunk
      const printed = [...output.matchAll(pattern)]
      for (const [, url = ''] of printed.slice(opened)) {
        opened++
        browse(url).then(returnTo).catch(failed.reject)
      }
    },
  }
}

/** A program may print the address before it listens for the answer; a person takes longer. */
async function returnTo(url: URL): Promise<void> {
  for (;;) {
    const is_answered = await fetch(url).then(
      () => true,
      () => false,
    )
    if (is_answered) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** mcp-remote, which programs start that cannot connect themselves. It runs until the test file ends. */
export async function remoteClient({ address, client_id, redirect_uri, browse }: Known) {
  const who = client_id.startsWith('https://')
    ? ['--client-metadata-url', client_id]
    : ['--static-oauth-client-info', JSON.stringify({ client_id })]
  const { hostname, port } = new URL(redirect_uri)
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(modules, packages.remote), address, port, '--host', hostname, ...who],
    env: { ...environmentOfPrograms(), MCP_REMOTE_CONFIG_DIR: newFolder(), PATH: '' },
    stderr: 'pipe',
  })
  const { failed, read } = openPrinted(/visiting:\s+(\S+)\s/g, browse)
  transport.stderr?.on('data', (chunk) => read(String(chunk)))
  const client = new Client({ name: 'example', version: '1.0.0' })
  after(() => client.close())
  let connected: Promise<void> | null = null
  return {
    async call(tool = 'whoami'): Promise<Outcome> {
      connected ??= client.connect(transport as Parameters<typeof client.connect>[0]) // as: its type lets no property be undefined
      const answered = connected.then(() => client.callTool({ name: tool })).catch((error: unknown) => error)
      return outcomeOf(await awaiting('mcp-remote answers', Promise.race([answered, failed])), undefined)
    },
  }
}

/** The Inspector on the command line: each call is a process, and its tokens are kept in a folder between them. */
export async function inspectorClient({ address, client_id, redirect_uri, browse }: Known) {
  const who = client_id.startsWith('https://') ? ['--client-metadata-url', client_id] : ['--client-id', client_id]
  const home = newFolder()
  return {
    async call(tool = 'whoami'): Promise<Outcome> {
      const called = ['--transport', 'http', '--method', 'tools/call', '--tool-name', tool, '--callback-url', redirect_uri, ...who]
      const running = spawn(process.execPath, [join(modules, packages.inspector), '--cli', address, ...called], {
        env: { ...environmentOfPrograms(), HOME: home, PATH: '', MCP_AUTO_OPEN_ENABLED: 'true', MCP_INSPECTOR_SECRET_STORE: 'file' },
        timeout: 60_000,
      })
      running.stdin.end('y\n') // the person agrees to ask for more scope
      const { failed, read, output } = openPrinted(/navigate to: (\S+)\s/g, browse)
      running.stderr.setEncoding('utf8').on('data', read)
      const said = await awaiting('the Inspector answers', Promise.race([text(running.stdout), failed]))
      if (!said.includes('"content"')) return { stopped: output() }
      return outcomeOf(JSON.parse(said), undefined)
    },
  }
}

/** An address of this machine to which a program returns. */
export const newRedirectUri = async () => `http://127.0.0.1:${await freePort()}/oauth/callback`

export const seenIn = (outcome: Outcome) => ('seen' in outcome ? outcome.seen : assert.fail(outcome.stopped))
