/** Which grants a new one replaces, whatever a person has (decision 0067). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GrantId } from '@ostiary/contract/ids.ts'
import fc from 'fast-check'
import { sql } from '../../src/db/db.ts'
import { findReplaced } from '../../src/domain/sessions/grant-bounds.ts'
import { insertChain } from '../../src/domain/sessions/refresh-chains.ts'
import { world } from '../support/world.ts'

const w = await world()
const { db } = w.deployment
const { id: environment_id } = w.test
const after = (seconds: number) => new Date(w.now().getTime() + seconds * 1_000)

/** A grant is made so many seconds after the one before it, and used last so many seconds after that. */
interface Held {
  after: number
  used_after: number
  /** Where its last use is stored. */
  by: 'chain' | 'column' | 'none'
  is_over: boolean
}
const Held: fc.Arbitrary<Held> = fc.record({
  after: fc.nat(3),
  used_after: fc.oneof(fc.nat(3), fc.nat(60)),
  by: fc.constantFrom('chain', 'chain', 'column', 'none'),
  is_over: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
})

let people = 0

test('of the grants of a person those that nothing can use give way first, and then those unused longest', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(Held, { maxLength: 40 }),
      fc.record({ limit: fc.integer({ min: 1, max: 20 }), added: fc.constantFrom(0, 1), most: fc.integer({ min: 1, max: 12 }) }),
      async (held, bound) => {
        const place = { environment_id, user_id: `usr_${++people}`, application_id: 'app', session_id: 'ses', is_offline: true }
        let created = -1_000
        const grants = held.map(({ after: gap, used_after, by, is_over }, n) => {
          created += gap
          const id = `grt_${people}_${String(n).padStart(3, '0')}` as GrantId // as: ids of the test
          return { id, created, used: by === 'none' ? created : created + used_after, by, is_over }
        })
        await db.batch(
          grants.flatMap(({ id, created, used, by, is_over }) => [
            sql`insert into grants (environment_id, id, user_id, application_id, session_id, scope, resource, offline, auth_time, amr, acr,
                                    began_with, created_at, expires_at, visit_at, last_used_at, code_hash)
                values (${environment_id}, ${id}, ${place.user_id}, 'app', 'ses', 'openid', '[]', 1, ${after(created)}, '[]', '',
                        'email_code', ${after(created)}, ${after(is_over ? 0 : 60)}, ${after(60)}, ${by === 'column' ? after(used) : null}, ${id})`,
            ...(by === 'chain'
              ? [insertChain(environment_id, id, { number: 1, digest: id, salt: null, issued_at: after(used), expires_at: after(60) })]
              : []),
          ]),
        )
        const window = grants.slice(0, bound.limit + bound.most + 1)
        const over = window.filter(({ is_over }) => is_over)
        const live = window.filter(({ is_over }) => !is_over).toSorted((a, b) => a.used - b.used || (a.id < b.id ? -1 : 1))

        const { replaced } = await findReplaced(db, place, bound, w.now())
        const gone = replaced.filter(({ is_over }) => is_over)
        assert.equal(gone.length, Math.min(over.length, bound.most))
        assert.ok(gone.every(({ id }) => over.some((grant) => grant.id === id)))
        const too_many = Math.max(0, Math.min(live.length + bound.added - bound.limit, bound.most - gone.length))
        assert.deepEqual(
          replaced.slice(gone.length).map(({ id }) => id),
          live.slice(0, too_many).map(({ id }) => id),
        )
      },
    ),
    { numRuns: 150 },
  )
})
