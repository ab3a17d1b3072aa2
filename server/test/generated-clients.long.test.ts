/** Clients that compilers take minutes for, by `npm run test:long`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callByOapiCodegen, compileGo, compileJava, printed, skips } from './support/generated-clients.ts'
import { world } from './support/world.ts'

const w = await world()

test('a client of oapi-codegen with every operation compiles and works', { skip: skips.oapi_codegen }, async () => {
  assert.equal(await callByOapiCodegen(w, []), printed)
})

test('a Go client of openapi-generator compiles', { skip: skips.go }, async () => {
  await compileGo(w)
})

test('a Java client of openapi-generator compiles', { skip: skips.java }, async () => {
  await compileJava(w)
})
