/** The columns of the list of users as a spreadsheet. */
import type { User } from '@ostiary/sdk'

const fields = [
  'id',
  'sub',
  'email',
  'email_verified',
  'phone_number',
  'name',
  'given_name',
  'family_name',
  'nickname',
  'preferred_username',
  'locale',
  'zoneinfo',
  'has_password',
  'blocked_at',
  'last_sign_in_at',
  'created_at',
] as const satisfies (keyof User)[]

export const export_head = [...fields, 'roles', 'metadata', 'claims']

export const exportRow = (user: User): string[] => [
  ...fields.map((name) => String(user[name] ?? '')),
  user.roles.join(' '),
  JSON.stringify(user.metadata),
  JSON.stringify(user.claims),
]
