/** The fields of objects in the forms of the dashboard: none is missing, and a text is a value. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { changeableNames } from '@ostiary/contract/objects/field.ts'
import { object_descriptions, object_kinds } from '@ostiary/contract/objects/objects.ts'
import { textOf, valueIn } from '../../../dashboard/src/parts/field-text.ts'

const pages = join(import.meta.dirname, '../../../dashboard/src/pages')
const sources = globSync('**/*.tsx', { cwd: pages }).map((file) => readFileSync(join(pages, file), 'utf8'))

/** The names in the lists of the files that edit such objects. A form of a new object begins with `{}` or `start`. */
const namesInForms = (kind: string): Set<string> =>
  new Set(
    sources
      .filter((source) => new RegExp(`useObjectFields\\('${kind}', (?!\\{\\}|start\\b)`).test(source))
      .flatMap((source) => source.match(/\[\s*'\w+'[^\]]*\]/g) ?? [])
      .flatMap((list) => [...list.matchAll(/'(\w+)'/g)].map(([, name = '']) => name)),
  )

/** Fields that people change elsewhere. */
const elsewhere: Readonly<Record<string, string>> = {
  'provider.enabled': 'the list of providers switches it, and asks before it switches it off',
  'webhook.events': 'the tab "Event kinds" has the choices: pages/webhook/kinds.tsx',
}

for (const kind of object_kinds) {
  const names = changeableNames(object_descriptions[kind].table)
  const in_forms = namesInForms(kind)
  for (const name of names)
    test(`${kind}.${name} is in a form of the dashboard, or elsewhere for a reason`, () => {
      const place = `Add '${name}' to a list of useObjectFields('${kind}', …) in dashboard/src/pages, or to the list of this test with the reason.`
      assert.equal(in_forms.has(name), !(`${kind}.${name}` in elsewhere), place)
    })
}

test('each field that is changed elsewhere exists', () => {
  const known = object_kinds.flatMap((kind) => changeableNames(object_descriptions[kind].table).map((name) => `${kind}.${name}`))
  assert.deepEqual(
    Object.keys(elsewhere).filter((name) => !known.includes(name)),
    [],
  )
})

// biome-ignore format: this table is read by column
const texts: [Parameters<typeof valueIn>[0], string, unknown][] = [
  ['text',   'https://a.test ',    'https://a.test '],
  ['text',   '  ',                 null],
  ['list',   'a\n\n b ',           ['a', 'b']],
  ['list',   ' ',                  []],
  ['scopes', 'a:read Read  it\nb', [{ name: 'a:read', description: 'Read it' }, { name: 'b', description: null }]],
  ['json',   '{"keys": []}',       { keys: [] }],
  ['json',   '{',                  '{'],
  ['number', '12',                 12],
  ['number', '1 2',                '1 2'],
]
for (const [look, text, value] of texts)
  test(`the text ${JSON.stringify(text)} is the value ${JSON.stringify(value)} of a field that shows ${look}`, () =>
    assert.deepEqual(valueIn(look, text), value))

// biome-ignore format: this table is read by column
const values: [Parameters<typeof textOf>[0], unknown][] = [
  ['text',   'https://a.test'],
  ['lines',  'a\nb'],
  ['list',   ['a', 'b']],
  ['list',   []],
  ['scopes', [{ name: 'a:read', description: 'Read it' }, { name: 'b', description: null }]],
  ['json',   { keys: [] }],
  ['json',   null],
  ['number', 12],
]
for (const [look, value] of values)
  test(`the text of ${JSON.stringify(value)} in a field that shows ${look} is that value again`, () =>
    assert.deepEqual(valueIn(look, textOf(look, value)), value))
