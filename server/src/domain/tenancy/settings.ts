// pure
/** Changes the settings document of an environment and shows it with its defaults. The contract has the ranges and defaults. */
import { type Settings, type StoredSettings, settingsSchemas } from '@ostiary/contract/settings.ts'
import { switched_methods } from '@ostiary/contract/sign-in-methods.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { z } from 'zod'
import { changedFields } from '../../base/changed-fields.ts'
import { mergePatch } from '../../base/merge-patch.ts'
import type { Network } from '../../base/networks.ts'
import { emailProblems, passwordOf, passwordProblems } from './email-settings.ts'
import { passkeyProblems } from './passkey-settings.ts'

type Document = Record<string, unknown>

/** The facts that the settings are validated against. */
interface Surroundings {
  seal: (password: string) => string
  allowed: readonly Network[]
  issuer: string
  /** A provider is enabled. */
  has_provider: boolean
  /** Whether it is the environment of the deployment itself; absent: it is not. */
  is_root?: boolean
}

/** @property changed the names of the groups whose stored values differ */
export type SettingsOutcome = { stored: Document; changed: string[] } | { problem: z.ZodError }

/**
 * Applies a JSON Merge Patch to the stored values. `null` in the patch resets a value to its default (RFC 7396 §2: null removes the
 * member).
 */
export function applySettingsChange(
  type: EnvironmentType,
  stored: Document,
  change: Document,
  { seal, allowed, issuer, has_provider, is_root = false }: Surroundings,
): SettingsOutcome {
  const unknown = unknownNames(settingsSchemas[type], change, [])
  if (unknown.length > 0) return { problem: new z.ZodError(unknown) }
  const merged = withoutEmptyGroups(mergePatch(stored, change) as Document) // as: a patch of an object onto an object is an object
  const checked = settingsSchemas[type].safeParse(merged)
  if (!checked.success) return { problem: checked.error }
  const problems = [
    ...passwordProblems(change),
    ...emailProblems(stored, merged, change, allowed),
    ...codeProblems(type, merged),
    ...approvalProblems(type, merged),
    ...mfaProblems(type, merged),
    ...(change.sign_in === undefined || has_provider ? [] : methodProblems(type, merged)),
    ...passkeyProblems(type, issuer, merged, change),
    ...(is_root ? rootProblems(stored, merged) : []),
  ]
  if (problems.length > 0) return { problem: new z.ZodError(problems) }
  const password = passwordOf(change)
  const sealed = password === undefined ? merged : (mergePatch(merged, { email: { smtp: { password: seal(password) } } }) as Document) // as: see above
  return { stored: sealed, changed: changedFields(Object.keys(settingsSchemas[type].shape), stored, sealed) }
}

/** Finds a way in that leads nowhere: codes are emailed. It is judged across groups, whichever of them changes. */
function codeProblems(type: EnvironmentType, merged: Document): z.core.$ZodIssue[] {
  const { sign_in, email } = settingsSchemas[type].parse(merged)
  if (!sign_in.email_code || email.delivery !== 'none') return []
  const message = 'Emailed codes need mail. Set email.delivery in the same request, or leave sign_in.email_code at false.'
  return [{ code: 'custom', path: ['sign_in', 'email_code'], message, input: true }]
}

/** People learn by mail what became of their account. */
function approvalProblems(type: EnvironmentType, merged: Document): z.core.$ZodIssue[] {
  const { sign_up, email } = settingsSchemas[type].parse(merged)
  if (sign_up.mode !== 'approval' || email.delivery !== 'none') return []
  const message = 'Approvals need mail. Set email.delivery in the same request, or choose another sign_up.mode.'
  return [{ code: 'custom', path: ['sign_up', 'mode'], message, input: 'approval' }]
}

/** A required second factor needs a kind that a sign-in can enrol. */
function mfaProblems(type: EnvironmentType, merged: Document): z.core.$ZodIssue[] {
  const { mfa, sign_in, passkeys } = effectiveSettings(type, merged)
  if (mfa.mode !== 'required') return []
  const problem = (path: string[], message: string): z.core.$ZodIssue => ({ code: 'custom', path, message, input: undefined })
  const of_kind = 'mfa.mode required needs a second factor that people can enrol: mfa.totp or sign_in.passkey.'
  const of_passkeys = 'A passkey that a browser creates by itself is not a second factor, and mfa.mode is required.'
  return [
    ...(mfa.totp || sign_in.passkey ? [] : [problem(['mfa', 'mode'], of_kind)]),
    ...(passkeys.automatic ? [problem(['passkeys', 'automatic'], of_passkeys)] : []),
  ]
}

/**
 * Only command lines and the dashboard sign in to the root environment, each with openid, and administrators grant nothing to other programs.
 * They use every factor at each sign-in.
 */
function rootProblems(stored: Document, merged: Document): z.core.$ZodIssue[] {
  const message = 'The root environment is for administrators alone, and this group cannot be changed there.'
  const problem = (path: string[], text: string, input?: unknown): z.core.$ZodIssue => ({ code: 'custom', path, message: text, input })
  const closed = changedFields(['oauth', 'users'], stored, merged).map((name) => problem([name], message))
  const { sign_up, mfa } = settingsSchemas.live.parse(merged)
  const by_invitation = 'Administrators are invited to the root environment, so nobody waits for an approval there.'
  const every_factor = 'In the root environment every sign-in of an administrator asks for the second factor.'
  return [
    ...closed,
    ...(sign_up.mode === 'approval' ? [problem(['sign_up', 'mode'], by_invitation, 'approval')] : []),
    ...(mfa.remember_days > 0 ? [problem(['mfa', 'remember_days'], every_factor, mfa.remember_days)] : []),
  ]
}

/** An environment without an enabled provider needs a method of its own. */
function methodProblems(type: EnvironmentType, merged: Document): z.core.$ZodIssue[] {
  if (offersOwnMethod(effectiveSettings(type, merged))) return []
  const message =
    'This leaves no way to sign in: no method is on and no provider is enabled. Leave a method on, or enable a provider first.'
  return [{ code: 'custom', path: ['sign_in'], message, input: undefined }]
}

/** Whether a method of the environment itself is on. */
export const offersOwnMethod = ({ sign_in }: Pick<StoredSettings, 'sign_in'>): boolean => switched_methods.some((method) => sign_in[method])

/** Returns the settings in effect: the stored values and the defaults of the rest. */
export function effectiveSettings<T extends EnvironmentType>(type: T, stored: Document): z.output<(typeof settingsSchemas)[T]> {
  return settingsSchemas[type].parse(stored) as z.output<(typeof settingsSchemas)[T]> // as: the schema of this type
}

/** Finds unknown names in a patch. Merging alone would accept an unknown name whose value is `null`. */
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

/** Returns the schema of a value that is present. */
function withoutDefault(schema: z.ZodType): z.ZodType {
  const { innerType } = schema.def as { innerType?: z.ZodType } // as: the public, untyped introspection of zod
  return innerType ? withoutDefault(innerType) : schema
}

/** Removes groups without values. An empty group and a missing one both have all defaults. */
function withoutEmptyGroups(document: Document): Document {
  return Object.fromEntries(Object.entries(document).filter(([, value]) => JSON.stringify(value) !== '{}'))
}

/** Shows the whole document with its defaults. Shows only whether a password is set. Fields of the other type are `null`. */
export function showSettings(row: {
  type: EnvironmentType
  settings: Document
  project_id: string
  environment_id: string
  updated_at: string
}): Settings {
  const { email, sign_in, ...groups } = effectiveSettings(row.type, row.settings)
  const { password, ...smtp } = email.smtp ?? {}
  return {
    test: null,
    ...groups,
    sign_in: { passkey_shared_host: null, ...sign_in },
    email: { ...email, smtp: email.smtp && { ...(smtp as Omit<typeof email.smtp, 'password'>), has_password: password !== undefined } }, // as: the same object without its password
    project_id: row.project_id,
    environment_id: row.environment_id,
    updated_at: row.updated_at,
  } as Settings // as: Settings allows the deliveries of both types
}
