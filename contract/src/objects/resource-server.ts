/** Resource servers: the APIs that access tokens of an environment can be issued for (RFC 8707), each with its scopes. */
import { z } from 'zod'
import { ResourceServerId } from '../ids.ts'
import { RolesClaim } from '../jwt-claims.ts'
import { oidcScopes } from '../scopes.ts'
import { TokenFormat } from '../settings.ts'
import { SigningAlg } from '../signing-key.ts'
import { Name, ShortText, slugs, text } from '../values.ts'
import { changeShape, creationShape, dates, type FieldsOf, fixed, observed, owned, place, recordShape, travels } from './field.ts'
import { choices, explained, OrganizationUse } from './organization-use.ts'

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
  .describe('The scopes of the API, at most 200.')
  .superRefine((scopes, context) => {
    const names = scopes.map(({ name }) => name)
    names.forEach((name, i) => {
      if (names.indexOf(name) !== i)
        context.addIssue({ code: 'custom', path: [i, 'name'], message: 'An earlier scope of the list has the same name.' })
    })
  })

const Ttl = z.int().min(60).max(86_400)

/** The rows in the order of the record. */
export const resource_server = {
  id: observed(ResourceServerId),
  ...place,
  identifier: fixed(
    Identifier,
    {
      label: 'Identifier',
      look: 'text',
      hint: 'An absolute URI: resource in requests, aud in tokens. It never changes.',
    },
    'owned',
  ),
  name: travels(Name, { label: 'Name', look: 'text', affects: 'People who see it on the consent page.' }),
  scopes: travels(Scopes, {
    label: 'Scopes',
    look: 'scopes',
    hint: 'The name, then what it allows.',
    affects: 'Applications that request these scopes. A scope that goes away is refused at once.',
    default: () => [],
  }),
  access_token_ttl_seconds: travels(
    Ttl.nullable().describe('The lifetime of its access tokens in seconds, 60 to 86,400; `null` uses the settings of the environment.'),
    {
      label: 'Lifetime of access tokens',
      look: 'seconds',
      hint: '1 min to 1 d. Empty: that of the settings.',
      affects: 'Tokens that are issued from then on. Those already issued keep their time.',
      default: null,
    },
  ),
  access_token_format: travels(
    TokenFormat.describe(
      '`jwt` can be verified without a call; `opaque` needs the validation call and can be shorter. The default is `jwt`.',
    ),
    {
      label: 'Format of access tokens',
      look: { jwt: 'JWT: the API checks it itself', opaque: 'Opaque: the API asks the service' },
      affects: 'This resource server, from the next token on.',
      default: 'jwt',
    },
  ),
  access_token_signing_alg: travels(
    SigningAlg.describe(
      'The algorithm that signs its access tokens: `RS256` or `ES256`. A token for several resource servers is ES256 where all of them say so. The key of ES256 is published at once and signs ten minutes later, in Test at once; until then tokens are RS256. It needs `access_token_format` `jwt`. The default is `RS256`.',
    ),
    {
      label: 'Signature of access tokens',
      look: { RS256: 'RS256: every library checks it', ES256: 'ES256: shorter, and cheaper to sign' },
      hint: 'The API has to accept ES256 before it is chosen.',
      affects: 'This resource server, from the next token on.',
      default: 'RS256',
    },
  ),
  require_roles: travels(
    z
      .boolean()
      .describe(
        'Whether a scope of it is given only to a person whose roles give it. A token has the part of its scope that the roles give when it is issued. The default is false.',
      ),
    {
      label: 'Require roles',
      look: 'switch',
      hint: 'A person gets a scope of it only by a role that gives the scope.',
      affects: 'People who use this API, from the next request on: without a role they get none of its scopes.',
      default: false,
    },
  ),
  organizations: travels(OrganizationUse.describe(`Whether people act for an organization at this API. ${explained}`), {
    label: 'Organizations',
    look: choices,
    hint: 'The strictest of the application and of the APIs that it asks for counts.',
    affects: 'People who use this API. Where it becomes required, tokens without an organization are refused from the next request on.',
    default: 'none',
  }),
  roles_claim: travels(
    RolesClaim.nullable().describe(
      'The name of the claim of its access tokens that has the slugs of the roles of the person: `roles`, `groups`, or a name of 1 to 60 of a-z, 0-9 and underscore that no standard defines. A token for several resource servers has it where all of them name the same one. `null`: none.',
    ),
    {
      label: 'Claim with the roles',
      look: 'text',
      hint: 'Such as roles or groups. Empty: access tokens do not name roles.',
      affects: 'This resource server, from the next token on.',
      default: null,
    },
  ),
  data_claims: travels(
    z
      .boolean()
      .describe(
        'Whether its access tokens carry the `claims` of the user and of the organization, each under its own name; where both have a name, that of the organization counts. A token for several resource servers carries them where all of them say so. The default is false.',
      ),
    {
      label: 'Data in access tokens',
      look: 'switch',
      hint: 'The claims of the user and of the organization, each under its own name.',
      affects: 'This resource server, from the next token on.',
      default: false,
    },
  ),
  allow_metadata_clients: owned(
    z
      .boolean()
      .describe(
        'Whether clients that nobody registered may ask for its access tokens, where the setting `oauth.metadata_clients` lets them in. The default is false.',
      ),
    {
      label: 'Clients by address',
      look: 'switch',
      hint: 'Programs that nobody registered can ask people for access to this API.',
      affects: 'Programs that connect by their address. Turned off, they get no new token of this API.',
      advice: 'Decide it for Live',
      default: false,
    },
  ),
  ...dates,
}

export const ResourceServer = z.strictObject(recordShape(resource_server))
export type ResourceServer = z.infer<typeof ResourceServer>
export type ResourceServerFields = FieldsOf<typeof resource_server>

const { name, ...defaulted } = changeShape(resource_server)

/** `null` is the default of a field here too. */
export const NewResourceServer = z.strictObject({ slug: slugs.created, ...creationShape(resource_server), ...defaulted })
/** The identifier is immutable, because issued tokens and applications refer to it. */
export const ResourceServerChange = z.strictObject({ name, ...defaulted })
