/** The settings page against the contract: no field is missing. Words, ranges and defaults are generated from it. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { settingsFields } from '@ostiary/contract/settings.ts'
import { groups, mail_fields } from '../../../dashboard/src/pages/settings/fields.ts'
import { endedBy, problemOf } from '../../../dashboard/src/pages/settings/rules.ts'
import { inWords, sentencesOf } from '../../../dashboard/src/pages/settings/values.ts'

const fields = groups.flatMap((group) => group.fields)
const choicesOf = ({ look }: (typeof fields)[number]) => Object.entries(typeof look === 'object' ? look : {})

/** The pointers of all fields of the document that a change can contain. */
function pointersOf(classes: object, at = ''): string[] {
  return Object.entries(classes).flatMap(([name, value]) =>
    typeof value === 'object' ? pointersOf(value, `${at}/${name}`) : [`${at}/${name}`],
  )
}
const read_only = ['/project_id', '/environment_id', '/updated_at', '/email/smtp/has_password']

test('every field of the settings has a field on the page', () => {
  const shown = new Set([...fields.map(({ group, name }) => `/${group}/${name}`), ...Object.keys(mail_fields)])
  const expected = pointersOf(settingsFields).filter((pointer) => !read_only.includes(pointer))
  assert.deepEqual([...shown].sort(), expected.sort())
})

test('the help of a choice names its values as the page does, and not as the API does', () => {
  const named = fields.filter((field) => choicesOf(field).some(([value]) => field.help.includes(`\`${value}\``)))
  assert.ok(named.length >= 3)
  for (const field of named) {
    const help = inWords(field)
    assert.ok(choicesOf(field).some(([, label]) => help.includes(`“${label}”`)))
    assert.doesNotMatch(help, /`|\b(off|open|closed|required)\b/)
  }
})

test('the page explains each field in one short sentence, and the rest opens', () => {
  for (const field of fields) {
    const { first, rest } = sentencesOf(inWords(field))
    assert.ok(first.length <= 100, `${field.label}: ${first}`)
    assert.ok(first.endsWith('.') && (rest === '' || rest.endsWith('.')), field.label)
  }
})

test('each group links its page of the documentation', () => {
  const pages = readdirSync(new URL('../../../docs/settings', import.meta.url))
  for (const { title } of groups) assert.ok(pages.includes(`${title.toLowerCase().replaceAll(' ', '-')}.md`), title)
})

const access_token = fields.find(({ name }) => name === 'access_token_ttl_seconds') ?? assert.fail()

// biome-ignore format: this table is read by column
const numbers: [number | null, string | null][] = [
  [60,      null],
  [86_400,  null],
  [null,    null],
  [59,      'Use 1 min to 1 d.'],
  [86_401,  'Use 1 min to 1 d.'],
  [60.5,    'Use whole seconds.'],
]
for (const [value, problem] of numbers)
  test(`${value} seconds for an access token ${problem ? `is refused at the field: ${problem}` : 'is accepted'}`, () => {
    assert.equal(problemOf(access_token, value), problem)
  })

test('lowering a lifetime says what it ends, also by its default; raising it says nothing', () => {
  for (const field of fields.filter(({ look }) => look === 'seconds')) assert.ok(endedBy(field, 100, 99), field.name)
  assert.ok(endedBy(access_token, 7_200, null))
  assert.equal(endedBy(access_token, 3_600, null), null)
  assert.equal(endedBy(access_token, 99, 100), null)
})
