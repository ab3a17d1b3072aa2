/** Applications: the OAuth clients of an environment. The client id is the application's id. */
import { z } from 'zod'
import { Counted } from '../activity.ts'
import { ApplicationId } from '../ids.ts'
import { RolesClaim } from '../jwt-claims.ts'
import { oidcScopes } from '../scopes.ts'
import { required_sentence } from '../sentences.ts'
import { flag, Name, NamedQuery, Slug, slugs, Time, text, WebUrl } from '../values.ts'
import {
  always,
  changeShape,
  creationShape,
  dates,
  type FieldsOf,
  fixed,
  inLive,
  observed,
  owned,
  place,
  recordShape,
  shownOnce,
  travels,
} from './field.ts'
import { choices, explained, OrganizationUse } from './organization-use.ts'

export const ApplicationType = z.enum(['web', 'spa', 'native'])
type ApplicationType = z.infer<typeof ApplicationType>
const TokenEndpointAuthMethod = z.enum(['none', 'client_secret', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'])

/** In characters. */
export const longest_redirect_uri = 2_000

/** The rules of redirect URIs depend on the application type and the environment: see `protocol/redirect-uris.ts` of the server. */
const RedirectUri = z
  .string()
  .min(1)
  .max(longest_redirect_uri)
  .meta({ examples: ['https://app.example.com/callback'] })

/** RFC 7518 §6.2.2, §6.3.2, §6.4.1: the members of a key that only its owner has. */
const private_members = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']
const isPublic = (key: object): boolean => !private_members.some((name) => Object.hasOwn(key, name))

export const PublicKeySet = z
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

const signs_in = 'People who sign in through this application.'

/** The rows in the order of the record. */
export const application = {
  id: observed(ApplicationId),
  client_id: observed(ApplicationId.describe('The client id, equal to `id`.')),
  ...place,
  application_type: fixed(
    ApplicationType.describe('`web` keeps a secret on a server, `spa` runs in a browser, `native` on a device. It never changes.'),
    { label: 'Kind', look: { web: 'Web', spa: 'Browser', native: 'Device' } },
  ),
  template: fixed(
    Slug.nullable().describe(
      'The template of `GET /v1/application-templates` that the application was created by; `null` without one. It never changes.',
    ),
    { label: 'Template', look: 'text', default: null },
  ),
  name: travels(Name, { label: 'Name', look: 'text', affects: 'People who see it on the consent page.' }),
  redirect_uris: owned(
    z
      .array(RedirectUri)
      .min(1)
      .max(50)
      .describe(
        'Where sign-in returns to, 1 to 50 absolute URIs, compared as exact strings. Live needs https, except private-use schemes and loopback of native applications.',
      ),
    {
      label: 'Redirect URIs',
      look: 'list',
      hint: 'Compared as exact strings. Sign-in only ever returns to one of them.',
      affects: `${signs_in} Sign-in returns to these addresses alone.`,
      fresh: inLive('changed'),
    },
  ),
  post_logout_redirect_uris: owned(
    z.array(RedirectUri).max(50).describe('Where sign-out can return to, at most 50, compared as exact strings.'),
    {
      label: 'Addresses after sign-out',
      look: 'list',
      affects: 'People who sign out of this application.',
      fresh: inLive('changed'),
      default: () => [],
    },
  ),
  token_endpoint_auth_method: travels(
    TokenEndpointAuthMethod.describe(
      'How the application authenticates at the token endpoint. `none` for spa and native. The default of web is `client_secret`: the secret in the Authorization header or in the body, never in both. `client_secret_basic` takes it in the header alone, `client_secret_post` in the body alone.',
    ),
    {
      label: 'Authentication at the token endpoint',
      look: {
        none: 'None',
        client_secret: 'client_secret: in header or body',
        client_secret_basic: 'client_secret_basic: in the header',
        client_secret_post: 'client_secret_post: in the body',
        private_key_jwt: 'private_key_jwt: signed by its own key',
      },
      hint: 'Where the application sends its secret, or what it signs with. Clients differ in their default, so name it in their settings too.',
      affects: 'The application itself: with its present configuration it gets no more tokens until it authenticates this way.',
      fresh: always('changed'),
      default: (type: ApplicationType) => (type === 'web' ? 'client_secret' : 'none'),
    },
  ),
  jwks: owned(
    PublicKeySet.nullable().describe('The public keys of the application as a key set, for `private_key_jwt`. Set this or `jwks_uri`.'),
    {
      label: 'Public keys (jwks)',
      look: 'json',
      hint: 'A JSON Web Key Set. Never send private keys.',
      affects: 'The application itself: it signs by these keys.',
      fresh: always('changed'),
      default: null,
    },
  ),
  jwks_uri: owned(
    WebUrl.nullable().describe('Where the application publishes its public keys, for `private_key_jwt`. Set this or `jwks`.'),
    {
      label: 'Address of the public keys (jwks_uri)',
      look: 'text',
      hint: 'Set this, or the keys below.',
      affects: 'The application itself: it signs by the keys at this address.',
      fresh: always('changed'),
      default: null,
    },
  ),
  allowed_scopes: travels(
    z.array(z.string().max(200)).max(200).describe('The scopes that the application can request, those of resource servers included.'),
    {
      label: 'Scopes that it may request',
      look: 'words',
      hint: 'Those of resource servers included.',
      affects: `${signs_in} A scope that goes away is refused at once.`,
      fresh: inLive('changed'),
      default: () => [...oidcScopes],
    },
  ),
  unknown_scopes: travels(
    z
      .enum(['reject', 'ignore'])
      .describe(
        'What happens to a scope that neither OpenID Connect nor a resource server of the environment has. `reject` refuses the request with `invalid_scope`; `ignore` leaves it out, and it is never granted. Scopes that are disabled or not allowed are refused in both cases. The default is `reject`.',
      ),
    {
      label: 'Unknown scopes',
      look: { reject: 'Refuse the request', ignore: 'Leave them out' },
      hint: 'A product can ask for scopes of its own, such as groups. Scopes that nothing in this environment has are never granted.',
      affects: `${signs_in} A request with an unknown scope is refused, or goes on without it.`,
      fresh: inLive('changed'),
      default: 'reject',
    },
  ),
  allowed_roles: travels(
    z
      .array(Slug.describe('The slug of a role.'))
      .max(200, { abort: true })
      .refine((slugs) => new Set(slugs).size === slugs.length, 'Each role can be named once.')
      .describe(
        'The slugs of roles of which a person needs one to sign in; empty: everyone can. That of a role that was deleted stays, and nobody holds it.',
      ),
    {
      label: 'Roles that let a person in',
      look: 'words',
      hint: 'Slugs of roles. Empty: everyone gets in.',
      affects: `${signs_in} Without one of these roles they get no token, from the next request on.`,
      fresh: inLive('widened'),
      default: () => [],
    },
  ),
  organizations: travels(OrganizationUse.describe(`Whether people act for an organization in this application. ${explained}`), {
    label: 'Organizations',
    look: choices,
    hint: 'The strictest of the application and of the APIs that it asks for counts.',
    affects: `${signs_in} Where it becomes required, tokens without an organization are refused from the next request on.`,
    fresh: inLive('widened'),
    default: 'none',
  }),
  roles_claim: travels(
    RolesClaim.nullable().describe(
      'The name of the claim of ID tokens and UserInfo that has the slugs of the roles of the person: `roles`, `groups`, or a name of 1 to 60 of a-z, 0-9 and underscore that no standard defines. With it the application can also request the scope `groups`, which gives nothing more. `null`: none.',
    ),
    {
      label: 'Claim with the roles',
      look: 'text',
      hint: 'Such as roles or groups. Empty: the application does not learn the roles.',
      affects: `${signs_in} The application learns their roles from the next token on.`,
      fresh: inLive('changed'),
      default: null,
    },
  ),
  data_claims: travels(
    z
      .boolean()
      .describe(
        'Whether ID tokens and UserInfo carry the `claims` of the user and of the organization, each under its own name; where both have a name, that of the organization counts. The default is false.',
      ),
    {
      label: 'Data in ID tokens and UserInfo',
      look: 'switch',
      hint: 'The claims of the user and of the organization, each under its own name.',
      affects: `${signs_in} The application learns this data from the next token on.`,
      fresh: inLive('changed'),
      default: false,
    },
  ),
  require_pkce: travels(
    z
      .boolean()
      .describe(
        'Whether an authorization request needs PKCE, or a nonce in its place where `nonce_replaces_pkce` is true. The default is true; only a web application can set false. A `code_challenge` that is sent is always enforced.',
      ),
    {
      label: 'Require PKCE',
      look: 'switch',
      hint: 'Switch it off only for an old client that sends neither PKCE nor a nonce.',
      affects: `${signs_in} Without PKCE the application is refused once it is required.`,
      fresh: inLive('changed'),
      default: true,
    },
  ),
  nonce_replaces_pkce: travels(
    z
      .boolean()
      .nullable()
      .describe(
        'Lets an authorization request of a web application with a `nonce` have no `code_challenge` (RFC 9700 §2.1.1). The default is true. It does not apply to spa and native, where it is null.',
      ),
    {
      label: 'A nonce can take the place of PKCE',
      look: 'switch',
      hint: 'For a client that sends a nonce and compares it in the ID token. A code challenge that is sent is enforced all the same.',
      affects: `${signs_in} Where it is off, a request with a nonce but without PKCE is refused.`,
      fresh: inLive('changed'),
      default: (type: ApplicationType) => (type === 'web' ? true : null),
    },
  ),
  consent: travels(
    z
      .enum(['skip', 'ask'])
      .describe(
        '`ask` shows the consent page to each user once; `skip` is for your own applications. The default is `skip`. A native application without an `https` address gets a press of the person in any case.',
      ),
    {
      label: 'Consent',
      look: { skip: 'Skip: the application is your own', ask: 'Ask each person once' },
      affects: signs_in,
      fresh: inLive('changed'),
      default: 'skip',
    },
  ),
  backchannel_logout_uri: owned(
    WebUrl.nullable().describe('Where the service posts a logout token when a session ends (OIDC Back-Channel Logout 1.0).'),
    {
      label: 'Back-channel logout URI',
      look: 'text',
      hint: 'Gets a logout token when a session ends.',
      affects: 'The application itself: it gets a logout token there when a session ends.',
      fresh: inLive('changed'),
      default: null,
    },
  ),
  initiate_login_uri: owned(
    WebUrl.nullable().describe('Where the application starts a sign-in that it did not begin itself (OIDC Core §4).'),
    {
      label: 'Start of a sign-in (initiate_login_uri)',
      look: 'text',
      hint: 'Where people are sent to begin again, for example after an expired page.',
      affects: 'People who begin at the account page.',
      default: null,
    },
  ),
  logo_uri: owned(WebUrl.nullable().describe('The logo on the consent page.'), {
    label: 'Logo on the consent page (logo_uri)',
    look: 'text',
    hint: 'An address of an image. Live takes https only.',
    affects: 'People who see it on the consent page.',
    default: null,
  }),
  allow_loopback_port: travels(
    z
      .boolean()
      .describe(
        'Lets a native application use any port of a registered redirect URI at `127.0.0.1` or `[::1]` (RFC 8252 §7.3). The port of `localhost` is never varied: it is a name, which a device can resolve to another address (§8.3). The default is false.',
      ),
    {
      label: 'Allow any port of a loopback redirect URI',
      look: 'switch',
      hint: 'For programs that listen on a free port of the device, at 127.0.0.1 or [::1]. Not for localhost: it is a name, which a device can resolve to another address.',
      affects: 'Installed copies of the application.',
      fresh: inLive('changed'),
      default: false,
    },
  ),
  disabled: owned(z.boolean().describe('Refuses every request of the application. The default is false.'), {
    label: 'Disabled',
    look: 'switch',
    hint: 'Every request of this application is refused.',
    affects: signs_in,
    fresh: inLive('turned_off'),
    default: false,
  }),
  has_client_secret: observed(z.boolean().describe('Whether the application has a client secret.')),
  secret_rotated_at: observed(Time.nullable().describe('When the client secret was last replaced; `null` if never.')),
  ...dates,
  client_secret: shownOnce(
    z.string().nullable().describe('The client secret, returned once; `null` in a repeat with the same Idempotency-Key.'),
  ),
}

export const Application = z.strictObject(recordShape(application))
export type Application = z.infer<typeof Application>

/** An application in a list that asks for its activity. */
export const ApplicationInList = Application.extend({
  last_sign_in_at: Time.nullable()
    .optional()
    .describe(
      'With `activity` alone: when a person last signed in on the way to the application, within the last 90 days; `null` if nobody did. A person who has a session already enters without a sign-in.',
    ),
  people_30_days: Counted.optional().describe(
    'With `activity` alone: people who signed in on the way to the application in the last 30 days, or entered it by a session and still have a grant of these days.',
  ),
})
export type ApplicationInList = z.infer<typeof ApplicationInList>

export const ApplicationQuery = NamedQuery.extend({
  activity: flag.optional().describe('With `true` each application has `last_sign_in_at` and `people_30_days`.'),
  sort: z
    .enum(['created', 'name'])
    .default('created')
    .describe('The order: `created` has the newest applications first, `name` is that of the alphabet, in any case.'),
})

export type ApplicationFields = FieldsOf<typeof application>

/** The response of create and rotate: the only ones with the client secret. A repeat with the same Idempotency-Key has `null`. */
export const ApplicationWithSecret = Application.extend({ client_secret: application.client_secret.type })

const { template, name, application_type, redirect_uris, ...optional } = creationShape(application)

/** In characters, so that each address of a template stays within `longest_redirect_uri`. */
const longest_product_url = 500

/** An origin with an optional path of plain segments. The rules of redirect URIs apply too: see `domain/applications/from-template.ts`. */
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
  template: template.describe(
    'The slug of a template: `GET /v1/application-templates` lists them. Fields that the body does not have come from it; it needs `url`, unless the body has `redirect_uris`.',
  ),
  url: ProductUrl.optional().describe('The address of the product, for the addresses of the template. It is not stored.'),
  name: name.optional().describe('The name. Required without a template.'),
  application_type: application_type
    .optional()
    .describe(
      '`web` keeps a secret on a server, `spa` runs in a browser, `native` on a device. It never changes. Required without a template.',
    ),
  redirect_uris: redirect_uris
    .optional()
    .describe(
      'Where sign-in returns to, 1 to 50 absolute URIs, compared as exact strings. Live needs https, except private-use schemes and loopback of native applications. Required without a template.',
    ),
  ...optional,
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

/** JSON Merge Patch (RFC 7396): `null` restores the default of a field. */
export const ApplicationChange = z.strictObject({ ...changeShape(application) })
export type ApplicationChange = z.infer<typeof ApplicationChange>
