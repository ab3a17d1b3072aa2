/** Scopes that an application or environment loses after a grant, at refresh and at the exchange of a code (decision 0030). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPerson, exchange, refresh, userinfo } from '../support/cookie-browser.ts'
import { expectStatus, type TestEnvironment, types_of_run, world } from '../support/world.ts'

const w = await world()
const granted = ['openid', 'profile', 'email', 'offline_access']

async function setUp(environment: TestEnvironment) {
  const application = await w.createApplication(environment)
  const person = await createPerson(w, environment)
  const allow = async (allowed_scopes: string[]) =>
    expectStatus(200, await w.call('PATCH', `${environment.path}/applications/${application.id}`, { body: { allowed_scopes } }))
  /** Two ways to remove a scope and to restore it. */
  const ways = {
    'the application': { lose: (name: string) => allow(granted.filter((each) => each !== name)), restore: () => allow(granted) },
    'the environment': {
      lose: (name: string) => w.changeSettings(environment, { scopes: { disabled: [name] } }),
      restore: () => w.changeSettings(environment, { scopes: { disabled: [] } }),
    },
  }
  return { application, person, ways }
}

for (const type of types_of_run) {
  const environment = w[type]
  const { application, person, ways } = await setUp(environment)

  for (const [level, { lose, restore }] of Object.entries(ways)) {
    test(`a refresh is invalid_grant while ${level} lacks offline_access, whatever the scope, and the token stays valid (${type})`, async () => {
      const tokens = await person.tokens(application)
      await lose('offline_access')
      for (const scope of [undefined, 'openid', granted.join(' ')]) {
        const reply = await refresh(w, environment, application, {
          refresh_token: tokens.refresh_token,
          ...(scope === undefined ? {} : { scope }),
        })
        assert.deepEqual([reply.status, reply.body.error], [400, 'invalid_grant'])
      }
      assert.equal((await userinfo(w, environment, tokens.access_token)).status, 200, 'the access token stays valid')
      await restore()
      assert.equal(expectStatus(200, await refresh(w, environment, application, tokens.refresh_token)).scope, granted.join(' '))
    })

    test(`a refresh within the retry window is refused too while ${level} lacks offline_access (${type})`, async () => {
      await w.changeSettings(environment, { tokens: { refresh_retry_window_seconds: 60 } })
      const tokens = await person.tokens(application)
      expectStatus(200, await refresh(w, environment, application, tokens.refresh_token))
      await lose('offline_access')
      const reply = await refresh(w, environment, application, tokens.refresh_token)
      assert.deepEqual([reply.status, reply.body.error], [400, 'invalid_grant'])
      await restore()
      await w.changeSettings(environment, { tokens: { refresh_retry_window_seconds: null } })
    })

    test(`a code that was issued before ${level} lost offline_access gives no refresh token (${type})`, async () => {
      const { request, code } = await person.code(application)
      await lose('offline_access')
      const tokens = expectStatus(200, await exchange(w, environment, application, { request, code }))
      await restore()
      assert.deepEqual([tokens.refresh_token, tokens.scope], [undefined, 'openid profile email'])
    })

    for (const name of ['profile', 'email']) {
      test(`a refresh grants ${name} only while ${level} has it (${type})`, async () => {
        const tokens = await person.tokens(application)
        await lose(name)
        const less = expectStatus(200, await refresh(w, environment, application, tokens.refresh_token))
        assert.equal(less.scope, granted.filter((each) => each !== name).join(' '))
        const only = await refresh(w, environment, application, { refresh_token: less.refresh_token, scope: name })
        assert.deepEqual([only.status, only.body.error], [400, 'invalid_scope'], 'no other scope was requested')
        await restore()
        assert.equal(expectStatus(200, await refresh(w, environment, application, less.refresh_token)).scope, granted.join(' '))
      })
    }
  }

  test(`a refresh returns no ID token while the application lacks openid, and UserInfo refuses (${type})`, async () => {
    const tokens = await person.tokens(application)
    await ways['the application'].lose('openid')
    const less = expectStatus(200, await refresh(w, environment, application, tokens.refresh_token))
    await ways['the application'].restore()
    assert.deepEqual([less.id_token, less.scope], [undefined, 'profile email offline_access'])
    assert.equal((await userinfo(w, environment, less.access_token)).status, 403)
  })
}
