/** The client secrets of an application: at most two, so that one is replaced without a refused call. */
import { z } from 'zod'
import { ClientSecretId } from './ids.ts'
import { Moment, Name, Time } from './values.ts'

export const most_client_secrets = 2

const label = Name.nullable().describe('A name for people, 1 to 100 characters.')
const expiry = 'When the secret stops working; `null` if it does not expire.'

export const ClientSecret = z.strictObject({
  id: ClientSecretId,
  label,
  created_at: Time,
  expires_at: Time.nullable().describe(expiry),
  last_used_at: Time.nullable().describe('When a call last authenticated with the secret; `null` if none did.'),
})
export type ClientSecret = z.infer<typeof ClientSecret>

/** The response of the creation: the only one with the plaintext. A repeat with the same Idempotency-Key has `null`. */
export const ClientSecretWithPlaintext = ClientSecret.extend({
  client_secret: z
    .string()
    .nullable()
    .describe('The plaintext of the secret, returned once; `null` in a repeat with the same Idempotency-Key.'),
})

export const NewClientSecret = z.strictObject({
  label: label.optional(),
  expires_at: Moment.nullable().optional().describe(`${expiry} It lies in the future.`),
})
