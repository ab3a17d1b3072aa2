import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { createOutput } from './output.ts'

const line = `${'x'.repeat(99)}\n`

test('of a reader that does not read, a bounded number of lines waits, and the others are dropped and counted', () => {
  let taken = 0
  let proceed = () => {}
  const stream = new Writable({
    write(chunk, _, callback) {
      taken += String(chunk).length
      proceed = callback
    },
  })
  const output = createOutput(stream)
  for (let i = 0; i < 5_000; i++) output.write(line)
  assert.equal(output.dropped(), 5_000 - Math.floor(262_144 / line.length))
  assert.ok(stream.writableLength <= 262_144)
  while (stream.writableLength > 0) proceed()
  const before = taken
  output.write(line)
  assert.equal(taken - before, line.length, 'a reader that reads again gets the lines that follow')
})

test('a text that is longer than what may wait is dropped with all its lines, also before a reader', () => {
  const output = createOutput(new Writable({ write: (_, __, callback) => callback() }))
  output.write(line.repeat(3_000))
  assert.equal(output.dropped(), 3_000)
})

for (const code of ['EPIPE', 'ENOSPC', 'EIO'])
  test(`a write that fails with ${code} is counted, and what follows is tried again`, async () => {
    const failing = { is: true }
    const written: string[] = []
    const stream = new Writable({
      autoDestroy: false,
      emitClose: false,
      write(chunk, _, callback) {
        if (!failing.is) written.push(String(chunk))
        callback(failing.is ? Object.assign(new Error(code), { code }) : null)
      },
    })
    const output = createOutput(stream)
    output.write('one\ntwo\n')
    await new Promise(setImmediate)
    assert.equal(output.dropped(), 2)
  })
