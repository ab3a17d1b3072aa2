/** Scopes of OpenID Connect in words. A scope of a resource server is shown as it is. */

// biome-ignore format: this table is read by column
const scopes: Record<string, string> = {
  openid:         'the sign-in',
  profile:        'name and picture',
  email:          'email address',
  phone:          'phone number',
  offline_access: 'access while the person is away',
}

/** Describes the scopes of a grant: `email profile` is "email address, name and picture". */
export const scopesWords = (scope: string): string =>
  scope
    .split(' ')
    .map((one) => scopes[one] ?? one)
    .join(', ')
