/** The warnings of large plans have bounds: how many they are, how long, and how much work it is to find them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlannedChange } from '@ostiary/contract/promotion.ts'
import { finish } from '../../base/steps.ts'
import { effectSteps } from '../roles/effects.ts'
import { concernedSteps, givenSteps, type PlannedRole, type PlannedServer, type PlanOfAccess } from './access.ts'
import { accessWarnings } from './access-words.ts'

const long = (letter: string, n: number, length: number) => `${letter}-${n}`.padEnd(length, letter)
const times = <T>(n: number, of: (i: number) => T) => Array.from({ length: n }, (_, i) => of(i))
const bySlug = <T extends { slug: string }>(objects: readonly T[]) => new Map(objects.map((each) => [each.slug, each]))

const server = (n: number, scopes: number): PlannedServer => ({
  id: `rs_${n}`,
  slug: long('s', n, 50),
  identifier: `https://api-${n}.example`,
  scopes: times(scopes, (i) => ({ name: long('x', i, 200) })),
  scope_versions: {},
  version: 1,
  require_roles: true,
})

/** A plan that takes from each of so many roles all scopes of its resource server. */
function planOf(count: number, scopes: number) {
  const servers = times(count / 10, (n) => server(n, scopes))
  const roles = times(count, (n): PlannedRole => {
    const { slug, scopes } = servers[n % servers.length] ?? server(0, 0)
    const permissions = [{ resource_server: slug, scopes: scopes.map(({ name }) => name) }]
    return { id: `rol_${n}`, slug: long('r', n, 50), kind: 'user', default: false, permissions }
  })
  const change = ({ slug, id, permissions }: PlannedRole): PlannedChange => ({
    object: 'role',
    slug,
    id,
    action: 'update',
    fields: [{ pointer: '/permissions', from: permissions, to: [] }],
  })
  const none = new Map()
  const plan: PlanOfAccess = {
    rows: { resource_server: bySlug(servers), role: bySlug(roles) },
    after: {
      objects: {
        resource_server: bySlug(servers.map((each) => ({ ...each }))),
        role: bySlug(roles.map((each) => ({ ...each, permissions: [] }))),
        application: none,
        provider: none,
        webhook: none,
      },
    },
    changes: roles.map(change),
  }
  const written = new Map(
    roles.map(({ id }, n) => [id, [{ resource_server_id: `rs_${n % servers.length}`, resource_server_version: 1 }]] as const),
  )
  return { plan, written, roles }
}

/** The warnings where each role has one holder. */
function warningsOf({ plan, written, roles }: ReturnType<typeof planOf>) {
  const concerned = finish(concernedSteps(plan, 'user'))
  assert.ok(concerned)
  const { before, after } = finish(givenSteps(concerned, written))
  const count = finish(effectSteps(before, after, { most: 1_000, kind: 'user' }))
  const compared = roles.map(({ id }) => count.add([id], 1))
  const counted = { effects: finish(count.effects()), most: 1_000, is_complete: true }
  return { checks: finish(accessWarnings(counted, concerned, plan.changes)), compared, counted, concerned, changes: plan.changes }
}

test('a plan of 1,000 roles has at most 101 warnings about permissions, in as few bytes as a hundred objects', () => {
  const { checks, compared } = warningsOf(planOf(1_000, 20))
  assert.equal(checks.length, 100, 'ten roles that give the same have one warning')
  assert.ok(Math.max(...compared) === 1, 'scopes that the same roles give are compared once')
  assert.ok(JSON.stringify(checks).length < 200_000)
  const { checks: more } = warningsOf(planOf(2_000, 1))
  assert.equal(more.length, 101)
  assert.match(more.at(-1)?.detail ?? '', /^Users gain or lose permissions by this too and by 99 more objects of the plan\.$/)
})

test('where not all people were read, a number is the least', () => {
  const { counted, concerned, changes } = warningsOf(planOf(10, 1))
  const [check] = finish(accessWarnings({ ...counted, is_complete: false }, concerned, changes))
  assert.match(check?.detail ?? '', /^10 or more users lose "/)
})
