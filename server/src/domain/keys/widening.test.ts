import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiKey } from '@ostiary/contract/api-key.ts'
import { isWidened } from './widening.ts'

const base = { scopes: [], allowed_origins: [], ip_allowlist: [], rate_limit: null, expires_at: null, environment_type: 'live' }
const key = (fields: object) => ({ ...base, ...fields }) as unknown as ApiKey // as: the rules read these fields only

const rate = (limit: number, window_seconds: number) => ({ limit, window_seconds })
const [soon, later] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z']

// biome-ignore format: this table is read by column
const changes: [field: string, before: unknown, after: unknown, widened: boolean][] = [
  ['scopes',          ['projects:read'],           ['projects:read', 'users:read'], true ],
  ['scopes',          ['projects:read'],           ['*'],                           true ],
  ['scopes',          ['*'],                       ['projects:write'],              false],
  ['scopes',          ['projects:read'],           ['projects:read'],               false],
  ['scopes',          ['projects:write'],          ['projects:read'],               true ], // write does not imply read
  ['allowed_origins', ['https://a.test'],          ['https://b.test'],              true ],
  ['allowed_origins', ['https://a.test', 'https://b.test'], ['https://b.test'],     false],
  ['ip_allowlist',    [],                          ['0.0.0.0/0'],                   false],
  ['ip_allowlist',    ['10.0.0.0/8'],              [],                              true ],
  ['ip_allowlist',    ['10.0.0.0/8'],              ['10.0.0.0/8', '::1'],           true ],
  ['ip_allowlist',    ['10.0.0.0/8'],              ['10.0.0.0/7'],                  true ],
  ['ip_allowlist',    ['10.0.0.0/8'],              ['10.255.255.255'],              false],
  ['ip_allowlist',    ['10.0.0.0/9', '10.128.0.0/9'], ['10.0.0.0/8'],               true ], // both halves: asked for, though nothing is added
  ['ip_allowlist',    ['::ffff:10.0.0.1'],         ['10.0.0.1'],                    false],
  ['ip_allowlist',    ['::/0'],                    ['10.0.0.1'],                    true ],
  ['rate_limit',      rate(10, 10),                rate(11, 11),                    true ],
  ['rate_limit',      rate(10, 10),                rate(10, 9),                     true ],
  ['rate_limit',      rate(10, 10),                rate(9, 9),                      false],
  ['rate_limit',      rate(10, 10),                rate(10, 60),                    false],
  ['rate_limit',      null,                        rate(1_000, 10),                 false],
  ['rate_limit',      null,                        rate(1_001, 10),                 true ],
  ['rate_limit',      rate(10, 10),                null,                            true ],
  ['expires_at',      soon,                        later,                           true ],
  ['expires_at',      soon,                        null,                            true ],
  ['expires_at',      later,                       soon,                            false],
  ['expires_at',      null,                        later,                           false],
  ['another field',   1,                           2,                               true ],
]
for (const [field, before, after, widened] of changes)
  test(`${field} from ${JSON.stringify(before)} to ${JSON.stringify(after)} is ${widened ? '' : 'not '}wider`, () =>
    assert.equal(isWidened(field, key({ [field]: before }), key({ [field]: after })), widened))
