/** The ends of which the service warns. */
export const expiringKinds = ['client_secret', 'auth_key', 'platform_key', 'provider_secret', 'certificate'] as const
export type ExpiringKind = (typeof expiringKinds)[number]
