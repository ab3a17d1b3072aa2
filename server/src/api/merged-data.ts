import type { z } from 'zod'
import { fieldErrors, pointerTo, validationFailed } from '../http/problem.ts'

/**
 * Judges the objects that a change merges with what is stored (RFC 7396): their rules are about the whole, which the schema of the body does not
 * see.
 * @throws ApiError `validation_failed`, with pointers into the body
 */
export function judgeMerged<Name extends string>(
  sent: object,
  merged: Readonly<Record<NoInfer<Name>, unknown>>,
  rules: Readonly<Record<Name, z.ZodType>>,
): void {
  const names = Object.keys(rules) as Name[] // as: the keys of the table
  for (const name of names) {
    const { error } = name in sent ? rules[name].safeParse(merged[name]) : { error: undefined }
    if (error)
      throw validationFailed(fieldErrors(error).map(({ pointer, ...problem }) => ({ pointer: pointerTo([name]) + pointer, ...problem })))
  }
}
