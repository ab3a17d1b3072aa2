// pure
/** The text of a document. Equal configurations give equal bytes: members follow the order of the schemas, objects that of their slugs. */
import { document_version } from '@ostiary/contract/configuration.ts'
import { object_descriptions, object_kinds } from '@ostiary/contract/objects/objects.ts'
import { finish, flatMapSteps, type Steps } from '../../base/steps.ts'
import type { Configuration, Fields } from './configuration.ts'

export const documentText = (configuration: Configuration): string => finish(documentSteps(configuration))

/** JSON without blanks. Made of pieces, since an object in JavaScript puts names such as `123` before all others. */
export function* documentSteps({ environment, settings, objects }: Configuration): Steps<string> {
  const sections: [string, string][] = []
  for (const kind of object_kinds) sections.push([object_descriptions[kind].section, yield* sectionSteps(objects[kind])])
  return textOf([
    ['version', JSON.stringify(document_version)],
    ['environment', JSON.stringify(environment.slug)],
    ['settings', JSON.stringify(settings)],
    ...sections,
  ])
}

function* sectionSteps(objects: ReadonlyMap<string, Fields>): Steps<string> {
  const sorted = [...objects].sort(([a], [b]) => (a < b ? -1 : 1))
  const texts = yield* flatMapSteps(sorted, ([slug, fields]): [[string, string]] => [[slug, JSON.stringify(fields)]])
  return textOf(texts)
}

const textOf = (members: readonly (readonly [name: string, text: string])[]) =>
  `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`
