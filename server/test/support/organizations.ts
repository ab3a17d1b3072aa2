/** Organizations of an environment, their members and roles, for tests. */
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

/** The status, the code and the pointers of an answer. */
export const pointersOf = ({ status, body }: Reply) => [
  status,
  body.code,
  ...(body.errors ?? []).map(({ pointer }: { pointer: string }) => pointer),
]
