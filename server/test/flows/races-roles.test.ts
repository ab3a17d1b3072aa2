/** Fifty parallel requests beside a change of roles: each is as before the change or as after it, and none of them keeps what was taken. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { exchange, refresh } from '../support/cookie-browser.ts'
import { createRoleWorld, payloadOf } from '../support/role-person.ts'
import { createAuthKey } from '../support/tenants.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()
const environment = w.test
const roles = await createRoleWorld(w, environment)
const secret = await createAuthKey(w, environment, 'auth_secret')
const requests = 50
const most_rounds = 10
const numbers = Array.from({ length: requests }, (_, n) => n)

const own_scopes = ['openid', 'offline_access']
const read = [...own_scopes, 'orders:read'].join(' ')
const all = `${read} orders:write`
const server = await roles.createServer('orders', ['orders:read', 'orders:write'])
const reading = { permissions: [{ resource_server: server.slug, scopes: ['orders:read'] }] }
const reader = await roles.createRole('reader', { orders: ['orders:read'] })
const client = await w.createApplication(environment, { allowed_scopes: all.split(' ') })
const ask = { scope: all, resource: server.identifier }

/**
 * Sends all requests and the change at once. In each round the requests are further apart, by turns of the event loop: the change takes longer than
 * most of them, so that in the first round all could be before it.
 */
async function race(round: number, send: (n: number) => Promise<Reply>, change: () => Promise<unknown>): Promise<Reply[]> {
  const sending = numbers.map(async (n) => {
    for (let turn = n * (2 ** round - 1); turn > 0; turn--) await nextTurn()
    return send(n)
  })
  await change()
  return Promise.all(sending)
}

/** Repeats a race until it has had both outcomes. */
async function untilBoth(outcomes: readonly string[], run: (round: number) => Promise<string[]>): Promise<void> {
  const seen = new Set<string>()
  for (let round = 0; round < most_rounds && seen.size < outcomes.length; round++) for (const outcome of await run(round)) seen.add(outcome)
  assert.deepEqual([...seen].sort(), outcomes.toSorted())
}

const give = (user: { id: string }, ...given: readonly { slug: string }[]) =>
  w.call('PATCH', `/v1/auth/users/${user.id}`, { key: secret.key, body: { roles: given.map(({ slug }) => slug) } })

test('a role that is deleted while 50 people get it is held by none of them, whichever came first', async () => {
  const people = await Promise.all(numbers.map(() => w.createUser(environment)))
  await untilBoth(['200', '422'], async (round) => {
    const going = await roles.createRole(`going-${round}`, { orders: ['orders:read', 'orders:write'] })
    const replies = await race(
      round,
      (n) => give(people[n] ?? assert.fail(), reader, going),
      () => roles.remove('roles', going),
    )
    for (const [n, { status, body }] of replies.entries()) {
      const user = people[n] ?? assert.fail()
      if (status === 200) assert.deepEqual(await roles.accessOf(user), { orders: ['orders:read'] })
      else assert.deepEqual([status, body.errors[0].pointer, await roles.accessOf(user)], [422, '/roles/1', { orders: [] }])
      await roles.give(user)
    }
    return replies.map(({ status }) => String(status))
  })
})

/** A person with a role that gives both scopes, and 50 requests for tokens. */
interface Racing {
  readonly person: Awaited<ReturnType<typeof roles.createPerson>>
  readonly role: Awaited<ReturnType<typeof roles.createRole>>
}
const prepared: Record<string, (person: Racing['person']) => Promise<() => Promise<Reply>>> = {
  refreshes: async (person) => {
    const { refresh_token } = await person.tokens(client, ask)
    return () => refresh(w, environment, client, refresh_token)
  },
  'code exchanges': async (person) => {
    const obtained = await person.code(client, ask)
    return () => exchange(w, environment, client, obtained)
  },
}
const takings: Record<string, (racing: Racing) => Promise<unknown>> = {
  'a role is taken from the person': ({ person }) => roles.give(person, reader),
  'a permission is taken from a role': ({ role }) => roles.change('roles', role, reading),
}
let made = 0
for (const [how, take] of Object.entries(takings))
  for (const [what, prepare] of Object.entries(prepared))
    test(`of 50 parallel ${what} while ${how}, each gives what it did before or after, and afterwards none gives more`, async () => {
      await untilBoth([read, all], async (round) => {
        const [person, role] = [
          await roles.createPerson(),
          await roles.createRole(`both-${++made}`, { orders: ['orders:read', 'orders:write'] }),
        ]
        await roles.give(person, reader, role)
        await person.tokens(client, ask) // signs in
        const sends = await Promise.all(numbers.map(() => prepare(person)))
        const replies = await race(
          round,
          (n) => (sends[n] ?? assert.fail())(),
          () => take({ person, role }),
        )
        for (const reply of replies) {
          const { scope, access_token, refresh_token } = expectStatus(200, reply)
          assert.equal(payloadOf(access_token).scope, scope)
          assert.equal((await roles.validate(access_token)).scope, read)
          assert.equal(expectStatus(200, await refresh(w, environment, client, refresh_token)).scope, read)
        }
        return replies.map(({ body }) => body.scope)
      })
    })
