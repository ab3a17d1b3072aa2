// pure
/**
 * The state of a target that promotions left, by which a later plan sees what was edited there since. A step replaces what it wrote and nothing
 * else, so that an edit of another field stays in sight.
 */
import type { PlannedChange } from '@ostiary/contract/promotion.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { isRecord } from '../../base/record.ts'
import type { Steps } from '../../base/steps.ts'
import { byKind, type Configuration, type Fields } from './configuration.ts'
import { valueAt } from './pointers.ts'
import { documentReading } from './read-document.ts'

type State = Pick<Configuration, 'settings' | 'objects'>

/**
 * @param former the document of the state before the step; `null` before the first one. One that cannot be read any more is replaced as a whole
 * @param after  the target as the step leaves it
 */
export function* leftSteps(
  former: Record<string, unknown> | null,
  { type, after, changes }: { readonly type: EnvironmentType; readonly after: State; readonly changes: readonly PlannedChange[] },
): Steps<State> {
  const read = former && (yield* documentReading(former, type))
  if (!read || 'problem' in read) return after
  const { settings, objects } = read.document
  const left = byKind((kind) => new Map(objects[kind]))
  for (const change of changes) {
    const { object, slug, action } = change
    if (object === 'settings' || slug === null) continue
    const next = after.objects[object].get(slug)
    if (!next) left[object].delete(slug)
    else left[object].set(slug, action === 'create' ? next : withWritten(left[object].get(slug) ?? {}, next, change))
    yield
  }
  return {
    settings: changes.reduce(
      (fields, change) => (change.object === 'settings' ? withWritten(fields, after.settings, change) : fields),
      settings,
    ),
    objects: left,
  }
}

const withWritten = (fields: Fields, next: Fields, { fields: written }: PlannedChange): Fields =>
  written.reduce<Fields>((left, { pointer }) => {
    const path = pointer.slice(1).split('/')
    return withValue(left, path, valueAt(next, path) ?? null) as Fields // as: a path has at least one name
  }, fields)

function withValue(fields: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value
  const group = isRecord(fields) ? fields : {}
  return { ...group, [name]: withValue(group[name], rest, value) }
}
