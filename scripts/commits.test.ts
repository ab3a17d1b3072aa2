import assert from 'node:assert/strict'
import { test } from 'node:test'
import { subjectProblem } from './commits.ts'

// biome-ignore format: this table is read by column
const subjects: [subject: string, problem: RegExp | null][] = [
  ['Add a field',                          null],
  ['Re-read the row after a lost race',    null],
  ['Seed the demo once',                   null],
  ['Find, list and pick by one helper',    null],
  [`Add ${'a'.repeat(68)}`,                null],
  [`Add ${'a'.repeat(69)}`,                /has 73 characters/],
  ['Added a field',                        /"Added"/],
  ['Adding a field',                       /"Adding"/],
  ['add a field',                          /imperative/],
  ['wip: a field',                         /imperative/],
  ['0.2.0',                                /imperative/],
  ['Add a field.',                         /full stop/],
]
for (const [subject, problem] of subjects)
  test(`the subject "${subject}" is ${problem ? 'refused' : 'accepted'}`, () =>
    problem ? assert.match(subjectProblem(subject) ?? '', problem) : assert.equal(subjectProblem(subject), null))
