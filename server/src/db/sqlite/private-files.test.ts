import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createPrivateFile, exposedFiles, isWritableByOthers, makePrivateDirectory } from './private-files.ts'

const skip = process.platform === 'win32' && 'Windows has no such modes'
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'ostiary-private-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Runs `work` with another umask. `work` is synchronous, so no other code runs with that umask. */
function withUmask(umask: number, work: () => void): void {
  const before = process.umask(umask)
  try {
    work()
  } finally {
    process.umask(before)
  }
}

for (const umask of [0o000, 0o022, 0o077, 0o777])
  test(`with umask ${umask.toString(8)} a file gets mode 600 and a directory mode 700`, { skip }, (t) => {
    const parent = folder(t)
    withUmask(umask, () => {
      makePrivateDirectory(join(parent, 'data'))
      createPrivateFile(join(parent, 'data/ostiary.db'))
    })
    assert.deepEqual([modeOf(join(parent, 'data')), modeOf(join(parent, 'data/ostiary.db'))], ['700', '600'])
  })

test('makePrivateDirectory removes the rights of others from the files of the service only', { skip }, (t) => {
  const path = join(folder(t), 'data')
  mkdirSync(path)
  const ours = ['master.key', 'ostiary.db', 'ostiary.db-shm', 'ostiary.db-wal', 'serve.lock', 'serve.lock-journal']
  for (const name of [...ours, 'backup.sh']) writeFileSync(join(path, name), '')
  for (const name of [...ours, 'backup.sh']) chmodSync(join(path, name), 0o666)
  chmodSync(path, 0o777)
  assert.deepEqual(
    exposedFiles(path).sort(),
    ours.map((name) => join(path, name)),
  )
  assert.ok(isWritableByOthers(path))

  makePrivateDirectory(path)
  for (const name of ours) assert.equal(modeOf(join(path, name)), '600', name)
  assert.deepEqual([modeOf(join(path, 'backup.sh')), modeOf(path)], ['666', '777'], 'files of others keep their mode')
  assert.deepEqual(exposedFiles(path), [])

  rmSync(join(path, 'backup.sh'))
  makePrivateDirectory(path)
  assert.equal(modeOf(path), '700')
})

test('createPrivateFile keeps the content of an existing file', (t) => {
  const path = join(folder(t), 'file')
  writeFileSync(path, 'content')
  createPrivateFile(path)
  assert.equal(statSync(path).size, 7)
})

test('makePrivateDirectory creates a missing directory with its parents', (t) => {
  const path = join(folder(t), 'a/b')
  makePrivateDirectory(path)
  assert.deepEqual(readdirSync(path), [])
})
