/**
 * Clients of generators create, list, change and delete. The rest of the document in Go, and that of Java, take minutes to compile:
 * `generated-clients.long.test.ts` has them. TypeScript is in `typed-client.test.ts`.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callByOapiCodegen, callByPython, printed, skips } from './support/generated-clients.ts'
import { world } from './support/world.ts'

const w = await world()

test('a client of openapi-python-client creates, lists, changes with null, and deletes', { skip: skips.python }, async () => {
  assert.equal(await callByPython(w), printed)
})

test('a client of oapi-codegen in Go creates, lists, changes with null, and deletes', { skip: skips.oapi_codegen }, async () => {
  assert.equal(await callByOapiCodegen(w, ['Applications']), printed)
})
