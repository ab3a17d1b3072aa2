/** An email belongs to at most one user of an environment, however many requests claim it at the same time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { overlapping } from '../support/overlapping-batches.ts'
import { createAuthKey } from '../support/tenants.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()
const secret = await createAuthKey(w, w.test, 'auth_secret')
const users = (method: string, path: string, body?: object): Promise<Reply> =>
  w.call(method, `/v1/auth/users${path}`, { key: secret.key, ...(body ? { body } : {}) })

const create = (email: string) => users('POST', '', { email })
let claimants = 0
/** A request that changes the email of another user. */
async function changeTo(email: string): Promise<() => Promise<Reply>> {
  const { id } = expectStatus(201, await create(`claimant${++claimants}@example.com`))
  return () => users('PATCH', `/${id}`, { email })
}

const claims: Record<string, (email: string, i: number) => Promise<() => Promise<Reply>>> = {
  'creations of a user': async (email) => () => create(email),
  'changes of the email': changeTo,
  'creations of a user and changes of the email': async (email, i) => (i % 2 ? changeTo(email) : () => create(email)),
}
for (const [what, claim] of Object.entries(claims)) {
  test(`of 50 parallel ${what}, one gets the email and the others are refused with identifier_taken`, async () => {
    for (let round = 0; round < 3; round++) {
      const email = `wanted-${what.replaceAll(' ', '-')}-${round}@example.com`
      const requests = await Promise.all(Array.from({ length: 50 }, (_, i) => claim(email, i)))
      const replies = await overlapping(w, () => requests.map((request) => request()))
      const refusals = replies.filter(({ status }) => status >= 300).map(({ status, body }) => `${status} ${body.code}`)
      assert.deepEqual(
        refusals,
        Array.from({ length: 49 }, () => '409 identifier_taken'),
      )
      const { data } = expectStatus(200, await users('GET', `?email=${encodeURIComponent(email)}`))
      assert.equal(data.length, 1)
    }
  })
}
