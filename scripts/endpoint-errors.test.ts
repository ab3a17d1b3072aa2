/**
 * The API reference lists the errors of the endpoints that applications call. The lists follow from the code: these are the errors that the
 * file of an endpoint makes, or one of the files that it imports.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { exchanges, oauthErrors } from '../contract/src/oidc.ts'
import { importsOf } from './repository.ts'

const root = join(import.meta.dirname, '..')

// biome-ignore format: this table is read by column
const endpoints = [
  ['token',          'server/src/oidc/endpoints/token.ts'],
  ['userinfo',       'server/src/oidc/endpoints/userinfo.ts'],
  ['userinfoByPost', 'server/src/oidc/endpoints/userinfo.ts'],
  ['revoke',         'server/src/oidc/endpoints/revoke.ts'],
] as const

for (const [name, file] of endpoints) {
  const { errors = [], refuses = [], form } = exchanges[name]

  test(`the reference of ${name} lists the errors that its code makes, and no other`, () => {
    assert.deepEqual([...errors].sort(), errorsMadeIn(reachedFrom(file)))
  })

  test(`the reference of ${name} lists the status of each of its errors`, () => {
    const statuses = new Set(errors.map((error) => oauthErrors[error].status as number)) // as: any status, to add that of a long form
    if (form) statuses.add(413)
    assert.deepEqual([...refuses].sort(), [...statuses].sort())
  })
}

/** The sources that run for an endpoint: its own file, and what it imports. Files that are imported for their types alone are ignored. */
function reachedFrom(file: string): Map<string, string> {
  const reached = new Map<string, string>()
  const waiting = [file]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (reached.has(next) || !next.startsWith('server/')) continue
    const source = readFileSync(join(root, next), 'utf8')
    reached.set(next, source)
    waiting.push(...importsOf(next, source.replaceAll(/^import type [^']*'[^']*'/gm, '')))
  }
  return reached
}

/** The codes of the errors that these sources make. An error that is explained again keeps its code, so it adds none. */
function errorsMadeIn(sources: ReadonlyMap<string, string>): string[] {
  const codes = new Set<string>()
  for (const [file, source] of sources) {
    for (const [, code = ''] of source.matchAll(/\brefusal\(\s*'(\w+)'/g)) codes.add(code)
    for (const [, code, other] of source.matchAll(/\bnew OAuthError(?:<\w+>)?\(\s*(?:'(\w+)'|([\w.]+))/g)) {
      if (code !== undefined) codes.add(code)
      else assert.match(other ?? '', /^(error\.)?code$/, `${file} makes an error of a code that this test does not read.`)
    }
  }
  return [...codes].sort()
}
