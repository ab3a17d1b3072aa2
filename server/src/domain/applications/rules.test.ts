import assert from 'node:assert/strict'
import { test } from 'node:test'
import { application } from '@ostiary/contract/objects/application.ts'
import { patched } from '../../base/patched.ts'
import { applicationProblems } from './rules.ts'

const known_scopes = new Set(['openid', 'email', 'orders:read'])
const context = { environment_type: 'live' as const, base_url: 'https://id.example.com', known_scopes, known_roles: new Set(['staff']) }

/** The paths of the refused fields. */
function refusedPaths(change: Parameters<typeof patched<typeof application>>[3]): string[] {
  const fields = patched(application, 'web', { name: 'Shop', redirect_uris: ['https://app.example.com/callback'] }, change)
  return applicationProblems('web', fields, context).map(({ path }) => path.join('.'))
}

const cases: { rule: string; allowed_scopes: string[]; problems: string[] }[] = [
  { rule: 'an application can allow scopes of the environment', allowed_scopes: ['orders:read', 'openid'], problems: [] },
  { rule: 'an application can allow no scopes', allowed_scopes: [], problems: [] },
  { rule: 'an unknown scope is refused at its index', allowed_scopes: ['openid', 'orders:write'], problems: ['allowed_scopes.1'] },
  {
    rule: 'scope names are compared exactly',
    allowed_scopes: ['Orders:read', 'orders:read '],
    problems: ['allowed_scopes.0', 'allowed_scopes.1'],
  },
]
for (const { rule, allowed_scopes, problems } of cases) {
  test(rule, () => assert.deepEqual(refusedPaths({ allowed_scopes }), problems))
}

test('an application can let holders of roles of the environment in, and an unknown role is refused at its index', () => {
  assert.deepEqual(refusedPaths({ allowed_roles: ['staff'] }), [])
  assert.deepEqual(refusedPaths({ allowed_roles: ['staff', 'Staff', 'admin'] }), ['allowed_roles.1', 'allowed_roles.2'])
})

test('an application can allow groups where it has a claim for roles', () => {
  assert.deepEqual(refusedPaths({ allowed_scopes: ['openid', 'groups'] }), ['allowed_scopes.1'])
  assert.deepEqual(refusedPaths({ allowed_scopes: ['openid', 'groups'], roles_claim: 'roles' }), [])
})
