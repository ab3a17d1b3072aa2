/** Resource servers: the APIs that access tokens of an environment can be issued for (RFC 8707), each with its scopes. */
import { z } from 'zod'
import type { FieldClasses } from './field-class.ts'
import { EnvironmentId, ProjectId, ResourceServerId, TenantId } from './ids.ts'
import { oidcScopes } from './scopes.ts'
import { TokenFormat } from './settings.ts'
import { Name, ShortText, slugs, Time, text } from './values.ts'

/** RFC 3986 §2, §4.3: the characters of an absolute URI, without `#`. The brackets enclose IPv6 addresses. */
const absoluteUri = /^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?@!$&'()*+,;=[\]-]|%[0-9A-Fa-f]{2})+$/

/** RFC 8707 §2: the value of `resource` and of `aud`. It is compared as an exact string and stored as sent. */
const Identifier = text(500)
  .refine(
    (value) => absoluteUri.test(value) && (!/^https?:/i.test(value) || (/^https?:\/\//i.test(value) && URL.canParse(value))),
    'Expected an absolute URI without a fragment, such as https://api.example.com.',
  )
  .meta({ format: 'uri' })
  .describe('The absolute URI of the API: the value of `resource` in a request and of `aud` in its tokens (RFC 8707). It never changes.')

/** Scopes that OpenID Connect defines (OIDC Core §5.4, §11). No API can redefine them. */
const reserved: readonly string[] = [...oidcScopes, 'address']

/** RFC 6749 §3.3: printable ASCII without space, quotation mark and backslash. */
const ScopeName = text(200)
  .regex(/^[\x21\x23-\x5B\x5D-\x7E]+$/, 'Use printable ASCII characters without space, quotation mark and backslash.')
  .refine((name) => !reserved.includes(name), 'OpenID Connect defines a scope with this name. Choose another name, such as orders:read.')

const Scope = z.strictObject({
  name: ScopeName,
  description: ShortText.nullable().default(null).describe('What the scope allows, shown on the consent page.'),
})

const Scopes = z
  .array(Scope)
  .max(200, { abort: true })
  .describe('The scopes of the API, at most 200. A change replaces the whole list.')
  .superRefine((scopes, context) => {
    const names = scopes.map(({ name }) => name)
    names.forEach((name, i) => {
      if (names.indexOf(name) !== i)
        context.addIssue({ code: 'custom', path: [i, 'name'], message: 'An earlier scope of the list has the same name.' })
    })
  })

const Ttl = z.int().min(60).max(86_400)

export const ResourceServer = z.strictObject({
  id: ResourceServerId,
  tenant_id: TenantId,
  project_id: ProjectId,
  environment_id: EnvironmentId,
  slug: slugs.record,
  identifier: Identifier.describe(
    'The absolute URI of the API: the value of `resource` in a request and of `aud` in its tokens (RFC 8707). It never changes.',
  ),
  name: Name,
  scopes: Scopes.describe('The scopes of the API, at most 200.'),
  /** `null`: the lifetime in the environment's settings. */
  access_token_ttl_seconds: Ttl.nullable().describe(
    'The lifetime of its access tokens in seconds, 60 to 86,400; `null` uses the settings of the environment.',
  ),
  access_token_format: TokenFormat.describe(
    '`jwt` can be verified without a call; `opaque` needs the validation call and can be shorter. The default is `jwt`.',
  ),
  created_at: Time,
  updated_at: Time,
})
export type ResourceServer = z.infer<typeof ResourceServer>

const change = {
  scopes: Scopes.nullable().optional().describe('The scopes of the API, at most 200.'),
  access_token_ttl_seconds: Ttl.nullable()
    .optional()
    .describe('The lifetime of its access tokens in seconds, 60 to 86,400; `null` uses the settings of the environment.'),
  access_token_format: TokenFormat.nullable()
    .optional()
    .describe('`jwt` can be verified without a call; `opaque` needs the validation call and can be shorter. The default is `jwt`.'),
}

export const NewResourceServer = z.strictObject({ slug: slugs.created, identifier: Identifier, name: Name, ...change })
/** The identifier is immutable, because issued tokens and applications refer to it. */
export const ResourceServerChange = z.strictObject({ slug: slugs.changed, name: Name.optional(), ...change })
export type ResourceServerChange = z.infer<typeof ResourceServerChange>

export const resourceServerFields = {
  id: 'never',
  tenant_id: 'never',
  project_id: 'never',
  environment_id: 'never',
  slug: 'immutable',
  identifier: 'owned',
  name: 'travels',
  scopes: 'travels',
  access_token_ttl_seconds: 'travels',
  access_token_format: 'travels',
  created_at: 'never',
  updated_at: 'never',
} as const satisfies FieldClasses<ResourceServer>
