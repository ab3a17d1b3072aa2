// pure
/**
 * Chooses the test files that a change can reach, for `npm test -- --changed` (decision 0077): those that ran a function of a changed
 * file in the last run, those that import it, and those of a table of files that no program imports.
 */

export interface Repository {
  readonly tests: readonly string[]
  /** The files that a file imports. */
  readonly imports: ReadonlyMap<string, readonly string[]>
  /** The sources of which a function ran, by test file. Empty before the first run. */
  readonly ran: ReadonlyMap<string, ReadonlySet<string>>
}

export interface Reached {
  readonly files: readonly string[]
  /** Why every test runs; `null` if only some do. */
  readonly everything: string | null
  /** Changed files that no test reaches. */
  readonly unreached: readonly string[]
}

/** Changes that reach every test. */
const of_everything =
  /^(server\/(src\/(base|db)\/|migrations\/)|server\/test\/support\/(world|postgres|record)\.|scripts\/test|package|launch\.mjs|build\.mjs)/

// biome-ignore format: this table is read by column
/** Files that tests read or build without importing them, and these tests. */
const read_by: readonly [file: RegExp, test: RegExp][] = [
  [/^dashboard\//,        /^server\/test\/(browser|dashboard)\/|\/flows\/(dashboard|settings-preview)/],
  [/^examples\//,         /^server\/test\/browser\/examples\./],
  [/^packaging\//,        /^packaging\//],
  [/^sdk\//,              /^sdk\//],
  [/^(docs\/|[^/]+\.md$)/, /^scripts\/|^server\/test\/(guides|quick-start)\.|\/documentation\.|documents\//],
]

export function chooseChanged(changed: readonly string[], repository: Repository): Reached {
  const { tests, ran } = repository
  const central = changed.find((file) => of_everything.test(file))
  if (central !== undefined) return { files: tests, everything: `${central} reaches every test`, unreached: [] }
  if (ran.size === 0) return { files: tests, everything: 'no run has recorded yet what each test reaches', unreached: [] }

  const importers = reversed(repository.imports)
  const files = new Set<string>()
  const unreached: string[] = []
  for (const file of changed) {
    const found = [
      ...reach(file, repository, importers),
      ...tests.filter((test) => read_by.some(([read, by]) => read.test(file) && by.test(test))),
    ]
    for (const test of found) files.add(test)
    if (found.length === 0) unreached.push(file)
  }
  const fresh = tests.filter(
    (test) => !ran.has(test) && test.startsWith('server/') && changed.some((file) => /^(server|contract)\//.test(file)),
  )
  return { files: tests.filter((test) => files.has(test) || fresh.includes(test)), everything: null, unreached }
}

/** A file without functions of its own, such as a table, reaches what runs the files that import it. */
function reach(file: string, { tests, ran }: Repository, importers: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set<string>()
  const seen = new Set<string>()
  const visit = (each: string) => {
    if (seen.has(each)) return
    seen.add(each)
    if (tests.includes(each)) {
      found.add(each)
      return
    }
    const running = tests.filter((test) => ran.get(test)?.has(each))
    for (const test of running) found.add(test)
    const is_of_tests = /\/test\//.test(each)
    for (const importer of importers.get(each) ?? []) if (is_of_tests || running.length === 0 || tests.includes(importer)) visit(importer)
  }
  visit(file)
  return found
}

function reversed(imports: ReadonlyMap<string, readonly string[]>): Map<string, string[]> {
  const importers = new Map<string, string[]>()
  for (const [file, of_file] of imports) for (const imported of of_file) importers.set(imported, [...(importers.get(imported) ?? []), file])
  return importers
}
