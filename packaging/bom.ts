// pure
/** The bill of materials of a release (CycloneDX), and its list of licences. `npm sbom` describes all packages of the clone; a release has fewer. */

interface Component {
  'bom-ref': string
  name: string
  version: string
  licenses?: readonly { license?: { id?: string; name?: string }; expression?: string }[]
}

export interface Bom {
  serialNumber?: string
  metadata: { timestamp?: string; component: Component }
  components: readonly Component[]
  dependencies: readonly { ref: string; dependsOn: readonly string[] }[]
}

/**
 * Keeps the packages that the given ones need, directly or through others, as far as `isUsed` accepts the step from one to the next.
 * `npm sbom` also lists what a package needs for its tests. A given package that does not exist is left out.
 */
export function bomOf(all: Bom, roots: readonly string[], isUsed: (by: string, name: string) => boolean): Bom {
  const needs = new Map(
    all.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn.filter((needed) => isUsed(packageName(ref), packageName(needed)))]),
  )
  const by_ref = new Set(all.components.map((component) => component['bom-ref']))
  const begun = all.components.map((component) => component['bom-ref']).filter((ref) => roots.includes(packageName(ref)))
  const found = new Set<string>()
  for (const waiting = [...begun]; ; ) {
    const ref = waiting.pop()
    if (ref === undefined) break
    if (!by_ref.has(ref) || found.has(ref)) continue
    found.add(ref)
    waiting.push(...(needs.get(ref) ?? []))
  }
  const service = all.metadata.component
  // Number and time are optional, and would make the archives of the same sources differ.
  const { serialNumber: _, ...rest } = all
  const { timestamp: __, ...metadata } = all.metadata
  return {
    ...rest,
    metadata: { ...metadata, component: { ...service, name: 'ostiary' } },
    components: all.components.filter((component) => found.has(component['bom-ref'])),
    dependencies: [
      { ref: service['bom-ref'], dependsOn: begun },
      ...all.dependencies
        .filter(({ ref }) => found.has(ref))
        .map(({ ref }) => ({ ref, dependsOn: (needs.get(ref) ?? []).filter((needed) => found.has(needed)) })),
    ],
  }
}

/** The reference of a package is its name and its version. For a package of this repository, `name` is only its folder. */
export const packageName = (ref: string) => ref.replace(/@[^@]*$/, '')

/** The licences that a distribution under Apache-2.0 may include, all without conditions on our own source. */
export const accepted_licences = [
  'Apache-2.0',
  'MIT',
  'MIT-0',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'Unlicense',
]

/** The licence of a component by its SPDX name; empty if the package states none. */
export function licenceOf({ licenses = [] }: Component): string {
  return licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name ?? '').join(' AND ')
}

/** The text of the list: each package with its licence, then the text that the package has. `textOf` is empty for a package without one. */
export function licenceList({ components }: Bom, textOf: (name: string, version: string) => string): string {
  const foreign = components.filter((component) => !component['bom-ref'].startsWith('@ostiary/'))
  const sorted = foreign.toSorted((a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version))
  const titleOf = (component: Component) => `${component.name} ${component.version}: ${licenceOf(component)}`
  const texts = sorted.map(
    (component) =>
      `${titleOf(component)}\n\n${textOf(component.name, component.version).trim() || 'The package has no text of its licence.'}`,
  )
  return `Ostiary contains these packages.\n\n${sorted.map(titleOf).join('\n')}\n\n${texts.map((text) => `${'-'.repeat(80)}\n${text}\n`).join('\n')}`
}
