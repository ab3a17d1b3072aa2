/** `config_version` of an environment: every row of the table that writes below an environment either raises it or does not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from '@ostiary/contract/route.ts'
import { overlapping } from '../support/overlapping-batches.ts'
import { ask, rows, testRows, validRequest } from '../support/route-table.ts'
import { callKind, slugged_kinds } from '../support/slugged.ts'
import { createTwoTenants } from '../support/tenants.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const { ours } = await createTwoTenants(w)

const environmentOf = async (environment: TestEnvironment) => {
  const reply = await w.call('GET', environment.path, { key: ours.platform })
  const { config_version, updated_at } = expectStatus(200, reply)
  return { config_version: config_version as number, updated_at: updated_at as string, etag: reply.headers.get('etag') }
}

/** Rows that write below an environment and change no configuration, with the reason. */
const not_raising: Record<string, string> = {
  changeEnvironment: 'its name is not configuration',
  rotateClientSecret: 'a rotation',
  addClientSecret: 'secrets never travel',
  deleteClientSecret: 'secrets never travel',
  createAuthKey: 'keys are not configuration',
  changeAuthKey: 'keys are not configuration',
  revokeAuthKey: 'keys are not configuration',
  rotateAuthKey: 'a rotation',
  rotateWebhookSecret: 'a rotation',
  rotateSigningKey: 'a rotation',
  testWebhook: 'a use',
  testMail: 'a use',
  checkProvider: 'a use',
  previewSettings: 'a use',
  previewRole: 'a use',
  resendDelivery: 'a use',
  resendBackchannelLogout: 'a use',
  resendSince: 'a use',
  createMetadataClient: 'the records of an environment never travel',
  changeMetadataClient: 'the records of an environment never travel',
  deleteMetadataClient: 'the records of an environment never travel',
  readMetadataClient: 'a use',
}

/** The body of the n-th change by a row, where the sample of the table changes nothing. */
const changes: Record<string, (n: number) => object> = {
  changeSettings: (n) => ({ lockout: { max_attempts: 5 + n } }),
  changeEnvironment: (n) => ({ name: `Changed ${n}` }),
  changeAuthKey: (n) => ({ label: `Changed ${n}` }),
  changeApplication: (n) => ({ name: `Changed ${n}` }),
  changeResourceServer: (n) => ({ name: `Changed ${n}` }),
  changeRole: (n) => ({ name: `Changed ${n}` }),
  changeProvider: (n) => ({ display_name: `Changed ${n}` }),
  changeWebhook: (n) => ({ description: `Changed ${n}` }),
}

const writing = rows.filter(({ route }) => route.method !== 'GET' && route.path.includes('/environments/{environment_id}'))
const raises = (route: Route) => route.configures === true
// A row that deletes an object comes after the rows that change it.
const inOrder = writing.toSorted((a, b) => Number(a.route.method === 'DELETE') - Number(b.route.method === 'DELETE'))

test('every row that writes below an environment raises its configuration version or is listed with a reason', () => {
  assert.deepEqual(
    writing
      .filter(({ route }) => !raises(route))
      .map(({ name }) => name)
      .sort(),
    Object.keys(not_raising).sort(),
  )
  for (const { name, route } of rows.filter(({ route }) => raises(route)))
    assert.match(route.path, /\/environments\/\{environment_id\}\//, name)
})

for (const [type, environment] of [
  ['Test', ours.test],
  ['Live', ours.live],
] as const) {
  testRows(`a change by a row raises the version once, or not at all (${type})`, inOrder, async ({ name, route }) => {
    const right = validRequest(route, ours, environment)
    const change = changes[name]
    const before = await environmentOf(environment)
    const reply = await ask(w, { ...right, ...(change ? { body: change(1) } : {}) })
    // Live has no mail yet, and no delivery exists.
    // The rotation before has ended the secret of the path.
    const is_refused = ['resendDelivery', 'deleteClientSecret'].includes(name) || (name === 'testMail' && type === 'Live')
    if (!is_refused) assert.ok(reply.status < 300, `${reply.status} ${JSON.stringify(reply.body)}`)
    const after_change = await environmentOf(environment)
    assert.equal(after_change.config_version - before.config_version, raises(route) ? 1 : 0, name)
    if (raises(route)) assert.notEqual(after_change.etag, before.etag, 'the record has changed')
    if (name === 'resendDelivery' || route.method === 'DELETE') return

    if (change) {
      expectStatus(200, await ask(w, { ...right, body: change(1) }))
      expectStatus(200, await ask(w, { ...right, body: {} }))
      assert.equal((await environmentOf(environment)).config_version, after_change.config_version, `${name} without a change`)
    }
    const refused = await ask(w, { ...right, body: { unknown: 1 } })
    assert.equal(refused.status, 422)
    assert.equal((await environmentOf(environment)).config_version, after_change.config_version, `${name} refused`)
  })
}

test('a change below one environment leaves the version of the others', async () => {
  const [test_before, live_before] = [await environmentOf(w.test), await environmentOf(w.live)]
  await w.changeSettings(w.test, { sign_up: { mode: 'closed' } })
  assert.equal((await versionOf(w.test)) - test_before.config_version, 1)
  assert.equal((await versionOf(w.live)) - live_before.config_version, 0)
})
const versionOf = async (environment: TestEnvironment): Promise<number> => (await environmentOf(environment)).config_version

test('a repeated creation with the same Idempotency-Key raises the version once', async () => {
  const before = await versionOf(w.test)
  const options = { body: slugged_kinds.application?.fields('Repeated'), headers: { 'idempotency-key': 'once' } }
  for (let n = 0; n < 2; n++) expectStatus(201, await w.call('POST', `${w.test.path}/applications`, options))
  assert.equal((await versionOf(w.test)) - before, 1)
})

test('a change that loses to its If-Match leaves the version', async () => {
  const kind = slugged_kinds.application ?? assert.fail('There is no such kind.')
  const { id } = expectStatus(201, await callKind(w, w.test, kind).create(kind.fields('Matched')))
  const before = await versionOf(w.test)
  const reply = await w.call('PATCH', `${w.test.path}/applications/${id}`, { body: kind.change(1), headers: { 'if-match': '"0"' } })
  assert.equal(reply.status, 412)
  assert.equal(await versionOf(w.test), before)
})

for (const [name, kind] of Object.entries(slugged_kinds)) {
  test(`25 parallel changes of one ${name}, or 25 parallel creations, raise the version 25 times`, async () => {
    w.advance(10)
    const { create, one } = callKind(w, w.live, { ...kind })
    const made = expectStatus(201, await create(kind.fields('Raced')))
    const before = await versionOf(w.live)
    const changed = await overlapping(w, () => Array.from({ length: 25 }, (_, n) => one('PATCH', made.id, kind.change(n))))
    for (const reply of changed) expectStatus(200, reply)
    assert.equal((await versionOf(w.live)) - before, 25)
    const statuses = (await overlapping(w, () => Array.from({ length: 15 }, () => create(kind.fields('Raced'))))).map(
      ({ status }) => status,
    )
    assert.deepEqual(new Set(statuses), new Set([201]))
    assert.equal((await versionOf(w.live)) - before, 40)
  })
}
