/** A host of documents of clients: a real server with a certificate, and the outgoing calls of a service that trusts it. */
import { once } from 'node:events'
import { createServer } from 'node:https'
import { after } from 'node:test'
import { parseNetworks } from '../../src/base/networks.ts'
import { createOutbound, type Outbound } from '../../src/deployment/outbound/fetch.ts'
import { makeCertificate } from './certificate.ts'

const json = { 'content-type': 'application/json' }

export async function startClientHost(...more: string[]) {
  const certificate = makeCertificate('client.test', 'other.test', ...more)
  const documents = new Map<string, { status: number; body: string; headers: Record<string, string> }>()
  const calls: string[] = []
  const server = createServer(certificate, (request, response) => {
    const url = `https://${request.headers.host}${request.url}`
    calls.push(url)
    const { status, body, headers } = documents.get(url) ?? { status: 404, body: '', headers: {} }
    response.writeHead(status, { ...json, ...headers }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const { port } = server.address() as { port: number } // as: a server on TCP has one
  const networks = parseNetworks('127.0.0.0/8')
  const webhook_allowed_networks = 'networks' in networks ? networks.networks : []
  let paths = 0
  return {
    calls,
    port,
    outbound: createOutbound(
      { base_url: 'http://login.test', webhook_allowed_networks },
      { resolve: async () => ['127.0.0.1'], ca: certificate.cert },
    ),
    /** The URL of a document that is not published yet. */
    newUrl: (host = 'client.test') => `https://${host}:${port}/client-${++paths}.json`,
    /** Publishes a document with these members, or changes it. */
    publish(url: string, members: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
      const body = JSON.stringify({ client_id: url, client_name: 'Agent', redirect_uris: ['https://client.test/callback'], ...members })
      documents.set(url, { status: 200, body, headers })
      return url
    },
    answer(url: string, status: number, body = '') {
      documents.set(url, { status, body, headers: {} })
      return url
    },
  }
}

/** The outgoing calls of a service in a world where every host has a document of a client at `/client.json`. */
export const withDocuments =
  (outbound: Outbound): Outbound =>
  async (request) => {
    if (!request.url.endsWith('/client.json')) return outbound(request)
    const client_id = request.url.includes('/of-another-url/') ? `${request.url}x` : request.url
    const document = { client_id, client_name: 'Agent', redirect_uris: ['https://agent.example.com/callback'] }
    return { status: 200, headers: json, body: Buffer.from(JSON.stringify(document)) }
  }
