/** The checks of a plan: errors, which keep it from being applied, and warnings. Errors of the API name them too. */
import { z } from 'zod'
import { object, slug } from './kept.ts'

export const PromotionCheckCode = z.enum([
  'value_required',
  'not_valid_there',
  'type_differs',
  'identifier_taken',
  'unknown_scope',
  'unknown_resource_server',
  'unknown_role',
  'quota_exceeded',
  'secret_required',
  'too_many_changes',
  'edited_there',
  'begins_disabled',
  'secret_made',
  'secret_ends',
  'people_lose_way_in',
  'people_gain_access',
  'people_lose_access',
  'looks_like_rename',
  'irreversible',
])
export type PromotionCheckCode = z.infer<typeof PromotionCheckCode>

export const PromotionCheck = z.strictObject({
  code: PromotionCheckCode.describe('What was found. The name never changes.'),
  level: z.enum(['error', 'warning']).describe('An error keeps the plan from being applied.'),
  object,
  slug,
  pointer: z.string().nullable().describe('The JSON pointer of the field within the object; `null` for the object as a whole.'),
  detail: z.string().describe('What to do, for people. Its wording can change.'),
})
export type PromotionCheck = z.infer<typeof PromotionCheck>
