// pure
/** The configuration of an environment as the service answers it, and the file that `ostiary pull` writes of it. */
import { document_version } from '@ostiary/contract/configuration.ts'
import { object_descriptions, object_kinds } from '@ostiary/contract/objects/objects.ts'
import { z } from 'zod'
import { isObject } from '../show.ts'
import { blockLines, type Members } from './yaml-write.ts'

const Objects = z.record(z.string(), z.record(z.string(), z.unknown()))

/** A service to come can have more sections and fields. */
export const ShownDocument = z.looseObject({
  version: z.literal(document_version),
  environment: z.string(),
  settings: z.record(z.string(), z.unknown()),
})
export type ShownDocument = z.infer<typeof ShownDocument>

const sections: readonly string[] = object_kinds.map((kind) => object_descriptions[kind].section)

/** The members of a document in their order: that of the schemas, and objects by their slugs. */
export function orderedDocument(document: ShownDocument): Members {
  return new Map(
    Object.entries(document).map(([name, value]): [string, unknown] => [
      name,
      sections.includes(name) ? bySlug(Objects.parse(value)) : value,
    ]),
  )
}

const bySlug = (objects: Readonly<Record<string, unknown>>) => new Map(Object.entries(objects).sort(([a], [b]) => (a < b ? -1 : 1)))

const schemaLine = (base_url: string) => `# yaml-language-server: $schema=${base_url}/schemas/configuration-1.json`

/** The whole file. Equal configurations give equal bytes. */
export const fileText = (base_url: string, document: Members) => `${[schemaLine(base_url), ...blockLines(document)].join('\n')}\n`

/** The environment that a file names; `null` if it is for every one. */
export function environmentOf(value: unknown): string | null {
  const environment = isObject(value) ? value.environment : null
  return typeof environment === 'string' ? environment : null
}
