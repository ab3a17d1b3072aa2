/** Node's thread pool has threads for the syncs of the database and for signatures, however many passwords are hashed. */
import assert from 'node:assert/strict'
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { lanesOf } from '../src/domain/users/password.ts'
import { serve } from './support/cli-process.ts'
import { freePort } from './support/free-port.ts'

const folder = mkdtempSync(join(tmpdir(), 'ostiary-pool-'))
after(() => rmSync(folder, { recursive: true, force: true }))

test('a sync waits for no password on four lanes', { skip: process.platform === 'win32' && 'Windows has no such pipe' }, async () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const program = join(import.meta.dirname, 'support/flood-process.ts')
  const child = fork(program, [pipe, join(folder, 'synced')], { execArgv: ['--disable-warning=ExperimentalWarning'] })
  const [ended] = await once(child, 'message')
  child.disconnect()
  assert.deepEqual(ended, ['sync', ...Array(12).fill('hash')])
})

test(
  'a service has a thread for each lane and four more',
  { skip: process.platform !== 'linux' && 'only Linux names threads' },
  async () => {
    const { process: service } = await serve({ OSTIARY_DATA_DIR: join(folder, 'data'), OSTIARY_PORT: String(await freePort()) })
    const tasks = `/proc/${service.pid}/task`
    const names = readdirSync(tasks).map((id) => readFileSync(join(tasks, id, 'comm'), 'utf8').trim())
    assert.equal(names.filter((name) => name === 'libuv-worker').length, lanesOf(1) + 4)
  },
)
