/** Promotions beside other changes: of each race one outcome happens, and no acknowledged edit is lost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { DatabaseUnavailable, type Statement, sql } from '../../src/db/db.ts'
import { holdProvider, insertIdentity } from '../../src/domain/providers/store.ts'
import { administratorToken, asAdministrator, joinTenant } from '../support/administrator.ts'
import { createPerson } from '../support/cookie-browser.ts'
import { replaceMethods } from '../support/db-methods.ts'
import { meanwhile, own, pointersOf, promoting, upward, values } from '../support/promotions.ts'
import { until } from '../support/receiver.ts'
import { createAdministrator } from '../support/tenants.ts'
import { expectStatus, owner, world } from '../support/world.ts'

const w = await world()
const { createProject, make, edit, planned, step, documentOf, eventsOf, filled } = promoting(w)

test('of twenty applies at once one happens', async () => {
  const project = await filled()
  const { id } = await planned(project, { ...upward(project), values })
  const replies = await Promise.all(Array.from({ length: 20 }, () => step([project, id], 'apply')))
  assert.deepEqual(replies.map(({ status, body }) => (status === 200 ? '200' : `${status} ${body.code}`)).sort(), [
    '200',
    ...Array.from({ length: 19 }, () => '409 promotion_state'),
  ])
  assert.equal((await eventsOf(project.live, 'promotion.%')).length, 1)
})

test('an edit that is answered before an apply makes the plan stale', async () => {
  const project = await createProject()
  const { test, live } = project
  for (const [moved, pointer] of [
    [test, '/from_config_version'],
    [live, '/to_config_version'],
  ] as const) {
    await edit(`${test.path}/settings`, { password: { min_length: moved === test ? 15 : 16 } })
    const { id } = await planned(project, upward(project))
    await edit(`${moved.path}/settings`, { lockout: { max_attempts: moved === test ? 5 : 6 } })
    assert.deepEqual(pointersOf(await step([project, id], 'apply')), ['409 promotion_stale', `edited ${pointer}`])
    assert.equal(expectStatus(200, await w.call('GET', `${project.path}/promotions/${id}`)).stale, true)
  }
})

test('a step that is refused leaves the messages of the webhooks that it would delete, and one that happens removes them', async () => {
  const project = await createProject()
  const { live } = project
  const { db } = w.deployment
  const hook = await make(live, 'webhooks', { slug: 'hook', url: 'https://hooks.example/', events: ['test.ping'] })
  const numbers = sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 450)`
  const at = w.now()
  await db.run(sql`insert into webhook_messages (environment_id, id, webhook_id, event_id, event_type, status, created_at, updated_at)
    ${numbers} select ${live.id}, 'msg_many' || (1000 + i), ${hook.id}, 'evt_' || i, 'test.ping', 'delivered', ${at}, ${at} from n`)
  const messages = async () =>
    (await db.maybeOne(z.object({ count: z.int() }), sql`select count(*) as count from webhook_messages where webhook_id = ${hook.id}`))
      ?.count
  const applyWith = async (before: (text: string) => Promise<void>, then: () => Promise<unknown> = async () => {}) => {
    const { id } = await planned(project, { ...own(project, {}), prune: [{ object: 'webhook', slug: 'hook' }] })
    const restore = replaceMethods(db, ({ batch }) => ({
      batch: async (statements: readonly Statement[]) => {
        await before(statements.map(({ parts }) => parts.join('')).join('\n'))
        return batch(statements)
      },
    }))
    try {
      const reply = await step([project, id], 'apply')
      await then()
      return reply
    } finally {
      restore()
    }
  }
  let edits = 0
  const raced = await applyWith(async (text) => {
    if (text.includes("set status = 'applied'") && edits++ === 0) await edit(`${live.path}/settings`, { lockout: { max_attempts: 9 } })
  })
  assert.deepEqual([...pointersOf(raced), await messages()], ['409 promotion_stale', 'edited /to_config_version', 450])
  const cut_short = await applyWith(
    async (text) => {
      if (text.includes('delete from webhook_messages') && (await messages()) === 250) throw new DatabaseUnavailable('Nothing was changed.')
    },
    () => until('the failure in the log', () => w.log.some((line) => line.includes('could not be deleted') && line.includes(hook.id))),
  )
  assert.deepEqual([cut_short.status, await messages()], [200, 250], 'what has happened is answered')
  await make(live, 'webhooks', { slug: 'hook', url: 'https://hooks.example/' })
})

const rounds = 200
/** A project has 120 plans an hour, and an environment 120 applies and reverts. */
const rounds_of_hour = 40
/** Begins two calls, the one or the other up to 20 turns of the event loop later, so that their steps meet in many orders. */
function race<A, B>(round: number, first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> {
  const later = async <T>(is_later: boolean, call: () => Promise<T>) => {
    for (let turn = 0; is_later && turn < Math.floor(round / 4) % 20; turn++) await new Promise(setImmediate)
    return call()
  }
  return Promise.all([later(round % 4 < 2, first), later(round % 4 >= 2, second)])
}

test(`an acknowledged edit is never lost in ${rounds} rounds against an apply`, async (t) => {
  const project = await createProject()
  const settings = `${project.live.path}/settings`
  let min_length = 12
  const outcomes = { 200: 0, 409: 0 }
  for (let round = 0; round < rounds; round++) {
    if (round % rounds_of_hour === 0) w.advance(3_600)
    const [wanted, max_attempts] = [8 + (round % 100), 3 + (round % 90)]
    const { id } = await planned(project, own(project, { settings: { password: { min_length: wanted } } }))
    const [applied] = await race(
      round,
      () => step([project, id], 'apply'),
      () => edit(settings, { lockout: { max_attempts } }),
    )
    if (applied.status === 200) min_length = wanted
    else assert.deepEqual(pointersOf(applied), ['409 promotion_stale', 'edited /to_config_version'])
    outcomes[applied.status as 200 | 409]++
    const { lockout, password } = expectStatus(200, await w.call('GET', settings))
    assert.deepEqual([lockout.max_attempts, password.min_length], [max_attempts, min_length], `round ${round}`)
  }
  t.diagnostic(JSON.stringify(outcomes))
})

test(`an acknowledged edit is never lost in ${rounds} rounds against a revert, of the same field or of another field`, async (t) => {
  const project = await createProject()
  const settings = `${project.live.path}/settings`
  const outcomes: Record<string, number> = {}
  for (let round = 0; round < rounds; round++) {
    if (round % rounds_of_hour === 0) w.advance(3_600)
    const is_same_field = round % 2 === 0
    const { password: before } = expectStatus(200, await w.call('GET', settings))
    const wanted = before.min_length === 20 ? 21 : 20
    const { id } = await planned(project, own(project, { settings: { password: { min_length: wanted } } }))
    expectStatus(200, await step([project, id], 'apply'))
    const max_attempts = 3 + (round % 90)
    const change = is_same_field ? { password: { min_length: 30 } } : { lockout: { max_attempts } }
    const [reverted] = await race(
      round,
      () => step([project, id], 'revert'),
      () => edit(settings, change),
    )
    const { lockout, password } = expectStatus(200, await w.call('GET', settings))
    if (is_same_field) {
      assert.equal(password.min_length, 30, `round ${round}`)
      if (reverted.status !== 200)
        assert.deepEqual(pointersOf(reverted), ['409 promotion_conflict', 'edited /settings/password/min_length'])
    } else {
      expectStatus(200, reverted)
      assert.deepEqual([lockout.max_attempts, password.min_length], [max_attempts, before.min_length], `round ${round}`)
    }
    const outcome = `${is_same_field ? 'same field' : 'another field'}: ${reverted.status}`
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  }
  t.diagnostic(JSON.stringify(outcomes))
})

test('an approval that a project begins to ask for after an apply has read its plan holds', async () => {
  const project = await createProject()
  const token = await administratorToken(w, owner)
  await joinTenant(w, { tenant_id: w.tenant_id, token }, await createAdministrator(w, 'second@races.example'), 'admin')
  const ask = (require_approval: boolean) =>
    asAdministrator(w, token, w.tenant_id)('PATCH', project.path, { promotion: { require_approval } }).then((reply) =>
      expectStatus(200, reply),
    )
  const { id } = await planned(project, own(project, { settings: { password: { min_length: 14 } } }))
  const reply = await meanwhile(
    w.deployment.db,
    "set status = 'applied'",
    () => ask(true),
    () => step([project, id], 'apply'),
  )
  assert.deepEqual(pointersOf(reply), ['409 approval_required'])
  assert.equal(expectStatus(200, await w.call('GET', `${project.live.path}/settings`)).password.min_length, 12)

  await ask(false)
  const next = await planned(project, own(project, { settings: { password: { min_length: 15 } } }))
  const renamed = await meanwhile(
    w.deployment.db,
    "set status = 'applied'",
    () => edit(project.path, { name: 'Renamed' }),
    () => step([project, next.id], 'apply'),
  )
  assert.equal(expectStatus(200, renamed).status, 'applied', 'another change of the project refuses nothing')
})

test('what people begin to use after a revert has looked is a conflict, and stays', async () => {
  const project = await createProject()
  const { live } = project
  const { db } = w.deployment
  const shop = { application_type: 'spa', name: 'Shop', redirect_uris: ['https://shop.example/cb'] }
  const corp = { type: 'oidc', client_id: 'live', issuer: 'https://corp.example', enabled: true }
  const { id } = await planned(project, own(project, { applications: { shop }, providers: { corp } }))
  const { changes } = expectStatus(200, await step([project, id], 'apply'))
  const idOf = (kind: string) => changes.find(({ object }: { object: string }) => object === kind).id
  const application = expectStatus(200, await w.call('GET', `${live.path}/applications/${idOf('application')}`))
  const person = await createPerson(w, live)
  const subject = { provider_id: idOf('provider'), issuer: corp.issuer, subject: 'of the other side' }
  const identity = { id: w.deployment.newId('mth'), user_id: person.id }
  const signsIn = () => person.tokens(application)
  const links = () => db.batch([holdProvider(live.id, subject.provider_id), insertIdentity(live.id, subject, identity, w.now())])
  const now = await documentOf(live)
  const conflicts: string[] = []
  for (const [uses, pointer] of [
    [signsIn, 'in_use /applications/shop'],
    [links, 'in_use /providers/corp'],
  ] as const) {
    conflicts.push(pointer)
    const reply = await meanwhile(db, "set status = 'reverted'", uses, () =>
      step([project, id], 'revert', { leave: conflicts.length === 2 ? [{ object: 'application', slug: 'shop' }] : [] }),
    )
    assert.deepEqual(pointersOf(reply), ['409 promotion_conflict', pointer])
    assert.equal(await documentOf(live), now)
  }
  assert.deepEqual(pointersOf(await step([project, id], 'revert')), ['409 promotion_conflict', ...conflicts].sort())
})
