// pure
/** The rules for the fields of a resource server that its schema cannot express. */
import type { ResourceServerFields } from '@ostiary/contract/objects/resource-server.ts'

export const identifierProblem = (identifier: string, issuer: string): string | null =>
  identifier === issuer ? 'This is the issuer of the environment, which is an audience of every access token.' : null

export const signingAlgProblem = ({
  access_token_signing_alg,
  access_token_format,
}: Pick<ResourceServerFields, 'access_token_signing_alg' | 'access_token_format'>): string | null =>
  access_token_signing_alg !== 'RS256' && access_token_format === 'opaque'
    ? 'An opaque token is not signed. Choose the format jwt, or RS256.'
    : null
