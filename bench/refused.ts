/**
 * A stranger sends refused calls to the token endpoint: an unknown client, one call after another on 16 connections. Meanwhile another
 * client, with another address, requests the discovery document, and now and then makes a refused call of its own. As many calls that are not
 * refused come first, to compare with: revocations by a client that authenticates.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expectStatus, openConnection, request } from './connection.ts'
import { type Ground, root } from './contestants.ts'
import { percentile } from './load.ts'
import { seedOstiary, startOstiary } from './ostiary.ts'

const mebibyte = 1_048_576
const in_flight = 16
const between_probes_ms = 10
const probes_for_each_refused = 50
const stranger = { 'x-forwarded-for': '203.0.113.9' }
const other = { 'x-forwarded-for': '198.51.100.7' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** Measures memory and the latency of another client under `calls` refused calls, and under as many that are not refused. */
export async function surveyRefused({ folder, core }: Ground, calls: number, progress: (text: string) => void) {
  const env = { OSTIARY_TRUSTED_PROXIES: '127.0.0.1,::1' }
  const { process, ...started } = await startOstiary({ root, folder: join(folder, 'refused'), database_url: null, core, env })
  const seeded = await seedOstiary(root, { process, ...started }, 4)
  const { address, issuer, platform_key, project_id } = seeded
  const path = new URL(issuer).pathname
  const discovery = `${path}/.well-known/openid-configuration`
  const { client_id, client_secret } = seeded.client
  const basic = { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` }
  /** About as much work: a form, and an authenticated client. */
  const accepted_call = request(address, 'POST', `${path}/v1/oauth/revoke`, {
    headers: { ...form, ...basic, ...stranger },
    body: 'token=unknown',
  })
  const unknown = 'grant_type=authorization_code&client_id=app_01m7wwr5ftevtv5yxb47hmb4ht&client_secret=guessed'
  const refusedCall = (headers: Record<string, string>) =>
    request(address, 'POST', `${path}/v1/oauth/token`, { headers: { ...form, ...headers }, body: unknown })
  const requests = `/v1/platform/projects/${project_id}/environments/${path.split('/').at(-1)}/requests`
  const as_tenant = { 'x-api-key': platform_key }

  async function under(name: string, attack: string, status: number) {
    let sent = 0
    let is_over = false
    let most_bytes = 0
    const latencies: number[] = []
    const references: string[] = []
    const before = (await process.collect()).resident_bytes
    const flood = Array.from({ length: in_flight }, async () => {
      const connection = await openConnection(address)
      while (sent < calls) {
        if (++sent % 10_000 === 0) progress(`${name}, ${sent} calls`)
        expectStatus(status, await connection.send(attack))
      }
      connection.close()
    })
    const watching = (async () => {
      for (; !is_over; await sleep(50)) most_bytes = Math.max(most_bytes, (await process.usage()).resident_bytes)
    })()
    const probing = (async () => {
      const connection = await openConnection(address)
      for (const asked = request(address, 'GET', discovery, { headers: other }); !is_over; await sleep(between_probes_ms)) {
        const at = performance.now()
        expectStatus(200, await connection.send(asked))
        latencies.push(performance.now() - at)
        if (latencies.length % probes_for_each_refused !== 0) continue
        const { head } = expectStatus(401, await connection.send(refusedCall(other)))
        references.push(/x-request-id: (\S+)/i.exec(head)?.[1] ?? '')
      }
      connection.close()
    })()
    const began = performance.now()
    await Promise.all(flood)
    const seconds = (performance.now() - began) / 1000
    is_over = true
    await Promise.all([watching, probing])
    const { resident_bytes, heap_bytes } = await process.collect()
    latencies.sort((a, b) => a - b)
    return {
      references,
      figures: {
        calls: sent,
        seconds,
        before_mib: before / mebibyte,
        most_mib: most_bytes / mebibyte,
        after_mib: resident_bytes / mebibyte,
        heap_after_mib: heap_bytes / mebibyte,
        probes: latencies.length,
        p50_ms: percentile(latencies, 0.5),
        p99_ms: percentile(latencies, 0.99),
        most_ms: latencies.at(-1) ?? Number.NaN,
      },
    }
  }

  const accepted = await under('not refused', accepted_call, 200)
  const refused = await under('refused', refusedCall(stranger), 401)

  const connection = await openConnection(address)
  const find = async (id: string) =>
    (await connection.send(request(address, 'GET', `${requests}/${id}`, { headers: as_tenant }))).status === 200
  const references = [...accepted.references, ...refused.references]
  let found = 0
  for (const id of references) if (await find(id)) found++
  const { body } = expectStatus(200, await connection.send(request(address, 'GET', `${requests}/summary`, { headers: as_tenant })))
  connection.close()
  await process.stop()
  const { data, dropped } = JSON.parse(body)
  return {
    accepted: accepted.figures,
    refused: refused.figures,
    /** Refused calls of the other client, and how many of them are found afterwards. */
    of_other: references.length,
    of_other_found: found,
    records: data.reduce((sum: number, { count }: { count: number }) => sum + count, 0),
    dropped,
  }
}
