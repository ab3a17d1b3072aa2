/** A real Redis for tests, if the machine has `redis-server` or `valkey-server`: in memory only, and ended with the process. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { freePort } from './free-port.ts'

const program = ['redis-server', 'valkey-server'].find((name) => spawnSync(name, ['--version']).status === 0)

/** For `test('…', { skip: noRedis }, …)`: why there is no Redis, or `false`. */
export const noRedis = program ? false : 'needs redis-server or valkey-server'

export async function startRedis(port?: number) {
  if (!program) throw new Error('There is no redis-server.')
  const folder = mkdtempSync(join(tmpdir(), 'ostiary-redis-'))
  const at = port ?? (await freePort())
  const args = ['--port', String(at), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder, '--requirepass', 'hush']
  const server = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  const stop = async () => {
    server.kill('SIGCONT')
    server.kill('SIGKILL')
    if (server.exitCode === null && server.signalCode === null) await new Promise((resolve) => server.once('close', resolve))
    rmSync(folder, { recursive: true, force: true })
  }
  after(stop)
  await ready(server)
  return {
    url: `redis://:hush@127.0.0.1:${at}`,
    port: at,
    stop,
    /** Stops the process without closing its connections: nothing is answered. */
    freeze: () => server.kill('SIGSTOP'),
    thaw: () => server.kill('SIGCONT'),
  }
}

function ready(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = ''
    server.once('close', (code) => reject(new Error(`The Redis server ended with ${code}: ${text}`)))
    server.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      if (/ready to accept connections/i.test(text)) resolve()
    })
  })
}
