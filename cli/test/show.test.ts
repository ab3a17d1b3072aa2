/** Text of others never controls the terminal. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonLine, listText, objectText, visible } from '../src/client/show.ts'

const hostile: [what: string, text: string, shown: string][] = [
  ['a colour', '\x1b[31mred', '\\u{001b}[31mred'],
  ['a C1 control', 'a\x9bb', 'a\\u{009b}b'],
  ['a carriage return', 'a\rb', 'a\\u{000d}b'],
  ['a change of direction', 'a\u202eb', 'a\\u{202e}b'],
  ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
  ['a lone surrogate', 'a\ud800b', 'a\\u{d800}b'],
  ['letters of any script', 'ä 你 😀', 'ä 你 😀'],
]
for (const [what, text, shown] of hostile)
  test(`${what} is ${shown === text ? 'printed' : 'shown by its number'}`, () => {
    assert.equal(visible(text), shown)
    assert.equal(objectText({ name: text }), `name  ${shown}\n`)
    assert.equal(listText([{ id: 'app_1', name: text }]).split('\n')[1], `app_1  ${shown}`)
    const line = jsonLine({ name: text })
    assert.deepEqual(JSON.parse(line), { name: text })
    assert.equal(visible(line.trimEnd()), line.trimEnd())
  })

test('a line break within a value is indented, so that it cannot pass for another member', () =>
  assert.equal(objectText({ text: 'a\nid  b', id: 'eml_1' }), 'text  a\n      id  b\nid    eml_1\n'))

test('members of objects have their path, and lists are joined', () =>
  assert.equal(
    objectText({ a: { b: 1, c: null }, d: ['x', 'y'], e: [{ f: 1 }], g: [] }),
    'a.b     1\na.c     -\nd       x, y\ne[0].f  1\ng       -\n',
  ))
