import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { default_limits, describeLimits, type LimitName, parseLimits, quotaDetail } from './limits.ts'

test('the defaults are those of the contract, and of decision 0028 for providers', () => {
  assert.deepEqual(default_limits, {
    tenants_per_person: 20,
    projects_per_tenant: 100,
    environments_per_project: 20,
    applications: 1_000,
    resource_servers: 1_000,
    roles: 200,
    role_permissions: 1_000,
    organizations: 100_000,
    members_per_organization: 100_000,
    metadata_clients: 1_000,
    organizations_per_user: 5_000,
    organization_invitations_pending: 500,
    organization_invitations_per_day: 200,
    organization_invitations_per_address: 3,
    providers: 100,
    keys: 1_000,
    webhooks: 20,
    webhooks_per_tenant: 200,
    invitations_pending: 50,
    invitations_per_day: 100,
    mails_per_address: 30,
    sessions_per_person: 200,
    grants_per_person: 100,
    sign_ins_per_person: 300,
    invitations_per_address: 3,
  })
})

const values: [text: string, changes: Partial<Record<LimitName, number>>][] = [
  ['{}', {}],
  ['{"keys": 2000}', { keys: 2_000 }],
  ['{"webhooks":0,"webhooks_per_tenant":9007199254740991}', { webhooks: 0, webhooks_per_tenant: Number.MAX_SAFE_INTEGER }],
]
for (const [text, changes] of values)
  test(`${text} changes these limits and no others`, () =>
    assert.deepEqual(parseLimits(text), { value: { ...default_limits, ...changes } }))

const mistakes: [text: string, says: RegExp][] = [
  ['{"keyz": 1}', /^There is no limit "keyz"\. The limits are tenants_per_person, .*invitations_per_address\.$/],
  ['{"__proto__": 1}', /no limit "__proto__"|JSON/],
  ['{"toString": 1}', /^There is no limit "toString"/],
  ['{"keys": -1}', /^"keys" must be an integer from 0/],
  ['{"keys": -0}', /^"keys" must be an integer from 0/],
  ['{"keys": 1.5}', /^"keys" must be an integer/],
  ['{"keys": 9007199254740992}', /^"keys" must be an integer/],
  ['{"keys": "5"}', /^"keys" must be an integer/],
  ['{"keys": null}', /^"keys" must be an integer/],
  ['{"keys": true}', /^"keys" must be an integer/],
  ['{"keys": 1, "keys": 2}', /without repeated names/],
  ['{"keys": 1', /well-formed JSON/],
  ['keys=1', /well-formed JSON/],
  ['[]', /^Expected a JSON object/],
  ['null', /^Expected a JSON object/],
  ['5', /^Expected a JSON object/],
]
for (const [text, says] of mistakes)
  test(`${text} is refused with a reason`, () => {
    const result = parseLimits(text)
    assert.match('problem' in result ? result.problem : '', says)
  })

test('every mistake in the limits is reported at once', () => {
  const result = parseLimits('{"keys": -1, "tenants": 5, "webhooks": 2.5}')
  for (const name of ['keys', 'tenants', 'webhooks']) assert.match('problem' in result ? result.problem : '', new RegExp(`"${name}"`))
})

test('a description names every limit with its value', () => {
  for (const [name, value] of Object.entries(default_limits))
    assert.match(describeLimits(default_limits), new RegExp(`\\b${name} ${value}\\b`))
})

test('the detail of quota_exceeded names the limit, its value and what to do', () => {
  assert.equal(
    quotaDetail('webhooks', { ...default_limits, webhooks: 7 }),
    'The limit is 7 webhooks in an environment (webhooks). Delete a webhook of this environment, or ask the operator of this service for a higher limit.',
  )
})

test('parseLimits throws for no text', () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => assert.doesNotThrow(() => parseLimits(text))))
})
