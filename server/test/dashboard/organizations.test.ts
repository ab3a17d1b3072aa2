/** The words of the pages of organizations, and of what the audit log says about their members. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { didOf, objectOf, organizationOf } from '../../../dashboard/src/pages/audit/sentences.ts'
import { everyMemberHas, nameOfRole } from '../../../dashboard/src/pages/organizations/role-words.ts'

const role = (slug: string, kind: 'user' | 'organization', is_default: boolean) => ({
  slug,
  name: slug.toUpperCase(),
  kind,
  default: is_default,
})
const every = [role('a', 'organization', true), role('b', 'user', true), role('c', 'organization', false), role('d', 'organization', true)]

test('the roles that every member has are those of members, without those of users', () => {
  assert.equal(everyMemberHas(every), 'Every member has A, D.')
  assert.equal(everyMemberHas(every.slice(1, 3)), null)
})

test('a role without a name that is known is shown by its slug', () =>
  assert.deepEqual([nameOfRole(every, 'c'), nameOfRole(every, 'gone')], ['C', 'gone']))

const names: Record<string, string> = { usr_1: 'robin@example.com', org_1: 'Acme' }
const known = (id: string | null | undefined) => (id && names[id] ? { name: names[id] } : undefined)
const unknown = () => undefined
const entry = (type: string, id: string, after: Record<string, unknown>, action = 'addOrganizationMember') => ({
  action,
  object: { type, id },
  before: null,
  after,
})
const of_member = { organization_id: 'org_1', user_id: 'usr_1', email: '[personal]', roles: [] }

// biome-ignore format: this table is read by column
const objects: [what: string, of: ReturnType<typeof entry>, nameOf: typeof known, name: string][] = [
  ['a member by the email and the organization',          entry('organization_member', 'usr_1', of_member), known,   'robin@example.com of Acme'],
  ['a member whose account is gone by the id',            entry('organization_member', 'usr_1', of_member), unknown, 'usr_1 of an organization'],
  ['an organization that is gone by its name at the time', entry('organization', 'org_1', { name: 'Acme' }), unknown, 'Acme'],
]
for (const [what, of, nameOf, name] of objects) test(`the audit log names ${what}`, () => assert.equal(objectOf(of, nameOf), name))

test('an entry about an organization or a member of it leads to the organization', () => {
  const about = [entry('organization', 'org_1', {}), entry('organization_member', 'usr_1', of_member), entry('user', 'usr_1', of_member)]
  assert.deepEqual(about.map(organizationOf), ['org_1', 'org_1', undefined])
})

test('the first members of a new organization were added, and only the organization was created', () =>
  assert.deepEqual(
    [didOf('createOrganization', 'organization'), didOf('createOrganization', 'organization_member')],
    ['created the organization', 'added the member'],
  ))
