/** One member or pending invitation of a tenant, by the id of the user or of the invitation. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTenant } from '../support/invitations.ts'
import { createAdministrator } from '../support/tenants.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
const olga = await createAdministrator(w, 'olga@example.com')
const tenant = await createTenant(w, olga)

test('the Location of an invitation can be read, and is the row of the list', async () => {
  const invited = await tenant.as(olga, 'POST', '', { email: 'nora@example.com', role: 'developer' })
  const { id } = expectStatus(201, invited)
  const location = invited.headers.get('location') ?? ''
  assert.ok(location.endsWith(`/members/${id}`), location)
  const read = await tenant.as(olga, 'GET', `/${location.split('/').at(-1)}`)
  const listed = (await tenant.list()).find((member) => member.id === id)
  assert.deepEqual(expectStatus(200, read), listed)
  assert.match(read.headers.get('etag') ?? '', /^"/)
})

test('a member is read by the id of the user, also by a viewer, and its ETag is that of the next change', async () => {
  const vera = await createAdministrator(w, 'vera@example.com')
  await tenant.join(vera, 'viewer')
  const [member] = (await tenant.list()).filter(({ email }) => email === 'vera@example.com')
  const read = await tenant.as(vera, 'GET', `/${member?.id}`)
  assert.deepEqual(expectStatus(200, read), member)
  const headers = { 'if-match': read.headers.get('etag') ?? '' }
  expectStatus(200, await tenant.as({ ...olga, headers }, 'PATCH', `/${member?.id}`, { role: 'developer' }))
  assert.equal((await tenant.as({ ...olga, headers }, 'PATCH', `/${member?.id}`, { role: 'admin' })).status, 412)
})

test('an invitation that is used, withdrawn or past its time, and a member of another tenant, are 404', async () => {
  const invited = await tenant.invite('otto@example.com', 'viewer')
  expectStatus(204, await tenant.as(olga, 'DELETE', `/${invited.id}`))
  const late = await tenant.invite('lena@example.com', 'viewer')
  const other = await createTenant(w, olga)
  const elsewhere = await other.invite('nils@example.com', 'viewer')
  for (const id of [invited.id, elsewhere.id, 'usr_01jd0000000000000000000000', 'nobody'])
    assert.equal((await tenant.as(olga, 'GET', `/${id}`)).body.code, 'not_found', id)
  assert.equal((await tenant.as(olga, 'GET', `/${late.id}`)).status, 200)
})
