/**
 * Ids: a prefix for the kind of object, `_`, and a UUIDv7 in Crockford base32 (TypeID 0.3). They sort by time of creation and
 * reveal nothing else. A client id is the application's id.
 */
import { z } from 'zod'

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
  mail: 'eml',
  invitation: 'inv',
  request: 'req',
} as const

export type IdPrefix = (typeof prefixes)[keyof typeof prefixes]

/** 26 digits of five bits. The first is at most 7, which leaves 128 bits. */
const suffix = '[0-7][0-9a-hjkmnp-tv-z]{25}'

export const idPattern = (prefix: IdPrefix) => new RegExp(`^${prefix}_${suffix}$`)

function id<P extends IdPrefix>(prefix: P) {
  const pattern = idPattern(prefix)
  return z
    .custom<`${P}_${string}`>((value) => typeof value === 'string' && pattern.test(value), `Expected an id with the prefix ${prefix}_.`)
    .meta({
      type: 'string',
      pattern: pattern.source,
      example: `${prefix}_01m7wwr5ftevtv5yxb47hmb4ht`,
    })
}

export const TenantId = id('ten')
export const ProjectId = id('prj')
export const EnvironmentId = id('env')
export const ApplicationId = id('app')
export const KeyId = id('key')
export const ResourceServerId = id('rs')
export const UserId = id('usr')
export const SessionId = id('ses')
export const GrantId = id('grt')
export const MethodId = id('mth')
export const InvitationId = id('inv')
export const EventId = id('evt')
export const WebhookId = id('whk')
export const ProviderId = id('prv')
export const MessageId = id('msg')
export const AuditEntryId = id('aud')
export const MailId = id('eml')
export const RequestId = id('req')

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
export type EventId = z.infer<typeof EventId>
export type AuditEntryId = z.infer<typeof AuditEntryId>
