/** Suggests corrections: the nearest names, the command that lists them all, and options for pointers of the service. */
import { prefixes } from '@ostiary/contract/ids.ts'
import { nearestFew } from '@ostiary/server/base/nearest.ts'
import { visible } from './show.ts'

const most_near = 3
/** So few names are all shown. */
const most_listed = 8

/** The names that begin with what was typed, or the nearest ones. */
export function nearNames(typed: string, names: readonly string[]): string[] {
  const begun = typed.length < 2 ? [] : names.filter((name) => name.startsWith(typed))
  return [...new Set([...nearestFew(typed, names, most_near), ...begun])].slice(0, most_near)
}

/** Words after "There is no …": the nearest names, else the few that there are. */
export function nearWords(typed: string, names: readonly string[]): string {
  const near = nearNames(typed, names)
  if (near.length > 0) return meantWords(near)
  if (names.length === 0 || names.length > most_listed) return ''
  return ` There ${names.length === 1 ? 'is' : 'are'} ${names.map((name) => JSON.stringify(visible(name))).join(', ')}.`
}

/** `Did you mean …?`; nothing without a name. */
export const meantWords = (near: readonly string[]) =>
  near.length === 0 ? '' : ` Did you mean ${listed(near.map((name) => JSON.stringify(visible(name))))}?`

const listed = (names: readonly string[]) => (names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`)

/** The kind of an id by its prefix, such as `application`; `null` for another text. */
export function kindOfId(text: string): string | null {
  const [, prefix = ''] = /^([a-z]{2,3})_[0-9a-z]{26}$/.exec(text) ?? []
  return Object.entries(prefixes).find(([, each]) => each === prefix)?.[0] ?? null
}

/** Why an id cannot stand for a kind of object; `null` if it can, or where the kind has no ids of its own. */
export function otherKind(text: string, kind: string): string | null {
  const found = kindOfId(text)
  const wanted = Object.entries(prefixes).find(([name]) => name === kind)?.[1]
  if (found === null || wanted === undefined || found === kind || found.endsWith(`_${kind}`)) return null
  return `${text} is the id of ${withArticle(found)}. The id of ${withArticle(kind)} begins with ${wanted}_.`
}

const withArticle = (kind: string) => `${/^[aeiou](?!uth)/.test(kind) && kind !== 'user' ? 'an' : 'a'} ${kind.replaceAll('_', ' ')}`
