/**
 * The sentences of field errors: what a field accepts, with its limit. They replace the texts of the validator for every schema, and a
 * message of a schema replaces them. `values.ts` installs them.
 */
import type { z } from 'zod'

type Issue = z.core.$ZodRawIssue

export const required_sentence = 'This field is required.'

/** For the place of a secret in a document of a configuration. */
export const secret_sentence = `A document holds the name of a secret only: \${OSTIARY_SECRET_…} with A to Z, 0 to 9 and _, at most 100 characters between the braces. If this text was a secret, replace it.`

/** Says which values a field with this problem accepts. A JSON value is never `undefined`, so that value means an absent field. */
export function sentenceOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? required_sentence : `Expected ${typeName(issue.expected)}, not ${kindOf(issue.input)}.`
    case 'invalid_value':
      return issue.input === undefined ? required_sentence : `Expected ${either(issue.values.map((value) => JSON.stringify(value)))}.`
    case 'too_small':
      return limit(issue, `at least ${issue.minimum}`, issue.inclusive === false ? `more than ${issue.minimum}` : null)
    case 'too_big':
      return limit(issue, `at most ${issue.maximum}`, issue.inclusive === false ? `less than ${issue.maximum}` : null)
    case 'invalid_format':
      return formats[issue.format] ?? 'The value does not have the format of this field.'
    case 'not_multiple_of':
      return `Expected a multiple of ${issue.divisor}.`
    case 'unrecognized_keys':
      return 'There is no such field here.'
    case 'invalid_key':
      return 'This name is not accepted.'
    default:
      return issue.input === undefined ? required_sentence : 'This value is not accepted.'
  }
}

const formats: Readonly<Record<string, string>> = {
  email: 'Expected an email address such as ada@example.com.',
  datetime: 'Expected a time with its offset (RFC 3339), such as 2026-11-20T16:31:00Z.',
  e164: 'Expected a phone number in E.164 format, such as +493012345678.',
}

/** Names a limit with its unit. */
function limit(issue: Extract<Issue, { code: 'too_small' | 'too_big' }>, inclusive: string, exclusive: string | null): string {
  const bound = Number(issue.code === 'too_small' ? issue.minimum : issue.maximum)
  const count = (unit: string) => `${inclusive} ${unit}${bound === 1 ? '' : 's'}`
  switch (issue.origin) {
    case 'string':
      return `Use ${count('character')}.`
    case 'array':
    case 'set':
      return `List ${count('value')}.`
    case 'map':
    case 'record':
      return `Use ${count('name')}.`
    default:
      return `Use a number of ${exclusive ?? inclusive}.`
  }
}

const names: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

const typeName = (type: string): string => names[type] ?? 'another type of value'

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number' && !Number.isInteger(value)) return 'a fraction'
  return typeName(typeof value)
}

function either(values: readonly string[]): string {
  return values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`
}
