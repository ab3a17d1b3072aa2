/** The bounds of the promotions of one project: the number and bytes of plans, and the number in an hour. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TenantId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { most_applied_bytes, most_planned_bytes, roomForPlan } from '../../src/domain/promotions/bounds.ts'
import { meanwhile, own, ownOf, type Project, pointersOf, promoting, upward } from '../support/promotions.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
const { db } = w.deployment
const { createProject, plan, planned, step } = promoting(w)

const Stored = z.object({ id: z.string(), status: z.string(), summary: z.looseObject({ bytes: z.int() }), plan: z.looseObject({}) })
const storedOf = ({ id }: Project) =>
  db.all(Stored, sql`select id, status, summary, plan from promotions where project_id = ${id} order by id`)
/** Gives a stored plan this size in bytes. */
const enlarge = (id: string, bytes: number) =>
  db.run(sql`update promotions set summary = ${{ create: 0, update: 0, delete: 0, errors: 0, warnings: 0, bytes }} where id = ${id}`)
const bytesOf = async (project: Project) => (await storedOf(project)).reduce((sum, { summary }) => sum + summary.bytes, 0)

const Home = z.object({ tenant_id: TenantId, id: z.string() })

const limited = ['429 rate_limited']
/** A document whose plan is counted as five. */
const large = (n = 350) => ({
  resource_servers: Object.fromEntries(
    Array.from({ length: n }, (_, i) => [
      `api-${i}`,
      {
        identifier: `https://api.example/${i}`,
        name: 'API',
        scopes: Array.from({ length: 10 }, (_, s) => ({ name: `s-${i}-${s}`, description: '€'.repeat(60) })),
      },
    ]),
  ),
})

test('a project keeps its newest 100 plans, and stores 120 plans an hour, which leave applies and reverts free', async () => {
  const project = await createProject()
  const first = await planned(project, upward(project))
  for (let n = 0; n < 100; n += 10) await Promise.all(Array.from({ length: 10 }, () => planned(project, upward(project))))
  const last = await planned(project, upward(project))
  assert.equal((await storedOf(project)).length, 100)
  assert.equal((await w.call('GET', `${project.path}/promotions/${first.id}`)).status, 404)

  await Promise.all(Array.from({ length: 18 }, () => planned(project, upward(project))))
  assert.deepEqual(pointersOf(await plan(project, upward(project))), limited)
  expectStatus(200, await plan(project, { ...upward(project), dry_run: true }))
  for (const name of ['apply', 'revert'] as const) expectStatus(200, await step([project, last.id], name))
})

test('an environment has 120 applies and reverts an hour, which leave plans and other environments free, and only an apply counts by its bytes', async () => {
  const project = await createProject()
  const stepOf = async (id: string, name: 'apply' | 'revert') => expectStatus(200, await step([project, id], name))
  const { id: first } = await planned(project, own(project, large()))
  for (const name of ['apply', 'revert'] as const) await stepOf(first, name) // 6 of 120
  for (let n = 0; n < 55; n++) {
    const { id } = await planned(project, upward(project))
    for (const name of ['apply', 'revert'] as const) await stepOf(id, name) // 116 of 120 at the end
  }
  const { id: second } = await planned(project, own(project, large()))
  assert.deepEqual(pointersOf(await step([project, second], 'apply')), limited, 'it needs five')
  const { id } = await planned(project, upward(project))
  for (const name of ['apply', 'revert'] as const) await stepOf(id, name) // 119 of 120
  const more = [await planned(project, upward(project)), await planned(project, upward(project))]
  await stepOf(more[0].id, 'apply')
  for (const [id, name] of [
    [more[0].id, 'revert'],
    [more[1].id, 'apply'],
  ] as const)
    assert.deepEqual(pointersOf(await step([project, id], name)), limited)

  const { id: of_test } = await planned(project, ownOf(project.test, {}))
  await stepOf(of_test, 'apply')
  w.advance(3_600)
  await stepOf(second, 'apply')
})

test('a large plan counts once for each 200,000 bytes, and a refused one counts once', async () => {
  const project = await createProject()
  await planned(project, own(project, large())) // 5 of 120
  const [stored] = await storedOf(project)
  assert.equal(stored?.summary.bytes, Buffer.byteLength(JSON.stringify(stored?.plan)))
  assert.equal(Math.ceil((stored?.summary.bytes ?? 0) / 200_000), 5)
  for (let n = 0; n < 22; n++) await planned(project, own(project, large())) // 115 of 120
  for (let n = 0; n < 2; n++) await planned(project, upward(project)) // 117 of 120
  assert.deepEqual(pointersOf(await plan(project, own(project, large()))), limited)
  for (let n = 0; n < 2; n++) expectStatus(201, await plan(project, upward(project))) // 120 of 120
  assert.deepEqual(pointersOf(await plan(project, upward(project))), limited)
})

test('older plans give way to a new one as far as they have too many bytes together', async () => {
  const project = await createProject()
  const made: string[] = []
  for (let n = 0; n < 4; n++) made.push((await planned(project, upward(project))).id)
  for (const id of made) await enlarge(id, most_planned_bytes / 3)
  const { id } = await planned(project, upward(project))
  assert.deepEqual(
    (await storedOf(project)).map((row) => row.id),
    [...made.slice(2), id],
  )
})

test('of plans that are made at once no more bytes are kept than of plans one after the other', async () => {
  const project = await createProject()
  const [, second] = [await planned(project, upward(project)), await planned(project, upward(project))]
  const [stored] = await storedOf(project)
  const one = stored?.summary.bytes ?? 0
  await enlarge(second.id, most_planned_bytes - 3 * one)
  await Promise.all(Array.from({ length: 12 }, () => planned(project, upward(project))))
  const [rows, bytes] = [await storedOf(project), await bytesOf(project)]
  assert.ok(bytes <= most_planned_bytes, `${bytes}`)
  assert.deepEqual([rows.length, rows.some((row) => row.id === second.id)], [12, false], 'the large one has given way')
})

test('room that was made for a plan before another one was stored is made again', async () => {
  const project = await createProject()
  const { id } = await planned(project, upward(project))
  const stored = await db.maybeOne(Home, sql`select tenant_id, project_id as id from promotions where id = ${id}`)
  const room = await roomForPlan(db, stored ?? assert.fail('The plan was stored.'), 1_000)
  assert.notEqual(await db.batch(room), null)
  await planned(project, upward(project))
  assert.equal(await db.batch(room), null)
})

/** Lets a plan be approved, as of a project that asks for it. */
const approve = (id: string) => db.run(sql`update promotions set approved_at = ${w.now()} where id = ${id}`)

test('plans without an approval give way before approved ones', async () => {
  const project = await createProject()
  const made: string[] = []
  for (let n = 0; n < 4; n++) made.push((await planned(project, upward(project))).id)
  const [oldest = '', second = '', third = '', fourth = ''] = made
  for (const id of made) await enlarge(id, most_planned_bytes / 3)
  for (const id of [oldest, second]) await approve(id)
  const { id } = await planned(project, upward(project))
  const kept = async () => (await storedOf(project)).map((row) => row.id)
  assert.deepEqual(await kept(), [oldest, second, id], `${third} and ${fourth} have given way`)
  await enlarge(id, most_planned_bytes / 2)
  await approve(id)
  const newest = await planned(project, upward(project))
  assert.deepEqual(await kept(), [second, id, newest.id], 'of approved ones the oldest')
})

test('of 101 plans the approved one stays', async () => {
  const project = await createProject()
  const first = await planned(project, upward(project))
  await approve(first.id)
  for (let n = 0; n < 100; n += 10) await Promise.all(Array.from({ length: 10 }, () => planned(project, upward(project))))
  const ids = (await storedOf(project)).map(({ id }) => id)
  assert.deepEqual([ids.length, ids.includes(first.id)], [100, true])
})

test('a plan that is approved just before it would give way stays', async () => {
  const project = await createProject()
  const made: string[] = []
  for (let n = 0; n < 3; n++) made.push((await planned(project, upward(project))).id)
  const [oldest = '', second = '', third = ''] = made
  for (const id of made) await enlarge(id, most_planned_bytes / 3)
  const { id } = await meanwhile(
    db,
    'delete from promotions',
    () => approve(oldest),
    () => planned(project, upward(project)),
  )
  assert.deepEqual(
    (await storedOf(project)).map((row) => row.id),
    [oldest, third, id],
    `${second} has given way`,
  )
})

test('an apply waits until its target has room for another applied plan, and of two at once one happens', async () => {
  const project = await createProject()
  const old = await planned(project, own(project, { settings: { password: { min_length: 14 } } }))
  expectStatus(200, await step([project, old.id], 'apply'))
  const both = [await planned(project, own(project, {})), await planned(project, own(project, {}))]
  const sizes = (await storedOf(project)).filter(({ status }) => status === 'planned').map(({ summary }) => summary.bytes)
  await enlarge(old.id, most_applied_bytes - Math.max(...sizes))
  const replies = await Promise.all(both.map(({ id }) => step([project, id], 'apply')))
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 429])
  const refused = both[replies.findIndex(({ status }) => status === 429)]?.id
  const again = await step([project, refused], 'apply')
  assert.deepEqual(pointersOf(again), limited)
  const days = Number(again.headers.get('retry-after')) / 86_400
  assert.ok(days > 89 && days <= 90, `${days}`)
  assert.equal((await storedOf(project)).find(({ id }) => id === refused)?.status, 'planned')

  await enlarge(old.id, 1)
  expectStatus(200, await step([project, refused], 'apply'))
})

test('what was applied to one environment takes no room of another environment', async () => {
  const project = await createProject()
  for (const [full, other] of [
    [project.test, project.live],
    [project.live, project.test],
  ] as const) {
    const { id } = await planned(project, ownOf(full, {}))
    expectStatus(200, await step([project, id], 'apply'))
    await enlarge(id, most_applied_bytes)
    const of_other = await planned(project, ownOf(other, {}))
    expectStatus(200, await step([project, of_other.id], 'apply'))
    const of_full = await planned(project, ownOf(full, {}))
    assert.deepEqual(pointersOf(await step([project, of_full.id], 'apply')), limited)
    await enlarge(id, 1)
  }
})

test('of applies to a target that changed nothing only the newest is kept, whatever else was applied', async () => {
  const project = await createProject()
  const name = 'OSTIARY_SECRET_CORP'
  const corp = { type: 'oidc', issuer: 'https://corp.example', client_id: 'live', client_secret: `\${${name}}` }
  const applied = async (body: object, value: string) => {
    const { id } = await planned(project, body)
    const { needed_secrets, status } = expectStatus(
      200,
      await step([project, id], 'apply', { secrets: body === document ? { [name]: value } : {} }),
    )
    assert.ok(status === 'applied' && needed_secrets.every((secret: { name: string }) => secret.name === name))
    return id
  }
  const document = own(project, { providers: { corp } })
  const created = await applied(document, 'first')
  const in_test = await applied(ownOf(project.test, {}), '')
  const reverted = await applied(own(project, {}), '')
  expectStatus(200, await step([project, reverted], 'revert'))
  await applied(document, 'first')
  const replaced = await applied(document, 'second')
  const newest = [await applied(document, 'second'), await applied(document, 'second'), await applied(own(project, {}), '')].at(-1)
  const waiting = await planned(project, document)
  assert.deepEqual(
    (await storedOf(project)).map(({ id }) => id),
    [created, in_test, reverted, replaced, newest, waiting.id],
  )
  const { data } = expectStatus(200, await w.call('GET', `${project.path}/promotions?status=applied`))
  assert.equal(data.length, 4)
  expectStatus(200, await w.call('GET', `${project.path}/promotions/${newest}`))
})

test('of applies at once that change nothing one is kept', async () => {
  const project = await createProject()
  const ids: string[] = []
  for (let n = 0; n < 8; n++) ids.push((await planned(project, own(project, {}))).id)
  const replies = await Promise.all(ids.map((id) => step([project, id], 'apply')))
  for (const reply of replies) expectStatus(200, reply)
  assert.equal((await storedOf(project)).length, 1)
})

test('a plan of over 4,000,000 bytes is 422, and a part of it has room', async () => {
  const project = await createProject()
  const scopes = (server: number) => Array.from({ length: 100 }, (_, n) => ({ name: `s-${server}-${n}`, description: 'x'.repeat(200) }))
  const servers = (begin: number) =>
    Object.fromEntries(
      Array.from({ length: 38 }, (_, n) => [
        `api-${begin + n}`,
        { identifier: `https://api.example/${begin + n}`, name: 'API', scopes: scopes(begin + n) },
      ]),
    )
  for (let begin = 0; begin < 5 * 38; begin += 38) {
    const { id } = await planned(project, ownOf(project.test, { resource_servers: servers(begin) }))
    expectStatus(200, await step([project, id], 'apply'))
  }
  const whole = { ...upward(project), dry_run: true }
  assert.deepEqual(pointersOf(await plan(project, whole)), ['422 validation_failed', 'not_allowed /only'])
  const only = Array.from({ length: 4 * 38 }, (_, n) => ({ object: 'resource_server', slug: `api-${n}` }))
  expectStatus(200, await plan(project, { ...whole, only }))
})
