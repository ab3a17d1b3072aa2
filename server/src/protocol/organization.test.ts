import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OrganizationUse, organization_uses } from '@ostiary/contract/objects/organization-use.ts'
import { chooseOrganization, type Membership, organizationUse, refuseOtherOrganization } from './organization.ts'

const [first, second] = ['org_1', 'org_2'].map(
  (organization_id, n): Membership => ({
    ...{ organization_id, organization_slug: `slug-${n}`, organization_name: 'Acme', membership: n, role_ids: [] },
  }),
) as [Membership, Membership] // as: two

// biome-ignore format: this table is read by line
const choices: [use: OrganizationUse, named: string | undefined, memberships: Membership[], result: string][] = [
  ['none',     undefined,   [first],         'none'],
  ['none',     'org_1',     [first],         'none'],
  ['optional', undefined,   [],              'none'],
  ['optional', undefined,   [first],         'open'],
  ['optional', undefined,   [first, second], 'open'],
  ['required', undefined,   [],              'missing'],
  ['required', undefined,   [first],         'org_1'],
  ['required', undefined,   [first, second], 'open'],
  ['optional', 'org_1',     [first],         'org_1'],
  ['required', 'org_1',     [first],         'org_1'],
  ['optional', 'org_1',     [],              'missing'],
  ['required', 'org_1',     [],              'missing'],
  ['optional', 'none',      [],              'none'],
]
for (const [use, named, memberships, result] of choices)
  test(`with organizations ${use} a request for ${named ?? 'none in particular'} of a person in ${memberships.length} leads to ${result}`, () => {
    const choice = chooseOrganization(use, named, memberships)
    assert.equal(choice.kind === 'one' ? choice.membership.organization_id : choice.kind, result)
  })

test('the strictest of the application and any of the resource servers counts', () => {
  for (const of_client of organization_uses)
    for (const one of organization_uses)
      for (const other of organization_uses) {
        const all = [of_client, one, other]
        const strictest = all.includes('required') ? 'required' : all.includes('optional') ? 'optional' : 'none'
        assert.equal(organizationUse({ organizations: of_client }, [{ organizations: one }, { organizations: other }]), strictest)
      }
  assert.equal(organizationUse({}, []), 'none')
})

const within = { organization_id: 'org_1', organization_slug: 'acme' }
const without = { organization_id: null, organization_slug: null }
// biome-ignore format: this table is read by line
const requests: [grant: typeof within | typeof without, use: OrganizationUse, named: string | undefined, is_refused: boolean][] = [
  [within,  'required', undefined, false],
  [within,  'required', 'org_1',   false],
  [within,  'required', 'acme',    false],
  [within,  'required', 'ACME',    true],
  [within,  'required', 'org_2',   true],
  [within,  'optional', 'none',    true],
  [within,  'none',     'org_2',   true],
  [without, 'optional', undefined, false],
  [without, 'optional', 'none',    false],
  [without, 'optional', 'org_1',   true],
  [without, 'required', 'org_1',   true],
  [without, 'none',     'org_1',   false],
]
for (const [grant, use, named, is_refused] of requests)
  test(`a token request for ${named ?? 'no organization in particular'} by a grant for ${grant.organization_slug} with organizations ${use} is ${is_refused ? 'refused' : 'accepted'}`, () => {
    const judge = () =>
      refuseOtherOrganization(grant, { organizations: use }, [], { values: named === undefined ? {} : { organization: named } })
    if (is_refused) assert.throws(judge, { code: 'invalid_target' })
    else judge()
  })
