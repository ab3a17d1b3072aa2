import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applicationProblems, mergeApplication } from './rules.ts'

const place = { environment_type: 'live' as const, base_url: 'https://id.example.com', known_scopes: ['openid', 'email', 'orders:read'] }

/** The pointers of what is refused. */
function refused(allowed_scopes: string[]): string[] {
  const fields = mergeApplication('web', { name: 'Shop', redirect_uris: ['https://app.example.com/callback'] }, { allowed_scopes })
  return applicationProblems('web', fields, place).map(({ path }) => path.join('.'))
}

const cases: { rule: string; allowed_scopes: string[]; problems: string[] }[] = [
  { rule: 'scopes that the environment knows may be allowed', allowed_scopes: ['orders:read', 'openid'], problems: [] },
  { rule: 'none at all may be allowed', allowed_scopes: [], problems: [] },
  { rule: 'an unknown one is refused where it stands', allowed_scopes: ['openid', 'orders:write'], problems: ['allowed_scopes.1'] },
  {
    rule: 'names are compared exactly',
    allowed_scopes: ['Orders:read', 'orders:read '],
    problems: ['allowed_scopes.0', 'allowed_scopes.1'],
  },
]
for (const { rule, allowed_scopes, problems } of cases) {
  test(rule, () => assert.deepEqual(refused(allowed_scopes), problems))
}
