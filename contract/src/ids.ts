/**
 * Ids: a prefix for the kind of object, `_`, and a UUIDv7 in Crockford base32 (TypeID 0.3). They sort by time of creation and
 * reveal nothing else. A client id is the application's id.
 */
import { z } from 'zod'
import { required_sentence } from './sentences.ts'

export const prefixes = {
  tenant: 'ten',
  project: 'prj',
  environment: 'env',
  application: 'app',
  key: 'key',
  resource_server: 'rs',
  provider: 'prv',
  webhook: 'whk',
  message: 'msg',
  event: 'evt',
  audit_entry: 'aud',
  user: 'usr',
  session: 'ses',
  grant: 'grt',
  method: 'mth',
  trusted_browser: 'tbr',
  mail: 'eml',
  invitation: 'inv',
  request: 'req',
  promotion: 'pro',
  role: 'rol',
  organization: 'org',
  organization_invitation: 'oiv',
  metadata_client: 'mcl',
  client_secret: 'sec',
  user_job: 'ujb',
} as const

export type IdPrefix = (typeof prefixes)[keyof typeof prefixes]

/** 26 digits of five bits. The first is at most 7, which leaves 128 bits. */
const suffix = '[0-7][0-9a-hjkmnp-tv-z]{25}'

export const idPattern = (prefix: IdPrefix) => new RegExp(`^${prefix}_${suffix}$`)

function id<P extends IdPrefix>(prefix: P, description: string) {
  const pattern = idPattern(prefix)
  return z
    .custom<`${P}_${string}`>((value) => typeof value === 'string' && pattern.test(value), {
      error: ({ input }) => (input === undefined ? required_sentence : `Expected an id with the prefix ${prefix}_.`),
    })
    .meta({
      type: 'string',
      description,
      pattern: pattern.source,
      examples: [`${prefix}_01m7wwr5ftevtv5yxb47hmb4ht`],
    })
}

const of_client = new RegExp(`^(${prefixes.application}|${prefixes.metadata_client})_${suffix}$`)
/** The client of a grant. */
export const ClientRef = z
  .custom<`app_${string}` | `mcl_${string}`>((value) => typeof value === 'string' && of_client.test(value), {
    error: ({ input }) => (input === undefined ? required_sentence : 'Expected the id of an application or of a metadata client.'),
  })
  .meta({
    type: 'string',
    description: 'The id of an application, or of a metadata client.',
    pattern: of_client.source,
    examples: ['app_01m7wwr5ftevtv5yxb47hmb4ht'],
  })

export const TenantId = id('ten', 'The id of a tenant.')
export const ProjectId = id('prj', 'The id of a project.')
export const EnvironmentId = id('env', 'The id of an environment.')
export const ApplicationId = id('app', 'The id of an application, which is its client id.')
export const KeyId = id('key', 'The id of an API key.')
export const ResourceServerId = id('rs', 'The id of a resource server.')
export const UserId = id('usr', 'The id of a user. It is also the `sub` in tokens, unless the user was created with a `sub`.')
export const SessionId = id('ses', 'The id of a session, the `sid` of tokens.')
export const GrantId = id('grt', 'The id of a grant.')
export const MethodId = id('mth', 'The id of a sign-in method.')
export const TrustedBrowserId = id('tbr', 'The id of a trusted browser.')
export const InvitationId = id('inv', 'The id of an invitation.')
export const EventId = id('evt', 'The id of an event.')
export const WebhookId = id('whk', 'The id of a webhook.')
export const ProviderId = id('prv', 'The id of an identity provider.')
export const MessageId = id('msg', 'The id of a message to a webhook.')
export const AuditEntryId = id('aud', 'The id of an audit entry.')
export const MailId = id('eml', 'The id of a captured mail.')
export const PromotionId = id('pro', 'The id of a promotion.')
export const RoleId = id('rol', 'The id of a role.')
export const OrganizationId = id('org', 'The id of an organization.')
export const OrganizationInvitationId = id('oiv', 'The id of an invitation to an organization.')
export const MetadataClientId = id('mcl', 'The id of a metadata client.')
export const ClientSecretId = id('sec', 'The id of a client secret.')
export const UserJobId = id('ujb', 'The id of a job over users.')
export const RequestId = id('req', 'The id of a request: its X-Request-Id.')

export type TenantId = z.infer<typeof TenantId>
export type ProjectId = z.infer<typeof ProjectId>
export type EnvironmentId = z.infer<typeof EnvironmentId>
export type ApplicationId = z.infer<typeof ApplicationId>
export type MethodId = z.infer<typeof MethodId>
export type KeyId = z.infer<typeof KeyId>
export type ResourceServerId = z.infer<typeof ResourceServerId>
export type UserId = z.infer<typeof UserId>
export type SessionId = z.infer<typeof SessionId>
export type GrantId = z.infer<typeof GrantId>
export type InvitationId = z.infer<typeof InvitationId>
export type OrganizationId = z.infer<typeof OrganizationId>
export type EventId = z.infer<typeof EventId>
export type AuditEntryId = z.infer<typeof AuditEntryId>
