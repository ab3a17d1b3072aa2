/**
 * The environment of the survey "organizations": very many organizations, one with very many members, people who are members of very many, and the
 * roles with the most permissions. All but the many rows is created by requests.
 */
import { type Db, sql } from '../server/src/db/db.ts'
import type { Seeded } from './ostiary.ts'
import { inParts, plantedIdOf } from './planting.ts'
import { asked_scopes, createRole, type Place, roles_of_crowd } from './roles.ts'

/** How many of each there are: all in proportion to the organizations, which are 100,000 in a full run. */
export const sizesOf = (organizations: number) => ({
  organizations,
  /** Members of one organization. */
  members: Math.max(200, organizations / 10),
  /** Organizations of one person, and of a second one, who is at the limit. */
  own: Math.max(120, organizations / 50),
  most_own: Math.max(240, organizations / 20),
  roles: Math.max(4, Math.floor(organizations / 500)),
})
export type Sizes = ReturnType<typeof sizesOf>

/** Roles until the rest is created: the costs of pages are compared with these. */
export const few_roles = 3
const scopes_of_server = 200
const servers_of_role = 5

export interface Crowd extends Place {
  /** The application whose people choose an organization. */
  readonly choosing: Seeded
  /** The organization with very many members. */
  readonly organization_id: string
  /** Roles that all members have. */
  readonly shared_roles: readonly { readonly id: string }[]
}

/** Who is who among the people. Everybody else signs in. */
export const administrator = 0
export const of_many = 1
export const of_most = 2
export const first_who_signs_in = 3

/** Everything but the planted rows. */
export async function createCrowd(place: Place): Promise<Crowd> {
  const { call, path, platform, seeded, server_id } = place
  const redirect_uri = seeded.client.redirect_uri
  const wanted = { name: 'Workspace', application_type: 'web', redirect_uris: [redirect_uri], organizations: 'required' }
  const { client_id, client_secret } = await call.post(`${path}/applications`, platform, {
    ...wanted,
    allowed_scopes: seeded.scope.split(' '),
  })
  const choosing = { ...seeded, client: { client_id, client_secret, redirect_uri } }
  await createServers(place, 0)
  for (let n = 0; n < few_roles; n++) await createLargeRole(place, n, { servers: 0, administers: n === 0 })
  const shared_roles: { id: string; slug: string }[] = []
  for (let n = 0; n < roles_of_crowd; n++)
    shared_roles.push(await createRole(place, { slug: `crowd-${n}`, kind: 'organization', given: asked_scopes.slice(1) }))
  const shared = shared_roles.map(({ slug }) => slug)
  const { id: user_id = '' } = seeded.people[administrator] ?? {}
  const organization = { name: 'The crowd', slug: 'crowd', members: [{ user_id, roles: ['large-0', ...shared] }] }
  const { id: organization_id } = await call.post('/v1/auth/organizations', { 'x-api-key': seeded.secret_key }, organization)
  await call.change(`${path}/resource-servers/${server_id}`, platform, { require_roles: true })
  return { ...place, choosing, organization_id, shared_roles }
}

/** Creates the resource servers of one more large role. */
async function createServers({ call, path, platform }: Place, of: number): Promise<void> {
  for (let n = 0; n < servers_of_role; n++) {
    const slug = `large-${of}-${n}`
    const scopes = Array.from({ length: scopes_of_server }, (_, i) => ({ name: `${slug}:${i}` }))
    await call.post(`${path}/resource-servers`, platform, { slug, name: slug, identifier: `https://${slug}.example.com`, scopes })
  }
}

/** Creates a role with as many permissions as the limit allows, of the resource servers of a large role. */
async function createLargeRole(
  { call, path, platform }: Place,
  n: number,
  { servers, administers }: { servers: number; administers: boolean },
) {
  const permissions = Array.from({ length: servers_of_role }, (_, i) => ({
    resource_server: `large-${servers}-${i}`,
    scopes: Array.from({ length: scopes_of_server }, (_, scope) => `large-${servers}-${i}:${scope}`),
  }))
  await call.post(`${path}/roles`, platform, { slug: `large-${n}`, name: `Large ${n}`, kind: 'organization', administers, permissions })
}

/** Creates large roles until there are as many roles as wanted. Each second one has permissions of its own. */
export async function createLargeRoles(place: Place, wanted: number): Promise<void> {
  for (let n = few_roles; n + roles_of_crowd < wanted; n++) {
    const is_own = n % 2 === 1
    if (is_own) await createServers(place, n)
    await createLargeRole(place, n, { servers: is_own ? n : 0, administers: false })
  }
}

/** Plants the organizations, the members of one of them with live grants, and the memberships of two people. */
export async function plantCrowd(db: Db, { seeded, organization_id, shared_roles }: Crowd, sizes: Sizes): Promise<void> {
  const { environment_id, people } = seeded
  const user_id = people[administrator]?.id ?? ''
  const at = new Date()
  const organization = plantedIdOf('org', sql`n.i`)
  const user = plantedIdOf('usr', sql`n.i`)
  const of_crowd = sql`m.environment_id = ${environment_id} and m.organization_id = ${organization_id} and m.user_id = ${user_id}`
  const role_ids = shared_roles.map(({ id }) => id)
  await inParts(
    sizes.organizations,
    (numbers) => [
      sql`insert into organizations (environment_id, id, slug, external_id, name, metadata, claims, disabled, member_count, memberships, created_at, updated_at)
        select ${environment_id}, ${organization}, 'customer-' || n.i, 'external-' || n.i, 'Customer ' || n.i, '{}', '{}', 0,
               case when n.i < ${sizes.own} then 2 when n.i < ${sizes.most_own} then 1 else 0 end, 2, ${at}, ${at} from (${numbers}) n`,
    ],
    db,
  )
  await db.run(
    sql`update organization_counts set organizations = organizations + ${sizes.organizations} where environment_id = ${environment_id}`,
  )
  await inParts(
    sizes.members,
    (numbers) => [
      sql`insert into users (environment_id, id, email, email_key, email_verified, phone_number_verified, name, metadata, organization_count, created_at, updated_at)
        select ${environment_id}, ${user}, 'member-' || n.i || '@example.com', 'member-' || n.i || '@example.com', 1, 0, 'Member ' || n.i, '{}', 1, ${at}, ${at}
          from (${numbers}) n`,
      sql`insert into organization_members (environment_id, organization_id, user_id, membership, roles, created_at, updated_at)
        select m.environment_id, m.organization_id, ${user}, 100 + n.i, ${role_ids}, ${at}, ${at}
          from organization_members m, (${numbers}) n where ${of_crowd}`,
      ...role_ids.map(
        (role_id) => sql`insert into organization_role_holders (environment_id, role_id, organization_id, membership, user_id)
          select ${environment_id}, ${role_id}, ${organization_id}, 100 + n.i, ${user} from (${numbers}) n`,
      ),
      sql`insert into grants (environment_id, id, user_id, application_id, session_id, scope, resource, offline, auth_time, amr, acr, began_with, created_at, expires_at, visit_at, code_hash, organization_id, membership, organization_ending)
        select g.environment_id, ${plantedIdOf('grt', sql`n.i`)}, ${user}, g.application_id, ${plantedIdOf('ses', sql`n.i`)}, g.scope, g.resource, 1,
               g.auth_time, g.amr, g.acr, g.began_with, g.created_at, ${new Date(at.getTime() + 20 * 86_400_000)}, ${new Date(at.getTime() + 20 * 86_400_000)},
               'planted' || n.i, ${organization_id}, 100 + n.i, 0
          from (select * from grants where user_id = ${user_id} and environment_id = ${environment_id} limit 1) g, (${numbers}) n`,
    ],
    db,
  )
  await db.run(sql`update organizations set member_count = member_count + ${sizes.members}, memberships = 100 + ${sizes.members}
    where environment_id = ${environment_id} and id = ${organization_id}`)
  for (const [who, count] of [
    [of_many, sizes.own],
    [of_most, sizes.most_own],
  ] as const) {
    const id = people[who]?.id ?? ''
    await inParts(
      count,
      (numbers) => [
        sql`insert into organization_members (environment_id, organization_id, user_id, membership, roles, last_used_at, created_at, updated_at)
          select ${environment_id}, ${organization}, ${id}, ${who}, ${role_ids}, case when n.i < 100 then 1000 + n.i end, ${at}, ${at} from (${numbers}) n`,
        ...role_ids.map(
          (role_id) => sql`insert into organization_role_holders (environment_id, role_id, organization_id, membership, user_id)
            select ${environment_id}, ${role_id}, ${organization}, ${who}, ${id} from (${numbers}) n`,
        ),
      ],
      db,
    )
    await db.run(sql`update users set organization_count = ${count} where environment_id = ${environment_id} and id = ${id}`)
  }
}
