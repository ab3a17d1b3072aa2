/**
 * Promotions: a plan that brings the configuration of one environment, or of a document, to another, and what became of it. A plan is of one
 * moment, and shows every change before it happens.
 */
import { z } from 'zod'
import { ConfigurationDocument } from './configuration.ts'
import { EnvironmentId, ProjectId, PromotionId, TenantId } from './ids.ts'
import { object, pointer, slug } from './kept.ts'
import { object_kinds } from './objects/objects.ts'
import { PromotionCheck } from './promotion-check.ts'
import { characters, PageQuery, Slug, Time, text } from './values.ts'

const most_entries = 1_000

/** A value that belongs to the target. */
export const OwnedValue = z.strictObject({
  object,
  slug: slug.default(null),
  pointer,
  value: z.unknown().describe('The value for the target.'),
})
export type OwnedValue = z.infer<typeof OwnedValue>

export const Planned = z.strictObject({ object, slug: slug.optional(), pointer: pointer.optional() })
export type Planned = z.infer<typeof Planned>

export const Pruned = z.strictObject({
  object: z.enum(object_kinds).describe('The kind of the object.'),
  slug: Slug.describe('The slug of the object.'),
})
export type Pruned = z.infer<typeof Pruned>

const lists = {
  values: z
    .array(OwnedValue)
    .max(most_entries)
    .describe('Values that belong to the target, for its settings and for objects that the source has. Not beside an own document.'),
  only: z.array(Planned).max(most_entries).describe('Plan these alone: objects, or fields of them.'),
  prune: z.array(Pruned).max(most_entries).describe('Delete these objects of the target, which an own document lacks.'),
}

export const NewPromotion = z.strictObject({
  from_environment_id: EnvironmentId.optional().describe('The environment that the configuration comes from. Send this or `document`.'),
  document: ConfigurationDocument.optional().describe(
    'The configuration as a document. A document that names the target, or no environment, is its own: values that belong to it apply as written.',
  ),
  to_environment_id: EnvironmentId.describe('The environment that the configuration is brought to.'),
  values: lists.values.optional(),
  only: lists.only.optional(),
  prune: lists.prune.optional(),
  note: text(500, 1).nullable().optional().describe('A note for people, such as a commit, at most 500 characters.'),
  dry_run: z.boolean().optional().describe('Only plan. Nothing is stored.'),
})
export type NewPromotion = z.infer<typeof NewPromotion>

export const FieldChange = z.strictObject({
  pointer: z.string().describe('The JSON pointer of the field within the object.'),
  from: z.unknown().describe('The value of the target now.'),
  to: z.unknown().describe('The value after the promotion.'),
})
export type FieldChange = z.infer<typeof FieldChange>

export const PlannedChange = z.strictObject({
  object,
  slug,
  id: z.string().nullable().describe('The id of the object in the target; `null` for the settings, and until it is created.'),
  action: z.enum(['create', 'update', 'delete']).describe('What happens to it.'),
  fields: z.array(FieldChange).describe('The fields that change. Secrets appear by name.'),
})
export type PlannedChange = z.infer<typeof PlannedChange>

export const NeededSecret = z.strictObject({
  name: z.string().describe('The name of the secret, as in the document, without the dollar sign and the braces.'),
  object,
  slug,
  pointer: z.string().describe('The JSON pointer of the field within the object.'),
  stored: z.boolean().describe('Whether the target has a secret there, which stays if none is sent.'),
})
export type NeededSecret = z.infer<typeof NeededSecret>

export const LeftAlone = z.strictObject({
  object,
  slug,
  pointer: z.string().nullable().describe('The JSON pointer of the field within the object; `null` for the whole object.'),
  why: z.enum(['kept', 'only_there']).describe('It is meant to differ (`kept`), or only the target has it (`only_there`).'),
  reason: z.string().nullable().describe('The reason of a field that is meant to differ.'),
})
export type LeftAlone = z.infer<typeof LeftAlone>

const Who = z
  .strictObject({
    type: z.enum(['key', 'user']).describe('The type.'),
    id: z.string().describe('The id of the object.'),
    label: z.string().nullable().describe('The label of the key, or the email of the administrator at that time.'),
  })
  .nullable()

const head = {
  id: PromotionId.nullable().describe('The id of the promotion; `null` in a dry run.'),
  tenant_id: TenantId,
  project_id: ProjectId,
  from_environment_id: EnvironmentId.nullable().describe('The environment that the configuration comes from; `null` for a document.'),
  document_environment: z.string().nullable().describe('The environment that the document names; `null` without one.'),
  to_environment_id: EnvironmentId.describe('The environment that the configuration is brought to.'),
  from_config_version: z.int().nullable().describe('The `config_version` of the source at the plan; `null` for a document.'),
  to_config_version: z.int().describe('The `config_version` of the target at the plan.'),
  status: z.enum(['planned', 'applied', 'reverted']).describe('What became of the plan.'),
  stale: z.boolean().describe('Whether the source or the target has changed since the plan.'),
  revertible: z.boolean().describe('Whether the promotion can be reverted.'),
  note: z.string().nullable().describe('A note for people.'),
}

const tail = {
  approval: z
    .strictObject({
      required: z.boolean().describe('Whether another administrator must approve the plan before it is applied.'),
      approved_by: Who.describe('Who approved it; `null` before that.'),
      approved_at: Time.nullable().describe('When it was approved; `null` before that.'),
    })
    .describe('The approval by another administrator.'),
  created_by: Who.describe('Who planned it.'),
  applied_by: Who.describe('Who applied it; `null` before that.'),
  reverted_by: Who.describe('Who reverted it; `null` before that.'),
  applied_at: Time.nullable().describe('When it was applied; `null` before that.'),
  reverted_at: Time.nullable().describe('When it was reverted; `null` before that.'),
  created_at: Time,
  updated_at: Time,
}

export const Promotion = z.strictObject({
  ...head,
  ...lists,
  changes: z.array(PlannedChange).describe('What the promotion changes, in the order in which it is written.'),
  checks: z.array(PromotionCheck).describe('What was found: errors, then warnings.'),
  needed_secrets: z.array(NeededSecret).describe('The secrets that the document names, whose values go with the call that applies it.'),
  left_alone: z.array(LeftAlone).describe('What stays although it differs.'),
  ...tail,
})
export type Promotion = z.infer<typeof Promotion>

/** A secret of 10,000 characters is a long key. */
export const PromotionApply = z.strictObject({
  secrets: z
    .record(z.string(), text(10_000, 1))
    .register(characters, { allowed: 'lines' })
    .optional()
    .describe('The values of the secrets in `needed_secrets`, by their names. One that is stored can be left out.'),
})
export type PromotionApply = z.infer<typeof PromotionApply>

export const MadeSecret = z.strictObject({
  object,
  slug,
  id: z.string().describe('The id of the object in the target.'),
  client_secret: z.string().optional().describe('The client secret of an application.'),
  secret: z.string().optional().describe('The secret of a webhook.'),
})
export type MadeSecret = z.infer<typeof MadeSecret>

export const PromotionWithSecrets = Promotion.extend({
  secrets: z
    .array(MadeSecret)
    .nullable()
    .describe('The secrets that were made, shown once; `null` in a repeat with the same Idempotency-Key.'),
})

export const Left = z.strictObject({ object, slug: slug.default(null), pointer: pointer.optional() })
export type Left = z.infer<typeof Left>

export const PromotionRevert = z.strictObject({
  leave: z.array(Left).max(most_entries).optional().describe('Objects and fields of the promotion that stay as they are now.'),
  dry_run: z.boolean().optional().describe('Only answer what would change, and what stands in the way.'),
})
export type PromotionRevert = z.infer<typeof PromotionRevert>

export const RevertConflict = z.strictObject({
  pointer: z.string().describe('The JSON pointer of the field or the object within a document of the target.'),
  code: z
    .enum(['edited', 'deleted', 'in_use'])
    .describe(
      'It has another value than the promotion set, or was changed after the promotion created it (`edited`); it was deleted (`deleted`); it was created by the promotion and is used (`in_use`).',
    ),
  detail: z.string().describe('What was found, for people. Its wording can change.'),
})
export type RevertConflict = z.infer<typeof RevertConflict>

export const RevertPreview = z.strictObject({
  changes: z.array(PlannedChange).describe('What the revert changes.'),
  conflicts: z.array(RevertConflict).describe('What keeps it from happening. Name it in `leave` to leave it as it is now.'),
  checks: z.array(PromotionCheck).describe('What was found in the target as it would be.'),
})
export type RevertPreview = z.infer<typeof RevertPreview>

export const RevertOutcome = z.union([PromotionWithSecrets, RevertPreview])

export const PromotionInList = z.strictObject({
  ...head,
  summary: z
    .strictObject({
      create: z.int().describe('Objects that are created.'),
      update: z.int().describe('Objects that change, the settings included.'),
      delete: z.int().describe('Objects that are deleted.'),
      errors: z.int().describe('Checks of the level `error`.'),
      warnings: z.int().describe('Checks of the level `warning`.'),
    })
    .describe('The plan in numbers.'),
  ...tail,
})
export type PromotionInList = z.infer<typeof PromotionInList>

export const PromotionQuery = PageQuery.extend({
  status: z.enum(['planned', 'applied', 'reverted']).optional().describe('Only promotions with this status.'),
  to_environment_id: EnvironmentId.optional().describe('Only promotions to this environment.'),
})
