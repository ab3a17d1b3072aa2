/** Who may do what with a promotion: scopes of keys, roles, fresh sign-ins, and approvals. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshFields } from '@ostiary/contract/fresh.ts'
import { administratorToken, asAdministrator, joinTenant } from '../support/administrator.ts'
import { own, ownOf, pointersOf, promoting, public_keys, upward, values } from '../support/promotions.ts'
import { createAdministrator, createPlatformKey, createTwoTenants } from '../support/tenants.ts'
import { expectStatus, owner, world } from '../support/world.ts'

const w = await world()
const { ours } = await createTwoTenants(w)
const { createProject, make, edit, planned, step, filled } = promoting(w)
const aged = ours.token

test('a key needs the write scope of each kind that changes, and its answer shows only the kinds that it may read or write', async () => {
  const project = await filled()
  const { id } = await planned(project, { ...upward(project), values })
  const keyWith = async (...scopes: string[]) => ({ key: (await createPlatformKey(w, ours, { scopes })).key })
  const some = await step([project, id], 'apply', {}, await keyWith('projects:write', 'applications:write', 'webhooks:write'))
  assert.deepEqual(
    [some.status, some.body.code, some.body.required_scopes],
    [403, 'insufficient_scope', ['env.settings:write', 'resource_servers:write', 'providers:write']],
  )
  const narrow = await planned(project, { ...upward(project), values, only: [{ object: 'settings' }] })
  const writes_settings = await keyWith('projects:write', 'env.settings:write')
  const { values: shown, changes } = expectStatus(200, await step([project, narrow.id], 'apply', {}, writes_settings))
  assert.deepEqual([shown, changes.map(({ object }: { object: string }) => object)], [[], ['settings']])
  assert.equal((await step([project, narrow.id], 'revert', {}, await keyWith('projects:write'))).status, 403)
})

test('checks of kinds that a key may neither read nor write stand in its way without their names', async () => {
  const project = await createProject()
  const { live } = project
  const { key } = await createPlatformKey(w, ours, { scopes: ['projects:write', 'providers:write'] })
  const corp = { type: 'oidc', issuer: 'https://corp.example.com', client_id: 'live', enabled: true }
  const made = await planned(project, own(project, { providers: { corp } }))
  expectStatus(200, await step([project, made.id], 'apply'))
  await edit(`${live.path}/settings`, { sign_in: { password: false } })
  const disabled = await planned(project, own(project, { providers: { corp: { enabled: false } } }))
  for (const [id, name] of [
    [disabled.id, 'apply'],
    [made.id, 'revert'],
  ] as const)
    for (const [more, shown] of [
      [{}, ['settings']],
      [{ key }, []],
    ] as const) {
      const { status, body } = await step([project, id], name, {}, more)
      const seen = (checks: { object: string; level: string }[]) =>
        checks.flatMap(({ object, level }) => (level === 'error' ? [object] : []))
      assert.deepEqual([status, body.code, seen(body.checks)], [422, 'promotion_blocked', shown])
      if (name === 'revert')
        assert.deepEqual(seen(expectStatus(200, await step([project, id], name, { dry_run: true }, more)).checks), shown)
    }
})

test('a developer applies and reverts in Test, Live needs an admin, and both ask for the fresh sign-in that a change needs by its own call', async () => {
  const project = await createProject()
  const { test, live } = project
  const people = { developer: '', admin: '' }
  for (const role of ['developer', 'admin'] as const) {
    const person = await createAdministrator(w, `${role}@promotions.example`)
    await joinTenant(w, { tenant_id: w.tenant_id, token: aged }, person, role)
    people[role] = person.token
  }
  const as =
    (token: string) =>
    (id: string, name: 'apply' | 'revert', body: object = {}) =>
      asAdministrator(w, token, w.tenant_id)('POST', `${project.path}/promotions/${id}/${name}`, body)
  const length = (n: number) => ({ settings: { password: { min_length: n } } })
  const in_test = await planned(project, ownOf(test, length(14)))
  for (const name of ['apply', 'revert'] as const) expectStatus(200, await as(people.developer)(in_test.id, name))
  const in_live = await planned(project, ownOf(live, length(14)))
  for (const name of ['apply', 'revert'] as const) {
    assert.deepEqual(pointersOf(await as(people.developer)(in_live.id, name)), ['403 insufficient_role'])
    expectStatus(200, await as(people.admin)(in_live.id, name))
  }
  w.advance(601)
  const stale = ['403 reauthentication_required']
  const harmless = await planned(project, ownOf(test, length(15)))
  expectStatus(200, await as(people.developer)(harmless.id, 'apply'))
  const mail = await planned(project, ownOf(test, { settings: { email: { delivery: 'none' } } }))
  assert.deepEqual(pointersOf(await as(people.developer)(mail.id, 'apply')), stale)
  const later = await planned(project, ownOf(live, length(16)))
  assert.deepEqual(pointersOf(await as(people.admin)(later.id, 'apply')), stale)
  expectStatus(200, await as(await administratorToken(w, owner))(later.id, 'apply'))
})

test('each field that needs a fresh sign-in everywhere by its own call needs one in a promotion to Test', async () => {
  const project = await createProject()
  const { test } = project
  const app = { application_type: 'web', redirect_uris: ['https://test.example/cb'], token_endpoint_auth_method: 'private_key_jwt' }
  const jwks_uri = 'https://test.example/jwks'
  await make(test, 'applications', { ...app, slug: 'keys', name: 'Keys', jwks: public_keys('one') })
  await make(test, 'applications', { ...app, slug: 'uri', name: 'URI', jwks_uri })
  await make(test, 'providers', { slug: 'google', type: 'google', client_id: 'a', client_secret: 'b' })
  await make(test, 'providers', { slug: 'apple', type: 'apple', client_id: 'a', team_id: 'T', key_id: 'K', private_key: 'key' })
  const smtp = { host: 'mail.example.com', username: 'shop', password: 'of mail' }
  await edit(`${test.path}/settings`, { email: { from: 'shop@example.com', delivery: 'smtp', smtp } })
  const changes: Record<string, object> = {
    'application token_endpoint_auth_method': { applications: { uri: { token_endpoint_auth_method: 'client_secret_basic' } } },
    'application jwks': { applications: { keys: { jwks: public_keys('two') } } },
    'application jwks_uri': { applications: { uri: { jwks_uri: `${jwks_uri}/2` } } },
    'provider client_secret': { providers: { google: { client_secret: null, enabled: false } } },
    'provider private_key': { providers: { apple: { private_key: null, enabled: false } } },
    'settings email': { settings: { email: { from: 'other@example.com' } } },
    'settings email.smtp.password': { settings: { email: { smtp: { password: null } } } },
    'settings passkeys.automatic': { settings: { passkeys: { automatic: true } } },
  }
  const { project: _, key: __, user: ___, ...of_documents } = freshFields
  const named = Object.entries(of_documents).flatMap(([kind, fields]) =>
    Object.entries(fields).flatMap(([name, { where }]) => (where === 'always' ? [`${kind} ${name}`] : [])),
  )
  assert.deepEqual(Object.keys(changes), named)
  const token = await administratorToken(w, owner)
  w.advance(601)
  for (const [name, document] of Object.entries(changes)) {
    const { id } = await planned(project, ownOf(test, document))
    const reply = await asAdministrator(w, token, w.tenant_id)('POST', `${project.path}/promotions/${id}/apply`, {})
    assert.deepEqual(pointersOf(reply), ['403 reauthentication_required'], name)
  }
})

test('a project asks for approvals by another administrator, and a key neither approves nor switches that off', async () => {
  const project = await createProject()
  const token = await administratorToken(w, owner)
  const other = await createAdministrator(w, 'other@promotions.example')
  await joinTenant(w, { tenant_id: w.tenant_id, token }, other, 'admin')
  const [owner_call, other_call] = [asAdministrator(w, token, w.tenant_id), asAdministrator(w, other.token, w.tenant_id)]
  const ask = (require_approval: boolean) => ({ promotion: { require_approval } })
  assert.deepEqual(pointersOf(await w.call('PATCH', project.path, { body: ask(true) })), ['403 wrong_key_type'])
  assert.deepEqual(expectStatus(200, await owner_call('PATCH', project.path, ask(true))).promotion, { require_approval: true })
  assert.deepEqual(pointersOf(await w.call('PATCH', project.path, { body: ask(false) })), ['403 wrong_key_type'])
  assert.equal(expectStatus(200, await w.call('PATCH', project.path, { body: { name: 'Renamed' } })).promotion.require_approval, true)

  const { approval: none } = await planned(project, {
    ...upward(project),
    from_environment_id: project.live.id,
    to_environment_id: project.test.id,
  })
  assert.equal(none.required, false, 'Test needs none')
  const promotions = `${project.path}/promotions`
  const made = expectStatus(201, await owner_call('POST', promotions, own(project, { settings: { password: { min_length: 14 } } })))
  assert.deepEqual(made.approval, { required: true, approved_by: null, approved_at: null })
  assert.deepEqual(pointersOf(await step([project, made.id], 'apply')), ['409 approval_required'])
  assert.deepEqual(pointersOf(await step([project, made.id], 'approve')), ['403 wrong_key_type'])
  assert.deepEqual(pointersOf(await owner_call('POST', `${promotions}/${made.id}/approve`)), ['403 insufficient_role'])
  const { approval } = expectStatus(200, await other_call('POST', `${promotions}/${made.id}/approve`))
  assert.equal(approval.approved_by.label, 'other@promotions.example')
  assert.deepEqual(
    expectStatus(200, await other_call('POST', `${promotions}/${made.id}/approve`)).approval,
    approval,
    'a second approval changes nothing',
  )
  assert.equal(expectStatus(200, await step([project, made.id], 'apply')).approval.approved_by.id, other.user_id)

  const stale = await planned(project, own(project, { settings: { password: { min_length: 15 } } }))
  await edit(`${project.live.path}/settings`, { lockout: { max_attempts: 7 } })
  assert.deepEqual(pointersOf(await other_call('POST', `${promotions}/${stale.id}/approve`)), [
    '409 promotion_stale',
    'edited /to_config_version',
  ])
  const blocked = await planned(project, own(project, { settings: { sign_in: { email_code: true } } }))
  assert.deepEqual(pointersOf(await other_call('POST', `${promotions}/${blocked.id}/approve`)), ['422 promotion_blocked'])
  expectStatus(200, await owner_call('PATCH', project.path, ask(false)))
})
