/** An environment in which roles decide: its resource servers and roles, and people who have some of them. */
import { createPerson } from './cookie-browser.ts'
import { createAuthKey } from './tenants.ts'
import { expectStatus, type TestEnvironment, type World } from './world.ts'

/** The payload of a JWT. */
export const payloadOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())

let made = 0

export async function createRoleWorld(w: World, environment: TestEnvironment) {
  const { key } = await createAuthKey(w, environment, 'auth_secret')
  const post = async (list: string, body: object) => expectStatus(201, await w.call('POST', `${environment.path}/${list}`, { body }))

  return {
    key,
    /** Makes a resource server that requires roles. */
    createServer(slug: string, scopes: readonly string[], fields: object = {}) {
      const named = scopes.map((name) => ({ name }))
      return post('resource-servers', {
        slug,
        name: `API ${slug}`,
        identifier: `https://${slug}.example.com`,
        scopes: named,
        require_roles: true,
        ...fields,
      })
    },
    /** @param scopes by the slug of their resource server */
    createRole(slug: string, scopes: Readonly<Record<string, readonly string[]>> = {}, fields: object = {}) {
      const permissions = Object.entries(scopes).map(([resource_server, scopes]) => ({ resource_server, scopes }))
      return post('roles', { slug, name: `Role ${slug}`, kind: 'user', permissions, ...fields })
    },
    async change(list: 'roles' | 'resource-servers' | 'applications', { id }: { id: string }, body: object) {
      return expectStatus(200, await w.call('PATCH', `${environment.path}/${list}/${id}`, { body }))
    },
    async remove(list: 'roles' | 'resource-servers' | 'applications', { id }: { id: string }) {
      expectStatus(204, await w.call('DELETE', `${environment.path}/${list}/${id}`))
    },
    /** The person has these roles, and no others. */
    async give(user: { id: string }, ...roles: readonly { slug: string }[]) {
      const body = { roles: roles.map(({ slug }) => slug) }
      expectStatus(200, await w.call('PATCH', `/v1/auth/users/${user.id}`, { key, body }))
    },
    /** An organization with this member, who has these roles. */
    async createOrganization(user: { id: string }, ...roles: readonly { slug: string }[]): Promise<{ id: string; slug: string }> {
      const body = { name: 'Acme', members: [{ user_id: user.id, roles: roles.map(({ slug }) => slug) }] }
      return expectStatus(201, await w.call('POST', '/v1/auth/organizations', { key, body }))
    },
    async changeOrganization({ id }: { id: string }, body: object) {
      expectStatus(200, await w.call('PATCH', `/v1/auth/organizations/${id}`, { key, body }))
    },
    async deleteOrganization({ id }: { id: string }) {
      expectStatus(204, await w.call('DELETE', `/v1/auth/organizations/${id}`, { key }))
    },
    /** The member has these roles, and no others. */
    async giveMember({ id }: { id: string }, user: { id: string }, ...roles: readonly { slug: string }[]) {
      const body = { roles: roles.map(({ slug }) => slug) }
      expectStatus(200, await w.call('PATCH', `/v1/auth/organizations/${id}/members/${user.id}`, { key, body }))
    },
    async removeMember({ id }: { id: string }, user: { id: string }) {
      expectStatus(204, await w.call('DELETE', `/v1/auth/organizations/${id}/members/${user.id}`, { key }))
    },
    /** The scopes that the person can have, by the slug of their resource server. */
    async accessOf(user: { id: string }): Promise<Record<string, string[]>> {
      const { permissions } = expectStatus(200, await w.call('GET', `/v1/auth/users/${user.id}/access`, { key }))
      return Object.fromEntries(
        permissions.map(({ resource_server, scopes }: { resource_server: string; scopes: { name: string }[] }) => [
          resource_server,
          scopes.map(({ name }) => name),
        ]),
      )
    },
    createPerson: () => createPerson(w, environment, { email: `role${++made}@example.com` }),
    /** @param at maps the address to that of another service */
    async validate(token: string, at = (url: string) => url) {
      return expectStatus(200, await w.call('POST', at(`${w.base_url}/v1/auth/tokens/validate`), { key, body: { token } }))
    },
  }
}
