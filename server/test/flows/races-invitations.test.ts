/** Invitations under parallel callers: a link makes one member, and the end of an invitation also stops acceptances under way. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { acceptInvitation, signInAt } from '../support/administrator.ts'
import { type Agent, createAgent } from '../support/cookie-browser.ts'
import { type Administrator, createTenant, storedMembers } from '../support/invitations.ts'
import { amidBatch } from '../support/overlapping-batches.ts'
import { createAdministrator } from '../support/tenants.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_LIMITS: '{"tenants_per_person":1000}' } })
const olga = await createAdministrator(w, 'olga@example.com')
const inviter = await createAdministrator(w, 'inviter@example.com')
const people: (Administrator & { agent: Agent })[] = []
const first = await createTenant(w, olga)
const { invitation_url: any_link } = await first.invite('sign.in@example.com', 'viewer')
for (let i = 0; i < 5; i++) {
  const person = await createAdministrator(w, `person${i}@example.com`)
  const agent = createAgent()
  await signInAt(any_link, person, agent)
  people.push({ ...person, agent })
}
const [paul = assert.fail()] = people

const statusesOf = (replies: readonly Reply[]) => replies.map(({ status }) => status).sort()
const isAccepted = ({ status, body }: Reply) => status === 200 && /You are now a member/.test(body)

test('of fifty parallel acceptances of one link by five people exactly one makes a member', async () => {
  const t = await createTenant(w, olga)
  const { invitation_url } = await t.invite('label@example.com', 'developer')
  const pages = await Promise.all(people.map(async ({ agent }) => ({ agent, page: await agent.get(invitation_url) })))
  const attempts = Array.from({ length: 50 }, (_, i) => pages[i % pages.length] ?? assert.fail())
  const replies = await Promise.all(attempts.map(({ agent, page }) => agent.submit(page, {})))
  assert.equal(replies.filter(isAccepted).length, 1)
  assert.deepEqual(statusesOf(replies), [200, ...Array(49).fill(410)])
  assert.equal((await storedMembers(w, t.id)).length, 2)
})

test('of twenty-five links that one person accepts in parallel one makes the member, and the others stay open', async () => {
  const t = await createTenant(w, olga)
  const invited = await Promise.all(Array.from({ length: 25 }, (_, i) => t.invite(`label${i}@example.com`, 'viewer')))
  const pages = await Promise.all(invited.map(({ invitation_url }) => paul.agent.get(invitation_url)))
  const replies = await Promise.all(pages.map((page) => paul.agent.submit(page, {})))
  assert.equal(replies.filter(isAccepted).length, 1)
  for (const reply of replies.filter((each) => !isAccepted(each))) assert.match(expectStatus(200, reply), /already a member/)
  const list = await t.list()
  assert.deepEqual(
    [list.filter(({ status }) => status === 'pending').length, list.filter(({ status }) => status === 'active').length],
    [24, 2],
  )
})

test('of an acceptance and a parallel deletion of the invitation exactly one succeeds', async () => {
  const t = await createTenant(w, olga)
  for (let round = 0; round < 20; round++) {
    const { id, invitation_url } = await t.invite(`round${round}@example.com`, 'viewer')
    const page = await paul.agent.get(invitation_url)
    const accept = () => paul.agent.submit(page, {})
    const end = () => t.as(olga, 'DELETE', `/${id}`)
    const [accepted, ended] = round % 2 ? await Promise.all([accept(), end()]) : (await Promise.all([end(), accept()])).reverse()
    const outcome = `${accepted?.status} ${ended?.status}`
    assert.ok(['200 404', '410 204'].includes(outcome), outcome)
    const is_member = (await storedMembers(w, t.id)).some(({ user_id }) => user_id === paul.user_id)
    assert.equal(is_member, outcome === '200 404')
    if (is_member) assert.equal((await t.as(olga, 'DELETE', `/${paul.user_id}`)).status, 204)
  }
})

test('an invitation whose link is being replaced accepts nobody by the old link', async () => {
  const lock = 'lock table audit_log in share row exclusive mode'
  for (let round = 0; round < 5; round++) {
    const t = await createTenant(w, olga)
    const { id, invitation_url } = await t.invite('label@example.com', 'viewer')
    const pages = await Promise.all(people.map(async ({ agent }) => ({ agent, page: await agent.get(invitation_url) })))
    const replace = () => t.as(olga, 'POST', `/${id}/resend`)
    const [replaced, ...replies] = await amidBatch(w, lock, replace, () => pages.map(({ agent, page }) => agent.submit(page, {})))
    const members = (await storedMembers(w, t.id)).length - 1
    assert.deepEqual([replaced.status, members], replies.some(isAccepted) ? [404, 1] : [200, 0])
    if (w.deployment.db.engine === 'postgres') assert.equal(replaced.status, 200, 'its batch began first')
  }
})

const Ended = z.object({ ended_by: z.string().nullable() })
const endOf = (id: string) => w.deployment.db.maybeOne(Ended, sql`select ended_by from invitations where id = ${id}`)

for (const [how, end] of Object.entries({
  'is removed': (t: Awaited<ReturnType<typeof createTenant>>) => t.as(olga, 'DELETE', `/${inviter.user_id}`),
  'loses the role': (t: Awaited<ReturnType<typeof createTenant>>) => t.as(olga, 'PATCH', `/${inviter.user_id}`, { role: 'viewer' }),
}))
  test(`while the inviter ${how}, an acceptance succeeds before or never, and no invitation sent meanwhile stays open`, async () => {
    for (let round = 0; round < 10; round++) {
      const t = await createTenant(w, olga)
      await t.join(inviter, 'admin')
      const { id, invitation_url } = await t.invite('label@example.com', 'viewer', inviter)
      const page = await paul.agent.get(invitation_url)
      const invites = Array.from({ length: 5 }, (_, i) => t.as(inviter, 'POST', '', { email: `late${i}@example.com`, role: 'viewer' }))
      const [accepted, ended, ...late] = await Promise.all([paul.agent.submit(page, {}), end(t), ...invites])
      assert.ok(ended.status < 300)
      const is_member = (await storedMembers(w, t.id)).some(({ user_id }) => user_id === paul.user_id)
      assert.deepEqual([is_member, (await endOf(id))?.ended_by], isAccepted(accepted) ? [true, 'accepted'] : [false, 'inviter'])
      assert.ok(isAccepted(accepted) || accepted.status === 410, `${accepted.status}`)
      for (const { status } of late) assert.ok([201, 403, 404].includes(status), `${status}`)
      assert.deepEqual(
        (await t.list()).filter(({ status }) => status === 'pending'),
        [],
      )
    }
  })

test('of sixty parallel invitations fifty are accepted, and of ten for one email three, one of which stays pending', async () => {
  const t = await createTenant(w, olga)
  const sixty = await Promise.all(
    Array.from({ length: 60 }, (_, i) => t.as(olga, 'POST', '', { email: `label${i}@example.com`, role: 'viewer' })),
  )
  assert.deepEqual(statusesOf(sixty), [...Array(50).fill(201), ...Array(10).fill(422)])
  const other = await createTenant(w, olga)
  const ten = await Promise.all(Array.from({ length: 10 }, () => other.as(olga, 'POST', '', { email: 'one@example.com', role: 'viewer' })))
  assert.deepEqual(statusesOf(ten), [...Array(3).fill(201), ...Array(7).fill(422)])
  assert.equal((await other.list()).filter(({ status }) => status === 'pending').length, 1)
})

test('of ten parallel sign-ups through one link five create an account', async () => {
  const t = await createTenant(w, olga)
  const { invitation_url } = await t.invite('label@example.com', 'viewer')
  const agents = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const agent = createAgent()
      return { agent, page: await agent.get(invitation_url) }
    }),
  )
  await Promise.all(
    agents.map(({ agent, page }, i) => agent.submit(page, { email: `new${i}@example.com`, password: 'a memorable sentence' })),
  )
  const signed_in = await Promise.all(agents.map(({ agent }) => agent.get(invitation_url)))
  assert.equal(signed_in.filter(({ body }) => body.includes('accept-invitation')).length, 5)
  const created = await w.deployment.db.all(z.object({ id: z.string() }), sql`select id from users where email like 'new%@example.com'`)
  assert.equal(created.length, 5)
  expectStatus(200, await acceptInvitation(invitation_url, paul))
})
