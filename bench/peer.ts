/** The peer as a contestant: it runs in its own process, with the wanted number of signed-in people. */
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../server/test/support/free-port.ts'
import { openBrowser } from './browser.ts'
import { type ServerProcess, startProcess } from './process.ts'
import { authorization, codeIn, discover, type Provider } from './provider.ts'

export interface Peer extends Omit<Provider, 'cookies'> {
  readonly process: ServerProcess
}

export async function startPeer(start: { folder: string; database_url: string | null; core: number | null }): Promise<Peer> {
  mkdirSync(start.folder, { recursive: true })
  const address = { host: 'localhost', port: await freePort() }
  const client_secret = randomBytes(32).toString('base64url')
  const process = await startProcess({
    script: join(import.meta.dirname, 'servers/peer.ts'),
    env: {
      PEER_PORT: String(address.port),
      PEER_CLIENT_SECRET: client_secret,
      ...(start.database_url === null ? {} : { PEER_DATABASE_URL: start.database_url }),
    },
    core: start.core,
    log: join(start.folder, 'peer.log'),
    ready: { address, path: '/.well-known/openid-configuration' },
  })
  const resource = 'urn:benchmark:api'
  const provider = await discover(address, `http://localhost:${address.port}`, {
    client: { client_id: 'benchmark', client_secret, redirect_uri: 'https://app.example.com/callback' },
    scope: 'openid profile email api',
    jwt_access_token: { parameters: { resource }, audience: resource },
  })
  return { ...provider, process }
}

/**
 * Signs people in, each with a new grant, before each measurement. In the peer's memory adapter every token of a grant makes the
 * next one slower, which would be an unfair comparison.
 */
export async function signInAtPeer(peer: Peer, people: number): Promise<Provider> {
  const cookies: string[] = []
  for (let person = 0; person < people; person++) {
    const browser = await openBrowser(peer.address)
    const asked = authorization(peer, peer.jwt_access_token.parameters)
    const page = await browser.get(asked.path)
    codeIn(peer, asked, await browser.submit(page, { login: `person${person}`, password: 'any password works' }))
    cookies.push(browser.cookie())
    browser.close()
  }
  return { ...peer, cookies }
}
