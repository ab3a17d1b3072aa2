// pure

/** The grant types that the service promises. The list is closed: a token endpoint answers no other, whatever the service implements. */
export const grantTypeNames = ['authorization_code', 'refresh_token'] as const
