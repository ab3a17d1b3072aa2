/** Who approves a plan, and what a plan that waits needs: the second pair of eyes is of another person, whatever the first one planned with. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { administratorToken, asAdministrator, joinTenant } from '../support/administrator.ts'
import { meanwhile, own, pointersOf, promoting } from '../support/promotions.ts'
import { createAdministrator, createPlatformKey } from '../support/tenants.ts'
import { expectStatus, owner, type Reply, world } from '../support/world.ts'

const w = await world()
const { createProject, step, edit } = promoting(w)

type Person = 'first' | 'second' | 'third'
const tokens: Record<Person, string> = { first: '', second: '', third: '' }
const keys: Record<string, { id: string; key: string }> = {}

const asPerson =
  (who: Person) =>
  (method: string, path: string, body?: object): Promise<Reply> =>
    asAdministrator(w, tokens[who], w.tenant_id)(method, path, body)
const makeKey = async (who: Person) => {
  const { id, key } = await createPlatformKey(w, { tenant_id: w.tenant_id, token: tokens[who] })
  return { id, key }
}

before(async () => {
  tokens.first = await administratorToken(w, owner)
  for (const who of ['second', 'third'] as const) {
    const person = await createAdministrator(w, `${who}@approval.example`)
    await joinTenant(w, { tenant_id: w.tenant_id, token: tokens.first }, person, 'admin')
    tokens[who] = person.token
  }
  keys.own = await makeKey('second')
  keys.foreign = await makeKey('first')
  const made = await makeKey('first')
  const rotate = `/v1/tenants/${w.tenant_id}/platform-keys/${made.id}/rotate`
  keys.rotated = { id: made.id, key: expectStatus(200, await asPerson('second')('POST', rotate)).key }
})

let lengths = 12
const body = (project: Parameters<typeof own>[0]) => own(project, { settings: { password: { min_length: 12 + (++lengths % 50) } } })
const asking = async (who: Person = 'first') => {
  const project = await createProject()
  expectStatus(200, await asPerson(who)('PATCH', project.path, { promotion: { require_approval: true } }))
  return project
}

type Plans = (project: { path: string }, sent: object) => Promise<Reply>
const byKey =
  (name: string): Plans =>
  (project, sent) =>
    w.call('POST', `${project.path}/promotions`, { body: sent, key: keys[name]?.key ?? '' })
const bySession =
  (who: Person): Plans =>
  (project, sent) =>
    asPerson(who)('POST', `${project.path}/promotions`, sent)

// biome-ignore format: this table is read by column
const approvals: [planned: string, plans: Plans, second: string[]][] = [
  ['in a session of another person',            bySession('first'),  ['200 undefined']],
  ['in a session of the same person',           bySession('second'), ['403 insufficient_role']],
  ['with a key that another person made',       byKey('foreign'),    ['200 undefined']],
  ['with a key that the same person made',      byKey('own'),        ['403 insufficient_role']],
  ['with a key that the same person rotated',   byKey('rotated'),    ['403 insufficient_role']],
]
for (const [planned, plans, second] of approvals)
  test(`the approval of a plan that was made ${planned}: ${second}`, async () => {
    const project = await asking()
    const { id } = expectStatus(201, await plans(project, body(project)))
    const path = `${project.path}/promotions/${id}/approve`
    assert.deepEqual(pointersOf(await w.call('POST', path, { key: keys.foreign?.key ?? '' })), ['403 wrong_key_type'])
    assert.deepEqual(pointersOf(await asPerson('second')('POST', path)), second)
    if (second[0] !== '200 undefined') assert.deepEqual(pointersOf(await step([project, id], 'apply')), ['409 approval_required'])
    expectStatus(200, await asPerson('third')('POST', path))
    expectStatus(200, await step([project, id], 'apply'))
  })

test('a rotation after the plan does not let the one approve who made the plan with the key', async () => {
  const project = await asking()
  const key = await makeKey('second')
  const sent = { body: body(project), key: key.key }
  const { id } = expectStatus(201, await w.call('POST', `${project.path}/promotions`, sent))
  expectStatus(200, await asPerson('third')('POST', `/v1/tenants/${w.tenant_id}/platform-keys/${key.id}/rotate`))
  const path = `${project.path}/promotions/${id}/approve`
  assert.deepEqual(pointersOf(await asPerson('second')('POST', path)), ['403 insufficient_role'])
  expectStatus(200, await asPerson('third')('POST', path))
})

// biome-ignore format: this table is read by column
const waiting: [why: string, asks_first: boolean][] = [
  ['was made while the project asked for approvals',   true],
  ['was made before the project asked for approvals',  false],
]
for (const [why, asks_first] of waiting)
  test(`switching approvals off releases no plan that ${why}`, async () => {
    const project = await createProject()
    const ask = async (require_approval: boolean) =>
      expectStatus(200, await asPerson('first')('PATCH', project.path, { promotion: { require_approval } }))
    if (asks_first) await ask(true)
    const { id } = expectStatus(201, await bySession('second')(project, body(project)))
    const required = async () => expectStatus(200, await w.call('GET', `${project.path}/promotions/${id}`)).approval.required
    if (!asks_first) await ask(true)
    assert.equal(await required(), true)
    await ask(false)
    assert.equal(await required(), true)
    assert.deepEqual(pointersOf(await step([project, id], 'apply')), ['409 approval_required'])
    assert.deepEqual(pointersOf(await asPerson('second')('POST', `${project.path}/promotions/${id}/approve`)), ['403 insufficient_role'])
    const fresh = expectStatus(201, await bySession('second')(project, body(project)))
    assert.equal(fresh.approval.required, false)
    expectStatus(200, await asPerson('third')('POST', `${project.path}/promotions/${id}/approve`))
    expectStatus(200, await step([project, id], 'apply'))
  })

test('a plan to Test that waits needs no approval after all', async () => {
  const project = await asking()
  const sent = { ...own(project, { settings: { password: { min_length: 20 } } }), to_environment_id: project.test.id }
  const { id } = expectStatus(201, await bySession('second')(project, sent))
  expectStatus(200, await asPerson('first')('PATCH', project.path, { promotion: { require_approval: false } }))
  expectStatus(200, await step([project, id], 'apply'))
})

test('an apply that has read a plan before approvals were switched on and off again finds that it waits', async () => {
  const project = await createProject()
  const { id } = expectStatus(201, await bySession('second')(project, body(project)))
  const ask = async (require_approval: boolean) =>
    expectStatus(200, await asPerson('first')('PATCH', project.path, { promotion: { require_approval } }))
  const reply = await meanwhile(
    w.deployment.db,
    "set status = 'applied'",
    async () => {
      await ask(true)
      await ask(false)
    },
    () => step([project, id], 'apply'),
  )
  assert.deepEqual(pointersOf(reply), ['409 approval_required'])
})

test('a plan that is out of date or blocked is refused at its approval as at its apply', async () => {
  const project = await asking()
  const { id } = expectStatus(201, await byKey('foreign')(project, body(project)))
  await edit(`${project.live.path}/settings`, { lockout: { max_attempts: 7 } })
  assert.deepEqual(pointersOf(await asPerson('second')('POST', `${project.path}/promotions/${id}/approve`)), [
    '409 promotion_stale',
    'edited /to_config_version',
  ])
  const blocked = expectStatus(201, await byKey('foreign')(project, own(project, { settings: { sign_in: { email_code: true } } })))
  assert.deepEqual(pointersOf(await asPerson('second')('POST', `${project.path}/promotions/${blocked.id}/approve`)), [
    '422 promotion_blocked',
  ])
})
