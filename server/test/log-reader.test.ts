/** If the reader of the log ends or does not read, the service continues and reports how many lines were lost. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { commandLineTool } from '../../launch.mjs'
import { run } from './support/cli-process.ts'
import { freePort } from './support/free-port.ts'
import { freshDatabase, noPostgres } from './support/postgres.ts'
import { until } from './support/receiver.ts'

const program = await commandLineTool('serve')
const launcher = join(import.meta.dirname, '../../launch.mjs')
const folder = mkdtempSync(join(tmpdir(), 'ostiary-log-'))
const children = new Set<ChildProcess>()
after(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** More lines than the pipe and the process keep, of more than 150 bytes each. */
const flood = 2_500

interface Case {
  readonly words: readonly string[]
  /** The stream of the log. The other one is read. */
  readonly stream: 'stdout' | 'stderr'
  readonly file?: string
  readonly postgres?: boolean
}

async function startUnread({ words, file = program, postgres = false }: Case) {
  const [port, metrics_port] = [await freePort(), await freePort()]
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    OSTIARY_LOG_LEVEL: 'info',
    OSTIARY_PORT: String(port),
    OSTIARY_METRICS_PORT: String(metrics_port),
    OSTIARY_DATA_DIR: mkdtempSync(join(folder, 'data-')),
    ...(postgres ? { OSTIARY_DATABASE_URL: await freshDatabase(), OSTIARY_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') } : {}),
  }
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file, ...words], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  const ended: Promise<unknown[]> = once(child, 'exit')
  const at = `http://localhost:${port}`
  const answers = () =>
    fetch(`${at}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    )
  await Promise.race([until('the service is ready', answers), ended.then(([code]) => assert.fail(`it ended with ${code}`))])
  return {
    child,
    ended,
    env,
    answers,
    /** Calls that write a line each. */
    async call(times: number): Promise<void> {
      for (let i = 0; i < times; i += 50)
        await Promise.all(Array.from({ length: 50 }, async () => (await fetch(`${at}/v1/nothing`)).text()))
    },
    async dropped(stream: string): Promise<number> {
      const text = await (await fetch(`http://localhost:${metrics_port}/metrics`)).text()
      const sample = `ostiary_log_lines_dropped_total{stream="${stream}"} `
      return Number(
        text
          .split('\n')
          .find((line) => line.startsWith(sample))
          ?.slice(sample.length) ?? 0,
      )
    },
  }
}

// biome-ignore format: this table is read by column
const cases: [what: string, Case][] = [
  ['serve',                 { words: ['serve'],                   stream: 'stdout' }],
  ['start',                 { words: ['start'],                   stream: 'stderr' }],
  ['serve of the launcher', { words: ['serve'],                   stream: 'stdout', file: launcher }],
  ['serve --workers 2',     { words: ['serve', '--workers', '2'], stream: 'stdout', postgres: true }],
]
for (const [what, kind] of cases) {
  const skip = kind.postgres ? noPostgres : false
  test(`when the reader of the log of ${what} ends, the service goes on, counts the lines, and stops as always`, { skip }, async () => {
    const service = await startUnread(kind)
    const { child } = service
    for (const stream of ['stdout', 'stderr'] as const) child[stream]?.destroy()
    await service.call(300)
    assert.equal(await service.answers(), true)
    await until('lines are counted', async () => (await service.dropped(kind.stream)) >= 250)
    child.kill('SIGTERM')
    assert.deepEqual(await service.ended, [0, null])
  })

  if (kind.postgres || kind.file) continue // the same process
  test(`while the log of ${what} has a reader that does not read, the service goes on and counts the lines`, { skip }, async () => {
    const service = await startUnread(kind)
    const { child } = service
    child[kind.stream === 'stdout' ? 'stderr' : 'stdout']?.resume()
    await service.call(flood)
    assert.equal(await service.answers(), true)
    assert.ok((await service.dropped(kind.stream)) > 0, 'lines are dropped and counted')
    child.kill('SIGTERM')
    child[kind.stream]?.resume()
    assert.deepEqual(await service.ended, [0, null])
  })
}

test('doctor says that lines of the log were dropped', async () => {
  const service = await startUnread({ words: ['serve'], stream: 'stdout' })
  service.child.stdout?.destroy()
  await service.call(50)
  const { OSTIARY_DATA_DIR, OSTIARY_PORT } = service.env
  const find = async () => {
    const { stdout, code } = await run('doctor', { OSTIARY_DATA_DIR, OSTIARY_PORT }).ended
    assert.equal(code, 0)
    return stdout.includes('A process has dropped lines of its log')
  }
  await until('the row is written', find)
  service.child.kill('SIGTERM')
  assert.deepEqual(await service.ended, [0, null])
})

// biome-ignore format: this table is read by column
const commands: [words: string[], gone: 'stdout' | 'stderr'][] = [
  [['--help'],                       'stdout'],
  [['users', '--help'],              'stdout'],
  [['doctor', '--json'],             'stdout'],
  [['migrate'],                      'stdout'],
  [['nonsense'],                     'stderr'],
]
for (const [words, gone] of commands)
  test(`ostiary ${words.join(' ')} ends without a stack when ${gone} has no reader`, async () => {
    const other = gone === 'stdout' ? 'stderr' : 'stdout'
    const env = { PATH: process.env.PATH, HOME: folder, OSTIARY_DATA_DIR: mkdtempSync(join(folder, 'data-')) }
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...words], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    children.add(child)
    child[gone]?.destroy()
    let text = ''
    child[other]?.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    const [code, signal] = await once(child, 'close')
    assert.equal(signal, null)
    assert.ok([0, 1, 2].includes(code))
    assert.doesNotMatch(text, /EPIPE|\n\s+at /)
  })
