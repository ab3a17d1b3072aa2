/** What the promotions of one project can pile up: numbers and bytes of plans, and how many of an hour. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { most_applied_bytes, most_planned_bytes } from '../../src/promotions/bounds.ts'
import { own, ownOf, type Project, pointersOf, promoting, upward } from '../support/promotions.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
const { db } = w.deployment
const { createProject, plan, planned, step, documentOf } = promoting(w)

const Stored = z.object({ id: z.string(), status: z.string(), summary: z.looseObject({ bytes: z.int() }), plan: z.looseObject({}) })
const storedOf = ({ id }: Project) =>
  db.all(Stored, sql`select id, status, summary, plan from promotions where project_id = ${id} order by id`)
/** Lets a stored plan count as one of so many bytes. */
const enlarge = (id: string, bytes: number) =>
  db.run(sql`update promotions set summary = ${{ create: 0, update: 0, delete: 0, errors: 0, warnings: 0, bytes }} where id = ${id}`)
const bytesOf = async (project: Project) => (await storedOf(project)).reduce((sum, { summary }) => sum + summary.bytes, 0)

test('a project keeps its newest 100 plans, and has 120 plans, applies and reverts an hour', async () => {
  const project = await createProject()
  const first = await planned(project, upward(project))
  for (let n = 0; n < 100; n += 10) await Promise.all(Array.from({ length: 10 }, () => planned(project, upward(project))))
  const last = await planned(project, upward(project))
  assert.equal((await storedOf(project)).length, 100)
  assert.equal((await w.call('GET', `${project.path}/promotions/${first.id}`)).status, 404)

  for (const name of ['apply', 'revert'] as const) expectStatus(200, await step([project, last.id], name))
  const made = await Promise.all(Array.from({ length: 16 }, () => planned(project, upward(project))))
  const limited = ['429 rate_limited']
  assert.deepEqual(pointersOf(await plan(project, upward(project))), limited)
  assert.deepEqual(pointersOf(await step([project, made[0]?.id], 'apply')), limited)
  expectStatus(200, await plan(project, { ...upward(project), dry_run: true }))
})

test('a large plan counts once for each 200,000 bytes, and a refused one counts once', async () => {
  const project = await createProject()
  const large = (n: number) =>
    own(project, {
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
  const { id } = await planned(project, large(350)) // 5 of 120
  const [stored] = await storedOf(project)
  assert.equal(stored?.summary.bytes, Buffer.byteLength(JSON.stringify(stored?.plan)))
  assert.equal(Math.ceil((stored?.summary.bytes ?? 0) / 200_000), 5)
  for (let n = 0; n < 22; n++) await planned(project, large(350)) // 115 of 120
  for (let n = 0; n < 2; n++) await planned(project, upward(project)) // 117 of 120
  assert.deepEqual(pointersOf(await plan(project, large(350))), ['429 rate_limited'])
  expectStatus(201, await plan(project, upward(project))) // 119 of 120
  assert.deepEqual(pointersOf(await step([project, id], 'apply')), ['429 rate_limited'])
  assert.deepEqual(pointersOf(await plan(project, upward(project))), ['429 rate_limited'])
  w.advance(3_600)
  expectStatus(200, await step([project, id], 'apply'))
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

test('an apply waits until a project has room for another applied plan, and of two at once one happens', async () => {
  const project = await createProject()
  const change = { settings: { password: { min_length: 14 } } }
  const old = await planned(project, own(project, change))
  expectStatus(200, await step([project, old.id], 'apply'))
  const both = [
    await planned(project, own(project, { settings: { password: { min_length: 15 } } })),
    await planned(project, ownOf(project.test, change)),
  ]
  const sizes = (await storedOf(project)).filter(({ status }) => status === 'planned').map(({ summary }) => summary.bytes)
  await enlarge(old.id, most_applied_bytes - Math.max(...sizes))
  const replies = await Promise.all(both.map(({ id }) => step([project, id], 'apply')))
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 429])
  const refused = replies.findIndex(({ status }) => status === 429)
  const target = refused === 0 ? project.live : project.test
  const document = await documentOf(target)
  const again = await step([project, both[refused]?.id], 'apply')
  assert.deepEqual(pointersOf(again), ['429 rate_limited'])
  const days = Number(again.headers.get('retry-after')) / 86_400
  assert.ok(days > 89 && days <= 90, `${days}`)
  assert.equal(await documentOf(target), document)

  await enlarge(old.id, 1)
  expectStatus(200, await step([project, both[refused]?.id], 'apply'))
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
