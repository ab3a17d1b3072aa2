import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type ArchivedFile, readTar, writeTar } from './tar.ts'

const at = new Date('2026-01-01T00:00:00Z')
const file = (path: string, length: number, mode = 0o644): ArchivedFile => ({ path, mode, content: Buffer.alloc(length, path) })

const files = [
  file('empty', 0),
  file('program', 511, 0o755),
  file('one-block', 512),
  file('folder/two-blocks', 513),
  file(`${'long/'.repeat(24)}${'name'.repeat(20)}`, 10),
  file('a'.repeat(100), 1),
]

test('the program tar unpacks what is written: paths, contents and modes', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ostiary-tar-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const { status, stderr } = spawnSync('tar', ['-xf', '-', '-C', folder], { input: writeTar(files, at) })
  assert.equal(status, 0, String(stderr))
  for (const { path, mode, content } of files) {
    assert.deepEqual(readFileSync(join(folder, path)), content, path)
    assert.equal(statSync(join(folder, path)).mode & 0o700, mode & 0o700, path)
    assert.equal(statSync(join(folder, path)).mtime.getTime(), at.getTime())
  }
})

test('what is written is read again', () =>
  assert.deepEqual(
    readTar(writeTar(files, at)),
    files.map((each) => ({ ...each, content: Buffer.from(each.content) })),
  ))

test('the same files make the same archive', () => assert.deepEqual(writeTar(files, at), writeTar(files, at)))

test('a name that has no room is refused', () => assert.throws(() => writeTar([file('a'.repeat(101), 1)], at), /too long/))
