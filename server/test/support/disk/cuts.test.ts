import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Choice, choiceOf, createDisk, least as none } from './cuts.ts'
import type { Operation } from './trace.ts'

type Step = Operation extends infer Each ? (Each extends Operation ? Omit<Each, 'end'> : never) : never

const create = (name: string, inode = 1n): Step => ({ kind: 'create', name, inode })
const write = (text: string, offset = 0, inode = 1n): Step => ({ kind: 'write', inode, offset, bytes: Buffer.from(text) })
const truncate = (size: number): Step => ({ kind: 'truncate', inode: 1n, size })
const begin = (sync: bigint, inode = 1n): Step => ({ kind: 'sync begin', sync, inode, directory: null })
const end = (sync: bigint, succeeded = true): Step => ({ kind: 'sync end', sync, succeeded })
const names = (sync: bigint): Step[] => [{ kind: 'sync begin', sync, inode: 99n, directory: '' }, end(sync)]
const synced = (sync: bigint, inode = 1n): Step[] => [begin(sync, inode), end(sync)]

const all: Choice = { kept: () => 'all', keepsSector: () => true }
const only = (...operations: number[]): Choice => ({
  kept: (each) => (operations.includes(each) ? 'all' : 'none'),
  keepsSector: () => true,
})
const sectors = (...kept: number[]): Choice => ({ kept: () => 'part', keepsSector: (_, sector) => kept.includes(sector) })

/** Long texts in short: each character stands for a sector. */
const long = (text: string) => [...text].map((character) => character.repeat(512)).join('')
const short = (text: string) => text.replace(/(.)\1{511}/gs, (_, character) => (character === '\0' ? '_' : character))

function after(steps: readonly Step[], choice: Choice, files: Record<string, string> = {}): Record<string, string> {
  const disk = createDisk(new Map(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)])))
  for (const step of steps) disk.take({ ...step, end: 0 })
  return Object.fromEntries([...disk.image(choice)].map(([name, bytes]) => [name, short(bytes.toString('latin1'))]))
}

const open: Step = { kind: 'open', name: 'f', inode: 1n }
const old = { f: long('aaaa') }

// biome-ignore format: this table is read by column
const contents: [what: string, steps: Step[], choice: Choice, expected: string][] = [
  ['without operations a file is as it was',                         [open],                                                         none, 'aaaa'],
  ['a write without a sync may be missing',                          [open, write(long('b'))],                                       none, 'aaaa'],
  ['a write without a sync may be there',                            [open, write(long('b'))],                                       all,  'baaa'],
  ['a write before the begin of a sync that ended is there',         [open, write(long('b')), ...synced(1n)],                        none, 'baaa'],
  ['a sync that has not ended covers nothing',                       [open, write(long('b')), begin(1n)],                            none, 'aaaa'],
  ['a write after the begin of a sync is not covered',               [open, begin(1n), write(long('b')), end(1n)],                   none, 'aaaa'],
  ['the sync of another file covers nothing',                        [open, write(long('b')), create('g', 2n), ...synced(1n, 2n)],   none, 'aaaa'],
  ['of syncs at once each covers what was written before it began',  [open, write(long('b')), begin(1n), write(long('c'), 512), begin(2n), end(1n)], none, 'baaa'],
  ['the later one ends first',                                       [open, write(long('b')), begin(1n), write(long('c'), 512), begin(2n), end(2n)], none, 'bcaa'],
  ['a failed sync covers nothing',                                   [open, write(long('b')), begin(1n), end(1n, false)],            none, 'aaaa'],
  ['after a failed sync a later one does not cover the same write',  [open, write(long('b')), begin(1n), end(1n, false), ...synced(2n)], none, 'aaaa'],
  ['after a failed sync the write may be there',                     [open, write(long('b')), begin(1n), end(1n, false), ...synced(2n)], all, 'baaa'],
  ['after a failed sync it is covered once it is written again',     [open, write(long('b')), begin(1n), end(1n, false), write(long('b')), ...synced(2n)], none, 'baaa'],
  ['a sync covers what was written during one that failed',          [open, begin(1n), write(long('b')), end(1n, false), ...synced(2n)], none, 'baaa'],
  ['each write is kept or not by itself',                            [open, write(long('b')), write(long('c'), 1024)],               only(2), 'aaca'],
  ['a write is kept in some of its sectors',                         [open, write(long('bbbb'))],                                    sectors(1, 3), 'abab'],
  ['a sector has all writes to it before the last that is kept',     [open, write('b'.repeat(256)), write('b'.repeat(256), 256)],    only(2), 'baaa'],
  ['a file is as long as the last sector that is kept',              [open, write(long('bb'), 2048)],                                sectors(4), 'aaaab'],
  ['sectors before it that are not kept are zeros',                  [open, write(long('bb'), 2048)],                                sectors(5), 'aaaa_b'],
  ['a truncation without a sync may not have happened',              [open, truncate(512)],                                          none, 'aaaa'],
  ['a truncation without a sync may have happened',                  [open, truncate(512)],                                          all,  'a'],
  ['a truncation is covered by a sync',                              [open, truncate(512), ...synced(1n)],                           none, 'a'],
  ['what a truncation removed does not come back',                   [open, truncate(0), write(long('b'), 1024), ...synced(1n)],     none, '__b'],
  ['a write after a truncation that did not happen',                 [open, truncate(0), write(long('b'))],                          only(2), 'baaa'],
]
for (const [what, steps, choice, expected] of contents) test(what, () => assert.deepEqual(after(steps, choice, old), { f: expected }))

const renamed: Step = { kind: 'rename', name: 'g', to: 'f' }
const removed: Step = { kind: 'unlink', name: 'f' }
const made = [create('g', 2n), write('new', 0, 2n), ...synced(1n, 2n)]

// biome-ignore format: this table is read by column
const named: [what: string, steps: Step[], choice: Choice, expected: Record<string, string>][] = [
  ['a created file whose directory was not synced may have no name', made,                              none, { f: 'old' }],
  ['a created file whose directory was not synced may have a name',  made,                              all,  { f: 'old', g: 'new' }],
  ['a name is covered by a sync of its directory',                   [...made, ...names(2n)],           none, { f: 'old', g: 'new' }],
  ['a name after the begin of the sync is not covered',              [...names(2n), ...made],           none, { f: 'old' }],
  ['a file that was removed may be there',                           [removed],                         none, { f: 'old' }],
  ['a removal is covered by a sync of the directory',                [removed, ...names(2n)],           none, {}],
  ['a rename that was not synced has not happened or has',           [...made, ...names(2n), renamed],  none, { f: 'old', g: 'new' }],
  ['a rename happens as a whole',                                    [...made, ...names(2n), renamed],  all,  { f: 'new' }],
  ['a rename is covered by a sync of the directory',                 [...made, renamed, ...names(2n)],  none, { f: 'new' }],
  ['a file that is created again is another file',                   [removed, create('f', 1n), write('b'), ...synced(1n)], none, { f: 'old' }],
  ['an inode that is used again is another file',                    [open, removed, create('g', 1n), ...names(2n)], none, { g: '' }],
  ['a file that is found without its creation was created',          [{ kind: 'open', name: 'h', inode: 7n }, ...names(2n)], none, { f: 'old', h: '' }],
]
for (const [what, steps, choice, expected] of named) test(what, () => assert.deepEqual(after(steps, choice, { f: 'old' }), expected))

test('a seed decides what is kept, and of each five seeds one keeps nothing and one all', () => {
  const steps: Step[] = [create('f'), ...names(1n), ...Array.from({ length: 40 }, (_, i) => write(long('bb'), i * 1024))]
  const found = Array.from({ length: 50 }, (_, seed) => after(steps, choiceOf(seed)).f ?? '')
  assert.deepEqual(
    Array.from({ length: 50 }, (_, seed) => after(steps, choiceOf(seed)).f ?? ''),
    found,
  )
  assert.deepEqual([found[0], found[5], found[1]], ['', '', 'b'.repeat(80)])
  assert.ok(new Set(found).size > 25)
  assert.ok(
    found.some((each) => /b_b/.test(each)),
    'a write is kept in one of its sectors',
  )
})
