/** An administrator as scripts are: signs in at the root tenant's issuer by the ordinary code flow, from what RFC 9728 metadata tells. */
import { authorizationRequest, createAgent, obtainCode } from './agent.ts'
import { expectStatus, type World } from './world.ts'

/** An access token for this API. */
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

/** Calls the API as this administrator. */
export function asAdministrator(w: World, token: string, tenant_id: string | null = w.tenant_id) {
  const base = { authorization: `Bearer ${token}`, ...(tenant_id === null ? {} : { 'x-tenant-id': tenant_id }) }
  return (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    w.call(method, path, { key: null, body, headers: { ...base, ...headers } })
}
