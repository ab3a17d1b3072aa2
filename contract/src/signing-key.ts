/** The signing keys of an environment: the public key, and the time from which the key signs. */
import { z } from 'zod'
import { EnvironmentId } from './ids.ts'
import { Time } from './values.ts'

export const SigningKey = z.strictObject({
  id: z.string(),
  kid: z.string(),
  environment_id: EnvironmentId,
  state: z.enum(['next', 'current', 'retired']),
  alg: z.literal('RS256'),
  public_jwk: z.record(z.string(), z.string()),
  signs_from: Time,
  created_at: Time,
  updated_at: Time,
})
