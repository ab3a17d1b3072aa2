/** The file of `--values`: what belongs to the target of a promotion, in the form of a document. */
import { settingsInDocument } from '@ostiary/contract/configuration.ts'
import { type ObjectOfConfiguration, ObjectOfConfiguration as Objects } from '@ostiary/contract/kept.ts'
import { object_descriptions, object_kinds } from '@ostiary/contract/objects/objects.ts'
import type { OwnedValue, Planned, Promotion } from '@ostiary/contract/promotion.ts'
import { Slug } from '@ostiary/contract/values.ts'
import { UsageError } from '../../usage.ts'
import { isObject, visible } from '../show.ts'
import { type Mistake, mistakeText } from './places.ts'
import type { NamedFile } from './problems.ts'
import { pathOf } from './secrets.ts'
import { entryLines } from './yaml-write.ts'

export interface PlacedValue {
  readonly value: OwnedValue
  readonly path: readonly string[]
}

/** @throws UsageError with the place of each mistake */
export function valuesIn({ path: name, file }: NamedFile, target: string): PlacedValue[] {
  const mistakes: Mistake[] = []
  const wrong = (path: readonly string[], text: string) => void mistakes.push({ offset: file.placeOf(path), text })
  const values: PlacedValue[] = []
  const give = (object: ObjectOfConfiguration, slug: string | null, path: readonly string[]) => {
    const pointer = `/${path.slice(object === 'settings' ? 1 : 2).join('/')}`
    values.push({ value: { object, slug, pointer, value: file.at(path) }, path })
  }
  const eachIn = (path: readonly string[], what: string): string[] => {
    const members = file.at(path)
    if (isObject(members)) return Object.keys(members)
    wrong(path, `${what} are a map.`)
    return []
  }
  const leaves = new Set(settingsInDocument('any').map((field) => field.path))
  const giveSettings = (path: readonly string[]) => {
    for (const field of eachIn(path, 'Settings')) {
      const inner = [...path, field]
      if (isObject(file.at(inner)) && !leaves.has(inner.slice(1).join('.'))) giveSettings(inner)
      else give('settings', null, inner)
    }
  }
  for (const section of file.value === undefined ? [] : eachIn([], 'Values')) {
    const kind = object_kinds.find((each) => object_descriptions[each].section === section)
    if (section === 'settings') giveSettings([section])
    else if (kind)
      for (const slug of eachIn([section], 'Objects'))
        for (const field of eachIn([section, slug], 'Fields')) give(kind, slug, [section, slug, field])
    else if (section !== 'environment')
      wrong([section], 'Values have settings, resource_servers, roles, applications, providers and webhooks.')
    else if (file.at([section]) !== target) wrong([section], `These are values of another environment than ${visible(target)}.`)
  }
  if (mistakes.length > 0) throw new UsageError(mistakeText(name, file.text, mistakes).trimEnd())
  return values
}

/** `application`, `application/shop`. @throws UsageError */
export function onlyOf(words: readonly string[]): Planned[] {
  return words.map((word) => {
    const at = word.indexOf('/')
    const object = Objects.safeParse(at === -1 ? word : word.slice(0, at))
    const slug = at === -1 ? undefined : Slug.safeParse(word.slice(at + 1))
    if (!object.success || slug?.success === false || (object.data === 'settings' && slug))
      throw new UsageError(`--only takes ${Objects.options.join(', ')}, or one object, such as application/shop.`)
    return { object: object.data, ...(slug ? { slug: slug.data } : {}) }
  })
}

/** The lines that a file of values needs; empty if no value is missing. */
export function linesToFill({ checks }: Promotion, target: string): string {
  const missing = checks.filter(({ code }) => code === 'value_required')
  if (missing.length === 0) return ''
  const tree = new Map<string, unknown>()
  for (const { object, slug, pointer } of missing) setAt(tree, pathOf(object, slug, pointer))
  const lines = [...tree].flatMap(([name, inner]) => entryLines(name, inner))
  // A value that is not there yet has nothing in its place.
  return [
    `Fill in the values for ${visible(target)}, and give them with --values FILE:`,
    '',
    ...lines.map((line) => line.replace(/: null$/, ':')),
    '',
  ]
    .map((line) => `${line}\n`)
    .join('')
}

function setAt(tree: Map<string, unknown>, [name = '', ...rest]: readonly string[]): void {
  if (rest.length === 0) {
    if (!tree.has(name)) tree.set(name, null)
    return
  }
  const inner = tree.get(name)
  const map = inner instanceof Map ? inner : new Map<string, unknown>()
  tree.set(name, map)
  setAt(map, rest)
}
