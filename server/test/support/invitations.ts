/** Tenants and administrators for the tests of invitations. */
import { TenantId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { recover } from '../../src/setup/recover.ts'
import { asAdministrator, joinTenant } from './administrator.ts'
import { type Agent, followPages } from './cookie-browser.ts'
import type { createAdministrator } from './tenants.ts'
import { expectStatus, type Reply, type World } from './world.ts'

export type Administrator = Awaited<ReturnType<typeof createAdministrator>>

export type Tenant = Awaited<ReturnType<typeof createTenant>>

let tenants = 0

/** Creates a tenant of this owner. `as` calls the member list of the tenant as an administrator. */
export async function createTenant(w: World, owner: Administrator) {
  const slug = `invites-${++tenants}`
  const body = { slug, name: `Tenant ${tenants}` }
  const { id, name } = expectStatus(201, await asAdministrator(w, owner.token, null)('POST', '/v1/tenants', body))
  const members = `/v1/tenants/${id}/members`
  const as = ({ token, headers }: { token: string; headers?: Record<string, string> }, method: string, path = '', sent?: unknown) =>
    asAdministrator(w, token, id)(method, members + path, sent, headers)
  return {
    id: TenantId.parse(id),
    slug,
    name: name as string,
    owner,
    as,
    invite: async (email: string, role: string, inviter: { token: string } = owner) =>
      expectStatus(201, await as(inviter, 'POST', '', { email, role })),
    join: (administrator: Administrator, role: string) => joinTenant(w, { tenant_id: id, token: owner.token }, administrator, role),
    recover: (email: string) => recover(w.deployment, { tenant: slug, email }),
    list: async () => expectStatus(200, await as(owner, 'GET', '?limit=100')).data as Member[],
  }
}

export interface Member {
  id: string
  user_id: string | null
  email: string
  role: string
  status: string
}

/** Creates an account on the page of an invitation. Returns the page that asks whether to accept. */
export async function createAccount(
  agent: Agent,
  invitation_url: string,
  email: string,
  password = 'a memorable sentence',
): Promise<Reply> {
  return followPages(agent, await agent.submit(await agent.get(`${invitation_url}&prompt=create`), { email, password }))
}

const Role = z.object({ user_id: z.string(), role: z.string() })

/** The members of a tenant as they are stored. */
export const storedMembers = (w: World, tenant_id: string) =>
  w.deployment.db.all(Role, sql`select user_id, role from members where tenant_id = ${tenant_id} order by user_id`)
