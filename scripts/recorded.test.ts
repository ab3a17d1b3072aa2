import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { parse, readRecord } from './recorded.ts'

// biome-ignore format: this table is read by column
const statements: [text: string, does: string, target: string | null, reads: string[]][] = [
  ['select 1', 'select', null, []],
  ['select a.x from apples a join pears p on p.id = a.id', 'select', null, ['apples', 'pears']],
  ['select * from apples a, pears p where a.id = p.id', 'select', null, ['apples', 'pears']],
  ['select * from apples left join pears on 1 = 1', 'select', null, ['apples', 'pears']],
  ["select 'from pears' from apples", 'select', null, ['apples']],
  ['with recursive used (id) as (select id from apples) select id from used', 'select', null, ['apples']],
  ['with kept as materialized (select id from apples) select id from kept', 'select', null, ['apples']],
  ['insert into apples (id) values (?…)', 'insert', 'apples', []],
  ['insert into apples (id) select id from pears where blocked_at is null', 'insert', 'apples', ['pears']],
  ['insert into apples (id) values (?) on conflict (id) do update set n = apples.n + 1', 'insert', 'apples', []],
  ['update apples set n = ? where id = ?', 'update', 'apples', []],
  ['update apples set n = ? where not exists (select 1 from pears where pears.id = ?)', 'update', 'apples', ['pears']],
  ['update apples set n = ? where id in (select max(id) from apples group by tree)', 'update', 'apples', ['apples']],
  ['delete from apples where id in (select id from (select id from pears union all select id from plums) fruits)', 'delete', 'apples', ['pears', 'plums']],
]
for (const [text, does, target, reads] of statements)
  test(`"${text}" ${does === 'select' ? 'reads' : `changes ${target} and reads`} ${reads.join(', ') || 'nothing'}`, () => {
    const parsed = parse(text, false)
    assert.deepEqual({ ...parsed, reads: [...parsed.reads] }, { text, guard: false, is_of_key: false, does, target, reads })
  })

const place = join(import.meta.dirname, '../.node') // programs elsewhere are not recorded
mkdirSync(place, { recursive: true })
const folder = mkdtempSync(join(place, 'recorded-'))
const [run, other] = ['run', 'other'].map((name) => mkdtempSync(join(tmpdir(), `ostiary-recorded-${name}-`))) as [string, string] // as: two names
after(() => {
  for (const each of [folder, run, other]) rmSync(each, { recursive: true, force: true })
})

test('a process records each combination of statements of a test file once, lists of any length as one, none of the test itself, and none of a program elsewhere', () => {
  const [sender, of_test] = [join(folder, 'sender.mjs'), join(folder, 'sender.test.ts')]
  const [of_queue, elsewhere] = [join(run, 'process-1.mjs'), join(other, 'earlier.mjs')]
  const channel = `import { channel } from 'node:diagnostics_channel'\nconst sent = channel('ostiary.statements')\n`
  const publish = (is_refused: boolean, ...texts: [text: string, guard?: number][]) =>
    `sent.publish({ engine: 'sqlite', is_refused: ${is_refused}, statements: ${JSON.stringify(texts.map(([text, guard]) => ({ parts: text.split('?'), guard })))} })\n`
  const lists = publish(false, ['delete from a\n  where id in (?, ?, ?)']) + publish(false, ['delete from a where id in (?, ?)'])
  const batch = [['update a set b = ?', 1], ['insert into c values (?, ?), (?, ?)']] as [string, number?][] // as: pairs, not lists of any length
  const batches = publish(false, ...batch).repeat(2) + publish(true, ...batch)
  const words = JSON.stringify(pathToFileURL(join(import.meta.dirname, 'words.ts')).href)
  const call = `import { bannedWords } from ${words}\nbannedWords('a.ts', '')\n`
  writeFileSync(sender, channel + lists + batches + call)
  writeFileSync(of_queue, channel + publish(false, ['delete from e']))
  writeFileSync(elsewhere, channel + publish(false, ['delete from f']))
  writeFileSync(of_test, channel + publish(false, ['delete from a']) + publish(true, ['delete from a']))
  const recorder = pathToFileURL(join(import.meta.dirname, '../server/test/support/record.mjs')).href
  const env = { ...process.env, OSTIARY_TEST_RECORD: folder, OSTIARY_TEST_RUN: run, OSTIARY_TEST_FILE: 'some.test.ts' }
  for (const program of [sender, of_queue, elsewhere, of_test]) execFileSync(process.execPath, [`--import=${recorder}`, program], { env })
  const recorded = readRecord(folder)
  const shown = recorded.batches.map(({ file, is_refused, statements }) => [
    file,
    is_refused,
    ...statements.map(({ text, guard }) => [text, guard]),
  ])
  assert.deepEqual(shown.toSorted(), [
    ['some.test.ts', false, ['delete from a where id in (?…)', false]],
    ['some.test.ts', false, ['delete from e', false]],
    ['some.test.ts', false, ['update a set b = ?', true], ['insert into c values (?…)…', false]],
    ['some.test.ts', true, ['update a set b = ?', true], ['insert into c values (?…)…', false]],
  ])
  assert.deepEqual(recorded.ran, new Map([['some.test.ts', new Set(['scripts/words.ts'])]]))
})
