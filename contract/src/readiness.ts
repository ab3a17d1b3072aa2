/** Whether an environment is ready for real users, as a list of checks. */
import { z } from 'zod'

/** The codes of the checks. The name and the meaning of a code never change. */
export const readinessCodes = [
  'mail_works',
  'application_exists',
  'https_only',
  'no_try_address',
  'keys_restricted',
  'webhooks_answer',
  'providers_answer',
  'nothing_ends_soon',
  'links_set',
  'two_owners',
  'passkeys_usable',
  'claims_for_products',
  'roles_give_scopes',
  'organizations_exist',
  'agents_get_tokens',
  'real_sign_in',
] as const

export const ReadinessCheck = z.strictObject({
  code: z.enum(readinessCodes).describe('The name of the check.'),
  ok: z.boolean().describe('Whether the environment passes the check now.'),
  applies: z.boolean().describe('Whether there is something to check: without a key, no key has to be restricted. Such a check passes.'),
  level: z.enum(['required', 'recommended']).describe('Whether the environment is not ready without this check, or only better with it.'),
  detail: z.string().describe('What was found and, if the check fails, what to do.'),
  link: z.string().meta({ format: 'uri' }).describe('The URL of the API resource that decides the check.'),
})
export type ReadinessCheck = z.infer<typeof ReadinessCheck>

export const Readiness = z.strictObject({
  ready: z.boolean().describe('Whether every required check passes.'),
  checks: z.array(ReadinessCheck).describe('All checks, always in the same order.'),
})
export type Readiness = z.infer<typeof Readiness>
