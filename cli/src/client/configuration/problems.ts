/** Shows each problem of a plan at its place in the file. */
import type { PromotionCheck } from '@ostiary/contract/promotion-check.ts'
import { secret_sentence } from '@ostiary/contract/sentences.ts'
import type { OstiaryError } from '@ostiary/sdk'
import { UsageError } from '../../usage.ts'
import { visible } from '../show.ts'
import { mistakeText, placeText } from './places.ts'
import { checkWords } from './plan-words.ts'
import { pathOf, secretsInTheClear } from './secrets.ts'
import type { YamlFile } from './yaml-read.ts'

/** A file of a person, by the name that they gave it. */
export interface NamedFile {
  readonly path: string
  readonly file: YamlFile
}

/** Finds the file and the path in it that a pointer into a request is about; `null` for a part that is in no file. */
export type Locate = (pointer: string) => { named: NamedFile; path: readonly string[] } | null

/**
 * @param sentence what the file can have there
 * @throws UsageError with the place of each secret in the clear
 */
export function refuseSecrets({ path, file }: NamedFile, sentence = secret_sentence): void {
  const mistakes = secretsInTheClear(file, sentence)
  if (mistakes.length > 0) throw new UsageError(mistakeText(path, file.text, mistakes).trimEnd())
}

/** RFC 6901 §4. */
export const namesIn = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))

/** The refusal of a request as a mistake in a file; `null` if it is about something else. */
export function mistakesOf({ code, errors }: OstiaryError, locate: Locate): UsageError | null {
  if (code !== 'validation_failed' || errors.length === 0) return null
  const found = errors.map((error) => ({ error, at: locate(error.pointer) }))
  if (found.every(({ at }) => at === null)) return null
  const lines = found.map(({ error: { pointer, code: kind, detail }, at }) => {
    if (at === null) return `${visible(pointer)}: ${visible(detail)}\n`
    const { named, path } = at
    return `${placeText(named.path, named.file.text, named.file.placeOf(path))}: /${visible(path.join('/'))}: ${visible(detail)}${hint(kind, at)}\n`
  })
  return new UsageError(lines.join('').trimEnd())
}

/** Text that YAML reads as another value. */
function hint(code: string, { named, path }: { named: NamedFile; path: readonly string[] }): string {
  const value = named.file.at(path)
  return code === 'wrong_type' && (typeof value === 'number' || typeof value === 'boolean') ? ' If it is text, write it in quotes.' : ''
}

/** A check at its place in the document, if it has one. */
export function checkText(check: PromotionCheck, document: NamedFile | null): string {
  const place =
    document === null
      ? ''
      : `${placeText(document.path, document.file.text, document.file.placeOf(pathOf(check.object, check.slug, check.pointer)))}: `
  return `${place}${visible(check.level)}: ${checkWords(check)}\n`
}
