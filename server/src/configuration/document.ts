// pure
/** The text of a document. Equal configurations give equal bytes: members stand in the order of the schemas, objects in that of their slugs. */
import { document_version, documentObjects, object_kinds } from '@ostiary/contract/configuration.ts'
import type { Configuration, Fields } from './configuration.ts'

/** JSON without blanks. Made of pieces, since an object in JavaScript puts names such as `123` before all others. */
export function documentText({ environment, settings, objects }: Configuration): string {
  const sections = object_kinds.map((kind): [string, string] => [documentObjects[kind].section, sectionText(objects[kind])])
  return textOf([
    ['version', JSON.stringify(document_version)],
    ['environment', JSON.stringify(environment.slug)],
    ['settings', JSON.stringify(settings)],
    ...sections,
  ])
}

const sectionText = (objects: ReadonlyMap<string, Fields>) =>
  textOf([...objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([slug, fields]) => [slug, JSON.stringify(fields)]))

const textOf = (members: readonly (readonly [name: string, text: string])[]) =>
  `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`
