import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Session } from '@ostiary/contract/session.ts'
import { User } from '@ostiary/contract/user.ts'
import { describeChange } from './entry.ts'

const application = {
  id: 'app_1',
  tenant_id: 'ten_1',
  project_id: 'prj_1',
  environment_id: 'env_1',
  name: 'Shop',
  redirect_uris: ['https://a.example'],
  version: 3,
  updated_at: '2026-01-01T00:00:00.000Z',
}

test('an update records only the members that differ, at the depth where they differ', () => {
  const before = { id: 'env_1', name: 'A', tokens: { access: 1, refresh: 2 }, list: [1], version: 1 }
  const after = { ...before, name: 'B', tokens: { access: 1, refresh: 3 }, list: [1, 2], version: 2 }
  const { object, ...states } = describeChange(before, after)
  assert.deepEqual(object, { type: 'environment', id: 'env_1' })
  assert.deepEqual(states, {
    project_id: null,
    environment_id: 'env_1',
    before: { name: 'A', tokens: { refresh: 2 }, list: [1] },
    after: { name: 'B', tokens: { refresh: 3 }, list: [1, 2] },
  })
})

test('a creation or deletion records every member, the project and the environment', () => {
  const { version: _, updated_at: __, ...all } = application
  const entry = { object: { type: 'application', id: 'app_1' }, project_id: 'prj_1', environment_id: 'env_1' }
  assert.deepEqual(describeChange(null, application), { ...entry, before: null, after: all })
  assert.deepEqual(describeChange(application, null), { ...entry, before: all, after: null })
})

// biome-ignore format: this table is read by column
const objects: [shown: object, type: string, id: string][] = [
  [{ id: 'prj_1' },                                  'project',     'prj_1'],
  [{ id: 'ten_1' },                                  'tenant',      'ten_1'],
  [{ id: 'key_1', environment_id: 'env_1' },         'key',         'key_1'],
  [{ id: 'usr_1', environment_id: 'env_1' },         'user',        'usr_1'],
  [{ id: 'usr_1', tenant_id: 'ten_1', role: 'owner' }, 'member',    'usr_1'],
  [{ environment_id: 'env_1', tokens: {} },          'settings',    'env_1'],
]
for (const [shown, type, id] of objects)
  test(`${JSON.stringify(shown)} is recorded as ${type} ${id}`, () => assert.deepEqual(describeChange(null, shown).object, { type, id }))

test('the caller names the object when its id has no known prefix', () => {
  const object = { type: 'signing_key', id: 'thumbprint' }
  assert.deepEqual(describeChange(null, { id: 'thumbprint' }, object).object, object)
})

test('no secret is recorded, at any depth', () => {
  const secrets = { client_secret: 's', key: 's', password: 's', private_key: 's', invitation_url: 's', secret: 's', digest: 's' }
  const { after } = describeChange(null, { id: 'app_1', ...secrets, email: { smtp: { host: 'h', ...secrets } }, list: [secrets] })
  assert.deepEqual(after, { id: 'app_1', email: { smtp: { host: 'h' } }, list: [{}] })
})

test('an entry about a user records which personal members changed, not their values', () => {
  const user = {
    id: 'usr_1',
    environment_id: 'env_1',
    email: 'a@example.com',
    email_verified: false,
    metadata: { plan: 'x' },
    claims: { plan: 'x' },
    picture: null,
  }
  const { before, after } = describeChange(user, {
    ...user,
    email: 'b@example.com',
    email_verified: true,
    metadata: { plan: 'y' },
    claims: {},
  })
  assert.deepEqual(before, { email: '[personal]', email_verified: false, metadata: '[personal]', claims: '[personal]' })
  assert.deepEqual(after, { email: '[personal]', email_verified: true, metadata: '[personal]', claims: '[personal]' })
  assert.equal(describeChange(user, null).before?.picture, null)
})

test('a group or a switch with the name of a secret is recorded', () => {
  const settings = { environment_id: 'env_1', sign_in: { password: true }, password: { min_length: 12, reject_common: true } }
  const { before, after } = describeChange(settings, { ...settings, sign_in: { password: false }, password: { min_length: 8 } })
  assert.deepEqual(before, { sign_in: { password: true }, password: { min_length: 12, reject_common: true } })
  assert.deepEqual(after, { sign_in: { password: false }, password: { min_length: 8, reject_common: null } })
})

test('a nested member of a user is personal like one of the user itself', () => {
  const user = { id: 'usr_1', old: { email: 'a@example.com', expires_at: 'soon' }, all: [{ name: 'Ada' }] }
  assert.deepEqual(describeChange(null, user).after, {
    ...user,
    old: { email: '[personal]', expires_at: 'soon' },
    all: [{ name: '[personal]' }],
  })
})

const ids = ['id', 'tenant_id', 'project_id', 'environment_id']
const recorded = {
  user: [
    User,
    [
      ...ids,
      'email_verified',
      'phone_number_verified',
      'roles',
      'has_password',
      'approval',
      'blocked_at',
      'deletes_at',
      'last_sign_in_at',
      'created_at',
    ],
  ],
  session: [Session, ['id', 'user_id', 'created_at', 'last_seen_at', 'expires_at', 'method', 'amr', 'applications']],
} as const
for (const [type, [schema, not_personal]] of Object.entries(recorded))
  test(`every field of a ${type} is personal, or one of those whose values are recorded`, () => {
    const record = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, 'value']))
    const { after } = describeChange(null, record, { type, id: 'x_1' })
    const shown = Object.entries(after ?? {}).filter(([, value]) => value !== '[personal]')
    assert.deepEqual(shown.map(([name]) => name).sort(), [...not_personal].sort())
  })

test('an entry about a member of a tenant records the email address', () => {
  const { after } = describeChange(null, { id: 'usr_1', email: 'a@example.com', role: 'admin' })
  assert.deepEqual(after, { id: 'usr_1', email: 'a@example.com', role: 'admin' })
})
