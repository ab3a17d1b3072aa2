/**
 * Strangers ask for clients whose documents nobody has read (docs/decisions/0183): each request has another URL, on many hosts and from many
 * sources. Their hosts answer at once in one environment and never in another. Meanwhile a client with a record signs a person in and an
 * administrator reads its document again, and another person asks for the discovery document.
 */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeCertificate } from '../server/test/support/certificate.ts'
import { openBrowser } from './browser.ts'
import { type Address, expectStatus, openConnection, request } from './connection.ts'
import { type Ground, root } from './contestants.ts'
import { percentile } from './load.ts'
import { caller, newMasterKey, type Seeded, seedEnvironment, seedOstiary, startOstiary } from './ostiary.ts'
import { authorization, codeIn, type Provider, redeem } from './provider.ts'

const requests = 1_000
const in_flight = 32
const hosts = 100
const between_probes_ms = 10
const redirect_uri = 'https://app.example.com/callback'
const identifier = 'https://notes.example.com'
/** The reads of an administrator in each environment, below the limit of a source in both. */
const most_reads = 3

type Kind = 'hosts that answer at once' | 'hosts that never answer'

export async function surveyDocuments({ folder, core, freshDatabase }: Ground, progress: (text: string) => void) {
  const on = async (name: string, database_url: string | null) => {
    const host = await startHost(join(folder, `documents-${name}.pem`))
    const env = {
      OSTIARY_TRUSTED_PROXIES: '127.0.0.1,::1',
      OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
      NODE_EXTRA_CA_CERTS: host.certificate,
    }
    const checkout = { root, folder: join(folder, `documents-${name}`), database_url, core, env }
    const started = await startOstiary(checkout, newMasterKey())
    const seeded = await seedOstiary(root, started, 1)
    const measured: Partial<Record<Kind, Awaited<ReturnType<typeof attack>>>> = {}
    for (const kind of ['hosts that answer at once', 'hosts that never answer'] as const) {
      progress(`documents of clients, ${kind}, ${name}`)
      measured[kind] = await attack(await openToClients(seeded, host, kind), host)
    }
    await started.process.stop()
    host.close()
    return measured
  }
  return { embedded: await on('embedded', null), postgres: freshDatabase ? await on('postgres', await freshDatabase()) : null }
}

type Host = Awaited<ReturnType<typeof startHost>>

/** Serves the documents of all clients, at every address of this machine. */
async function startHost(certificate: string) {
  const addresses = Array.from({ length: hosts }, (_, n) => `127.0.1.${n + 1}`)
  const { key, cert } = makeCertificate('localhost', ...addresses)
  writeFileSync(certificate, cert)
  let calls = 0
  const server = createServer({ key, cert }, ({ url = '' }, response) => {
    if (url.startsWith('/known')) {
      const client_id = `https://${addresses[0]}:${port}${url}`
      const body = JSON.stringify({ client_id, client_name: 'Agent', redirect_uris: [redirect_uri] })
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    }
    calls++
    if (url.startsWith('/prompt')) response.writeHead(404).end()
  })
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
  const { port } = server.address() as { port: number } // as: a server on TCP has one
  return {
    certificate,
    urlOf: (n: number, path: string) => `https://${addresses[n % hosts]}:${port}/${path}`,
    /** Calls for documents of strangers. */
    calls: () => calls,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** An environment that admits every client, with one that has a record and a person who allowed it. */
async function openToClients(seeded: Seeded, host: Host, kind: Kind) {
  const { address, platform_key, project_id } = seeded
  const call = await caller(address)
  const platform = { 'x-api-key': platform_key }
  const environments = `/v1/platform/projects/${project_id}/environments`
  const slug = kind === 'hosts that answer at once' ? 'prompt' : 'silent'
  const environment = await call.post(environments, platform, { slug, name: slug, type: 'test' })
  const path = `${environments}/${environment.id}`
  await call.post(`${path}/resource-servers`, platform, { name: 'Notes', identifier, allow_metadata_clients: true })
  await call.change(`${path}/settings`, platform, { oauth: { metadata_clients: 'any', openid_optional: true } })
  const client_id = host.urlOf(0, `known-${slug}.json`)
  const record = await call.post(`${path}/metadata-clients`, platform, { client_id, listed: false })
  call.close()
  const seeded_environment = await seedEnvironment(address, { platform_key, project_id, environment }, { people: 1 })
  const provider: Provider = {
    ...seeded_environment,
    client: { client_id, client_secret: null, redirect_uri },
    scope: 'openid offline_access',
    jwt_access_token: { parameters: { resource: identifier }, audience: identifier },
  }
  const asked = authorization(provider, provider.jwt_access_token.parameters)
  const browser = await openBrowser(address, provider.cookies[0])
  codeIn(provider, asked, await browser.submit(await browser.get(asked.path), { decision: 'allow' }))
  browser.close()
  return { provider, slug, cookie: browser.cookie(), platform_key, read: `${path}/metadata-clients/${record.id}/read` }
}

async function attack({ provider, slug, cookie, platform_key, read }: Awaited<ReturnType<typeof openToClients>>, host: Host) {
  const { address, paths } = provider
  const calls_before = host.calls()
  const statuses: Record<string, number> = {}
  let sent = 0
  let is_over = false
  const strangers = Array.from({ length: in_flight }, async () => {
    const connection = await openConnection(address)
    while (sent < requests) {
      const n = sent++
      const unknown = { client_id: host.urlOf(n, `${slug}-${n}.json`), client_secret: null, redirect_uri }
      const asked = authorization({ ...provider, client: unknown }, provider.jwt_access_token.parameters)
      const headers = { 'x-forwarded-for': `203.0.113.${n % 250}` }
      const { status } = await connection.send(request(address, 'GET', asked.path, { headers }))
      statuses[status] = (statuses[status] ?? 0) + 1
    }
    connection.close()
  })
  const latencies: number[] = []
  const asking = repeat(
    address,
    () => is_over,
    async (connection) => {
      const at = performance.now()
      expectStatus(200, await connection.send(request(address, 'GET', paths.discovery, { headers: { 'x-forwarded-for': '198.51.100.7' } })))
      latencies.push(performance.now() - at)
    },
  )
  let connected = 0
  const connecting = repeat(
    address,
    () => is_over,
    async (connection) => {
      const asked = authorization(provider, provider.jwt_access_token.parameters)
      const headers = { cookie, 'x-forwarded-for': '198.51.100.8' }
      const code = codeIn(provider, asked, await connection.send(request(address, 'GET', asked.path, { headers })))
      await redeem(provider, connection, asked, code)
      connected++
    },
  )
  let reads = 0
  const reading = repeat(
    address,
    () => is_over || reads === most_reads,
    async (connection) => {
      expectStatus(200, await connection.send(request(address, 'POST', read, { headers: { 'x-api-key': platform_key } })))
      reads++
    },
  )
  const began = performance.now()
  await Promise.all(strangers)
  const seconds = (performance.now() - began) / 1_000
  is_over = true
  await Promise.all([asking, connecting, reading])
  latencies.sort((a, b) => a - b)
  return {
    requests: sent,
    seconds,
    statuses,
    calls: host.calls() - calls_before,
    connected,
    reads,
    probes: latencies.length,
    discovery_p50_ms: percentile(latencies, 0.5),
    discovery_p99_ms: percentile(latencies, 0.99),
  }
}

/** Repeats a step on one connection, at least once. */
async function repeat(
  address: Address,
  isOver: () => boolean,
  step: (connection: Awaited<ReturnType<typeof openConnection>>) => Promise<void>,
) {
  const connection = await openConnection(address)
  do {
    await step(connection)
    await sleep(between_probes_ms)
  } while (!isOver())
  connection.close()
}
