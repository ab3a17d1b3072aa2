/**
 * SIGTERM to the process group, as systemd and `kill -- -PGID` send it: launcher, first process and workers each get it and hand it on.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { commandLineTool } from '../../launch.mjs'
import { freePort } from '../../server/test/support/free-port.ts'
import { freshDatabase, noPostgres } from '../../server/test/support/postgres.ts'
import { rawRequest } from '../../server/test/support/raw-http.ts'

const main = await commandLineTool('serve') // the build, as users run it
const launcher = join(import.meta.dirname, '../../launch.mjs')
const in_flight = 50
const poll_interval_ms = 20

// biome-ignore format: this table is read by column
const deployments = [
  { what: 'one process',                       file: main,     workers: 1, engine: 'sqlite'   },
  { what: 'the launcher',                      file: launcher, workers: 1, engine: 'sqlite'   },
  { what: 'one process on PostgreSQL',         file: main,     workers: 1, engine: 'postgres' },
  { what: 'two workers',                       file: main,     workers: 2, engine: 'postgres' },
  { what: 'two workers through the launcher',  file: launcher, workers: 2, engine: 'postgres' },
] as const

for (const deployment of deployments)
  test(
    `SIGTERM to the process group lets ${deployment.what} answer every request in flight, and ends with 0`,
    { skip: deployment.engine === 'postgres' && noPostgres },
    async (t) => {
      const service = await startGroup(t, deployment)
      const requests = await Promise.all(Array.from({ length: in_flight }, () => service.begin()))
      process.kill(-service.pid, 'SIGTERM')
      await service.logged('"stopping"', deployment.workers)
      const answers = await Promise.all(requests.map((finish) => finish()))
      assert.deepEqual([...new Set(answers)], ['HTTP/1.1 401 Unauthorized'])
      assert.equal(await service.ended, 0)
    },
  )

for (const { what, file, workers, engine } of deployments.slice(2))
  test(`a signal a second after the first ends ${what} at once`, { skip: noPostgres }, async (t) => {
    const service = await startGroup(t, { file, workers, engine })
    const finish = await service.begin()
    process.kill(-service.pid, 'SIGTERM')
    await service.logged('"stopping"', workers)
    await sleep(1_000) // the meaning of a signal depends on the time between two
    process.kill(-service.pid, 'SIGTERM')
    assert.equal(await service.ended, 1)
    assert.equal(await finish(), '')
  })

/** Starts a service as the leader of a process group. */
async function startGroup(t: TestContext, { file, workers, engine }: Omit<(typeof deployments)[number], 'what'>) {
  const [port, data_dir] = [await freePort(), mkdtempSync(join(tmpdir(), 'ostiary-stop-'))]
  const env = {
    PATH: process.env.PATH,
    OSTIARY_HOST: '127.0.0.1',
    OSTIARY_PORT: String(port),
    OSTIARY_DATA_DIR: data_dir,
    OSTIARY_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    ...(engine === 'postgres' ? { OSTIARY_DATABASE_URL: await freshDatabase() } : {}),
  }
  const command = ['--disable-warning=ExperimentalWarning', file, 'serve', '--workers', String(workers)]
  const child = spawn(process.execPath, command, { env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  const pid = child.pid ?? assert.fail('the service does not start')
  const ended: Promise<number | null> = once(child, 'close').then(([code]) => code)
  t.after(async () => {
    if (child.exitCode === null) process.kill(-pid, 'SIGKILL')
    await ended
    rmSync(data_dir, { recursive: true })
  })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text
  })
  /** Waits without a limit, since a busy machine starts processes slowly. The test runner limits the time of the file. */
  const logged = async (word: string, times: number) => {
    while (out.split(word).length - 1 < times) await sleep(poll_interval_ms)
  }
  await logged('"listening"', workers)
  const metadata = await fetch(`http://127.0.0.1:${port}/.well-known/oauth-protected-resource`)
  const [issuer] = ((await metadata.json()) as { authorization_servers: string[] }).authorization_servers // as: RFC 9728 §2
  const path = `${new URL(issuer ?? '').pathname}/v1/oauth/token`

  /** Sends a request without its body, and waits until the service has read the head. Returns what sends the rest and reads the answer. */
  async function begin(): Promise<() => Promise<string>> {
    const body = 'grant_type=authorization_code&code=unknown&client_id=unknown'
    const headers = { 'content-type': 'application/x-www-form-urlencoded', connection: 'keep-alive', expect: '100-continue' }
    const bytes = rawRequest('POST', path, headers, body)
    const socket = connect({ host: '127.0.0.1', port })
    let answer = ''
    const closed = new Promise((resolve) => socket.once('close', resolve).once('error', () => {}))
    await new Promise((resolve) => {
      socket.once('data', resolve)
      socket.write(bytes.subarray(0, -Buffer.byteLength(body)))
    })
    socket.setEncoding('latin1').on('data', (text) => {
      answer += text
    })
    return async () => {
      socket.write(body)
      await closed
      return /^HTTP\/1\.1 .*$/m.exec(answer)?.[0].trimEnd() ?? ''
    }
  }
  return { pid, ended, logged, begin }
}
