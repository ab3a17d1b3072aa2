/** The batch of a step of a promotion: the guards, every object with its audit entry and event, the state that is left, and the answer. */
import type { EventKind } from '@ostiary/contract/event.ts'
import type { PlannedChange } from '@ostiary/contract/promotion.ts'
import type { Statement } from '../../db/db.ts'
import { sealed_columns } from '../../deployment/secrets/sealed-columns.ts'
import { objectsAfter } from '../../domain/configuration/checks.ts'
import { documentSteps } from '../../domain/configuration/document.ts'
import { changeSteps, type Drafts, storedPatch } from '../../domain/configuration/drafts.ts'
import { leftSteps } from '../../domain/configuration/left-state.ts'
import { smtp_password } from '../../domain/configuration/pointers.ts'
import type { Read } from '../../domain/configuration/store.ts'
import { followSettings, modeOf } from '../../domain/metadata-clients/store.ts'
import type { SentSecrets } from '../../domain/promotions/secrets.ts'
import { findPromotedState, keepState, type PromotionRow } from '../../domain/promotions/store.ts'
import { answerText, textsOf } from '../../domain/promotions/text.ts'
import { type WrittenObject, writeSteps } from '../../domain/promotions/write.ts'
import { applySettingsChange, showSettings } from '../../domain/tenancy/settings.ts'
import { haveRoom, holdConfigVersion, holdTenant, raiseConfigVersionFrom, updateSettings } from '../../domain/tenancy/store.ts'
import { roomForWebhook } from '../../domain/webhooks/store.ts'
import { fieldErrors, validationFailed } from '../../http/problem.ts'
import { asText, recordedText } from '../answer.ts'
import type { Call } from '../handler.ts'
import type { Services } from '../services.ts'
import { shownTo } from './rights.ts'

interface StepToWrite {
  readonly promotion: PromotionRow
  readonly target: Read
  /** An end that must not have moved; `null` where there is none. */
  readonly source: Read | null
  readonly drafts: Drafts
  readonly secrets: SentSecrets
  readonly event: Extract<EventKind, `promotion.${string}`>
  /** The guard on the status, with the changes and the ids of what they created, as JSON, and what else goes where nothing changes. */
  readonly mark: (changes: string, has_change: boolean) => readonly Statement[]
  /** The guards on the project, which precedes its promotions in the order of locks. */
  readonly project: readonly Statement[]
  readonly next: Pick<PromotionRow, 'status' | 'revertible'> & Partial<PromotionRow>
  readonly at: Date
}

/** `null` where a guard failed, and nothing happened. */
export async function writeStep(
  services: Services,
  { caller, commit, request_id }: Pick<Call<'applyPromotion'>, 'caller' | 'commit' | 'request_id'>,
  step: StepToWrite,
) {
  const { promotion, target, source, drafts, secrets, event, mark, project, next, at } = step
  const { id: environment_id, configuration } = target
  const { tenant_id } = caller
  const after = { settings: drafts.settings.next, objects: objectsAfter(configuration, drafts) }
  const settings = writeSettings(services, step, tenant_id)
  const by = { actor: caller.actor, request_id }
  const deletes_unused_only = event === 'promotion.reverted'
  const writing = writeSteps(drafts, { services, target, tenant_id, by, sent: secrets, deletes_unused_only, now: at })
  const objects = await services.slices.run(writing)
  const written = [...settings, ...objects]
  const has_change = written.length > 0
  const changes = withIds(promotion.changes, objects)
  const changes_text = (await services.slices.run(textsOf({ changes }))).get('changes') ?? ''
  const left = has_change ? [await keepLeft(services, step, after)] : []
  const of = (...kinds: WrittenObject['object'][]) =>
    objects.filter(({ object }) => kinds.includes(object)).flatMap(({ statements }) => statements)
  const version = configuration.environment.config_version
  const ends: [id: string, Statement][] = [
    [environment_id, has_change ? raiseConfigVersionFrom(environment_id, version, at) : holdConfigVersion(environment_id, version)],
    ...(source ? [[source.id, holdConfigVersion(source.id, source.configuration.environment.config_version)] as [string, Statement]] : []), // as: a pair
  ]
  const answer = shownTo(caller, {
    ...promotion,
    ...next,
    changes,
    stale: false,
    approval: { ...promotion.approval, required: promotion.approval.approved_at !== null },
    updated_at: at.toISOString(),
    version: promotion.version + 1,
    secrets: objects.flatMap(({ secret }) => secret ?? []),
  })
  const { version: next_version, secrets: made, ...members } = answer
  const texts = await services.slices.run(textsOf(members))
  const textWith = (secrets: typeof made | null) => answerText('step', new Map([...texts, ['secrets', JSON.stringify(secrets)]]))
  const done = await commit(
    {
      owner: environment_id,
      first: [...roomForNew(services, step, objects, tenant_id), ...project],
      statements: [
        ...ends.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, statement]) => statement),
        ...settings.flatMap(({ statements }) => statements),
        ...of('provider'),
        ...mark(changes_text, has_change),
        ...left,
        ...of('resource_server', 'role', 'application', 'webhook'),
      ],
      before: audited(promotion, { status: promotion.status }),
      after: audited(promotion, { status: next.status }),
      answer: null,
      answer_text: recordedText(textWith(null), next_version),
      object: objectOf(promotion),
      ...(has_change ? { event: { environment_id, type: event, data: eventData(promotion, written) } } : {}),
      also: written.map(({ before, after, event }) => ({ before, after, event: event && { environment_id, ...event } })),
    },
    at,
  )
  return done ? asText(textWith(made), { version: next_version }) : null
}

/** Each step that writes the state raises the version of the target: if the state moves after this reading, the guard on the version fails. */
async function keepLeft(
  { db, slices }: Services,
  { promotion, target, drafts }: StepToWrite,
  after: Parameters<typeof leftSteps>[1]['after'],
) {
  const { id, idOf, configuration } = target
  const { environment } = configuration
  const former = await findPromotedState(db, id)
  return keepState(id, promotion.id, await slices.run(leaving()))

  function* leaving() {
    const changes = yield* changeSteps(drafts, idOf)
    return yield* documentSteps({ environment, ...(yield* leftSteps(former, { type: environment.type, after, changes })) })
  }
}

export const objectOf = ({ id }: PromotionRow) => ({ type: 'promotion', id })

/** The promotion as the audit log shows it: where it is, and what changed. */
export const audited = ({ id, project_id, to_environment_id }: PromotionRow, changed: object) => ({
  id,
  project_id,
  environment_id: to_environment_id,
  ...changed,
})

function withIds(changes: readonly PlannedChange[], objects: readonly WrittenObject[]): PlannedChange[] {
  const keyOf = ({ object, slug }: Pick<PlannedChange, 'object' | 'slug'>) => `${object}/${slug ?? ''}`
  const ids = new Map(objects.map((written) => [keyOf(written), written.id]))
  return changes.map((change) => ({ ...change, id: change.id ?? ids.get(keyOf(change)) ?? null }))
}

function eventData({ id, from_environment_id, note }: PromotionRow, written: readonly WrittenObject[]) {
  const listOf = (which: WrittenObject['action']) =>
    written.filter(({ action }) => action === which).map(({ object, slug, id }) => ({ object, slug, id }))
  return { promotion_id: id, from_environment_id, note, created: listOf('created'), updated: listOf('updated'), deleted: listOf('deleted') }
}

/** Other environments of the tenant share the room of webhooks. That of the other kinds is fixed by the version of the target. */
function roomForNew(
  { config }: Services,
  { target }: StepToWrite,
  objects: readonly WrittenObject[],
  tenant_id: Parameters<typeof holdTenant>[0],
) {
  const count = (which: WrittenObject['action']) => objects.filter(({ object, action }) => object === 'webhook' && action === which).length
  const more = count('created') - count('deleted')
  return more > 0 ? haveRoom(holdTenant(tenant_id), roomForWebhook(tenant_id, target.id, config.limits, more)) : []
}

function writeSettings(
  { config, secrets, root }: Services,
  { target, drafts, secrets: sent, at }: StepToWrite,
  tenant_id: Parameters<typeof updateSettings>[0],
): WrittenObject[] {
  const { settings: row, id } = target
  const patch = storedPatch(row.type, drafts.settings, sent.get('settings', null, smtp_password))
  if (Object.keys(patch).length === 0) return []
  const after = objectsAfter(target.configuration, drafts)
  const outcome = applySettingsChange(row.type, row.settings, patch, {
    seal: (password) => secrets.seal(password, sealed_columns.smtp_password.associatedData(id)),
    allowed: config.webhook_allowed_networks,
    issuer: row.issuer,
    has_provider: [...after.provider.values()].some(({ enabled }) => enabled === true),
    is_root: id === root.environment_id,
  })
  if ('problem' in outcome) throw validationFailed(fieldErrors(outcome.problem))
  if (outcome.changed.length === 0) return []
  return [
    {
      object: 'settings',
      slug: null,
      id: null,
      action: 'updated',
      statements: [
        updateSettings(tenant_id, row, outcome.stored, at),
        ...followSettings(id, modeOf(row), modeOf({ type: row.type, settings: outcome.stored }), at),
      ],
      before: showSettings(row),
      after: showSettings({ ...row, settings: outcome.stored, updated_at: at.toISOString() }),
      event: { type: 'environment.settings_updated', data: { changed: outcome.changed } },
      secret: null,
    },
  ]
}
