import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logoutTokenClaims, outcomeOfLogout } from './logout-token.ts'

test('a logout token has exactly the claims of Back-Channel Logout 1.0 §2.4', () => {
  const about = { client_id: 'app_1', sub: 'auth0|1', session_id: 'ses_1', jti: 'j' }
  assert.deepEqual(logoutTokenClaims('https://id.test/e/env_1', about, new Date('2026-11-20T16:31:00.900Z')), {
    iss: 'https://id.test/e/env_1',
    aud: 'app_1',
    iat: 1795192260,
    exp: 1795192380,
    jti: 'j',
    sub: 'auth0|1',
    sid: 'ses_1',
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  })
})

const outcomes = {
  done: [200, 202, 204],
  give_up: [301, 302, 307, 400, 401, 403, 404, 405, 410, 415],
  retry: [408, 429, 500, 501, 502, 503, 504],
} as const
for (const [outcome, statuses] of Object.entries(outcomes))
  test(`a logout request is ${outcome} after ${statuses.join(', ')}`, () => {
    for (const status of statuses) assert.equal(outcomeOfLogout(status), outcome, `${status}`)
  })
