/** The OpenAPI document: valid, complete, and simple enough for generators in every language. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { z } from 'zod'
import { descriptions } from './descriptions.ts'
import { errors } from './errors.ts'
import { openApi } from './openapi.ts'
import { type Json, undescribed } from './openapi-schemas.ts'
import { isAction, type Route } from './route.ts'
import { oidcRoutes, routes, serviceRoutes } from './routes.ts'

interface Parameter {
  name: string
  $ref?: string
  description?: string
}
interface Operation {
  operationId: string
  description: string
  tags: string[]
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, { example?: unknown }> }
  responses: Record<string, { $ref?: string; content?: Record<string, { example?: unknown }> }>
}

const document = openApi() as {
  paths: Record<string, Record<string, Operation>>
  tags: { name: string; description: string }[]
  components: { schemas: Record<string, Json>; parameters: Record<string, Parameter>; responses: Record<string, { description: string }> }
} // as: the part that this file reads
const operations = Object.values(document.paths).flatMap((path) => Object.values(path))

test('the document is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(document)
  assert.ok(valid, JSON.stringify(errors))
})

test('every row of the tables is an operation with a description', () => {
  const names = [routes, oidcRoutes, serviceRoutes].flatMap((table) => Object.keys(table))
  assert.deepEqual(operations.map(({ operationId }) => operationId).sort(), names.sort())
  for (const { operationId, description } of operations) assert.match(description, /^[A-Z].*[.)]$/s, operationId)
  for (const [name, text] of Object.entries(descriptions)) assert.ok(text.length > 10, `${name} has a sentence`)
})

test('every parameter has a description', () => {
  for (const { operationId, parameters = [] } of operations)
    for (const parameter of parameters) {
      const { name, description } = parameter.$ref
        ? (document.components.parameters[parameter.$ref.replace(/^.*\//, '')] ?? parameter)
        : parameter
      assert.ok(description, `The parameter ${name} of ${operationId} has no description: add .describe('…') to its schema.`)
    }
})

test('every property has a description', () => {
  assert.deepEqual([...undescribed].sort(), [], "Add .describe('…') to the schemas of these properties.")
})

/** The paths of schemas that allow nothing but null. Generators for Go and Java make a type of none. */
function nullAlone(schema: unknown, path: string): string[] {
  if (Array.isArray(schema)) return schema.flatMap((each, i) => nullAlone(each, `${path}/${i}`))
  if (typeof schema !== 'object' || schema === null) return []
  const is_choice = /\/(anyOf|oneOf)\/\d+$/.test(path)
  const own = 'type' in schema && schema.type === 'null' && !is_choice ? [path] : []
  return [...own, ...Object.entries(schema).flatMap(([name, each]) => nullAlone(each, `${path}/${name}`))]
}

test('no schema allows only null', () => assert.deepEqual(nullAlone(document, ''), []))

test('every tag has a description and an operation', () => {
  for (const { name, description } of document.tags) {
    assert.ok(description, name)
    assert.ok(
      operations.some(({ tags }) => tags.includes(name)),
      name,
    )
  }
  for (const { operationId, tags } of operations)
    assert.ok(
      document.tags.some(({ name }) => name === tags[0]),
      operationId,
    )
})

/** Calls a function with every value in the document and its name. */
function walk(value: unknown, visit: (name: string, member: unknown) => void): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    visit(name, member)
    walk(member, visit)
  }
}

test('patterns have only what ECMAScript, Go, Java and Python spell alike', () => {
  const patterns = new Set<string>()
  walk(document.components, (name, member) => name === 'pattern' && typeof member === 'string' && patterns.add(member))
  assert.ok(patterns.size > 5)
  for (const pattern of patterns) assert.doesNotMatch(pattern, /\(\?|\\[pPukR]|\\\d/, pattern)
})

test('every reference leads to a component', () => {
  walk(document, (name, member) => {
    if (name !== '$ref') return
    const [, kind = '', key = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(String(member)) ?? []
    assert.ok((document.components as Record<string, Record<string, unknown>>)[kind]?.[key], String(member)) // as: looked up by name
  })
})

const rows = Object.entries<Route>(routes)
const operationOf = (name: string) => operations.find(({ operationId }) => operationId === name)

test('the examples of bodies and answers fit their schemas', () => {
  for (const [name, route] of rows) {
    const operation = operationOf(name)
    const bodies = Object.values(operation?.requestBody?.content ?? {}).map(({ example }) => example)
    const answer = operation?.responses[route.returns[0]]?.content?.['application/json']?.example
    const check = (schema: z.ZodType | null | undefined, example: unknown) => {
      const parsed = schema?.safeParse(example)
      assert.ok(parsed?.success, `${name}: ${JSON.stringify(example)} ${parsed?.error}`)
    }
    for (const body of bodies) check(route.body, body)
    if (route.returns[1]) check(route.returns[1], answer)
  }
})

test('a body is optional in the document where the call is an action, and required elsewhere', () => {
  for (const [name, route] of rows) assert.equal(operationOf(name)?.requestBody?.required, route.body && !isAction(route), name)
})

/** The codes of a status in the document. */
function codesOf(name: string, status: string): string[] {
  const ref = operationOf(name)?.responses[status]?.$ref?.replace(/^.*\//, '') ?? ''
  return [...(document.components.responses[ref]?.description ?? '').matchAll(/`(\w+)`/g)].map(([, code = '']) => code)
}

const answers: [row: string, status: string, codes: string[]][] = [
  ['whoami', '403', ['ip_not_allowed', 'origin_not_allowed', 'wrong_key_type']],
  ['whoami', '404', []],
  ['whoami', '422', []],
  ['createProject', '409', ['slug_taken', 'issuer_taken', 'idempotency_in_progress']],
  ['createProject', '422', ['validation_failed', 'idempotency_mismatch', 'quota_exceeded']],
  ['changeProject', '412', ['stale_version']],
  ['getProject', '412', []],
  ['getProject', '403', ['ip_not_allowed', 'origin_not_allowed', 'wrong_key_type', 'insufficient_scope']],
  [
    'changeSettings',
    '403',
    ['ip_not_allowed', 'origin_not_allowed', 'wrong_key_type', 'insufficient_scope', 'insufficient_role', 'reauthentication_required'],
  ],
  ['listProjects', '400', ['malformed_request', 'conflicting_credentials', 'tenant_required', 'invalid_cursor']],
  ['me', '400', ['malformed_request', 'conflicting_credentials']],
]
for (const [row, status, codes] of answers)
  test(`${row} documents ${codes.length === 0 ? 'no code' : codes.join(', ')} for ${status}`, () => {
    assert.deepEqual(codesOf(row, status).sort(), [...codes].sort())
  })

test('every declared error of a row is in its answers', () => {
  for (const [name, route] of rows)
    for (const code of route.fails ?? []) assert.ok(codesOf(name, String(errors[code].status)).includes(code), `${name}: ${code}`)
})
