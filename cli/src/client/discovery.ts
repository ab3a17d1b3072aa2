/** Where administrators of a service sign in (RFC 9728, RFC 8414). */
import { z } from 'zod'
import { jsonOf } from './profiles.ts'
import { Refused, Unreachable } from './refused.ts'
import { visible } from './show.ts'
import { unreachable } from './unreachable.ts'

const timeout_ms = 30_000

const Resource = z.object({
  resource: z.string(),
  authorization_servers: z.array(z.string()).min(1),
  client_id: z.string(),
  /** RFC 8252 §7.3. Another host would let other machines call this port. */
  redirect_uri: z.string().regex(/^http:\/\/127\.0\.0\.1\/[\w/-]*$/),
})
/** An address that a browser may open, and that tokens may go to. */
const Endpoint = z.string().refine((text) => /^https?:\/\//i.test(text) && URL.canParse(text))
const Metadata = z.object({
  issuer: Endpoint,
  authorization_endpoint: Endpoint,
  token_endpoint: Endpoint,
  revocation_endpoint: Endpoint,
})

export interface Service extends z.infer<typeof Metadata> {
  base_url: string
  client_id: string
  redirect_uri: string
}

export async function discover(base_url: string): Promise<Service> {
  const { resource, authorization_servers, client_id, redirect_uri } = await readDocument(
    `${base_url}/.well-known/oauth-protected-resource`,
    Resource,
  )
  // RFC 9728 §3.3: another resource could belong to another service, which would get the token.
  if (resource !== base_url)
    throw new Refused(`The service at ${base_url} has the address ${visible(resource)}. Use that: ostiary login --url ${visible(resource)}`)
  const [issuer = ''] = authorization_servers
  const metadata = await readDocument(`${issuer}/.well-known/openid-configuration`, Metadata)
  // OpenID Connect Discovery §4.3
  if (metadata.issuer !== issuer) throw new Refused(`The issuer ${visible(issuer)} calls itself ${visible(metadata.issuer)}.`)
  const endpoints = [metadata.authorization_endpoint, metadata.token_endpoint, metadata.revocation_endpoint]
  if (base_url.startsWith('https:') && endpoints.some((url) => !/^https:/i.test(url)))
    throw new Refused(
      `The service at ${base_url} names addresses without TLS. Ask its operator to set OSTIARY_BASE_URL to the https address.`,
    )
  return { ...metadata, base_url, client_id, redirect_uri }
}

async function readDocument<T>(url: string, schema: z.ZodType<T>): Promise<T> {
  if (!Endpoint.safeParse(url).success) throw new Refused(`${visible(url)} is not an address of a service.`)
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
    throw new Unreachable(unreachable(new URL(url).origin, cause), { cause })
  }
  if (status >= 500) throw new Unreachable(`${visible(new URL(url).origin)} answers with the status ${status}.`)
  return { status, body: jsonOf(text) ?? null }
}
