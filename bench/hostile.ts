/**
 * An unauthenticated client sends requests that are expensive to read: long values, combining marks, slow heads and bodies,
 * one-byte chunks, broken heads, a new unknown id in each request. Meanwhile another client requests `/healthz`.
 */
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expectStatus, openConnection, request } from './connection.ts'
import { type Ground, root } from './contestants.ts'
import { percentile } from './load.ts'
import { type Seeded, seedOstiary, signInRequests, startOstiary } from './ostiary.ts'

const mebibyte = 1_048_576
const in_flight = 32
/** The most sockets that send half a request and wait. */
const most_slow = 300
const between_probes_ms = 10

const form = 'content-type: application/x-www-form-urlencoded\r\n'
const marks = 'a'.padEnd(500_000, '\u0301\u0316')

interface Attack {
  bytes: (turn: number) => string | Buffer
  /** The service closes these connections after its timeout; the attacker does not wait for that. */
  is_slow?: true
}

async function attacksOn(seeded: Seeded): Promise<Record<string, Attack>> {
  const { issuer, people } = seeded
  const { host, port } = seeded.address

  const at = new URL(issuer).pathname
  const head = (method: string, path: string, more = '') => `${method} ${path} HTTP/1.1\r\nhost: ${host}:${port}\r\n${more}`
  const post = (path: string, body: string) =>
    Buffer.from(`${head('POST', `${at}${path}`, form)}connection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  const always = (bytes: Buffer | string) => ({ bytes: () => bytes })
  const [person] = people
  if (!person) throw new Error('There is no person to sign in.')
  const [start = '', body = ''] = (await signInRequests(seeded, person))().split('\r\n\r\n')
  /** A form of the sign-in page with its token and cookies, and another value in one field, never sent twice. */
  const signIn = (name: string, value: string) => {
    const changed = Buffer.from(body.replace(new RegExp(`(^|&)${name}=[^&]*`), () => `&${name}=${value}`))
    return {
      bytes(turn: number) {
        const last = Buffer.from(`&again=${turn}`)
        const length = `content-length: ${changed.length + last.length}\r\nconnection: close`
        return Buffer.concat([Buffer.from(`${start.replace(/content-length: [0-9]+/, length)}\r\n\r\n`), changed, last])
      },
    }
  }
  const chunks = '1\r\na\r\n'.repeat(100_000)
  const padding = 'x'.repeat(20_000)
  return {
    'a client_id of 1 MB, never the same': {
      bytes: (turn) => post('/v1/oauth/token', `grant_type=x&client_id=${turn}${'a'.repeat(1_000_000)}`),
    },
    'a client_id of 20 kB, never the same': {
      bytes: (turn) => `${head('GET', `${at}/oauth/authorize?client_id=${turn}${padding}`)}connection: close\r\n\r\n`,
    },
    'an unknown client_id in its right form': {
      bytes: (turn) => post('/v1/oauth/token', `grant_type=x&client_id=app_01m7wwr5ftevtv5yxb4${String(turn).padStart(7, '0')}`),
    },
    '1 MB of combining marks as an email': signIn('email', marks),
    '1 MB of combining marks as a password': signIn('password', marks),
    '24 kB of combining marks as a password': signIn('password', marks.slice(0, 12_000)),
    'half a million parameters': always(post('/v1/oauth/token', 'a&'.repeat(500_000))),
    'a mebibyte of brackets as an assertion': always(
      post('/v1/oauth/token', `client_assertion_type=x&client_assertion=a.${Buffer.from('['.repeat(700_000)).toString('base64url')}.a`),
    ),
    'one-byte chunks': always(
      `${head('POST', `${at}/v1/oauth/token`, form)}connection: close\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
    ),
    'a broken head': always('GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\ncontent-length: x\r\n\r\n'),
    'a head over the limit': always(`${head('GET', '/healthz')}x: ${'a'.repeat(40_000)}\r\n\r\n`),
    'thousands of header fields': always(`${head('GET', '/healthz')}${'a: b\r\n'.repeat(5_000)}\r\n`),
    'half a head': { bytes: () => `${head('GET', '/healthz')}x: `, is_slow: true },
    'half a body': { bytes: () => `${head('POST', `${at}/v1/oauth/token`, form)}content-length: 1048576\r\n\r\na=b`, is_slow: true },
  }
}

/** Measures memory and the latency of `/healthz` under `requests` hostile requests, equally many of each kind. */
export async function surveyHostile({ folder, core }: Ground, requests: number, progress: (text: string) => void) {
  const started = await startOstiary({ root, folder: join(folder, 'hostile'), database_url: null, core })
  const seeded = await seedOstiary(root, started, 4)
  const { address } = seeded
  const attacks = Object.values(await attacksOn(seeded))
  let sent = 0
  let slow = 0
  let most_bytes = 0
  let is_over = false

  /** Sends the bytes. Resolves when the service closes the connection. */
  const strike = (bytes: string | Buffer) =>
    new Promise<void>((resolve) => {
      const socket = connect({ host: '127.0.0.1', port: address.port }, () => socket.write(bytes))
      socket
        .on('error', () => {})
        .on('close', () => resolve())
        .resume()
    })
  const attackers = Array.from({ length: in_flight }, async () => {
    while (sent < requests) {
      const turn = sent++
      const attack = attacks[turn % attacks.length]
      if (!attack) continue
      if (turn % 1_000 === 999) progress(`hostile, ${turn + 1} requests`)
      if (!attack.is_slow) await strike(attack.bytes(turn))
      else if (slow < most_slow) {
        slow++
        void strike(attack.bytes(turn)).then(() => slow--)
      } else await strike('GET / HT\0P\r\n\r\n')
    }
  })
  const watching = (async () => {
    for (; !is_over; await sleep(50)) most_bytes = Math.max(most_bytes, (await started.process.usage()).resident_bytes)
  })()
  const latencies: number[] = []
  const probing = (async () => {
    const connection = await openConnection(address)
    for (const asked = request(address, 'GET', '/healthz'); !is_over; await sleep(between_probes_ms)) {
      const at = performance.now()
      expectStatus(200, await connection.send(asked))
      latencies.push(performance.now() - at)
    }
    connection.close()
  })()
  const began = performance.now()
  await Promise.all(attackers)
  const seconds = (performance.now() - began) / 1000
  is_over = true
  await Promise.all([watching, probing])
  const { resident_bytes, heap_bytes } = await started.process.collect()
  await started.process.stop()
  latencies.sort((a, b) => a - b)
  return {
    requests: sent,
    seconds,
    most_mib: most_bytes / mebibyte,
    after_mib: resident_bytes / mebibyte,
    heap_after_mib: heap_bytes / mebibyte,
    probes: latencies.length,
    healthz_p50_ms: percentile(latencies, 0.5),
    healthz_p99_ms: percentile(latencies, 0.99),
    healthz_most_ms: latencies.at(-1) ?? Number.NaN,
  }
}
