import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { contents } from '../server/src/site/documents/contents.ts'
import { brokenLinks, documentsIn, problemOf } from './links.ts'

const root = join(import.meta.dirname, '..')

for (const document of documentsIn(root))
  test(`every link in ${document} leads to a file, and its anchor to a heading`, () => assert.deepEqual(brokenLinks(root, document), []))

const links = [
  { target: 'docs/metrics.md', problem: null },
  { target: 'docs/metrics.md#what-to-watch', problem: null },
  { target: '#run-it', problem: null },
  { target: 'https://example.com', problem: null },
  { target: 'docs/nothing.md', problem: 'there is no such file' }, // citation-check: input
  { target: 'docs/metrics.md#nothing', problem: 'there is no such heading' },
  { target: '../outside.md', problem: 'there is no such file' }, // citation-check: input
  { target: 'http://example.com', problem: 'it is not an https address' },
]
for (const { target, problem } of links)
  test(`the link ${target} of README.md is ${problem === null ? 'accepted' : `refused: ${problem}`}`, () =>
    assert.equal(problemOf(root, 'README.md', target), problem))

test('llms.txt leads to every document that is served, with a sentence', () => {
  const listed = readFileSync(join(root, 'llms.txt'), 'utf8')
  const served = contents.flatMap(({ documents }) => documents.map(({ file }) => file))
  assert.deepEqual(
    served.filter((path) => !listed.includes(`](${path}): `)),
    [],
  )
})

test('every document of docs/ is served', () => {
  const served = contents.flatMap(({ documents }) => documents.map(({ file }) => file))
  const pages = documentsIn(root).filter((path) => /^docs\/(guides\/)?[^/]+\.md$/.test(path))
  assert.deepEqual(
    pages.filter((path) => !served.includes(path)),
    [],
  )
})

test('no document and no group of the contents occurs twice', () => {
  const names = contents.flatMap(({ title, documents }) => [title, ...documents.flatMap(({ name, file }) => [name, file])])
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  )
})
