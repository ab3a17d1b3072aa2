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
  published_at: Time.describe('When the key was added to the JWKS.'),
  readers: z
    .array(
      z.strictObject({
        source: z
          .string()
          .describe('A network, an IPv4 /24 or an IPv6 /48, with the first word of the user agent.')
          .meta({ examples: ['203.0.113.0/24 node'] }),
        last_read_at: Time.describe('When it last read the JWKS.'),
        has_next: z.boolean().describe('Whether it has read the JWKS since the key was published.'),
      }),
    )
    .describe(
      'Of the next key: who read the JWKS in the last 24 hours, at most 100, the latest first. A proxy or a cache reads for those behind it. Empty for other keys.',
    ),
  created_at: Time,
  updated_at: Time,
})

export const RotationQuery = z.object({
  now: z
    .enum(['true', 'false'])
    .default('false')
    .describe(
      'With `true` the next key that is published signs at once, without waiting until every cached JWKS has expired: tokens are refused by every program that has not read it. Where none waits, the answer is 409.',
    ),
  alg: SigningAlg.default('RS256').describe('The algorithm whose next key is published: `RS256` or `ES256`. The default is `RS256`.'),
})
