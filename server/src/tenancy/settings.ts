// pure
/** The settings document: what a change makes of it, and how it is shown. Ranges and defaults are the contract's. */
import { notBuilt, type Settings, settingsSchemas } from '@ostiary/contract/settings.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { z } from 'zod'
import { mergePatch } from '../api/merge-patch.ts'

type Document = Record<string, unknown>

export type SettingsOutcome = { stored: Document } | { problem: z.ZodError }

/**
 * Applies a JSON Merge Patch to the values somebody set. What is `null` in the patch goes back to its default.
 * RFC 7396 §2: null removes the member.
 */
export function applySettingsChange(
  type: EnvironmentType,
  stored: Document,
  change: Document,
  seal: (password: string) => string,
): SettingsOutcome {
  const unknown = unknownNames(settingsSchemas[type], change, [])
  if (unknown.length > 0) return { problem: new z.ZodError(unknown) }
  const merged = withoutEmptyGroups(mergePatch(stored, change) as Document) // as: a patch of an object onto an object is an object
  const checked = settingsSchemas[type].safeParse(merged)
  if (!checked.success) return { problem: checked.error }
  const not_built = notBuiltIn(change)
  if (not_built.length > 0) return { problem: new z.ZodError(not_built) }
  const password = passwordOf(change)
  if (password === undefined && sendsPasswordElsewhere(stored, merged)) return { problem: passwordNeeded }
  if (password !== undefined && password.length > longest_password) return { problem: tooLong(['email', 'smtp', 'password']) }
  return { stored: password === undefined ? merged : (mergePatch(merged, { email: { smtp: { password: seal(password) } } }) as Document) } // as: see above
}

/** A stored password belongs to the server it was set for: another host or port, or less protection on the way, needs it again. */
function sendsPasswordElsewhere(stored: Document, merged: Document): boolean {
  const { smtp: before } = settingsSchemas.test.shape.email.parse(stored.email)
  const { smtp: after } = settingsSchemas.test.shape.email.parse(merged.email)
  if (!before?.password || !after?.password) return false
  return after.host.toLowerCase() !== before.host.toLowerCase() || after.port !== before.port || (before.secure && !after.secure)
}

const passwordNeeded = new z.ZodError([
  {
    code: 'custom',
    path: ['email', 'smtp', 'password'],
    message: 'Another mail server, or less protection on the way, needs the password again: send it in the same request.',
    input: undefined,
  },
])

/** What is stored is the sealed text, which is longer than what was sent. */
const longest_password = 1_000

function tooLong(path: string[]): z.ZodError {
  return new z.ZodError([
    {
      code: 'too_big',
      origin: 'string',
      maximum: longest_password,
      path,
      message: `At most ${longest_password} characters.`,
      input: undefined,
    },
  ])
}

/** The values of a document, or of a change of one, that nothing enforces yet. */
function notBuiltIn(document: Document): z.core.$ZodIssue[] {
  return notBuilt.flatMap(({ group, field, values, detail }) => {
    const fields = document[group] as Document | null | undefined // as: groups are objects, or null in a change
    const value = fields?.[field]
    return values.includes(value) ? [{ code: 'custom' as const, path: [group, field], message: detail, input: value }] : []
  })
}

/** The settings that count: what was set, with the defaults of the rest. What nothing enforces counts as its default. */
export function effectiveSettings<T extends EnvironmentType>(type: T, stored: Document): z.output<(typeof settingsSchemas)[T]> {
  const built = notBuiltIn(stored).reduce<unknown>((document, { path: [group, field] }) => {
    return mergePatch(document, { [String(group)]: { [String(field)]: null } })
  }, stored)
  return settingsSchemas[type].parse(built) as z.output<(typeof settingsSchemas)[T]> // as: the schema of this very type
}

/** `null` removes a member, so merging alone would let a name pass that no document can have. */
function unknownNames(schema: z.ZodType, patch: unknown, path: PropertyKey[]): z.core.$ZodIssue[] {
  const object = withoutDefault(schema)
  if (!(object instanceof z.ZodObject) || typeof patch !== 'object' || patch === null || Array.isArray(patch)) return []
  const shape: Record<string, z.ZodType> = object.shape
  const keys = Object.keys(patch).filter((name) => !Object.hasOwn(shape, name))
  const here =
    keys.length > 0 ? [{ code: 'unrecognized_keys' as const, keys, path, message: 'Unknown fields.', input: patch as Document }] : [] // as: just checked
  const below = Object.entries(patch).flatMap(([name, value]) => {
    const type = Object.hasOwn(shape, name) ? shape[name] : undefined
    return type ? unknownNames(type, value, [...path, name]) : []
  })
  return [...here, ...below]
}

/** The schema of a value that is there. */
function withoutDefault(schema: z.ZodType): z.ZodType {
  const { innerType } = schema.def as { innerType?: z.ZodType } // as: the public, untyped introspection of zod
  return innerType ? withoutDefault(innerType) : schema
}

/** A group of which nothing is set is the same as none: all its defaults. */
function withoutEmptyGroups(document: Document): Document {
  return Object.fromEntries(Object.entries(document).filter(([, value]) => JSON.stringify(value) !== '{}'))
}

/** A password that this change sets: it is checked as it came, and stored sealed. */
function passwordOf(change: Document): string | undefined {
  const { email } = change as { email?: { smtp?: { password?: unknown } | null } | null } // as: reading only what may be there
  const password = email?.smtp?.password
  return typeof password === 'string' ? password : undefined
}

/** The whole document with its defaults. A password says only that it is set; `test` does not apply in Live. */
export function showSettings(row: {
  type: EnvironmentType
  settings: Document
  project_id: string
  environment_id: string
  updated_at: string
}): Settings {
  const { email, ...groups } = effectiveSettings(row.type, row.settings)
  const { password, ...smtp } = email.smtp ?? {}
  return {
    test: null,
    ...groups,
    email: { ...email, smtp: email.smtp && { ...(smtp as Omit<typeof email.smtp, 'password'>), has_password: password !== undefined } }, // as: the same object without its password
    project_id: row.project_id,
    environment_id: row.environment_id,
    updated_at: row.updated_at,
  } as Settings // as: deliveries of both types are among those of Settings
}
