/** Organizations of an environment, their members and roles, for tests. */
import { sql } from '../../src/db/db.ts'
import { stepOf } from './account.ts'
import { type Agent, authorizationRequest, type Client, type Fields } from './cookie-browser.ts'
import { expectStatus, type Reply, type TestEnvironment, type World } from './world.ts'

const unlimited = { limit: 100_000, window_seconds: 1 }
let made = 0

/** Calls the runtime API of an environment by a key of its own. */
export async function organizationsOf(w: World, environment: TestEnvironment) {
  const body = { type: 'auth_secret', rate_limit: unlimited }
  const { key } = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body }))
  const auth = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
    w.call(method, `/v1/auth/${path}`, { key, body, headers })
  return {
    key: key as string,
    auth,
    create: async (fields: object = {}): Promise<{ id: string; slug: string; member_count: number }> =>
      expectStatus(201, await auth('POST', 'organizations', { name: 'Acme', ...fields })),
    read: async (id: string) => expectStatus(200, await auth('GET', `organizations/${id}`)),
    add: (id: string, user_id: string, roles?: readonly string[]) =>
      auth('POST', `organizations/${id}/members`, { user_id, ...(roles ? { roles } : {}) }),
    remove: (id: string, user_id: string) => auth('DELETE', `organizations/${id}/members/${user_id}`),
    /** Invites an address. Without `send_email` the link is returned. */
    invite: (id: string, email: string, fields: object = {}): Promise<Reply> =>
      auth('POST', `organizations/${id}/invitations`, { email, send_email: false, ...fields }),
    user: async (fields: object = {}): Promise<{ id: string; email: string; name: string | null }> =>
      expectStatus(201, await auth('POST', 'users', { email: `person${++made}@example.com`, ...fields })),
    role: async (slug: string, fields: object = {}): Promise<string> =>
      expectStatus(201, await w.call('POST', `${environment.path}/roles`, { body: { slug, name: slug, kind: 'organization', ...fields } }))
        .id,
  }
}

/**
 * Makes a user a member of many organizations, as that many additions would: `customer-1` with the name `Customer 1`, and so on. Returns their
 * ids, in the order of these numbers.
 */
export async function joinMany(w: World, { id }: TestEnvironment, user_id: string, count: number): Promise<string[]> {
  const first = 10_000_000
  const prefix = 'org_01m7wwr5ftevtv5yxb'
  const organization = sql`cast(${prefix} as text) || cast(${first} + i as text)`
  const numbers = sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})`
  const statements = [
    sql`insert into organizations (environment_id, id, slug, name, metadata, claims, disabled, member_count, memberships, created_at, updated_at)
          ${numbers} select ${id}, ${organization}, 'customer-' || i, 'Customer ' || i, '{}', '{}', 0, 1, 1, 0, 0 from n`,
    sql`insert into organization_counts (environment_id, organizations) values (${id}, ${count})
          on conflict (environment_id) do update set organizations = organization_counts.organizations + ${count}`,
    sql`update users set organization_count = organization_count + ${count} where environment_id = ${id} and id = ${user_id}`,
    sql`insert into organization_members (environment_id, organization_id, user_id, membership, roles, created_at, updated_at)
          ${numbers} select ${id}, ${organization}, ${user_id}, 1, '[]', 0, 0 from n`,
  ]
  for (const { parts, values } of statements) await w.deployment.db.batch([{ ...sql``, parts, values }])
  return Array.from({ length: count }, (_, i) => `${prefix}${first + i + 1}`)
}

/** What an authorization request leads the browser to: `code`, the error of the client, or the step of a page. */
export async function answerOf(environment: TestEnvironment, agent: Agent, client: Client, change: Fields) {
  const request = authorizationRequest(environment, client, change)
  return { request, ...readAnswer(await agent.get(request.url)) }
}

/** Reads it from the answer to a request that ends there. */
export function readAnswer(reply: Reply): { reply: Reply; code: string; result: string } {
  const location = reply.headers.get('location')
  if (location === null) return { reply, code: '', result: stepOf(reply) ?? `${reply.status}` }
  const { searchParams } = new URL(location)
  const code = searchParams.get('code') ?? ''
  return { reply, code, result: searchParams.get('error') ?? (code === '' ? location : 'code') }
}

/** The status, the code and the pointers of an answer. */
export const pointersOf = ({ status, body }: Reply) => [
  status,
  body.code,
  ...(body.errors ?? []).map(({ pointer }: { pointer: string }) => pointer),
]
