// pure
/** The link of an invitation. */
export const invitationUrl = ({ issuer }: { issuer: string }, token: string) => `${issuer}/invitation?token=${token}`
