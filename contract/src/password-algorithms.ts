/** The kinds of password hash: ours (`argon2id` of fixed costs) and those that are taken from other systems. */

export const password_algorithms = [
  'argon2id',
  'bcrypt',
  'pbkdf2-sha1',
  'pbkdf2-sha256',
  'pbkdf2-sha512',
  'scrypt',
  'firebase-scrypt',
] as const
export type PasswordAlgorithm = (typeof password_algorithms)[number]

/** In characters. Longer ones are refused before they are looked at. */
export const longest_password_hash = 1_000
