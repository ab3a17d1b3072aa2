// pure
/**
 * Reads a document that a person wrote. A field, object or section that it leaves out stays as it is. Rules that do not need the target are
 * checked here; the plan checks the others.
 */
import { ConfigurationDocument, document_version, documentSchemas } from '@ostiary/contract/configuration.ts'
import { type ObjectKind, object_descriptions, object_kinds } from '@ostiary/contract/objects/objects.ts'
import { sentenceOf } from '@ostiary/contract/sentences.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import type { z } from 'zod'
import { isRecord } from '../../base/record.ts'
import { finish, type Steps } from '../../base/steps.ts'
import { byKind, type Fields } from './configuration.ts'

export interface WrittenDocument {
  /** `null` where the document does not say which environment it is about. */
  readonly environment: string | null
  /** In groups. `null` is the default of a field. */
  readonly settings: Fields
  readonly objects: Readonly<Record<ObjectKind, ReadonlyMap<string, Fields>>>
}

export type ReadDocument = { readonly document: WrittenDocument } | { readonly problem: Pick<z.ZodError, 'issues'> }

/** Whether a document is about the target itself. Any other one is a source: what belongs to its environment is never copied. */
export const isOwn = (document: unknown, slug: string): boolean => {
  const environment = isRecord(document) ? document.environment : undefined
  return environment === undefined || environment === slug
}

export const readDocument = (...of: Parameters<typeof documentReading>): ReadDocument => finish(documentReading(...of))

/** An answer names so many mistakes at most. */
const most_issues = 100

/**
 * Judges each object by itself: as a part of a document that has nothing else.
 * @param type of the environment that the document is about; `null` for a source, which can be of either type
 */
export function* documentReading(value: unknown, type: EnvironmentType | null): Steps<ReadDocument> {
  const schema = type === null ? ConfigurationDocument : documentSchemas[type]
  // With the sentences said here: another copy of the validator in this process, as browser tests load one, replaces those of all schemas.
  const parse = (part: unknown) => schema.safeParse(part, { error: sentenceOf })
  const sections = object_kinds.flatMap((kind) => {
    const { section } = object_descriptions[kind]
    const objects = isRecord(value) ? value[section] : undefined
    return isRecord(objects) && !Array.isArray(objects) ? [{ kind, section, objects }] : []
  })
  const emptied = Object.fromEntries(sections.map(({ section }) => [section, {}]))
  const head = parse(sections.length === 0 ? value : { ...(value as object), ...emptied }) // as: it has sections
  const issues: z.core.$ZodIssue[] = head.success ? [] : [...head.error.issues]
  yield
  const read = byKind(() => new Map<string, Fields>())
  for (const { kind, section, objects } of sections)
    for (const slug of Object.keys(objects)) {
      if (issues.length >= most_issues) return { problem: { issues } }
      const one = parse({ version: document_version, [section]: { [slug]: objects[slug] } })
      if (!one.success) issues.push(...one.error.issues)
      else read[kind].set(slug, withoutAbsent(((one.data as Sections)[section] as Record<string, Fields>)[slug] ?? {})) // as: parsed with the schema of the section
      yield
    }
  if (!head.success || issues.length > 0) return { problem: { issues } }
  const { environment, settings = {} }: Sections = head.data
  return { document: { environment: environment ?? null, settings: withoutAbsent(settings), objects: read } }
}

interface Sections {
  readonly environment?: string | undefined
  readonly settings?: Fields | undefined
  readonly [section: string]: unknown
}

const withoutAbsent = (fields: Fields): Fields => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
