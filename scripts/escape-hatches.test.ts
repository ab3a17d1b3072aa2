import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapeHatches } from './escape-hatches.ts'

// biome-ignore format: this table is read by column
const sources: [string, string[]][] = [
  ['const a: any = 1',                                           ['any needs a reason']],
  ['const a = b!.c',                                             ['! needs a reason']],
  ['class A { b!: string }',                                     ['! needs a reason']],
  ['const a = b as C',                                           ['as needs a reason']],
  ['const a = b as C // the driver says so',                     ['as has a reason']],
  ['const a = {\n} as C // the driver says so',                  ['as has a reason']],
  ['const a = read("https://a.test") as C',                      ['as needs a reason']],
  ['// biome-ignore lint/style/useConst: filled below\nlet a',   ['suppression has a reason']],
  ['// biome-ignore lint/style/useConst\nlet a',                 ['suppression needs a reason']],
  ['// biome-ignore lint/style/useConst: <explanation>\nlet a',  ['suppression needs a reason']],
  ['// @ts-expect-error the declaration lacks it\nb()',          ['suppression has a reason']],
  ['// @ts-ignore\nb()',                                         ['suppression needs a reason']],
  ['// biome-ignore format: read by column\nconst a = 1',         []],
  ['const a = [1] as const',                                     []],
  ['import { b as c } from "d"',                                 []],
  ['const a = sql`select b as c, any(d) from e`',                []],
  ['const a = !b && c !== d // as any',                          []],
]
for (const [source, expected] of sources) {
  test(`${JSON.stringify(source)}: ${expected[0] ?? 'no escape hatch'}`, () => {
    const found = escapeHatches('a.ts', source).map(({ what, has_reason }) => `${what} ${has_reason ? 'has' : 'needs'} a reason`)
    assert.deepEqual(found, expected)
  })
}
