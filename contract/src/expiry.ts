/** What the service warns of before it ends. */
export const expiringKinds = ['client_secret', 'auth_key', 'platform_key', 'provider_secret', 'certificate'] as const
export type ExpiringKind = (typeof expiringKinds)[number]
