import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeCursor, encodeCursor } from './cursor.ts'

const macWith = (secret: string) => (data: string) => createHmac('sha256', secret).update(data).digest()
const mac = macWith('secret')
const id = 'prj_01m7wwr5ftevtv5yxb47hmb4ht'
const cursor = encodeCursor('listProjects ten_1', id, mac)

test('a cursor decodes to the id that was encoded for the same list', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.string({ minLength: 1 }),
      (list, last_id) => decodeCursor(list, encodeCursor(list, last_id, mac), mac) === last_id,
    ),
  )
})
test('a cursor has at most 100 characters, all of them safe in a URL', () => {
  assert.match(cursor, /^[A-Za-z0-9_-]{1,100}$/)
})

const refusals = [
  { why: 'it belongs to another list', list: 'listProjects ten_2' },
  { why: 'the list has another filter', list: 'listProjects ten_1 test' },
  { why: 'it was made with another secret', by: macWith('other') },
  { why: 'it is empty', text: '' },
  { why: 'it is an id', text: id },
  { why: 'it is a MAC without an id', text: Buffer.alloc(16).toString('base64url') },
  { why: 'a character is missing', text: cursor.slice(0, -1) },
  { why: 'padding follows', text: `${cursor}==` },
  { why: 'a space follows', text: `${cursor} ` },
  { why: 'it is not base64url', text: `${cursor.slice(0, -1)}*` },
  { why: 'it names another id', text: Buffer.from(cursor, 'base64url').toString('latin1').replace('prj_01', 'prj_02') },
]
for (const { why, list = 'listProjects ten_1', by = mac, text = cursor } of refusals) {
  test(`a cursor is refused when ${why}`, () => assert.equal(decodeCursor(list, text, by), null))
}

test('a cursor with any bit changed is refused', () => {
  const bytes = Buffer.from(cursor, 'base64url')
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    assert.equal(decodeCursor('listProjects ten_1', changed.toString('base64url'), mac), null)
  }
})
test('a cursor is refused when list and id are split differently', () => {
  assert.equal(decodeCursor('a', encodeCursor('a","b', 'c', mac), mac), null)
  assert.equal(decodeCursor('list', encodeCursor('li', 'stx', mac), mac), null)
})
test('any other string is refused without an exception', () => {
  fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => decodeCursor('list', text, mac) === null))
})
