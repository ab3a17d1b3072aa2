/** Second factors that a person, a backend or the settings change (decision 0042). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MethodId } from '@ostiary/contract/ids.ts'
import { removeMethodByPerson } from '../../src/domain/accounts/remove-own-method.ts'
import {
  confirmTotp,
  type OwnChange,
  offerTotp,
  renewRecoveryCodes,
  showOfferedTotp,
} from '../../src/domain/users/second-factor-changes.ts'
import { findUser } from '../../src/domain/users/store.ts'
import { appCode, codeAfter, enrolPerson, passwordStep, stepOn, wrongCode } from '../support/authenticator-app.ts'
import { amidBatch, overlapping } from '../support/overlapping-batches.ts'
import { until } from '../support/receiver.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const { deployment } = w
const client = await w.createApplication(w.test)
const key = expectStatus(201, await w.call('POST', `${w.test.path}/auth-keys`, { body: { type: 'auth_secret' } })).key
const backend = (method: string, path: string) => w.call(method, `/v1/auth/users/${path}`, { key })
const asked = (): OwnChange => ({
  request_id: 'req_1',
  device: null,
  now: w.now(),
  keep: () => [],
  commit: async (_, statements) => (await deployment.db.batch(statements)) !== null,
})
await w.changeSettings(w.test, { mfa: { mode: 'required' }, email: { delivery: 'none' } })

const methodsOf = async (id: string): Promise<{ id: string; type: string; codes_left: number | null }[]> =>
  expectStatus(200, await backend('GET', `${id}/methods`)).data
const typesOf = async (id: string) => (await methodsOf(id)).map(({ type }) => type).sort()
const mailsTo = async (to: string) => expectStatus(200, await w.call('GET', `${w.test.path}/inbox?to=${to}`)).data
const events = (type: string, user_id: string, count: number) =>
  until(`${count} ${type}`, async () => {
    const { data } = expectStatus(200, await w.call('GET', `${w.test.path}/events?type=${type}&user_id=${user_id}`))
    return data.length >= count && data
  })

async function owner(environment: TestEnvironment, id: string) {
  const user = await findUser(deployment.db, environment.id, id)
  assert.ok(user)
  return { ...user, email: user.email ?? assert.fail('the user has no address') }
}

/** The account page removes an app, known by its id alone. */
function removeApp(user: Awaited<ReturnType<typeof owner>>, id: string, mode: 'off' | 'optional' | 'required') {
  const method = {
    id: MethodId.parse(id),
    type: 'totp',
    name: null,
    provider_id: null,
    codes_left: null,
    algorithm: null,
    created_at: '',
    last_used_at: null,
  }
  const sign_in = { password: true, email_code: false, passkey: false }
  return removeMethodByPerson(deployment, user, { method: { ...method, type: 'totp' }, sign_in, mode }, asked())
}

test('a backend removes an app, with it its recovery codes, and the person is mailed', async () => {
  const person = await enrolPerson(w, w.test, client)
  await w.changeSettings(w.test, { email: { delivery: 'capture' } })
  const totp = (await methodsOf(person.id)).find(({ type }) => type === 'totp')
  assert.equal((await backend('GET', `${person.id}/sessions`)).body.data.length, 1)
  expectStatus(204, await backend('DELETE', `${person.id}/methods/${totp?.id}`))
  assert.equal((await backend('DELETE', `${person.id}/methods/${totp?.id}`)).status, 404)
  assert.deepEqual(await typesOf(person.id), ['password'])
  const [removed] = await events('mfa.removed', person.id, 1)
  assert.deepEqual([removed.data, removed.actor.type], [{ method: 'totp', method_id: totp?.id, sub: person.id }, 'api_key'])
  assert.deepEqual(
    (await mailsTo(person.email)).map(({ kind }: { kind: string }) => kind),
    ['method_removed'],
  )
  assert.equal((await backend('GET', `${person.id}/sessions`)).body.data.length, 1, 'sessions did not begin with it')
  await w.changeSettings(w.test, { email: { delivery: 'none' } })
})

test('a backend removes recovery codes alone; of 50 parallel removals one succeeds', async () => {
  const person = await enrolPerson(w, w.test, client)
  const codes = (await methodsOf(person.id)).find(({ type }) => type === 'recovery_codes')
  const remove = () => backend('DELETE', `${person.id}/methods/${codes?.id}`)
  const replies = await overlapping(w, () => Array.from({ length: 50 }, remove))
  const statuses = replies.map(({ status }) => status).sort()
  assert.deepEqual(statuses, [204, ...Array(49).fill(404)])
  assert.deepEqual(await typesOf(person.id), ['password', 'totp'])
  const { agent, page } = await passwordStep(w.test, client, person)
  assert.doesNotMatch(page.body, /use-recovery-code/)
  assert.equal((await agent.submit(page, { recovery_code: person.codes[0] ?? '' })).status, 400)
})

test('a person adds a second app on the account page, which signs in too and brings no new codes', async () => {
  const person = await enrolPerson(w, w.test, client)
  const user = await owner(w.test, person.id)
  const offer = { session_id: 'ses_1', nonce: 'n' }
  const { secret, otpauth_url } = showOfferedTotp('Acme', user.email, offerTotp(deployment, user, offer))
  assert.ok(otpauth_url.includes(`secret=${secret}&`))
  const wrong = await confirmTotp(deployment, user, { ...offer, code: wrongCode(secret, w.now()) }, asked())
  assert.deepEqual(wrong, { added: false, why: 'wrong_code' })
  const other_form = await confirmTotp(deployment, user, { session_id: 'ses_1', nonce: 'm', code: appCode(secret, w.now()) }, asked())
  assert.deepEqual(other_form, { added: false, why: 'wrong_code' }, 'an offer belongs to its form')
  const added = await confirmTotp(deployment, user, { ...offer, code: appCode(secret, w.now()) }, asked())
  assert.deepEqual(added, { added: true, codes: null })
  assert.deepEqual(await typesOf(person.id), ['password', 'recovery_codes', 'totp', 'totp'])
  await events('mfa.enrolled', person.id, 2)
  w.advance(30)
  const { agent, page, request } = await passwordStep(w.test, client, person)
  assert.ok((await codeAfter(agent, await agent.submit(page, { code: appCode(secret, w.now()) }), request)).code)
})

test('of 50 parallel confirmations of one offer, one adds the app', async () => {
  const user = await owner(w.test, (await w.createUser(w.test)).id)
  const offer = { session_id: 'ses_1', nonce: 'n' }
  const { secret } = showOfferedTotp('Acme', user.email, offerTotp(deployment, user, offer))
  const code = appCode(secret, w.now())
  const results = await Promise.all(Array.from({ length: 50 }, () => confirmTotp(deployment, user, { ...offer, code }, asked())))
  const added = results.filter((result) => result.added)
  assert.equal(added.length, 1)
  assert.equal(added[0]?.added && added[0].codes?.length, 10)
  assert.deepEqual(await typesOf(user.id), ['password', 'recovery_codes', 'totp'])
})

test('a sign-in amid an enrolment makes no session of one factor', async () => {
  const environment = (await w.createProject('amid')).test
  const app = await w.createApplication(environment)
  const person = await w.createUser(environment)
  const user = await owner(environment, person.id)
  const offer = { session_id: 'ses_1', nonce: 'n' }
  const { secret } = showOfferedTotp('Acme', user.email, offerTotp(deployment, user, offer))
  const [enrolled, ...sign_ins] = await amidBatch(
    w,
    'lock table events in share row exclusive mode',
    () => confirmTotp(deployment, user, { ...offer, code: appCode(secret, w.now()) }, asked()),
    () => Array.from({ length: 5 }, () => passwordStep(environment, app, person)),
  )
  assert.equal(enrolled.added, true)
  const steps = sign_ins.map(({ page }) => stepOn(page))
  // On SQLite nothing holds the enrolment up, so a sign-in can come before it.
  if (deployment.db.engine !== 'sqlite') assert.deepEqual(steps, Array(5).fill('second-factor'))
  assert.equal(stepOn((await passwordStep(environment, app, person)).page), 'second-factor')
})

test('an offer adds one app, even when its form is sent again', async () => {
  const user = await owner(w.test, (await w.createUser(w.test)).id)
  const offer = { session_id: 'ses_1', nonce: 'n' }
  const { secret } = showOfferedTotp('Acme', user.email, offerTotp(deployment, user, offer))
  const confirm = () => confirmTotp(deployment, user, { ...offer, code: appCode(secret, w.now()) }, asked())
  assert.equal((await confirm()).added, true)
  assert.deepEqual(await confirm(), { added: false, why: 'changed' })
})

test('a person has at most five apps', async () => {
  const user = await owner(w.test, (await w.createUser(w.test)).id)
  for (const nonce of ['1', '2', '3', '4', '5', '6']) {
    const offer = { session_id: 'ses_1', nonce }
    const { secret } = showOfferedTotp('Acme', user.email, offerTotp(deployment, user, offer))
    const result = await confirmTotp(deployment, user, { ...offer, code: appCode(secret, w.now()) }, asked())
    assert.equal(result.added, nonce !== '6')
  }
})

test('a person removes apps; the recovery codes go with the last, which stays where a second factor is required', async () => {
  const user = await owner(w.test, (await w.createUser(w.test)).id)
  for (const nonce of ['1', '2']) {
    const offer = { session_id: 'ses_1', nonce }
    const { secret } = showOfferedTotp('Acme', user.email, offerTotp(deployment, user, offer))
    await confirmTotp(deployment, user, { ...offer, code: appCode(secret, w.now()) }, asked())
  }
  const [one = '', two = ''] = (await methodsOf(user.id)).filter(({ type }) => type === 'totp').map(({ id }) => id)
  const remove = (id: string, mode: 'off' | 'optional' | 'required') => removeApp(user, id, mode)
  const both = await Promise.all([remove(one, 'required'), remove(two, 'required')])
  assert.deepEqual(both.sort(), ['last_factor', 'removed'], 'of two parallel removals one keeps the last app')
  assert.deepEqual(await typesOf(user.id), ['password', 'recovery_codes', 'totp'])
  const [left = ''] = (await methodsOf(user.id)).filter(({ type }) => type === 'totp').map(({ id }) => id)
  assert.equal(await remove('mth_00000000000000000000000000', 'optional'), 'changed')
  assert.equal(await remove(left, 'optional'), 'removed')
  assert.deepEqual(await typesOf(user.id), ['password'])
  assert.equal((await events('mfa.removed', user.id, 2)).length, 2)
})

test('new recovery codes replace the old ones, and need an app', async () => {
  const person = await enrolPerson(w, w.test, client)
  const codes = await renewRecoveryCodes(deployment, await owner(w.test, person.id), asked())
  assert.equal(new Set([...(codes ?? []), ...person.codes]).size, 20)
  const { agent, page, request } = await passwordStep(w.test, client, person)
  assert.equal((await agent.submit(page, { recovery_code: person.codes[0] ?? '' })).status, 400)
  assert.ok((await codeAfter(agent, await agent.submit(page, { recovery_code: codes?.[0] ?? '' }), request)).code)
  const without = await w.createUser(w.test)
  assert.equal(await renewRecoveryCodes(deployment, await owner(w.test, without.id), asked()), null)
})

test('the functions reach the second factors of their own environment and user only', async () => {
  const [person, stranger] = [await enrolPerson(w, w.test, client), await enrolPerson(w, w.test, client)]
  const totp = (await methodsOf(person.id)).find(({ type }) => type === 'totp')
  assert.equal(await removeApp(await owner(w.test, stranger.id), totp?.id ?? '', 'optional'), 'changed')
  const elsewhere = { ...(await owner(w.test, person.id)), environment_id: w.live.id }
  assert.equal(await removeApp(elsewhere, totp?.id ?? '', 'optional'), 'changed')
  assert.equal(await renewRecoveryCodes(deployment, elsewhere, asked()), null)
  assert.equal((await backend('DELETE', `${stranger.id}/methods/${totp?.id}`)).status, 404)
  assert.deepEqual(await typesOf(person.id), ['password', 'recovery_codes', 'totp'])
})

test('deleting a user deletes the second factors', async () => {
  const person = await enrolPerson(w, w.test, client)
  w.advance(30)
  const { page } = await passwordStep(w.test, client, person)
  assert.equal(stepOn(page), 'second-factor')
  expectStatus(204, await backend('DELETE', person.id))
  const again = await w.createUser(w.test, { email: person.email })
  assert.deepEqual(await typesOf(again.id), ['password'])
  assert.equal(stepOn((await passwordStep(w.test, client, again)).page), 'enrol-totp')
})

// biome-ignore format: this table is read by line
const settings: { rule: string; change: object; status: number; field?: string }[] = [
  { rule: 'a required second factor that nobody can enrol', change: { mfa: { mode: 'required', totp: false } }, status: 422, field: '/mfa/mode' },
  { rule: 'no apps while a second factor is required', change: { mfa: { totp: false } }, status: 422, field: '/mfa/mode' },
  { rule: 'a required one that only passkeys can be', change: { mfa: { mode: 'required', totp: false }, sign_in: { passkey: true } }, status: 200 },
  { rule: 'no passkeys afterwards', change: { sign_in: { passkey: false } }, status: 422, field: '/mfa/mode' },
  { rule: 'no passkeys where none is required', change: { mfa: { mode: 'off' }, sign_in: { passkey: false } }, status: 200 },
  { rule: 'no apps while it is optional', change: { mfa: { mode: 'optional', totp: false } }, status: 200 },
  { rule: 'a required one afterwards', change: { mfa: { mode: 'required' } }, status: 422, field: '/mfa/mode' },
  { rule: 'the default of totp again', change: { mfa: { mode: 'required', totp: null } }, status: 200 },
  { rule: 'an unknown mode', change: { mfa: { mode: 'always' } }, status: 422, field: '/mfa/mode' },
  { rule: 'an unknown field', change: { mfa: { sms: true } }, status: 422, field: '/mfa' },
]
for (const { rule, change, status, field } of settings)
  test(`settings: ${rule} is ${status}`, async () => {
    const reply = await w.call('PATCH', `${w.test.path}/settings`, { body: change })
    assert.equal(reply.status, status, JSON.stringify(reply.body))
    if (field) assert.ok(reply.body.errors[0].pointer.startsWith(field), JSON.stringify(reply.body.errors))
  })

test('discovery lists the level of two factors where people can reach it', async () => {
  const environment = (await w.createProject('levels')).test
  const levels = async () =>
    (await w.call('GET', `${environment.issuer}/.well-known/openid-configuration`, { key: null })).body.acr_values_supported
  assert.deepEqual(await levels(), ['urn:ostiary:1fa'])
  const [one, two, by_passkey] = ['urn:ostiary:1fa', 'urn:ostiary:2fa', 'urn:ostiary:passkey']
  const listed: [settings: object, levels: unknown[]][] = [
    [{ mfa: { mode: 'optional' } }, [one, two]],
    [{ mfa: { mode: 'required' } }, [one, two]],
    [{ mfa: { mode: 'optional', totp: false } }, [one]],
    [{ sign_in: { passkey: true } }, [one, two, by_passkey]],
    [{ mfa: { mode: 'required' } }, [one, two, by_passkey]],
    [{ mfa: { mode: 'off' } }, [one, by_passkey]],
  ]
  for (const [settings, expected] of listed) {
    await w.changeSettings(environment, settings)
    assert.deepEqual(await levels(), expected, JSON.stringify(settings))
  }
})
