/** Who may import whom, and who may know the time. A new rule is a new line in one of the tables; tests, scripts and launch.mjs are free. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { test } from 'node:test'

// What only computes. A file that begins with `// pure` is shown as "its/path.ts (pure)".
const PURE = /^(contract\/src\/.*|zod|node:crypto|node:zlib|ipaddr\.js|server\/src\/oidc\/protocol\/.*|.* \(pure\))$/

// biome-ignore format: these tables are read by column
const mayImportOnly = [
  { law: 'contract imports only zod and itself',                                       files: /^contract\//,                    imports: /^(zod|contract\/.*)$/ },
  { law: 'protocol/ imports only contract, itself and what only computes',             files: /^server\/src\/oidc\/protocol\//, imports: PURE },
  { law: 'a file marked pure imports only contract, protocol/ and what only computes', files: / \(pure\)$/,                     imports: PURE },
]
// biome-ignore format: these tables are read by column
const importedOnlyBy = [
  { law: 'database drivers are imported only in db/',       imports: /^(node:sqlite|postgres|pg)$/, by: /^server\/src\/db\// },
  { law: 'fastify is imported only where HTTP is',          imports: /^(fastify|@fastify\/.*)$/,    by: /^server\/src\/(app\.ts|(http|oidc\/endpoints|pages)\/)/ },
  { law: 'handlers are imported only by app.ts',            imports: /\/handlers\.ts$/,             by: /^server\/src\/app\.ts/ },
  { law: 'a store is not for db/, pages/ and outbound/, and of http/ for authenticate, mount and commit',
                                                            imports: /\/store(\.ts$|\/)/,           by: /^server\/src\/(?!db\/|pages\/|outbound\/|http\/(?!authenticate|mount|commit))/ },
]
// biome-ignore format: these tables are read by column
const saidOnlyIn = [
  { law: 'process.env is read only in config.ts',           words: /\bprocess\.env\b/,              by: /^server\/src\/config\.ts/ },
  { law: 'time and randomness are arguments, made only in main.ts and the command line tool',
                    words: /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\b|\brandomBytes\(|\brandomUUID\(/, by: /^(server\/src\/main\.ts|cli\/)/ },
  { law: 'handlers fail by call.fail and by the helpers of problem.ts', words: /\bApiError\b/,          by: /^server\/src\/(?!.*handlers\.ts)/ },
  { law: 'text is normalised only in normalisation.ts, which looks at its length first', words: /\.normalize\(/, by: /^(server\/src\/normalisation\.ts|cli\/)/ },
]

const root = join(import.meta.dirname, '..')
const files = globSync('{contract,server,cli}/src/**/*.ts', { cwd: root })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !file.endsWith('.test.ts'))
const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
const marked = (file: string, source = sources.get(file)) => (source?.startsWith('// pure') ? `${file} (pure)` : file)

/** What a file does against the laws, as `file:line: law`. */
function offences(file: string, source: string): string[] {
  const name = marked(file, source)
  return source.split('\n').flatMap((text, index) => {
    const code = text.replace(/^\s*(\*|\/\*).*|(^|\s)\/\/.*/, '')
    const [, statement, bare, dynamic] = /^(?:import|export|\}) .*\bfrom '(.+)'|^import '(.+)'|\bimport\('(.+?)'\)/.exec(code) ?? []
    const imported = resolve(file, statement ?? bare ?? dynamic)
    const broken = [
      ...mayImportOnly.filter(({ files, imports }) => imported && files.test(name) && !imports.test(imported)),
      ...importedOnlyBy.filter(({ imports, by }) => imported && imports.test(imported) && !by.test(name) && !isOwnStore(imported, file)),
      ...saidOnlyIn.filter(({ words, by }) => words.test(code) && !by.test(name)),
    ]
    return broken.map(({ law }) => `${file}:${index + 1}: ${law}`)
  })
}

/** The path of an imported file from the root of the repository, or the name of a package. */
function resolve(importer: string, specifier: string | undefined): string | undefined {
  if (specifier?.startsWith('.')) return marked(posix.join(posix.dirname(importer), specifier))
  const [, workspace, path] = /^@ostiary\/([^/]+)\/(.+)$/.exec(specifier ?? '') ?? []
  return workspace ? marked(`${workspace}/src/${path}`) : specifier
}

const isOwnStore = (imported: string, importer: string) =>
  /\/store\.ts/.test(imported) && importer.startsWith(`${posix.dirname(imported)}/`)

test('every file keeps to who may import whom', () => {
  assert.deepEqual(
    [...sources].flatMap(([file, source]) => offences(file, source)),
    [],
  )
})

// biome-ignore format: this table is read by column
const examples: [string, string, number][] = [
  ['contract/src/ids.ts',                   `import { z } from 'zod'`,                                   0],
  ['contract/src/ids.ts',                   `import { hash } from 'node:crypto'`,                        1],
  ['server/src/oidc/protocol/claims.ts',    `import { Settings } from '@ostiary/contract/settings.ts'`,  0],
  ['server/src/oidc/protocol/claims.ts',    `import {\n  sql,\n} from '../../db/db.ts'`,                  1],
  ['server/src/keys/policy.ts',             `// pure\nimport fastify from 'fastify'`,                    2],
  ['server/src/users/handlers.ts',          `import { findUser } from './store.ts'`,                     0],
  ['server/src/users/handlers.ts',          `import { findKey } from '../keys/store.ts'`,                0],
  ['server/src/users/handlers.ts',          `import { ApiError } from '../http/problem.ts'`,             1],
  ['server/src/http/rate-limit.ts',         `import { findKey } from '../keys/store.ts'`,                1],
  ['server/src/jobs.ts',                    `import { sweep } from './keys/store.ts'`,                   0],
  ['server/src/jobs.ts',                    `import { users } from './users/handlers.ts'`,               1],
  ['server/src/jobs.ts',                    `const { Pool } = await import('pg')`,                       1],
  ['server/src/jobs.ts',                    `const at = new Date() // not Date.now()`,                   1],
  ['server/src/jobs.ts',                    `/** Not Date.now(), nor process.env. */`,                   0],
  ['server/src/jobs.ts',                    `const port = process.env.PORT`,                             1],
]
for (const [file, source, count] of examples) {
  test(`the law has ${count || 'nothing'} against ${JSON.stringify(source)} in ${file}`, () =>
    assert.equal(offences(file, source).length, count))
}
