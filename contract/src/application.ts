/** Applications: the OAuth clients of an environment. The client id is the application's id. */
import { z } from 'zod'
import type { FieldClasses } from './field-class.ts'
import { ApplicationId, EnvironmentId, ProjectId, TenantId } from './ids.ts'
import { required_sentence } from './sentences.ts'
import { Name, Slug, slugs, Time, text, WebUrl } from './values.ts'

export const ApplicationType = z.enum(['web', 'spa', 'native'])
const TokenEndpointAuthMethod = z.enum(['none', 'client_secret', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'])

/** In characters. */
export const longest_redirect_uri = 2_000

/** The rules of redirect URIs depend on the application type and the environment: see `oidc/protocol/redirect-uris.ts` of the server. */
const RedirectUri = z
  .string()
  .min(1)
  .max(longest_redirect_uri)
  .meta({ examples: ['https://app.example.com/callback'] })

/** RFC 7518 §6.2.2, §6.3.2, §6.4.1: the members of a key that only its owner has. */
const private_members = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']
const isPublic = (key: object): boolean => !private_members.some((name) => Object.hasOwn(key, name))

const fields = {
  name: Name,
  redirect_uris: z
    .array(RedirectUri)
    .min(1)
    .max(50)
    .describe(
      'Where sign-in returns to, 1 to 50 absolute URIs, compared as exact strings. Live needs https, except private-use schemes and loopback of native applications.',
    ),
  post_logout_redirect_uris: z.array(RedirectUri).max(50).describe('Where sign-out can return to, at most 50, compared as exact strings.'),
  token_endpoint_auth_method: TokenEndpointAuthMethod.describe(
    'How the application authenticates at the token endpoint. `none` for spa and native. The default of web is `client_secret`: the secret in the Authorization header or in the body, never in both. `client_secret_basic` takes it in the header alone, `client_secret_post` in the body alone.',
  ),
  jwks: z
    .looseObject({
      keys: z
        .array(
          z.looseObject({
            kty: z
              .string()
              .describe('The type of the key, such as `RSA`.')
              .meta({ examples: ['RSA'] }),
          }),
        )
        .min(1)
        .max(20)
        .describe('The public keys, 1 to 20.'),
    })
    .refine(({ keys }) => keys.every(isPublic), 'Send public keys only. Replace this key, because you sent its private part.')
    .nullable()
    .describe('The public keys of the application as a key set, for `private_key_jwt`. Set this or `jwks_uri`.'),
  jwks_uri: WebUrl.nullable().describe('Where the application publishes its public keys, for `private_key_jwt`. Set this or `jwks`.'),
  allowed_scopes: z
    .array(z.string().max(200))
    .max(200)
    .describe('The scopes that the application can request, those of resource servers included.'),
  unknown_scopes: z
    .enum(['reject', 'ignore'])
    .describe(
      'What happens to a scope that neither OpenID Connect nor a resource server of the environment has. `reject` refuses the request with `invalid_scope`; `ignore` leaves it out, and it is never granted. Scopes that are disabled or not allowed are refused in both cases. The default is `reject`.',
    ),
  require_pkce: z
    .boolean()
    .describe(
      'Whether an authorization request needs PKCE, or a nonce in its place where `nonce_replaces_pkce` is true. The default is true; only a web application can set false. A `code_challenge` that is sent is always enforced.',
    ),
  nonce_replaces_pkce: z
    .boolean()
    .nullable()
    .describe(
      'Lets an authorization request of a web application with a `nonce` have no `code_challenge` (RFC 9700 §2.1.1). The default is true for a new web application, and false for those from before this field. It does not apply to spa and native, where it is null.',
    ),
  consent: z
    .enum(['skip', 'ask'])
    .describe(
      '`ask` shows the consent page to each user once; `skip` is for your own applications. The default is `skip`. A native application without an `https` address gets a press of the person in any case.',
    ),
  backchannel_logout_uri: WebUrl.nullable().describe(
    'Where the service posts a logout token when a session ends (OIDC Back-Channel Logout 1.0).',
  ),
  initiate_login_uri: WebUrl.nullable().describe('Where the application starts a sign-in that it did not begin itself (OIDC Core §4).'),
  logo_uri: WebUrl.nullable().describe('The logo on the consent page.'),
  allow_loopback_port: z
    .boolean()
    .describe(
      'Lets a native application use any port of a registered redirect URI at `127.0.0.1` or `[::1]` (RFC 8252 §7.3). The port of `localhost` is never varied: it is a name, which a device can resolve to another address (§8.3). The default is false.',
    ),
  disabled: z.boolean().describe('Refuses every request of the application. The default is false.'),
}

export const Application = z.strictObject({
  id: ApplicationId,
  client_id: ApplicationId.describe('The client id, equal to `id`.'),
  tenant_id: TenantId,
  project_id: ProjectId,
  environment_id: EnvironmentId,
  slug: slugs.record,
  application_type: ApplicationType.describe(
    '`web` keeps a secret on a server, `spa` runs in a browser, `native` on a device. It never changes.',
  ),
  template: Slug.nullable().describe(
    'The template of `GET /v1/application-templates` that the application was created by; `null` without one. It never changes.',
  ),
  ...fields,
  has_client_secret: z.boolean().describe('Whether the application has a client secret.'),
  secret_rotated_at: Time.nullable().describe('When the client secret was last replaced; `null` if never.'),
  created_at: Time,
  updated_at: Time,
})
export type Application = z.infer<typeof Application>

/** The response of create and rotate: the only ones with the client secret. A repeat with the same Idempotency-Key has `null`. */
export const ApplicationWithSecret = Application.extend({
  client_secret: z.string().nullable().describe('The client secret, returned once; `null` in a repeat with the same Idempotency-Key.'),
})

const { name, redirect_uris, ...optional } = fields

/** In characters, so that each address of a template stays within `longest_redirect_uri`. */
const longest_product_url = 500

/** An origin with an optional path of plain segments. The rules of redirect URIs hold for it too: see `applications/from-template.ts`. */
const ProductUrl = text(longest_product_url)
  .regex(
    /^https?:\/\/[^/?#\\@\s]+(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)*$/,
    'Expected the address of the product, such as https://grafana.example.com: scheme, host and an optional path of letters, digits and ._~-, without a slash at the end.',
  )
  .meta({ pattern: '^https?://[^/?#@]+(/[A-Za-z0-9._~-]+)*$', examples: ['https://grafana.example.com'] })

/** A body without a template needs these fields. */
const without_template = ['name', 'application_type', 'redirect_uris'] as const

const NewFields = z.strictObject({
  slug: slugs.created,
  template: Slug.nullable()
    .optional()
    .describe(
      'The slug of a template: `GET /v1/application-templates` lists them. Fields that the body does not have come from it; it needs `url`, unless the body has `redirect_uris`.',
    ),
  url: ProductUrl.optional().describe('The address of the product, for the addresses of the template. It is not stored.'),
  name: name.optional().describe('The name. Required without a template.'),
  application_type: ApplicationType.optional().describe(
    '`web` keeps a secret on a server, `spa` runs in a browser, `native` on a device. It never changes. Required without a template.',
  ),
  redirect_uris: redirect_uris
    .optional()
    .describe(
      'Where sign-in returns to, 1 to 50 absolute URIs, compared as exact strings. Live needs https, except private-use schemes and loopback of native applications. Required without a template.',
    ),
  ...z.object(optional).partial().shape,
})

type Refinable = Record<string, unknown> | null

const hasTemplate = (body: Refinable) => typeof body?.template === 'string'

export const NewApplication = without_template
  .reduce(
    (schema, field) =>
      schema.refine((body: Refinable) => hasTemplate(body) || body?.[field] !== undefined, {
        path: [field],
        error: required_sentence,
        when: isObject,
      }),
    NewFields,
  )
  .refine((body: Refinable) => !hasTemplate(body) || body?.url !== undefined || body?.redirect_uris !== undefined, {
    path: ['url'],
    error: required_sentence,
    when: isObject,
  })
  .refine((body: Refinable) => hasTemplate(body) || body?.url === undefined, {
    path: ['url'],
    error: 'Only a template uses the address of the product.',
    when: isObject,
  })
export type NewApplication = z.infer<typeof NewApplication>

/** The rules over several fields are checked beside those of one, so that all problems are answered at once. */
function isObject({ value }: { value: unknown }): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const nullable = <S extends z.ZodRawShape>(shape: S) => z.object(shape).partial().shape

/** JSON Merge Patch (RFC 7396): `null` restores the default of a field. */
export const ApplicationChange = z.strictObject({
  slug: slugs.changed,
  ...nullable({
    name,
    redirect_uris,
    post_logout_redirect_uris: fields.post_logout_redirect_uris.nullable(),
    token_endpoint_auth_method: fields.token_endpoint_auth_method.nullable(),
    jwks: fields.jwks,
    jwks_uri: fields.jwks_uri,
    allowed_scopes: fields.allowed_scopes.nullable(),
    unknown_scopes: fields.unknown_scopes.nullable(),
    require_pkce: fields.require_pkce.nullable(),
    nonce_replaces_pkce: fields.nonce_replaces_pkce,
    consent: fields.consent.nullable(),
    backchannel_logout_uri: fields.backchannel_logout_uri,
    initiate_login_uri: fields.initiate_login_uri,
    logo_uri: fields.logo_uri,
    allow_loopback_port: fields.allow_loopback_port.nullable(),
    disabled: fields.disabled.nullable(),
  }),
})
export type ApplicationChange = z.infer<typeof ApplicationChange>

export const applicationFields = {
  id: 'never',
  client_id: 'never',
  tenant_id: 'never',
  project_id: 'never',
  environment_id: 'never',
  slug: 'immutable',
  application_type: 'immutable',
  template: 'immutable',
  name: 'travels',
  redirect_uris: 'owned',
  post_logout_redirect_uris: 'owned',
  token_endpoint_auth_method: 'travels',
  jwks: 'owned',
  jwks_uri: 'owned',
  allowed_scopes: 'travels',
  unknown_scopes: 'travels',
  require_pkce: 'travels',
  nonce_replaces_pkce: 'travels',
  consent: 'travels',
  backchannel_logout_uri: 'owned',
  initiate_login_uri: 'owned',
  logo_uri: 'owned',
  allow_loopback_port: 'travels',
  disabled: 'owned',
  has_client_secret: 'never',
  secret_rotated_at: 'never',
  created_at: 'never',
  updated_at: 'never',
  client_secret: 'never',
} as const satisfies FieldClasses<z.infer<typeof ApplicationWithSecret>>
