/** The users of an environment. `sub` is the id of the user. The email can change and never identifies a user. */
import { z } from 'zod'
import { EnvironmentId, ProjectId, TenantId, UserId } from './ids.ts'
import { characters, Email, ShortText, Time, text, WebUrl } from './values.ts'

/** Claims of OIDC Core §5.1 that a person or a backend can set. */
const profile = {
  name: ShortText.nullable(),
  given_name: ShortText.nullable(),
  family_name: ShortText.nullable(),
  nickname: ShortText.nullable(),
  preferred_username: ShortText.nullable(),
  picture: WebUrl.nullable(),
  locale: text(35)
    .regex(/^[A-Za-z0-9]{1,8}(-[A-Za-z0-9]{1,8})*$/, 'Expected a language tag (BCP 47), such as en or de-CH.')
    .nullable(),
  zoneinfo: z
    .string()
    .regex(/^[A-Za-z0-9_+/-]{1,64}$/, 'Expected a time zone of the IANA database, such as Europe/Zurich.')
    .nullable(),
}

export const User = z.strictObject({
  id: UserId,
  tenant_id: TenantId,
  project_id: ProjectId,
  environment_id: EnvironmentId,
  email: Email,
  email_verified: z.boolean(),
  phone_number: z.string().nullable(),
  phone_number_verified: z.boolean(),
  ...profile,
  metadata: z.record(z.string(), z.unknown()),
  has_password: z.boolean(),
  blocked_at: Time.nullable(),
  last_sign_in_at: Time.nullable(),
  created_at: Time,
  updated_at: Time,
})
export type User = z.infer<typeof User>

const metadata = z
  .record(z.string(), z.unknown())
  .refine((value) => new TextEncoder().encode(JSON.stringify(value)).length <= 16_384, 'Use at most 16 KiB of metadata, as JSON.')

const optional = z.object({
  email_verified: z.boolean(),
  phone_number: z.e164().nullable(),
  phone_number_verified: z.boolean(),
  password: z.string().min(1).max(1_000).nullable(),
  ...profile,
  metadata,
})

export const NewUser = z.strictObject({ email: Email, ...optional.partial().shape })
export type NewUser = z.infer<typeof NewUser>

export const UserChange = z.strictObject({
  email: Email.optional(),
  ...optional.partial().shape,
  email_verified: z.boolean().nullable().optional(),
  phone_number_verified: z.boolean().nullable().optional(),
  metadata: metadata.nullable().optional(),
})
export type UserChange = z.infer<typeof UserChange>

export const UserQuery = z.object({
  email: z.string().max(320).optional(),
  query: z.string().max(200).register(characters, { allowed: 'any' }).optional(),
})
