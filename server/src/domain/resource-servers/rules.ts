// pure
/** The rules for the fields of a resource server that its schema cannot express. */

export const identifierProblem = (identifier: string, issuer: string): string | null =>
  identifier === issuer ? 'This is the issuer of the environment, which is an audience of every access token.' : null
