import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { idPattern } from '@ostiary/contract/ids.ts'
import { createIds } from './ids.ts'

test('an id has the form the contract promises', () => {
  const newId = createIds(() => new Date('2026-11-20T16:31:00.000Z'), randomBytes)
  for (let i = 0; i < 1000; i++) assert.match(newId('app'), idPattern('app'))
})

test('ids of one process sort in the order they were made, also within one millisecond', () => {
  let ms = Date.parse('2026-11-20T16:31:00.000Z')
  let made = 0
  const newId = createIds(() => new Date(made++ % 1000 === 0 ? ++ms : ms), randomBytes)
  const ids = Array.from({ length: 5000 }, () => newId('usr'))
  assert.deepEqual([...ids].sort(), ids)
  assert.equal(new Set(ids).size, ids.length)
})

test('the smallest and the largest random part give ids of full length', () => {
  for (const fill of [0, 255])
    assert.match(
      createIds(
        () => new Date(0),
        (n) => new Uint8Array(n).fill(fill),
      )('ten'),
      idPattern('ten'),
    )
})

test('an id is a UUID of version 7 with its time', () => {
  const at = new Date('2026-11-20T16:31:00.123Z')
  const newId = createIds(() => at, randomBytes)
  for (let i = 0; i < 100; i++) {
    const digits = newId('ses').slice('ses_'.length)
    const value = [...digits].reduce((sum, digit) => sum * 32n + BigInt('0123456789abcdefghjkmnpqrstvwxyz'.indexOf(digit)), 0n)
    const hex = value.toString(16).padStart(32, '0')
    assert.equal(Number.parseInt(hex.slice(0, 12), 16), at.getTime())
    assert.match(hex.slice(12), /^7[0-9a-f]{3}[89ab][0-9a-f]{15}$/)
  }
})
