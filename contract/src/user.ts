/** The users of an environment. Tokens name a user by `sub`, routes by the id. The email can change and never identifies a user. */
import { z } from 'zod'
import { DataClaims } from './data-claims.ts'
import { EnvironmentId, ProjectId, TenantId, UserId } from './ids.ts'
import { longest_password_hash } from './password-algorithms.ts'
import { method_kinds } from './sign-in-methods.ts'
import { isTimeZone } from './time-zone.ts'
import { characters, Day, Email, flag, ShortText, Slug, Time, text, VisibleAscii, WebUrl } from './values.ts'
import { withoutUnseen } from './visible.ts'

const unknown_zone = 'Expected a time zone of the IANA database, such as Europe/Zurich.'

/** Claims of OIDC Core §5.1 that a person or a backend can set, as they are stored. Older records can have values that are refused now. */
const profile = {
  name: ShortText.nullable().describe('The full name (OIDC Core §5.1).'),
  given_name: ShortText.nullable().describe('The given name.'),
  family_name: ShortText.nullable().describe('The family name.'),
  nickname: ShortText.nullable().describe('A casual name.'),
  preferred_username: ShortText.nullable().describe('The name by which the user wants to be called. It is not unique.'),
  picture: WebUrl.nullable().describe('The URL of a picture.'),
  locale: text(35)
    .regex(/^[A-Za-z0-9]{1,8}(-[A-Za-z0-9]{1,8})*$/, 'Expected a language tag (BCP 47), such as en or de-CH.')
    .nullable()
    .describe('The language, such as `en` or `de-CH`.'),
  zoneinfo: z
    .string()
    .regex(/^[A-Za-z0-9_+/-]{1,64}$/, unknown_zone)
    .nullable()
    .describe('The time zone, such as `Europe/Zurich`.'),
}

/** The states of an account that signed up where each waits for an approval. */
export const ApprovalState = z.enum(['waiting', 'approved', 'refused'])
export type ApprovalState = z.infer<typeof ApprovalState>

const VisibleName = ShortText.refine(
  (value) => withoutUnseen(value) !== '',
  'Use at least one visible character, or null for no name.',
).nullable()

/** The same as they are accepted. */
const accepted_profile = {
  ...profile,
  name: VisibleName.describe('The full name (OIDC Core §5.1), with at least one visible character.'),
  given_name: VisibleName.describe('The given name, with at least one visible character.'),
  family_name: VisibleName.describe('The family name, with at least one visible character.'),
  nickname: VisibleName.describe('A casual name, with at least one visible character.'),
  preferred_username: VisibleName.describe(
    'The name by which the user wants to be called, with at least one visible character. It is not unique.',
  ),
  zoneinfo: z
    .string()
    .regex(/^[A-Za-z0-9_+/-]{1,64}$/, { error: unknown_zone, abort: true })
    .refine(isTimeZone, unknown_zone)
    .nullable()
    .describe('The time zone, such as `Europe/Zurich`: a name that the service can show times in, and no offset.'),
}

export const User = z.strictObject({
  id: UserId,
  sub: VisibleAscii.describe(
    'The claim `sub`, by which tokens and events name the user: what was given at the creation, else the `id`. It is compared exactly and never changes. Routes take the `id`.',
  ),
  tenant_id: TenantId,
  project_id: ProjectId,
  environment_id: EnvironmentId,
  email: Email.nullable().describe(
    'The email. It is unique within the environment, ignoring case and the encoding of an international domain, and can change: identify a user by `id`. `null` where another person verified the address of the account as theirs.',
  ),
  email_verified: z.boolean().describe('Whether the user has verified the email.'),
  pending_email: z
    .strictObject({
      email: z.string().describe('The new email.'),
      expires_at: Time.describe('When the change ends unless it is confirmed.'),
    })
    .nullable()
    .describe('A change of the email that the user asked for and that is not confirmed at both ends yet; `null` if there is none.'),
  phone_number: z.string().nullable().describe('The phone number in E.164 format.'),
  phone_number_verified: z.boolean().describe('Whether the user has verified the phone number.'),
  ...profile,
  metadata: z.record(z.string(), z.unknown()).describe('Your own data, an object of at most 16 KiB. No token carries it.'),
  claims: z.record(z.string(), z.unknown()).describe('Data for tokens that ask for it.'),
  roles: z
    .array(Slug)
    .describe('The roles that were given to the user, by slug and in order of slug. Roles that every user has are not among them.'),
  has_password: z.boolean().describe('Whether the user can sign in with a password.'),
  approval: z
    .strictObject({
      state: ApprovalState.describe('`waiting` for an approval, `approved` or `refused`.'),
      at: Time.describe('The time of this state.'),
    })
    .nullable()
    .describe('The approval of an account of a sign-up that had to wait; `null` for an account that never waited.'),
  deletes_at: Time.nullable().describe(
    'When the account is erased, which was deleted and can be restored until then; `null` while it is not deleted.',
  ),
  blocked_at: Time.nullable().describe('When the user was blocked; `null` while the user can sign in.'),
  last_sign_in_at: Time.nullable().describe('When the user last signed in; `null` if never.'),
  created_at: Time,
  updated_at: Time,
})
export type User = z.infer<typeof User>

const metadata = z
  .record(z.string(), z.unknown())
  .refine((value) => new TextEncoder().encode(JSON.stringify(value)).length <= 16_384, 'Use at most 16 KiB of metadata, as JSON.')
  .describe('Your own data, an object of at most 16 KiB. No token carries it.')

/** How many roles a user can be given. The roles that every user has are not counted. */
const most_roles = 20

const given_roles = z
  .array(Slug)
  .max(most_roles, { abort: true })
  .describe(
    `The roles of the user, by slug: at most ${most_roles}, each once, of the kind \`user\`. The list replaces the one before. Roles that every user has need not be in it.`,
  )
  .superRefine((slugs, context) => {
    slugs.forEach((slug, i) => {
      if (slugs.indexOf(slug) !== i) context.addIssue({ code: 'custom', path: [i], message: 'The list names this role twice.' })
    })
  })

const optional = z.object({
  email_verified: z.boolean().describe('Whether the user has verified the email.'),
  phone_number: z.e164().nullable().describe('The phone number in E.164 format.'),
  phone_number_verified: z.boolean().describe('Whether the user has verified the phone number.'),
  password: z
    .string()
    .min(1)
    .max(1_000)
    .nullable()
    .describe('The password, by the policy of the environment (by default at least 12 characters). It is write-only.'),
  ...accepted_profile,
  metadata,
  claims: DataClaims,
  roles: given_roles,
})

export const NewUser = z.strictObject({
  email: Email,
  sub: VisibleAscii.optional().describe(
    'The claim `sub` of tokens, for a user who has one elsewhere, such as `auth0|507f1f77bcf86cd799439020`. It is compared exactly, never changes, and no other user of the environment has it as `sub` or `id`. Take an identifier and no address: the event of the deletion keeps it. Without it `sub` is the `id`.',
  ),
  ...optional.partial().shape,
  password_hash: z
    .string()
    .min(1)
    .max(longest_password_hash)
    .optional()
    .describe(
      'The hash of the password in another system, in place of `password`: bcrypt, argon2id, PBKDF2, scrypt or the scrypt of Firebase. It is write-only, and a sign-in with the password replaces it.',
    ),
})
export type NewUser = z.infer<typeof NewUser>

export const UserChange = z.strictObject({
  email: Email.optional().describe(
    'The email. It is unique within the environment, ignoring case and the encoding of an international domain, and can change: identify a user by `id`.',
  ),
  ...optional.partial().shape,
  email_verified: z.boolean().nullable().optional().describe('Whether the user has verified the email.'),
  phone_number_verified: z.boolean().nullable().optional().describe('Whether the user has verified the phone number.'),
  metadata: metadata.nullable().optional().describe('Your own data, an object of at most 16 KiB. No token carries it.'),
  claims: z
    .record(z.string(), z.unknown())
    .nullable()
    .optional()
    .describe('Merged with what is stored: `null` takes a name out. The result has the bounds of a new object.'),
  roles: given_roles.nullable().optional(),
})
export type UserChange = z.infer<typeof UserChange>

export const UserDeletionQuery = z.object({
  erase: z
    .enum(['true', 'false'])
    .optional()
    .describe('With `true` the account is erased at once, also one that could be restored. The default is `false`.'),
})

export const UserQuery = z.object({
  email: z
    .string()
    .max(320)
    .optional()
    .describe(
      'The email. It is unique within the environment, ignoring case and the encoding of an international domain, and can change: identify a user by `id`.',
    ),
  sub: VisibleAscii.optional().describe('The `sub` of a user, compared exactly. Without one that was given, the `sub` is the id.'),
  query: z
    .string()
    .max(200)
    .register(characters, { allowed: 'any' })
    .optional()
    .describe(
      'Words that each occur in a word of the email, a name, the phone number, the id or the `sub`, in any case; a word of one or two characters begins it. Or a whole id.',
    ),
  approval: ApprovalState.optional().describe('Only users whose account waits, was approved or was refused.'),
  blocked: flag.optional().describe('Only users who are blocked, or who are not.'),
  email_verified: flag.optional().describe('Only users whose email is verified, or is not.'),
  method: z.enum(method_kinds).optional().describe('Only users with a sign-in method of this kind.'),
  provider_id: z.string().max(100).optional().describe('Only users who can sign in with this provider.'),
  created_from: Day.optional().describe('Only users created on this day or later, in UTC.'),
  created_to: Day.optional().describe('Only users created on this day or earlier, in UTC.'),
  last_seen_from: Day.optional().describe('Only users whose last sign-in was on this day or later, in UTC.'),
  last_seen_to: Day.optional().describe('Only users whose last sign-in was on this day or earlier, in UTC.'),
  never_signed_in: flag.optional().describe('Only users who have never signed in, or who have.'),
  sort: z
    .enum(['created', 'last_sign_in'])
    .default('created')
    .describe(
      'The order: `created` has the newest users first, `last_sign_in` those whose last sign-in was on the latest day, and users without a sign-in last.',
    ),
  role: Slug.optional().describe('The slug of a role: only users to whom it was given. A role that every user has finds nobody by that.'),
})
export type UserQuery = z.infer<typeof UserQuery>
