import assert from 'node:assert/strict'
import { test } from 'node:test'
import { grantTypeNames } from '../../protocol/grant-types.ts'
import type { GrantType } from './grant-type.ts'
import { findGrantType } from './grant-types.ts'

for (const name of grantTypeNames) test(`the token endpoint has the grant type ${name}`, () => assert.ok(findGrantType(name)))

const implemented: GrantType = () => Promise.reject(new Error('This grant type must not run.'))
for (const name of ['client_credentials', 'password', 'urn:ietf:params:oauth:grant-type:device_code', 'constructor', '__proto__', ''])
  test(`the grant type ${JSON.stringify(name)} is off, even where it is implemented`, () =>
    assert.equal(findGrantType(name, { [name]: implemented }), undefined))
