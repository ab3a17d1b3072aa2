// pure
import { isRecord } from './record.ts'

/**
 * JSON Merge Patch (RFC 7396 §2): returns `target` with `patch` applied and modifies neither. All members are written as own
 * properties, so that names such as `__proto__` and `constructor` cannot reach a prototype.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch
  const merged = new Map(Object.entries(isRecord(target) ? target : {}))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else merged.set(name, mergePatch(merged.get(name), value))
  }
  return Object.fromEntries(merged)
}
