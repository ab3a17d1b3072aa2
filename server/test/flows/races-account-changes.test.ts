/** Sign-ins during a change of the account: no session outlives a change that ends the sessions of the account. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorizationRequest, createAgent } from '../support/cookie-browser.ts'
import { createAuthKey } from '../support/tenants.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()
const environment = w.test
const secret = await createAuthKey(w, environment, 'auth_secret')
const client = await w.createApplication(environment)
await w.changeSettings(environment, { lockout: { max_attempts: 100 } })

const users = (method: string, path: string, body?: object): Promise<Reply> =>
  w.call(method, `/v1/auth/users/${path}`, { key: secret.key, ...(body ? { body } : {}) })

const changes: [what: string, change: (id: string) => Promise<Reply>][] = [
  ['a new password', (id) => users('PATCH', id, { password: 'another long sentence' })],
  ['a removed password', (id) => users('PATCH', id, { password: null })],
  ['a block', (id) => users('POST', `${id}/block`)],
]
for (const [what, change] of changes) {
  test(`no session of parallel sign-ins with the old password outlives ${what}`, async () => {
    const user = await w.createUser(environment)
    const pages = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const agent = createAgent()
        return { agent, page: await agent.get(authorizationRequest(environment, client).url) }
      }),
    )
    const form = { email: user.email, password: user.password }
    const [changed, ...replies] = await Promise.all([change(user.id), ...pages.map(({ agent, page }) => agent.submit(page, form))])
    expectStatus(200, changed)
    for (const { status } of replies) assert.ok([303, 400, 503].includes(status), `${status}`)
    assert.deepEqual(expectStatus(200, await users('GET', `${user.id}/sessions`)).data, [])
  })
}
