/** YAML with places: what is read, what is refused and where, and that what is written reads as the same. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parse } from 'yaml'
import { orderedDocument, ShownDocument } from './document.ts'
import { mistakeText } from './places.ts'
import { readYaml } from './yaml-read.ts'
import { blockLines, inlineText, isPlain } from './yaml-write.ts'

const valueIn = (text: string) => {
  const read = readYaml(text)
  assert.ok('file' in read, JSON.stringify(read))
  return read.file.value
}

const mistakesOf = (text: string) => {
  const read = readYaml(text)
  return 'file' in read ? 'accepted' : mistakeText('f.yaml', text, read.mistakes)
}

// biome-ignore format: this table is read by column
const accepted: [why: string, text: string, value: unknown][] = [
  ['keys that look like other values',     'true: 1\n123: 2\n0x1f: 3\nnull: 4\n~: 5\n1e3: 6',      { true: 1, 123: 2, '0x1f': 3, null: 4, '~': 5, '1e3': 6 }],
  ['the booleans of YAML 1.2 alone',       'a: [true, false, yes, no, on, off]',                  { a: [true, false, 'yes', 'no', 'on', 'off'] }],
  ['numbers of JSON and YAML 1.2',         'a: [1, -2, 0x1f, 0o17, 1.5, 1e3]',                    { a: [1, -2, 31, 15, 1.5, 1000] }],
  ['text beside numbers',                  'a: [123.apps, 1_000, 12:30, 2026-11-26, "1"]',        { a: ['123.apps', '1_000', '12:30', '2026-11-26', '1'] }],
  ['no value',                             'a:\nb: null\nc: ~\nd: ""',                            { a: null, b: null, c: null, d: '' }],
  ['text over several lines',              'a: |\n  x\n  y\nb: >-\n  x\n  y',                     { a: 'x\ny\n', b: 'x y' }],
  ['an alias',                             'a: &u [x, y]\nb: *u\nc: &u z\nd: *u',                 { a: ['x', 'y'], b: ['x', 'y'], c: 'z', d: 'z' }],
  ['JSON',                                 '{"a": [1, {"b": "\\u00e9\\/"}], "c": null}',          { a: [1, { b: 'é/' }], c: null }],
  ['line breaks of Windows',               'a: 1\r\nb:\r\n  - x\r\n',                             { a: 1, b: ['x'] }],
  ['the marks of one document',            '%YAML 1.2\n---\na: 1\n...\n',                         { a: 1 }],
  ['a tab before a comment',               'a: 1\t# one',                                         { a: 1 }],
  ['a merge key in quotes',                '"<<": 1',                                             { '<<': 1 }],
  ['nothing',                              '',                                                    undefined],
  ['comments alone',                       '# nothing\n\n# here\n',                               undefined],
  ['100 aliases',                          `a: &a 1\nb: [${Array(100).fill('*a').join(', ')}]`,   { a: 1, b: Array(100).fill(1) }],
  ['20,000 blank lines',                   `${'\n'.repeat(20_000)}a: 1\n`,                      { a: 1 }],
  ['21,000 lines of a list',               `a:\n${'  - x\n'.repeat(21_000)}`,                   { a: Array(21_000).fill('x') }],
  ['100 levels',                           `${'['.repeat(98)}${']'.repeat(98)}`,                  nested(98)],
]
for (const [why, text, value] of accepted) test(`YAML with ${why} is read`, () => assert.deepEqual(valueIn(text), value))

function nested(levels: number): unknown {
  return levels === 0 ? [] : levels === 1 ? [] : [nested(levels - 1)]
}

const bomb = [
  'a: &a [x, x, x, x, x, x, x, x, x, x]',
  ...'bcdefgh'.split('').map((name, i) => `${name}: &${name} [${Array(10).fill(`*${'abcdefg'[i]}`).join(', ')}]`),
]

// biome-ignore format: this table is read by column
const refused: [why: string, text: string, place: string, words: RegExp][] = [
  ['a tab as indentation',                'a:\n\tb: 1',                       '2:1',   /tab/],
  ['a tab within the indentation',        'a:\n  b: 1\n \tc: 2',              '3:1',   /tab|indented/],
  ['a tab before a dash',                 'a:\n\t- b',                        '2:1',   /tab/],
  ['an open double quote',                'a: "b\nc: 1',                      '2:5',   /quote/],
  ['an open single quote',                "a: 'b",                            '1:6',   /quote/],
  ['an open bracket',                     'a: [1, 2',                         '1:9',   /bracket/],
  ['an open brace',                       'a: {b: 1',                         '1:9',   /bracket/],
  ['a bracket too many',                  'a: [1]]',                          '1:7',   /./],
  ['a missing comma',                     'a: ["b" "c"]',                     '1:9',   /comma/],
  ['a key twice',                         'a: 1\nb: 2\na: 3',                 '3:1',   /second time/],
  ['a key twice with other quotes',       'a:\n  "1": x\n  1: y',             '3:3',   /second time/],
  ['a key twice in brackets',             '{a: 1, "a": 2}',                   '1:8',   /second time/],
  ['a tag of a type',                     'a: !!str 1',                       '1:4',   /Tags/],
  ['a tag of its own',                    'a: !env NAME',                     '1:4',   /Tags/],
  ['a tag on a map',                      '--- !!map\na: 1',                  '1:5',   /Tags/],
  ['a tag that runs code elsewhere',      'a: !!python/object/apply:os.system [id]', '1:4', /Tags/],
  ['a directive for tags',                '%TAG ! tag:x,2026:\n---\na: 1',    '1:1',   /Directives/],
  ['a directive of YAML 1.1',             '%YAML 1.1\n---\na: yes',           '1:1',   /Directives/],
  ['a merge key',                         'a: &a {x: 1}\nb:\n  <<: *a',       '3:3',   /Merge/],
  ['two documents',                       'a: 1\n---\nb: 2',                  '2:1',   /second document/],
  ['a document after the end of one',     'a: 1\n...\nb: 2',                  '3:1',   /second document/],
  ['an alias without its anchor',         'a: *b',                            '1:4',   /anchor before it/],
  ['an alias before its anchor',          'a: *b\nb: &b 1',                   '1:4',   /anchor before it/],
  ['an alias within its anchor',          'a: &a\n  b: *a',                   '2:6',   /within its own anchor/],
  ['an alias bomb',                       bomb.join('\n'),                    '1:1',   /has 123,456,797 keys, .* The limit is 200,000\.$/],
  ['101 aliases',                         `a: &a 1\nb: [${Array(101).fill('*a').join(', ')}]`, '2:405', /has 101 aliases\. The limit is 100\.$/],
  ['200,001 nodes',                       `[&a [${Array(19_998).fill('x').join(', ')}]${', *a'.repeat(9)}${', y'.repeat(10)}]`, '1:1', /has 200,001 keys, .* The limit is 200,000\.$/],
  ['a million signs',                     `[${'x,'.repeat(340_000)}`,       '1:666667', /more than 200,000 keys/],
  ['20,001 blank lines',                  `${'\n'.repeat(20_001)}a: 1`,       '20001:1', /has 20,001 blank lines and lines of comment\. The limit is 20,000\.$/],
  ['half a million lines and comments',   `a:\n  b: 1\n${'\n'.repeat(500_000)}&x\n${' #\n'.repeat(170_000)}`, '20003:1', /has 670,000 blank lines/],
  ['101 levels in brackets',              '['.repeat(500_000),                '1:101', /100 levels/],
  ['101 levels of maps in brackets',      '{a: '.repeat(200_000),             '1:401', /100 levels/],
  ['101 levels of lists',                 '- '.repeat(500_000),               '1:201', /100 levels/],
  ['101 levels of keys',                  '? '.repeat(500_000),               '1:201', /100 levels/],
  ['a list as a key',                     '? [a]\n: 1',                       '1:3',   /key is text/],
  ['an alias as a key',                   'a: &a x\n*a : 1',                  '2:1',   /key is text/],
  ['a text instead of a map',             'a: 1\nb',                          '2:1',   /colon/],
  ['a colon within text',                 'a: b: c',                          '1:4',   /quotes/],
  ['a line that is indented less',        'a:\n    b: 1\n  c: 2',             '3:1',   /indented/],
  ['an item beside keys',                 'a: 1\n- b',                        '2:1',   /./],
  ['text that begins with @',             'a: @b',                            '1:4',   /quotes/],
  ['an unknown escape',                   'a: "\\q"',                         '1:5',   /escape/],
  ['the name __proto__',                  'a:\n  __proto__: {b: 1}',          '2:3',   /No field/],
  ['the name __proto__ in quotes',        '{"__proto__": 1}',                 '1:2',   /No field/],
  ['an infinite number',                  'a: .inf',                          '1:4',   /finite/],
  ['no number',                           'a: .NaN',                          '1:4',   /number/],
  ['a number too large for JSON',         'a: 1e999',                         '1:4',   /number/],
  ['a number that would be rounded',      'a: 12345678901234567890',          '1:4',   /too large/],
  ['a control character',                 'a: b\u0000c',                      '1:5',   /control/],
  ['an escape of a terminal',             'a: \u001b[31m',                    '1:4',   /control/],
]
for (const [why, text, place, words] of refused)
  test(`YAML with ${why} is refused at its place`, () => {
    const [first = ''] = mistakesOf(text).split('\n')
    assert.equal(first.slice(0, `f.yaml:${place}: `.length), `f.yaml:${place}: `, first)
    assert.match(first, words)
  })

test('words about a mistake never have a text of the file in them', () => {
  for (const text of [
    'a: "hunter2',
    'a: !hunter2 b',
    'a: *hunter2',
    'hunter2: 1\nhunter2: 2',
    'a: hunter2: c',
    'a: "\\hunter2"',
    '%hunter2\n---\na',
    'a: [hunter2}',
  ])
    assert.doesNotMatch(mistakesOf(text), /accepted|hunter2/)
})

test('the mistakes of a file stand in its order, at most 20 of them', () => {
  const keys = Array.from({ length: 30 }, (_, i) => `k${i}: !t\nk${i}: 1`).join('\n')
  const lines = mistakesOf(keys).trim().split('\n')
  assert.equal(lines.length, 21)
  assert.equal(lines.at(-1), 'f.yaml: 10 more.')
})

test('the name of a file cannot control a terminal', () =>
  assert.equal(mistakeText('a\n\u001b[31m', 'x', [{ offset: 0, text: 'No.' }]), 'a\\u{000a}\\u{001b}[31m:1:1: No.\n'))

const places = `version: 1
applications:
  shop:
    name: Shop
    redirect_uris: &uris
      - https://a.test
      - https://b.test
  # other
  "true": {name: x, redirect_uris: *uris, consent: }
providers: {}
`
// biome-ignore format: this table is read by column
const found: [path: string[], place: string][] = [
  [[],                                              '1:1'],
  [['version'],                                     '1:10'],
  [['applications'],                                '2:1'],
  [['applications', 'shop', 'name'],                '4:11'],
  [['applications', 'shop', 'missing'],             '3:3'],
  [['applications', 'shop', 'name', 'inner'],       '4:11'],
  [['applications', 'shop', 'redirect_uris', '1'],  '7:9'],
  [['applications', 'shop', 'redirect_uris', '2'],  '5:5'],
  [['applications', 'true'],                        '9:3'],
  [['applications', 'true', 'redirect_uris', '0'],  '6:9'],
  [['applications', 'true', 'consent'],             '9:43'],
  [['providers', 'google', 'type'],                 '10:1'],
  [['webhooks'],                                    '1:1'],
]
for (const [path, place] of found)
  test(`/${path.join('/')} stands at ${place}`, () => {
    const read = readYaml(places)
    assert.ok('file' in read)
    assert.equal(mistakeText('f', places, [{ offset: read.file.placeOf(path), text: '' }]).trim(), `f:${place}:`)
  })

// biome-ignore format: this table is read by column
const texts: [text: string, is_plain: boolean][] = [
  ['Shop', true], ['https://a.test/cb?x=1#y', true], ['orders:read', true], ['com.example.app:/cb', true], ['Café', true], ["it's", true],
  ['a # b', false], ['a: b', false], ['a:', false], ['- a', false], ['#1', false], ['true', false], ['Yes', false], ['NULL', false], ['~', false],
  ['123', false], ['0x1f', false], ['1e3', false], ['.5', false], ['12:30', false], ['2026-11-26', false], ['', false], [' a', false],
  ['a ', false], ['a\nb', false], ['"a"', false], ["'a'", false], ['{a}', false], ['[a]', false], ['a, b', false], ['*a', false], ['&a', false],
  ['!a', false], ['|', false], ['>', false], ['%a', false], ['@a', false], ['`a`', false], ['?', false], ['=', false], ['<<', false],
  ['---', false], [`\${OSTIARY_SECRET_A}`, false], ['a\u202eb', false], ['a\u00a0b', false], ['a\ufeff', false], ['a\u0085b', false],
]
for (const [text, is_plain] of texts)
  test(`${JSON.stringify(text)} is written ${is_plain ? 'without' : 'in'} quotes, and reads as the same`, () => {
    assert.equal(isPlain(text), is_plain)
    assert.deepEqual(valueIn(`a: ${inlineText(text)}\nb: [${inlineText(text)}]\n`), { a: text, b: [text] })
    // Readers of the version before take the same text from it.
    assert.deepEqual(parse(`a: ${inlineText(text)}`, { version: '1.1' }), { a: text })
  })

const strange = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(...texts.map(([text]) => text), '🦀', 'a\u2028b', '-', 'null ', '\t', '"\\"', "'", '0', '\u007f', 'y'),
)
/** Numbers as a configuration has them, and not the one name that is refused. */
const anything = fc
  .jsonValue({ maxDepth: 3 })
  .map((value): unknown =>
    JSON.parse(JSON.stringify(value), (_, inner) => (typeof inner === 'number' ? Math.trunc(inner % 1000) || 0 : inner)),
  )
  .filter((value) => !JSON.stringify(value).includes('__proto__'))
const slugs = fc.oneof(
  fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?$/),
  fc.constantFrom('true', '123', '0x1f', 'null', 'no', '1e3', '0', '00', 'y'),
)
const objects = fc.dictionary(
  slugs,
  fc.record({
    name: strange,
    uris: fc.array(strange, { maxLength: 3 }),
    on: fc.boolean(),
    ttl: fc.option(fc.integer()),
    keys: fc.option(anything),
  }),
  { maxKeys: 4 },
)

test('what is written reads as the same, whatever its names, slugs and texts are', () => {
  fc.assert(
    fc.property(
      fc.record({ version: fc.constant(1), environment: slugs, settings: fc.dictionary(slugs, strange), applications: objects }),
      (document) => {
        const text = `${blockLines(orderedDocument(ShownDocument.parse(document))).join('\n')}\n`
        assert.deepEqual(valueIn(text), JSON.parse(JSON.stringify(document)))
        assert.doesNotMatch(text, /[ \t]\n|\n\n|\t/)
      },
    ),
    { numRuns: 200 },
  )
})
