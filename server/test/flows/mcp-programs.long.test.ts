/**
 * MCP clients of others against a server that says nothing of this service: each reaches a tool, stays connected when its token is over, and gets a
 * second scope for another tool; registered beforehand and by the address of its document. The file also runs with issuers on hosts of their
 * own (`front.ts`). No client has an option for this service.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startClientHost } from '../support/client-host.ts'
import { createPerson } from '../support/cookie-browser.ts'
import { browsing, type Known, noPythonSdk, type Outcome, pythonClient, startMcpServer, typescriptClient } from '../support/mcp.ts'
import {
  inspectorClient,
  newRedirectUri,
  noPrograms,
  noSecondSdk,
  remoteClient,
  secondTypescriptClient,
  seenIn,
} from '../support/mcp-programs.ts'
import { expectStatus, world } from '../support/world.ts'

const host = await startClientHost()
const w = await world({ outbound: host.outbound })
const environment = w.test
await w.changeSettings(environment, { oauth: { metadata_clients: 'any', openid_optional: true } })
const token_lifetime_s = 4_000

interface Connecting {
  /** Calls these tools in turn, after `later` when the token is over. Returns what each said. */
  call(...words: string[]): Promise<Outcome[]>
}

type Make = (known: Known) => Promise<Connecting>

/** Calls a client that stays in this process, or whose program does. */
const inTurn = (client: { call(tool: string): Promise<Outcome> }): Connecting => ({
  async call(...words) {
    const outcomes: Outcome[] = []
    for (const word of words)
      if (word === 'later') w.advance(token_lifetime_s)
      else outcomes.push(await client.call(word))
    return outcomes
  },
})
const byPython: Make = async (known) => ({
  call: async (...words) => [await pythonClient(known, () => w.advance(token_lifetime_s)).call(...words)],
})

/**
 * When a client gets a refresh token. The SDK 1 does only where the MCP server lists offline_access, and with one it never asks a person for more
 * scope. Others ask for none beside no other scope. A client without one asks the person again when its token is over.
 */
type Refreshes = 'always' | 'with a scope' | 'never'

const programs: Record<string, { make: Make; skip: string | false; refreshes: Refreshes }> = {
  'the SDK for TypeScript 1': { make: async (known) => inTurn(typescriptClient(known)), skip: false, refreshes: 'never' },
  'the SDK for TypeScript 2': {
    make: async (known) => inTurn(secondTypescriptClient(known)),
    skip: noSecondSdk,
    refreshes: 'with a scope',
  },
  'the SDK for Python': { make: byPython, skip: noPythonSdk, refreshes: 'always' },
  'mcp-remote': { make: async (known) => inTurn(await remoteClient(known)), skip: noPrograms, refreshes: 'always' },
  'the Inspector': { make: async (known) => inTurn(await inspectorClient(known)), skip: noPrograms, refreshes: 'with a scope' },
}

type Listing = [what: string, needed: (read: string) => string[], asked: (read: string) => string[] | null]
const listings: Listing[] = [
  ['openid and a scope of the server', (read) => ['openid', read], (read) => ['openid', read]],
  ['a scope of the server alone', (read) => [read], (read) => [read]],
  ['no scope', () => [], () => null],
]

const clients: Record<string, (redirect_uri: string, scopes: string[]) => Promise<string>> = {
  registered: async (redirect_uri, scopes) => {
    const allowed_scopes = ['openid', 'profile', 'email', 'phone', 'offline_access', ...scopes]
    const native = { application_type: 'native', redirect_uris: [redirect_uri], allow_loopback_port: true, consent: 'ask' }
    return (await w.createApplication(environment, { ...native, allowed_scopes })).client_id
  },
  'by its address': async (redirect_uri) =>
    host.publish(host.newUrl(), { client_name: 'Assistant', redirect_uris: [redirect_uri.replace(/:\d+/, '')] }),
}

let servers = 0

for (const [name, { make, skip, refreshes }] of Object.entries(programs))
  for (const [kind, identify] of Object.entries(clients))
    for (const [what, needed, asked] of listings)
      test(`${name}, ${kind}, connects to a server whose metadata lists ${what}, stays and gets more scope`, { skip }, async () => {
        w.advance(61) // documents are read within limits of a minute
        const slug = `notes${++servers}`
        const [read, write] = [`${slug}:read`, `${slug}:write`]
        const tools = { whoami: [], change: [write] }
        const address = await startMcpServer(w, environment.issuer, { needed: needed(read), asked: asked(read), tools })
        const scopes = [read, write].map((each) => ({ name: each, description: null }))
        const body = { identifier: address, name: 'Notes', slug, scopes, allow_metadata_clients: true }
        expectStatus(201, await w.call('POST', `${environment.path}/resource-servers`, { body }))
        const redirect_uri = await newRedirectUri()
        const person = await createPerson(w, environment)
        const visits = browsing(person, redirect_uri)
        const client_id = await identify(redirect_uri, [read, write])
        const client = await make({ address, client_id, redirect_uri, browse: visits.browse })

        const outcomes = await client.call('whoami', 'later', 'whoami', 'change')
        const seen = outcomes.map(seenIn)
        assert.deepEqual(new Set(seen.map(({ sub }) => sub)), new Set([person.id]))
        const granted = seen.at(-1)?.scope?.split(' ') ?? []
        for (const scope of [...needed(read), write]) assert.ok(granted.includes(scope), granted.join(' '))
        const has_refreshed = refreshes === 'always' || (refreshes === 'with a scope' && asked(read) !== null)
        assert.equal(visits.asked.length, has_refreshed ? 2 : 3, visits.asked.join(' | '))
      })
