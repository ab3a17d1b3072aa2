/** A database on three nodes: what it answered before it was distributed, and changes of what is on every node. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { distributedDatabase, noCitus, placeTables, startCitus } from './support/citus.ts'
import { createAgent, createPerson, refresh, signInForTokens, userinfo } from './support/cookie-browser.ts'
import { runCommand } from './support/postgres.ts'
import { until } from './support/receiver.ts'
import { expectStatus, world } from './support/world.ts'

const people = 2_000
const env = (url: string) => ({ OSTIARY_DATABASE_URL: url, OSTIARY_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') })

const citus = noCitus ? null : await startCitus()
after(() => citus?.stop())

test('2,000 people, their keys and their tokens are answered the same after the database is distributed', { skip: noCitus }, async () => {
  if (!citus) return
  const url = await citus.freshDatabase()
  const w = await world({ engine: 'sqlite', env: env(url) }) // which chooses no database of its own
  const client = await w.createApplication(w.test)
  const person = await createPerson(w, w.test)
  const tokens = await person.tokens(client)
  const later = await person.tokens(client)
  const keys: { id: string; key: string }[] = []
  for (const environment of [w.test, w.live])
    keys.push(expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } })))
  // Copies of the person, half of them in Live.
  await runCommand(
    url,
    `create table copies as select u.*, n from users u, generate_series(1, ${people}) n where u.id = '${person.id}';
     update copies set environment_id = '${w.live.id}' where n % 2 = 0;
     update copies set id = left(id, 26) || lpad(n::text, 4, '0'), email = 'p' || n || '@example.com', email_key = 'p' || n || '@example.com';
     alter table copies drop column n; insert into users select * from copies; drop table copies`,
  )

  const answers = async (at: (url: string) => string) => {
    const found: unknown[] = []
    for (const { id, key } of keys) {
      for (let next: string | null = ''; next !== null; ) {
        const path: string = `/v1/auth/users?limit=100${next === '' ? '' : `&cursor=${encodeURIComponent(next)}`}`
        const page = expectStatus(200, await w.call('GET', at(`${w.base_url}${path}`), { key }))
        found.push(...page.data)
        next = page.next_cursor
      }
      const {
        last_used_at: _,
        last_used_ip: __,
        ...identity
      } = expectStatus(200, await w.call('GET', at(`${w.base_url}/v1/api-keys/whoami`), { key }))
      found.push(id, identity)
    }
    found.push(expectStatus(200, await userinfo(w, { issuer: at(w.test.issuer) }, tokens.access_token)))
    return found
  }
  const before = await answers((url) => url)
  assert.ok(before.length > people)
  await w.service.stop()

  await placeTables(url)
  const { at } = await w.startAnotherService()
  assert.deepEqual(await answers(at), before)
  const side = { ...w.test, issuer: at(w.test.issuer) }
  for (const { refresh_token } of [tokens, later]) expectStatus(200, await refresh(w, side, client, refresh_token))
  // A sign-in raises events, which get their numbers.
  const events = async () => expectStatus(200, await w.call('GET', at(`${w.base_url}${w.test.path}/events?limit=100`))).data.length
  const numbered = await events()
  await signInForTokens(w, side, client, { user: person, agent: createAgent(at) })
  await until('the events of the sign-in are numbered', async () => (await events()) > numbered)
})

test(
  '50 parallel creations of projects and 16 parallel rotations of keys, which write on every node, all succeed',
  { skip: noCitus },
  async () => {
    if (!citus) return
    const w = await world({ engine: 'sqlite', env: env(await distributedDatabase(citus)) })
    const other = await w.startAnotherService()
    /** Sends them all at once, half of them to each of two processes. */
    const inParallel = async (status: number, paths: readonly string[], bodyOf: (i: number) => object | undefined = () => undefined) => {
      const at = (path: string, i: number) => (i % 2 ? w.base_url + path : other.at(w.base_url + path))
      const replies = await Promise.all(paths.map((path, i) => w.call('POST', at(path, i), { body: bodyOf(i) })))
      return replies.map((reply) => expectStatus(status, reply))
    }
    const projects = '/v1/platform/projects'
    const created = await inParallel(201, Array(50).fill(projects), (i) => ({ slug: `p${i}`, name: 'P' }))
    w.advance(10) // past the rate limit of the key
    const environments = await Promise.all(
      created.slice(0, 8).map(async ({ id }) => {
        const { data } = expectStatus(200, await w.call('GET', `${projects}/${id}/environments`))
        return data.map((environment: { id: string }) => `${projects}/${id}/environments/${environment.id}`)
      }),
    )
    const rotations = environments.flat().map((path) => `${path}/signing-keys/rotate`)
    assert.equal(rotations.length, 16)
    await inParallel(200, rotations)
    const next = await inParallel(200, Array(16).fill(`${w.test.path}/signing-keys/rotate`))
    assert.equal(new Set(next.map(({ kid }) => kid)).size, 1, 'one waiting key is enough')
  },
)
