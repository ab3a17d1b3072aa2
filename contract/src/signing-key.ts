/** The signing keys of an environment: the public key, and the time from which the key signs. */
import { z } from 'zod'
import { EnvironmentId } from './ids.ts'
import { Time } from './values.ts'

export const SigningAlg = z.enum(['RS256', 'ES256'])
export type SigningAlg = z.infer<typeof SigningAlg>

export const SigningKey = z.strictObject({
  id: z.string().describe('The id of the key, equal to `kid`.'),
  kid: z.string().describe('The key id in the header of a token.'),
  environment_id: EnvironmentId,
  state: z
    .enum(['next', 'current', 'retired'])
    .describe('`next` is published and does not sign yet, `current` signs, `retired` verifies older tokens.'),
  alg: SigningAlg.describe(
    'The signature algorithm: `RS256` of ID tokens, logout tokens and access tokens, `ES256` of access tokens of resource servers that ask for it. Each has its own sequence of keys.',
  ),
  public_jwk: z.record(z.string(), z.string()).describe('The public key as JWK (RFC 7517).'),
  signs_from: Time.describe('The time from which the key signs.'),
  created_at: Time,
  updated_at: Time,
})

export const RotationQuery = z.object({
  alg: SigningAlg.default('RS256').describe('The algorithm whose next key is published: `RS256` or `ES256`. The default is `RS256`.'),
})
