/** The rules of imports, of time and of configuration. A new rule is a line in one of the tables. Tests, scripts and launch.mjs are free. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { test } from 'node:test'

// A file that begins with `// pure` only computes. The tables see it as "its/path.ts (pure)".
const PURE = /^(contract\/src\/.*|zod|node:crypto|node:zlib|ipaddr\.js|uqr|marked|server\/src\/oidc\/protocol\/.*|.* \(pure\))$/
const ENDPOINTS = /^server\/src\/oidc\/endpoints\//

// What http/ imports beside itself, the contract and packages: the shared files of src/ that no domain owns, and
// the template tag of the error page.
const OF_HTTP =
  /^([^/]+|@?[\w-]+\/[\w-]+|node:.*|contract\/src\/.*|server\/src\/(http\/.*|(?!app\.|main\.)[\w-]+\.ts|pages\/html\.ts)( \(pure\))?)$/

const OF_CLIENT =
  /^(node:.*|zod|@ostiary\/sdk|contract\/src\/.*|cli\/src\/.*|server\/src\/(nearest|client-variables|db\/file-lock|webhooks\/sign)\.ts( \(pure\))?)$/

// biome-ignore format: these tables are read by column
const mayImportOnly = [
  { law: 'contract/ imports only zod and itself',                          files: /^contract\//,                    imports: /^(zod|contract\/.*)$/ },
  { law: 'sdk/ imports only itself: it is published without dependencies', files: /^sdk\//,                         imports: /^sdk\/src\// },
  { law: 'protocol/ imports only contract/, itself and pure files',        files: /^server\/src\/oidc\/protocol\//, imports: PURE },
  { law: 'a pure file imports only contract/, protocol/ and pure files',   files: / \(pure\)$/,                     imports: PURE },
  { law: 'the client of the command line loads nothing that needs a database or a configuration', files: /^cli\/src\/client\//, imports: OF_CLIENT },
  { law: 'http/ imports neither api/, nor oidc/, nor a folder of a domain', files: /^server\/src\/http\//,          imports: OF_HTTP },
]
// biome-ignore format: these tables are read by column
const importedOnlyBy = [
  { law: 'only db/ imports database drivers',                  imports: /^(node:sqlite|postgres|pg)$/, by: /^server\/src\/db\// },
  { law: 'only app.ts, http/, api/ and oidc/mount.ts import fastify', imports: /^(fastify|@fastify\/.*)$/, by: /^server\/src\/(app\.ts|http\/|api\/|oidc\/mount\.ts)/ },
  { law: 'only app.ts imports handlers',                       imports: /\/handlers\.ts$/,             by: /^server\/src\/app\.ts/ },
  { law: 'only app.ts imports endpoints, so no endpoint imports another', imports: ENDPOINTS,          by: /^server\/src\/app\.ts/ },
  { law: 'only main.ts loads the client of the command line, so that serve runs without it',
                                                               imports: /^cli\/src\/client\//,      by: /^cli\/src\/(client\/|main\.ts|commands-markdown\.ts)/ },
  { law: 'db/, http/, pages/ and outbound/ import no store, and of api/ only authenticate, mount and commit do',
                                                               imports: /\/store(\.ts$|\/)/,           by: /^server\/src\/(?!db\/|http\/|pages\/|outbound\/|api\/(?!authenticate|mount|commit))/ },
]
// biome-ignore format: these tables are read by column
const saidOnlyIn = [
  { law: 'only config.ts reads process.env, and io.ts for the client', words: /\bprocess\.env\b/,        by: /^(server\/src\/config\.ts|cli\/src\/client\/io\.ts)/ },
  { law: 'time and randomness are arguments, made only in main.ts and the command line tool',
                    words: /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\b|\brandomBytes\(|\brandomUUID\(/, by: /^(server\/src\/main\.ts|cli\/|sdk\/src\/runtime\.ts)/ },
  { law: 'handlers fail by call.fail and by the helpers of problem.ts', words: /\bApiError\b/,          by: /^server\/src\/(?!.*handlers\.ts)/ },
  { law: 'only normalisation.ts and email-address.ts normalise text, after a check of its length', words: /\.normalize\(/, by: /^(server\/src\/normalisation\.ts|contract\/src\/email-address\.ts|cli\/)/ },
]

const root = join(import.meta.dirname, '..')
const files = globSync('{contract,server,cli,sdk}/src/**/*.ts', { cwd: root })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !file.endsWith('.test.ts'))
const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
const marked = (file: string, source = sources.get(file)) => (source?.startsWith('// pure') ? `${file} (pure)` : file)

/** The rules that a file breaks, as `file:line: law`. */
function offences(file: string, source: string): string[] {
  const name = marked(file, source)
  return source.split('\n').flatMap((text, index) => {
    const code = text.replace(/^\s*(\*|\/\*).*|(^|\s)\/\/.*/, '')
    const [, statement, bare, dynamic] = /^(?:import|export|\}) .*\bfrom '(.+)'|^import '(.+)'|\bimport\('(.+?)'\)/.exec(code) ?? []
    const specifier = statement ?? bare ?? dynamic
    const imported = specifier === undefined ? undefined : marked(pathOf(file, specifier))
    const broken = [
      ...mayImportOnly.filter(({ files, imports }) => imported && files.test(name) && !imports.test(imported)),
      ...importedOnlyBy.filter(({ imports, by }) => imported && imports.test(imported) && !by.test(name) && !isOwnStore(imported, file)),
      ...saidOnlyIn.filter(({ words, by }) => words.test(code) && !by.test(name)),
    ]
    return broken.map(({ law }) => `${file}:${index + 1}: ${law}`)
  })
}

/** The path of an imported file from the root of the repository, or the name of a package. */
function pathOf(importer: string, specifier: string): string {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(importer), specifier)
  const [, workspace, path] = /^@ostiary\/([^/]+)\/(.+)$/.exec(specifier) ?? []
  return workspace ? `${workspace}/src/${path}` : specifier
}

const isOwnStore = (imported: string, importer: string) =>
  /\/store\.ts/.test(imported) && importer.startsWith(`${posix.dirname(imported)}/`)

/** The files that a file loads when it is loaded. `import type` loads nothing, and `import()` loads later. */
function loadedBy(file: string, source: string): string[] {
  const statements = source.matchAll(/^(?:import (?!type )(?:[^'"]+ from )?|export (?!type )(?:\*|\{[^}]*\})[^'"]* from )'([^']+)'/gm)
  return [...statements].map(([, specifier = '']) => pathOf(file, specifier))
}

/** The circles of files that load each other, each as `a → b → a`. */
function circles(all: ReadonlyMap<string, string>): string[] {
  const found: string[] = []
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(' → '))
    if (path.includes(file) || done.has(file)) return
    for (const loaded of loadedBy(file, all.get(file) ?? '')) visit(loaded, [...path, file])
    done.add(file)
  }
  for (const file of all.keys()) visit(file, [])
  return found
}

test('every file keeps the rules of imports, time and configuration', () => {
  const broken = [...sources].flatMap(([file, source]) => offences(file, source))
  assert.deepEqual(broken, [])
})

test('no file of contract/, server/, cli/ or sdk/ loads itself through the files that it imports', () => {
  assert.deepEqual(circles(sources), [])
})

// biome-ignore format: this table is read by column
const examples: [string, string, number][] = [
  ['contract/src/ids.ts',                      `import { z } from 'zod'`,                                   0],
  ['contract/src/ids.ts',                      `import { hash } from 'node:crypto'`,                        1],
  ['sdk/src/call.ts',                          `import { z } from 'zod'`,                                   1],
  ['sdk/src/call.ts',                          `import type { User } from '@ostiary/contract/user.ts'`,     1],
  ['sdk/src/call.ts',                          `const at = new Date()`,                                     1],
  ['server/src/oidc/protocol/claims.ts',       `import { Settings } from '@ostiary/contract/settings.ts'`,  0],
  ['server/src/oidc/protocol/claims.ts',       `import {\n  sql,\n} from '../../db/db.ts'`,                  1],
  ['server/src/oidc/endpoints/token.ts',       `import { signIn } from './sign-in.ts'`,                     1],
  ['server/src/oidc/interaction/begin.ts',     `import { authorize } from '../endpoints/authorize.ts'`,     1],
  ['server/src/oidc/endpoints/token.ts',       `import { findGrantType } from '../grants/grant-types.ts'`,  0],
  ['server/src/keys/policy.ts',                `// pure\nimport fastify from 'fastify'`,                    2],
  ['server/src/users/handlers.ts',             `import { findUser } from './store.ts'`,                     0],
  ['server/src/users/handlers.ts',             `import { findKey } from '../keys/store.ts'`,                0],
  ['server/src/users/handlers.ts',             `import { ApiError } from '../http/problem.ts'`,             1],
  ['server/src/http/write.ts',                 `import { sql } from '../db/db.ts'`,                         1],
  ['server/src/http/write.ts',                 `import { createPasswords } from '../users/password.ts'`,    1],
  ['server/src/http/write.ts',                 `import { mount } from '../api/mount.ts'`,                   1],
  ['server/src/http/write.ts',                 `import type { Deployment } from '../deployment.ts'`,        0],
  ['server/src/api/lists.ts',                  `import { findKey } from '../keys/store.ts'`,                1],
  ['server/src/jobs.ts',                       `import { sweep } from './keys/store.ts'`,                   0],
  ['server/src/jobs.ts',                       `import { users } from './users/handlers.ts'`,               1],
  ['server/src/jobs.ts',                       `const { Pool } = await import('pg')`,                       1],
  ['cli/src/serve.ts',                         `import { visible } from './client/show.ts'`,                1],
  ['cli/src/client/tail.ts',                   `import { sql } from '@ostiary/server/db/db.ts'`,            1],
  ['server/src/jobs.ts',                       `const at = new Date() // not Date.now()`,                   1],
  ['server/src/jobs.ts',                       `/** Not Date.now(), nor process.env. */`,                   0],
  ['server/src/jobs.ts',                       `const port = process.env.PORT`,                             1],
]
for (const [file, source, count] of examples) {
  test(`${file} breaks ${count || 'no'} ${count === 1 ? 'rule' : 'rules'} with ${JSON.stringify(source)}`, () =>
    assert.equal(offences(file, source).length, count))
}

// biome-ignore format: this table is read by column
const loads: [string, string[]][] = [
  [`import { b } from './b.ts'`,                                  ['server/src/a.ts → server/src/b.ts → server/src/a.ts']],
  [`import {\n  b,\n  type C,\n} from '@ostiary/server/b.ts'`,    ['server/src/a.ts → server/src/b.ts → server/src/a.ts']],
  [`import './b.ts'`,                                             ['server/src/a.ts → server/src/b.ts → server/src/a.ts']],
  [`export { b } from './b.ts'`,                                  ['server/src/a.ts → server/src/b.ts → server/src/a.ts']],
  [`import type { B } from './b.ts'`,                             []],
  [`const b = await import('./b.ts')`,                            []],
  [`import { c } from './c.ts'`,                                  []],
]
for (const [source, expected] of loads) {
  const files = new Map([
    ['server/src/a.ts', source],
    ['server/src/b.ts', `import { a } from './a.ts'`],
  ])
  test(`${JSON.stringify(source)} in a file that the imported file imports ${expected.length ? 'makes a circle' : 'makes no circle'}`, () =>
    assert.deepEqual(circles(files), expected))
}
