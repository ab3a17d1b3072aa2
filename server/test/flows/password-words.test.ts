/**
 * Passwords that are common, or made of words of the account or its environment, are refused on every path that sets one
 * (decisions 0005 and 0039, NIST SP 800-63B §3.1.1.2).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPasswords } from '../../src/domain/users/password.ts'
import { createFirstTenant } from '../../src/setup/first-tenant.ts'
import { authorizationRequest, createAgent } from '../support/cookie-browser.ts'
import { createAuthKey } from '../support/tenants.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()
const environment = w.test
await w.changeSettings(environment, { branding: { display_name: 'Blue Bottle' }, email: { delivery: 'none' } })
const secret = await createAuthKey(w, environment, 'auth_secret')
const client = await w.createApplication(environment)

const email = (i: number) => `grace.hopper${i}@navy-museum.example`
const name = 'Grace Murray'

// biome-ignore format: this table is read by column
const words: [what: string, password: string][] = [
  ['the tenant’s name',       'Acme-Acme-2026!'],
  ['the project’s name',      'Project-Shop-1'],
  ['the project’s slug',      '5h0p5h0p5h0p'],
  ['the display name',        'BlueBottle123'],
  ['the local part',          'grace.hopper1906'],
  ['the domain',              'navy-museum99'],
  ['the person’s name',       'GraceMurray!1'],
  ['a common password',       'sunshine1234'],
  ['a variation of one',      'Dr@g0nB4ll!2027'],
]

let people = 0
const signUp = async (password: string): Promise<Reply> => {
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(environment, client, { prompt: 'create' }).url)
  return agent.submit(page, { email: email(++people), name, password })
}
const create = (password: string) => w.call('POST', '/v1/auth/users', { key: secret.key, body: { email: email(++people), name, password } })
const change = async (password: string) => {
  const user = expectStatus(201, await w.call('POST', '/v1/auth/users', { key: secret.key, body: { email: email(++people), name } }))
  return w.call('PATCH', `/v1/auth/users/${user.id}`, { key: secret.key, body: { password } })
}
const changeNames = async (password: string) => {
  const user = expectStatus(
    201,
    await w.call('POST', '/v1/auth/users', { key: secret.key, body: { email: `other${++people}@example.org` } }),
  )
  return w.call('PATCH', `/v1/auth/users/${user.id}`, { key: secret.key, body: { password, name, email: email(++people) } })
}

// biome-ignore format: this table is read by column
const paths: [path: string, set: (password: string) => Promise<Reply>, accepted: number, refused: number][] = [
  ['the sign-up page',                      signUp,       303, 400],
  ['a user created by the backend',            create,       201, 422],
  ['a user changed by the backend',         change,       200, 422],
  ['a change of names and password at once', changeNames, 200, 422],
]
for (const [path, set, accepted, refused] of paths) {
  for (const [what, password] of words)
    test(`a password made of ${what} is refused: ${path}`, async () => assert.equal((await set(password)).status, refused))

  test(`another password is accepted: ${path}`, async () => {
    assert.equal((await set('a memorable sentence')).status, accepted)
  })

  test(`such a password is accepted while reject_common is off: ${path}`, async () => {
    await w.changeSettings(environment, { password: { reject_common: false } })
    const reply = await set('Acme-Acme-2026!')
    await w.changeSettings(environment, { password: null })
    assert.equal(reply.status, accepted)
  })
}

for (const password of ['Globex-Globex-1', 'first.owner-2026', 'globex-corporation', 'Dr@g0nB4ll!2027'])
  test(`the first owner cannot have the password ${password}`, async () => {
    const first = { email: 'first.owner@globex.example', password, tenant_name: 'Globex Corporation', slug: 'globex' }
    await assert.rejects(createFirstTenant(w.deployment, createPasswords(), first), { name: 'SetupRefused', message: /^The password / })
  })
