// pure
/**
 * Reads a document that a person wrote. A name that it leaves out stays as it is: a field, an object, a section. What can be judged without the
 * target is judged here; the rest by the plan.
 */
import { ConfigurationDocument, documentObjects, documentSchemas, type ObjectKind } from '@ostiary/contract/configuration.ts'
import { sentenceOf } from '@ostiary/contract/sentences.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import type { z } from 'zod'
import { byKind, type Fields } from './configuration.ts'

export interface WrittenDocument {
  /** `null` where the document does not say which environment it is about. */
  readonly environment: string | null
  /** In groups. `null` is the default of a field. */
  readonly settings: Fields
  readonly objects: Readonly<Record<ObjectKind, ReadonlyMap<string, Fields>>>
}

export type ReadDocument = { readonly document: WrittenDocument } | { readonly problem: z.ZodError }

/** Whether a document is about the target itself. Any other one is a source: what belongs to its environment is never copied. */
export const isOwn = (document: unknown, slug: string): boolean => {
  const environment = isObject(document) ? document.environment : undefined
  return environment === undefined || environment === slug
}

/** @param type of the environment that the document is about; `null` for a source, which can be of either type */
export function readDocument(value: unknown, type: EnvironmentType | null): ReadDocument {
  // With the sentences said here: another copy of the validator in this process, as browser tests load one, replaces those of all schemas.
  const read = (type === null ? ConfigurationDocument : documentSchemas[type]).safeParse(value, { error: sentenceOf })
  if (!read.success) return { problem: read.error }
  const { environment, settings = {}, ...sections }: Sections = read.data
  return {
    document: {
      environment: environment ?? null,
      settings: withoutAbsent(settings),
      objects: byKind((kind) => {
        const objects = sections[documentObjects[kind].section] ?? {}
        return new Map(Object.entries(objects as Record<string, Fields>).map(([slug, fields]) => [slug, withoutAbsent(fields)])) // as: parsed with the schema of the section
      }),
    },
  }
}

interface Sections {
  readonly environment?: string | undefined
  readonly settings?: Fields | undefined
  readonly [section: string]: unknown
}

const withoutAbsent = (fields: Fields): Fields => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
