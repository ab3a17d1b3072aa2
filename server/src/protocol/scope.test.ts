import assert from 'node:assert/strict'
import { test } from 'node:test'
import { includesScope, scopeNames } from './scope.ts'

const cases: [string, string[]][] = [
  ['', []],
  ['openid', ['openid']],
  ['openid email', ['openid', 'email']],
  [' openid  email ', ['openid', 'email']],
  ['email openid email', ['email', 'openid']],
  ['openid\temail', ['openid\temail']],
]
for (const [scope, names] of cases) {
  test(`the scope "${scope}" has the names ${JSON.stringify(names)}`, () => assert.deepEqual(scopeNames(scope), names))
}

test('includesScope compares whole names', () => {
  assert.ok(includesScope('openid offline_access', 'offline_access'))
  assert.ok(!includesScope('openid2 xopenid', 'openid'))
  assert.ok(!includesScope('OpenID', 'openid'))
})
