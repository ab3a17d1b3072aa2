/** The secrets that a file names. Their values come from variables of the environment, and only with the call that applies a plan. */
import { SecretName, settings_secrets } from '@ostiary/contract/configuration.ts'
import type { ObjectOfConfiguration } from '@ostiary/contract/kept.ts'
import { object_descriptions, object_kinds, secretsOf } from '@ostiary/contract/objects/objects.ts'
import type { NeededSecret } from '@ostiary/contract/promotion.ts'
import type { Io } from '../io.ts'
import { isObject } from '../show.ts'
import type { Mistake } from './places.ts'
import type { YamlFile } from './yaml-read.ts'

/** The path of a field in a document. */
export function pathOf(object: ObjectOfConfiguration, slug: string | null, pointer: string | null): string[] {
  const within = pointer === null ? [] : pointer.split('/').slice(1)
  return object === 'settings'
    ? ['settings', ...within]
    : [object_descriptions[object].section, ...(slug === null ? [] : [slug]), ...within]
}

/**
 * Text in the place of a secret that is not a name. It is found before anything is sent, so at these places a secret in the clear never leaves
 * this machine. In any other field it is text like any other.
 */
export function secretsInTheClear(file: YamlFile, sentence: string): Mistake[] {
  return secretPaths(file)
    .filter((path) => {
      const written = file.at(path)
      return written !== undefined && written !== null && !SecretName.safeParse(written).success
    })
    .map((path) => ({ offset: file.placeOf(path), text: `/${path.join('/')}: ${sentence}` }))
}

function secretPaths(file: YamlFile): string[][] {
  const of_settings = settings_secrets.map((name) => ['settings', ...name.split('.')])
  const of_objects = object_kinds.flatMap((kind) => {
    const { section } = object_descriptions[kind]
    const secrets = secretsOf(kind)
    const objects = file.at([section])
    return isObject(objects) ? Object.keys(objects).flatMap((slug) => secrets.map((name) => [section, slug, name])) : []
  })
  return [...of_settings, ...of_objects]
}

export interface FoundSecrets {
  /** By their names, of those whose variable is set. */
  readonly values: Readonly<Record<string, string>>
  /** Without a variable; the target has none either. */
  readonly missing: readonly NeededSecret[]
  /** Without a variable; the one that the target has stays. */
  readonly staying: readonly NeededSecret[]
}

/** @param file the file that names them; `null` if another environment does */
export function findSecrets(io: Pick<Io, 'secret'>, needed: readonly NeededSecret[], file: YamlFile | null): FoundSecrets {
  const named = file && new Set(secretPaths(file).map((path) => file.at(path)))
  const secret = (name: string) => (named === null || named.has(`\${${name}}`) ? io.secret(name) : null)
  const found = needed.flatMap(({ name }): [string, string][] => {
    const value = secret(name)
    return value === null ? [] : [[name, value]]
  })
  const without = needed.filter(({ name }) => secret(name) === null)
  return {
    values: Object.fromEntries(found),
    missing: without.filter(({ stored }) => !stored),
    staying: without.filter(({ stored }) => stored),
  }
}
