/** The peer as a contestant: started in a process of its own, with as many people signed in as wanted. */
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openBrowser } from './browser.ts'
import { freePort, type ServerProcess, startProcess } from './process.ts'
import { authorization, codeIn, discover, type Provider } from './provider.ts'

export interface Peer extends Omit<Provider, 'cookies'> {
  readonly process: ServerProcess
}

export async function startPeer(place: { folder: string; database_url: string | null; core: number | null }): Promise<Peer> {
  mkdirSync(place.folder, { recursive: true })
  const address = { host: 'localhost', port: await freePort() }
  const client_secret = randomBytes(32).toString('base64url')
  const process = await startProcess({
    script: join(import.meta.dirname, 'servers/peer.ts'),
    env: {
      PEER_PORT: String(address.port),
      PEER_CLIENT_SECRET: client_secret,
      ...(place.database_url === null ? {} : { PEER_DATABASE_URL: place.database_url }),
    },
    core: place.core,
    log: join(place.folder, 'peer.log'),
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
 * People who are signed in, each with a grant of their own. Anew before each measurement: in the peer's memory adapter
 * every token of a grant makes the next one dearer, which is no way anybody would use it.
 */
export async function signInAtPeer(peer: Peer, people: number): Promise<Provider> {
  const cookies: string[] = []
  for (let person = 0; person < people; person++) {
    const browser = await openBrowser(peer.address)
    const asked = authorization(peer, peer.jwt_access_token.parameters)
    const page = await browser.get(asked.path)
    codeIn(peer, asked, await browser.submit(page, { login: `person${person}`, password: 'none is checked' }))
    cookies.push(browser.cookie())
    browser.close()
  }
  return { ...peer, cookies }
}
