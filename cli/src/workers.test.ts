import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { lanesOf } from '@ostiary/server/domain/users/password.ts'
import { commandLineTool } from '../../launch.mjs'
import { createPerson, exchange } from '../../server/test/support/cookie-browser.ts'
import { freePort } from '../../server/test/support/free-port.ts'
import { freshDatabase, noPostgres } from '../../server/test/support/postgres.ts'
import { pretendPlaced } from '../../server/test/support/pretended-citus.ts'
import { world } from '../../server/test/support/world.ts'

const main = await commandLineTool('serve') // the build, as users run it

const skip = { skip: noPostgres }
const master_key = Buffer.alloc(32, 7).toString('base64')

const serve = (args: string[], env: Record<string, string>) => ostiary(['serve', ...args], env)

/** Runs a command with only these settings. */
function ostiary(words: string[], env: Record<string, string>) {
  const command = ['--disable-warning=ExperimentalWarning', main, ...words]
  const child = spawn(process.execPath, command, { env: { PATH: process.env.PATH, OSTIARY_LOG_LEVEL: 'info', ...env } })
  const output = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.err += text
  })
  after(() => child.kill('SIGKILL'))
  const ended: Promise<number | null> = once(child, 'close').then(([code]) => code)
  return { child, output, ended }
}

const poll_interval_ms = 50

/** Waits without a limit, since a busy machine starts processes slowly. The test runner limits the time of the file. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(poll_interval_ms)
}

const countOf = (text: string, word: string) => text.split(word).length - 1
const settings = async (url: string, port: number) => ({
  OSTIARY_DATABASE_URL: url,
  OSTIARY_MASTER_KEY: master_key,
  OSTIARY_PORT: String(port),
  OSTIARY_HOST: '127.0.0.1',
})

test('several workers on the embedded database are refused, and the message says what to do', async () => {
  const { output, ended } = serve(['--workers', '2'], {})
  assert.equal(await ended, 1)
  assert.match(output.err, /OSTIARY_DATABASE_URL/)
  assert.equal(output.err.trim().split('\n').length, 1)
})

for (const number of ['0', 'all', '-1'])
  test(`serve --workers ${number} is refused`, async () => {
    const { output, ended } = serve(['--workers', number], {})
    assert.equal(await ended, 2)
    assert.match(output.err, /^--workers takes a number from 1 to 64\./)
  })

test('a mistake that every worker would find is reported once', skip, async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  const refused = serve(['--workers', '3'], await settings(await freshDatabase(), port))
  assert.equal(await refused.ended, 1)
  assert.equal(countOf(refused.output.err, 'is in use'), 1)
  taken.close()

  const lost = serve(['--workers', '3'], await settings('postgres://ostiary:hush@127.0.0.1:1/none', port))
  assert.equal(await lost.ended, 1)
  assert.equal(countOf(lost.output.err, 'cannot be reached'), 1)
  assert.doesNotMatch(lost.output.err + lost.output.out, /hush/)
})

test('a taken metrics port stops serve --workers with one sentence', skip, async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  const env = { ...(await settings(await freshDatabase(), await freePort())), OSTIARY_METRICS_PORT: String(port) }
  const { output, ended } = serve(['--workers', '2'], env)
  assert.equal(await ended, 1)
  assert.equal(
    output.err,
    `Port ${port} is in use. Stop the program that uses it, or choose another port, such as OSTIARY_METRICS_PORT=${port + 1}.\n`,
  )
  taken.close()
})

test('each client that connects while workers start is answered, or its connection ends', skip, async () => {
  const port = await freePort()
  const { child, output, ended } = serve(['--workers', '2'], await settings(await freshDatabase(), port))
  const open = new Set<Socket>()
  let opened = 0
  for (; countOf(output.out, '"listening"') < 2; await sleep(2)) {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => opened++).on('error', () => {}) // refused, before a worker listens
    socket.on('close', () => open.delete(socket)).resume()
    socket.end('GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
    open.add(socket)
  }
  assert.ok(opened > 10, `${opened} connected`)
  await until(() => open.size === 0)
  child.kill('SIGTERM')
  assert.equal(await ended, 0, output.err)
})

test('workers share the port, are replaced when they end, and stop together', skip, async () => {
  const [port, metrics_port] = [await freePort(), await freePort()]
  const env = { ...(await settings(await freshDatabase(), port)), OSTIARY_METRICS_PORT: String(metrics_port) }
  const { child, output, ended } = serve(['--workers', '3'], env)
  const up = () => countOf(output.out, '"listening"')
  await until(() => up() === 3)
  assert.equal(countOf(output.out, 'Each worker counts rate limits on its own'), 1)
  assert.equal(countOf(output.out, `"hashes_at_once":${lanesOf(3)}`), 3, 'the workers divide the cores')

  const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`, { headers: { connection: 'close' } })).status === 200
  for (let i = 0; i < 30; i++) assert.ok(await isReady())
  const metrics = async () => (await fetch(`http://127.0.0.1:${metrics_port}/metrics`)).text()
  assert.match(await metrics(), /http_request_duration_seconds_count\{[^}]*\/readyz[^}]*\} 30\n/)

  const doctor = ostiary(['doctor'], env)
  assert.equal(await doctor.ended, 0)
  assert.match(doctor.output.out, /warning\s+Now 3 processes serve/)

  const pids = /"message":"workers".*"pids":"([0-9 ]+)"/.exec(output.out)?.[1]?.split(' ') ?? []
  assert.equal(pids.length, 3)
  process.kill(Number(pids[0]), 'SIGKILL')
  let answers = 0
  for (; up() < 4; await sleep(poll_interval_ms)) {
    assert.match(await metrics(), /http_request_duration_seconds_count/)
    if (up() < 4) answers += 1
  }
  assert.ok(answers > 0, 'metrics are answered while a worker starts')
  for (let i = 0; i < 30; i++) assert.ok(await isReady())

  child.kill('SIGTERM')
  assert.equal(await ended, 0)
  assert.equal(countOf(output.out, '"stopped"'), 3)
  await assert.rejects(isReady())
})

test('clients that connect during the start, and stay, do not keep workers from it', { ...skip, timeout: 120_000 }, async () => {
  const port = await freePort()
  const { child, output, ended } = serve(['--workers', '2'], await settings(await freshDatabase(), port))
  const up = () => countOf(output.out, '"listening"')
  const sockets = new Set<Socket>()
  while (up() === 0) {
    const socket = connect(port, '127.0.0.1')
    const is_connected = await new Promise((resolve) => socket.once('connect', () => resolve(true)).on('error', () => resolve(false)))
    if (is_connected) sockets.add(socket)
    await sleep(1)
  }
  await until(() => up() === 2)
  for (const socket of sockets) socket.destroy()
  child.kill('SIGTERM')
  assert.equal(await ended, 0)
})

test('workers whose database is distributed meanwhile end with the reason and are not replaced', skip, async () => {
  const url = await freshDatabase()
  const { output, ended } = serve(['--workers', '2'], await settings(url, await freePort()))
  await until(() => countOf(output.out, '"listening"') === 2)
  await pretendPlaced(url)
  assert.equal(await ended, 1)
  assert.match(output.err, /have been distributed over several nodes/)
  assert.equal(countOf(output.out, 'no other can take its place'), 1)
  assert.equal(countOf(output.out, 'A worker ended and is replaced'), 0)
  assert.equal(countOf(output.out, '"listening"'), 2)
})

test('of 50 parallel exchanges of one code over two processes exactly one succeeds', skip, async () => {
  const w = await world({ engine: 'postgres', env: { OSTIARY_MASTER_KEY: master_key } })
  const port = await freePort()
  const env = await settings(w.deployment.config.database_url ?? assert.fail(), port)
  const { output } = serve(['--workers', '2'], { ...env, OSTIARY_BASE_URL: w.base_url })
  await until(() => countOf(output.out, '"listening"') === 2)
  const client = await w.createApplication(w.test)
  const person = await createPerson(w, w.test)
  const workers = { issuer: w.test.issuer.replace(w.base_url, `http://127.0.0.1:${port}`) }
  for (let round = 0; round < 5; round++) {
    const { request, code } = await person.code(client)
    const replies = await Promise.all(Array.from({ length: 50 }, () => exchange(w, workers, client, { request, code })))
    assert.equal(replies.filter(({ status }) => status === 200).length, 1)
    assert.equal(replies.filter(({ status }) => status === 400).length, 49)
  }
})
