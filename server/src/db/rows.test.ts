import assert from 'node:assert/strict'
import { test } from 'node:test'
import { identifiers, join, list, sql } from './db.ts'
import { assignments, type Columns, columnsOf, insertInto } from './rows.ts'

const textOf = ({ parts }: { readonly parts: readonly string[] }) => parts.join('?')

// biome-ignore format: this table is read by column
const cases: { columns: Columns; insert: string; set: string; values: number }[] = [
  { columns: { id: 'a' },                               insert: 'insert into users (id) values (?)',               set: 'id = ?',                  values: 1 },
  { columns: { id: 'a', name: null, n: 5 },             insert: 'insert into users (id, name, n) values (?, ?, ?)', set: 'id = ?, name = ?, n = ?', values: 3 },
  { columns: { id: 'a', name: undefined, n: 5 },        insert: 'insert into users (id, n) values (?, ?)',          set: 'id = ?, n = ?',           values: 2 },
  { columns: { id: 'a', n: sql`n + ${1}`, m: sql`0` },  insert: 'insert into users (id, n, m) values (?, n + ?, 0)', set: 'id = ?, n = n + ?, m = 0', values: 2 },
]
for (const { columns, insert, set, values } of cases)
  test(`the columns ${Object.keys(columns).join(', ')} become ${insert}`, () => {
    assert.equal(textOf(insertInto('users', columns)), insert)
    assert.equal(textOf(assignments(columns)), set)
    assert.equal(insertInto('users', columns).values.length, values)
    assert.equal(assignments(columns).values.length, values)
  })

test('the same columns are the same text, which engines recognise', () => {
  assert.equal(insertInto('users', { id: 'a', name: 'b' }).parts, insertInto('users', { id: 'c', name: 'd' }).parts)
  assert.notEqual(insertInto('users', { id: 'a' }).parts, insertInto('tenants', { id: 'a' }).parts)
})

// biome-ignore format: this table is read by column
const recognised: [what: string, make: (n: number) => { readonly parts: readonly string[] }][] = [
  ['a text with values alone',          (n) => sql`select ${n}, ${'a'}`],
  ['a text with a text of ours',        (n) => sql`select ${n} from ${identifiers('users')}`],
  ['a list of as many values',          (n) => sql`select id from users where n in (${list([n, 2, 3])})`],
  ['joined texts',                      (n) => sql`select id from users where ${join([sql`n = ${n}`, sql`m > ${n}`], ' and ')}`],
  ['columns with an expression',        (n) => insertInto('users', { id: 'a', n: sql`n + ${n}` })],
]
for (const [what, make] of recognised) test(`${what} is the same array for other values`, () => assert.equal(make(1).parts, make(2).parts))

test('lists of any length, and joins with another separator, are other texts', () => {
  const lengths = [1, 2, 32, 33, 1_000]
  for (const length of lengths) assert.equal(textOf(list(Array.from({ length }, () => 'a'))), Array.from({ length }, () => '?').join(', '))
  const pair = [sql`a = ${1}`, sql`b = ${2}`]
  assert.deepEqual([textOf(join(pair, ' and ')), textOf(join(pair, ' or ')), textOf(join(pair.toReversed(), ' and '))], [
    'a = ? and b = ?', 'a = ? or b = ?', 'b = ? and a = ?',
  ]) // biome-ignore format: one line each
})

test('an empty list is refused, since its text would be a value', () => {
  assert.throws(() => list([]), TypeError)
  assert.throws(() => join([], ', '), TypeError)
})

test('what follows an insert is part of its text', () => {
  const insert = (id: string, n: number) => insertInto('users', { id }, sql`on conflict (id) do update set n = ${n}`)
  assert.equal(textOf(insert('a', 1)), 'insert into users (id) values (?) on conflict (id) do update set n = ?')
  assert.deepEqual(insert('a', 1).values, ['a', 1n])
  assert.equal(insert('a', 1).parts, insert('b', 2).parts)
})

test('a text that cannot be a name of the schema is refused', () => {
  assert.throws(() => insertInto('users', { 'id) values (1) --': 'a' }), TypeError)
  assert.throws(() => assignments({ 'id = 1 --': 'a' }), TypeError)
})

test('columns are read by their alias, or by an expression', () =>
  assert.equal(textOf(columnsOf('u', ['id', 'name'], { name: sql`upper(u.name)` })), 'u.id, upper(u.name) as name'))
