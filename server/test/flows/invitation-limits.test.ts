/** Limits of invitations and links per tenant, and the lifetime of a link. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { administratorToken } from '../support/administrator.ts'
import { createAgent } from '../support/cookie-browser.ts'
import { createTenant, type Tenant } from '../support/invitations.ts'
import { createAdministrator } from '../support/tenants.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_LIMITS: '{"tenants_per_person":1000}' } })
const olga = await createAdministrator(w, 'olga@example.com')

test('a tenant has at most 50 pending invitations', async () => {
  const t = await createTenant(w, olga)
  for (let i = 0; i < 50; i++) await t.invite(`pending${i}@example.com`, 'viewer')
  const refused = await t.as(olga, 'POST', '', { email: 'one.more@example.com', role: 'viewer' })
  assert.deepEqual([refused.status, refused.body.code], [422, 'quota_exceeded'])
  await t.invite('pending7@example.com', 'viewer') // replaces one
  const [{ id } = { id: '' }] = await t.list()
  assert.equal((await t.as(olga, 'DELETE', `/${id}`)).status, 204)
  await t.invite('one.more@example.com', 'viewer')
  assert.ok((await t.recover('owner@example.com')).invitation_url, 'recovery has no limit')
})

test('after 7 days a link is 410, and its invitation is no longer listed and cannot be resent', async () => {
  const t = await createTenant(w, olga)
  const { id, invitation_url } = await t.invite('label@example.com', 'viewer')
  w.advance(7 * 86_400 - 60)
  assert.equal((await createAgent().get(invitation_url)).status, 200)
  w.advance(60)
  const ended = await createAgent().get(invitation_url)
  assert.equal(ended.status, 410)
  assert.match(ended.body, /<h1>This invitation has expired<\/h1>/)
  olga.token = await administratorToken(w, olga)
  assert.deepEqual(
    (await t.list()).map(({ email }) => email),
    [olga.email],
  )
  assert.equal((await t.as(olga, 'POST', `/${id}/resend`)).status, 404)
  await t.invite('label@example.com', 'viewer')
})

test('a tenant creates at most 100 links a day, and 3 a day for one email', async () => {
  const [t, other] = [await createTenant(w, olga), await createTenant(w, olga)]
  const refusal = async (tenant: Tenant, path: string, body?: unknown) => {
    const { status, body: problem } = await tenant.as(tenant.owner, 'POST', path, body)
    return `${status} ${problem.code}`
  }
  const { id } = await t.invite('often@example.com', 'viewer')
  await t.invite('OFTEN@example.com', 'viewer')
  const [{ id: last } = { id: '' }] = await t.list()
  assert.equal(await refusal(t, `/${id}/resend`), '404 not_found')
  expectStatus(200, await t.as(olga, 'POST', `/${last}/resend`))
  assert.equal(await refusal(t, `/${last}/resend`), '422 quota_exceeded')
  assert.equal(await refusal(t, '', { email: 'often@example.com', role: 'viewer' }), '422 quota_exceeded')
  await other.invite('often@example.com', 'viewer')
  for (let i = 0; i < 97; i++) {
    const extra = await t.invite(`day${i}@example.com`, 'viewer')
    assert.equal((await t.as(olga, 'DELETE', `/${extra.id}`)).status, 204)
  }
  assert.equal(await refusal(t, '', { email: 'hundred.and.first@example.com', role: 'viewer' }), '422 quota_exceeded')
  assert.equal(await refusal(t, `/${last}/resend`), '422 quota_exceeded')

  w.advance(86_400)
  olga.token = await administratorToken(w, olga)
  await t.invite('often@example.com', 'viewer')
})
