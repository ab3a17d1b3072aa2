/** Where administrators of a service sign in (RFC 9728, RFC 8414). */
import { z } from 'zod'
import { Refused } from './refused.ts'
import { visible } from './show.ts'

const timeout_ms = 30_000

const Resource = z.object({
  resource: z.string(),
  authorization_servers: z.array(z.string()).min(1),
  client_id: z.string(),
  redirect_uri: z.string(),
})
const Metadata = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  revocation_endpoint: z.string(),
})

export interface Service extends z.infer<typeof Metadata> {
  base_url: string
  client_id: string
  redirect_uri: string
}

export async function discover(base_url: string): Promise<Service> {
  const { resource, authorization_servers, client_id, redirect_uri } = Resource.parse(
    await readDocument(`${base_url}/.well-known/oauth-protected-resource`, Resource),
  )
  // RFC 9728 §3.3: another resource could belong to another service, which would get the token.
  if (resource !== base_url)
    throw new Refused(`The service at ${base_url} has the address ${visible(resource)}. Use that: ostiary login --url ${visible(resource)}`)
  const [issuer = ''] = authorization_servers
  const metadata = await readDocument(`${issuer}/.well-known/openid-configuration`, Metadata)
  // OpenID Connect Discovery §4.3
  if (metadata.issuer !== issuer) throw new Refused(`The issuer ${visible(issuer)} calls itself ${visible(metadata.issuer)}.`)
  return { ...metadata, base_url, client_id, redirect_uri }
}

async function readDocument<T>(url: string, schema: z.ZodType<T>): Promise<T> {
  const { status, body } = await send(url, {})
  const document = schema.safeParse(body)
  if (status !== 200 || !document.success)
    throw new Refused(`${visible(url)} does not answer like a service of Ostiary. Check the address.`)
  return document.data
}

/** Posts a form. `body` is `null` if the answer is not JSON. */
export const postForm = (url: string, form: Readonly<Record<string, string>>) =>
  send(url, { method: 'POST', body: new URLSearchParams(form), headers: { accept: 'application/json' } })

async function send(url: string, init: RequestInit): Promise<{ status: number; body: unknown }> {
  let text: string
  let status: number
  try {
    const response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(timeout_ms) })
    status = response.status
    text = await response.text()
  } catch (cause) {
    throw new Refused(`${visible(new URL(url).origin)} cannot be reached.`, { cause })
  }
  try {
    return { status, body: JSON.parse(text) }
  } catch {
    return { status, body: null }
  }
}
