/** Administrators in scripts: they find the issuer of the root tenant in RFC 9728 metadata and sign in there with the code flow. */
import { type Agent, authorizationRequest, createAgent, followPages, obtainCode } from './cookie-browser.ts'
import { expectStatus, type Reply, type World } from './world.ts'

/** An access token of this administrator for the management API. */
export async function administratorToken(w: World, user: { email: string; password: string }): Promise<string> {
  const metadata = expectStatus(200, await w.call('GET', '/.well-known/oauth-protected-resource', { key: null }))
  const issuer: string = metadata.authorization_servers[0]
  const client = { client_id: metadata.client_id, redirect_uris: ['http://127.0.0.1:49152/callback'] }
  const request = authorizationRequest({ issuer }, client, { scope: 'openid', resource: metadata.resource })
  const code = await obtainCode(createAgent(), request, user)
  const form = {
    grant_type: 'authorization_code',
    client_id: client.client_id,
    code,
    redirect_uri: request.redirect_uri,
    code_verifier: request.code_verifier,
  }
  const reply = await w.call('POST', `${issuer}/v1/oauth/token`, {
    key: null,
    body: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  return expectStatus(200, reply).access_token
}

/** Returns a function that calls the management API as this administrator. */
export function asAdministrator(w: World, token: string, tenant_id: string | null = w.tenant_id) {
  const base = { authorization: `Bearer ${token}`, ...(tenant_id === null ? {} : { 'x-tenant-id': tenant_id }) }
  return (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    w.call(method, path, { key: null, body, headers: { ...base, ...headers } })
}

/** Opens the link of an invitation, signs in and accepts. Returns the page after that. */
export async function acceptInvitation(
  invitation_url: string,
  user: { email: string; password: string },
  agent: Agent = createAgent(),
): Promise<Reply> {
  const page = await signInAt(invitation_url, user, agent)
  return page.body.includes('data-action="accept-invitation"') ? agent.submit(page, {}) : page
}

/** Opens the link of an invitation and signs in. Returns the page that the account sees. */
export async function signInAt(
  invitation_url: string,
  user: { email: string; password: string },
  agent: Agent = createAgent(),
): Promise<Reply> {
  const form = await agent.get(`${invitation_url}&prompt=login`)
  if (form.status !== 200) return form
  return followPages(agent, await agent.submit(form, { ...user, method: 'password' }))
}

/** Makes an account a member of a tenant: invites it, and accepts as it. */
export async function joinTenant(
  w: World,
  { tenant_id, token }: { tenant_id: string; token: string },
  user: { email: string; password: string },
  role: string,
): Promise<void> {
  const body = { email: user.email, role }
  const { invitation_url } = expectStatus(201, await asAdministrator(w, token, tenant_id)('POST', `/v1/tenants/${tenant_id}/members`, body))
  expectStatus(200, await acceptInvitation(invitation_url, user))
}
