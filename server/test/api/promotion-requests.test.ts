/** The limits of a request for a plan: its size, how many at once, and the template and environment that its document names. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { replaceMethods } from '../support/db-methods.ts'
import { pointersOf, promoting, upward } from '../support/promotions.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()
const { createProject, planned, step } = promoting(w)
const project = await createProject()
const { test: source, live } = project
const promotions = `${project.path}/promotions`

const limit = 4 * 1_048_576
const objects = 20
/** A plan in so many bytes, which blanks in its objects fill: an object may have 512 KiB. */
function padded(bytes: number): string {
  const server = (n: number) => ({ identifier: `https://api-${n}.example`, name: 'Orders', scopes: [] })
  const document = { version: 1, resource_servers: Object.fromEntries(Array.from({ length: objects }, (_, n) => [`api-${n}`, server(n)])) }
  const body = JSON.stringify({ to_environment_id: live.id, dry_run: true, document })
  const blanks = Math.floor((bytes - body.length) / objects)
  return body.replaceAll('{"identifier"', `{${' '.repeat(blanks)}"identifier"`).padEnd(bytes)
}

for (const [bytes, answer] of [
  [limit - 1, '200'],
  [limit, '200'],
  [limit + 1, '413 body_too_large'],
] as const)
  test(`a plan of ${bytes} bytes is ${answer}`, async () => {
    const body = padded(bytes)
    assert.equal(Buffer.byteLength(body), bytes)
    const headers = { 'content-type': 'application/json', 'x-api-key': w.key }
    const reply = await fetch(w.base_url + promotions, { method: 'POST', headers, body })
    const { code, changes } = (await reply.json()) as { code?: string; changes?: unknown[] } // as: a plan or a problem
    assert.equal(code === undefined ? `${reply.status}` : `${reply.status} ${code}`, answer)
    if (code === undefined) assert.equal(changes?.length, objects)
  })

/** Holds the reading of the first plan until `letGo` is called. */
function holdFirstPlan() {
  const { db } = w.deployment
  const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let is_first = true
  const restore = replaceMethods(db, ({ maybeOne }) => ({
    maybeOne: async (schema, statement) => {
      if (is_first && statement.parts.join('').includes('config_version, keeps')) {
        is_first = false
        reached.resolve()
        await gate.promise
      }
      return maybeOne(schema, statement)
    },
  }))
  return {
    reached: reached.promise,
    letGo() {
      restore()
      gate.resolve()
    },
  }
}

test('while one plan is computed ten wait, and the eleventh is 429 rate_limited with the time to wait', async () => {
  const held = holdFirstPlan()
  const plan = () => w.call('POST', promotions, { body: { ...upward(project), dry_run: true } })
  try {
    const first = plan()
    await held.reached
    const others = Array.from({ length: 11 }, plan)
    const refused = await Promise.race(others)
    assert.deepEqual([...pointersOf(refused), refused.headers.get('retry-after')], ['429 rate_limited', '1'])
    held.letGo()
    const replies: Reply[] = await Promise.all([first, ...others])
    assert.deepEqual(replies.map(({ status }) => status).sort(), [...Array(11).fill(200), 429])
  } finally {
    held.letGo()
  }
})

const redirect_uris = ['https://notes.example/cb']
const notes = { application_type: 'web', template: 'memos', name: 'Notes', redirect_uris }
const value = (slug: string) => ({ object: 'application', slug, pointer: '/redirect_uris', value: redirect_uris })

// biome-ignore format: this table is read by column
const templates: [from: string, slug: string, body: object][] = [
  ['another environment',                  'notes',   { from_environment_id: source.id, values: [value('notes')] }],
  ['a document of the target',             'own',     { document: { version: 1, applications: { own: notes } } }],
  ['a document of another environment',    'foreign', { document: { version: 1, environment: "test", applications: { foreign: notes } }, values: [value('foreign')] }],
]
for (const [from, slug, body] of templates)
  test(`an application that is created by ${from} has the template of it, and keeps it`, async () => {
    if (slug === 'notes')
      assert.equal((await w.createApplication(source, { slug, template: 'memos', url: 'https://notes.test.example' })).template, 'memos')
    const { id, changes } = await planned(project, { ...body, to_environment_id: live.id, only: [{ object: 'application', slug }] })
    const [{ fields }] = changes
    assert.deepEqual(
      fields.filter(({ pointer }: { pointer: string }) => pointer === '/template'),
      [{ pointer: '/template', from: null, to: 'memos' }],
    )
    expectStatus(200, await step([project, id], 'apply'))
    const [made] = expectStatus(200, await w.call('GET', `${live.path}/applications?slug=${slug}`)).data
    assert.equal(made.template, 'memos')
    const shown = expectStatus(200, await w.call('GET', `${live.path}/configuration`))
    assert.equal(shown.applications[slug].template, 'memos')
  })

test('a document with a template that does not exist is refused at its place', async () => {
  const of = (slug: string, template: string) =>
    w.call('POST', promotions, {
      body: { to_environment_id: live.id, document: { version: 1, applications: { [slug]: { ...notes, template } } } },
    })
  assert.deepEqual(pointersOf(await of('new', 'nothing')), ['422 validation_failed', 'not_allowed /document/applications/new/template'])
})

test('a document of an environment that the project does not have is 422 at its name, and the answer names those that exist', async () => {
  for (const [environment, dry_run] of [
    ['stagign', false],
    ['stagign', true],
  ] as const) {
    const reply = await w.call('POST', promotions, { body: { to_environment_id: live.id, dry_run, document: { version: 1, environment } } })
    assert.deepEqual(pointersOf(reply), ['422 validation_failed', 'not_allowed /document/environment'])
    assert.equal(reply.body.errors[0].detail, `The project has no environment ${environment}. It has live, test.`)
  }
})
