/** The rules of imports, of time and of configuration. A new rule is a line in one of the tables. Tests, scripts and launch.mjs are free. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { test } from 'node:test'
import { wings } from './floors.ts'

// A file that begins with `// pure` only computes. The tables see it as "its/path.ts (pure)".
const PURE = /^(contract\/src\/.*|zod|node:crypto|node:zlib|ipaddr\.js|uqr|marked|server\/src\/protocol\/.*|.* \(pure\))$/
const HANDLERS = /^server\/src\/api\/handlers\//
const ENDPOINTS =
  /^server\/src\/oidc\/(endpoints\/|flow\/(account\/(account|address|data|methods)|authorize\/authorize|code\/code|consent\/consent|invitation\/invitation|link\/link|passkey\/passkey|profile\/profile|provider\/provider|reset\/reset|second-factor\/(second-factor|enrolment)|sign-in\/sign-in|sign-out\/logout)\.ts)/

const OF_CLIENT =
  /^(node:.*|zod|yaml|@ostiary\/sdk|contract\/src\/.*|cli\/src\/.*|server\/src\/(base\/nearest|base\/config\/client-variables|domain\/configuration\/equal|db\/sqlite\/file-lock|domain\/providers\/kinds|domain\/webhooks\/sign)\.ts( \(pure\))?)$/

// biome-ignore format: these tables are read by column
const mayImportOnly = [
  { law: 'contract/ imports only zod and itself',                          files: /^contract\//,                    imports: /^(zod|contract\/.*)$/ },
  { law: 'sdk/ imports only itself, and jose, which is bundled: it is published without dependencies', files: /^sdk\//, imports: /^(sdk\/src\/.*|jose)$/ },
  { law: 'the dashboard imports only the client library, itself and packages', files: /^dashboard\//,               imports: /^(dashboard\/.*|@ostiary\/sdk.*|sdk\/.*|(?!@ostiary|\w+\/src\/)[@\w].*)$/ },
  { law: 'protocol/ imports only contract/, itself and pure files',        files: /^server\/src\/protocol\//,       imports: PURE },
  { law: 'a pure file imports only contract/, protocol/ and pure files',   files: / \(pure\)$/,                     imports: PURE },
  { law: 'the client of the command line loads nothing that needs a database or a configuration', files: /^cli\/src\/client\//, imports: OF_CLIENT },
]
// biome-ignore format: these tables are read by column
const importedOnlyBy = [
  { law: 'only db/ imports database drivers',                  imports: /^(node:sqlite|postgres|pg)$/, by: /^(server\/src\/db|bench)\// },
  { law: 'only app.ts, http/, api/ and oidc/mount.ts import fastify', imports: /^(fastify|@fastify\/.*)$/, by: /^(server\/src\/(app\.ts|http\/|api\/|oidc\/mount\.ts)|bench\/)/ },
  { law: 'only app.ts imports handlers, and handlers share code beside them', imports: HANDLERS,       by: /^server\/src\/(app\.ts|api\/handlers\/)/ },
  { law: 'only app.ts imports endpoints, so no endpoint imports another', imports: ENDPOINTS,          by: /^server\/src\/app\.ts/ },
  { law: 'the roof is imported by programs alone',             imports: /^server\/src\/[\w-]+\.ts/,    by: /^(server\/src\/(app|main)\.ts|cli\/|bench\/)/ },
  { law: 'only main.ts loads the client of the command line, so that serve runs without it',
                                                               imports: /^cli\/src\/client\//,      by: /^cli\/src\/(client\/|main\.ts|commands-markdown\.ts)/ },
]
// biome-ignore format: these tables are read by column
const saidOnlyIn = [
  { law: 'only config.ts reads process.env, and io.ts for the client', words: /\bprocess\.env\b/,        by: /^(server\/src\/base\/config\/config\.ts|cli\/src\/client\/io\.ts|bench\/|dashboard\/)/ },
  { law: 'time and randomness are arguments, made only in main.ts and the command line tool',
                    words: /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\b|\brandomBytes\(|\brandomUUID\(/, by: /^(server\/src\/main\.ts|cli\/|sdk\/src\/runtime\.ts|bench\/|dashboard\/)/ },
  { law: 'only deployment/outbound/ calls other machines, so that the egress proxy sees every call',
                    words: /(?<!async )\bfetch\(|\bcreateConnection\b|\bnew WebSocket\(|\bconnect\b.*from 'node:net'|^(?:import (?!type )|\} ).*from '(?:node:(?:https?|http2|tls|dgram)|undici)'/, by: /^(server\/src\/(deployment\/outbound\/|site\/reference\/script\.ts)|contract\/|cli\/|sdk\/|bench\/|dashboard\/)/ },
  { law: 'handlers fail by call.fail and by the helpers of problem.ts', words: /\bApiError\b/,          by: /^server\/src\/(?!api\/handlers\/)/ },
  { law: 'only queries/ of the dashboard writes keys of what pages read, so that each is said once',
                    words: /\bqueryKey: (?!Key\b)|\b(?:queryOptions|infiniteQueryOptions|useQueryClient|setQueryData|invalidateQueries)\b/, by: /^(?!dashboard\/src\/)|^dashboard\/src\/queries\// },
  { law: 'only normalisation.ts and email-address.ts normalise text, after a check of its length', words: /\.normalize\(/, by: /^(server\/src\/base\/normalisation\.ts|contract\/src\/email-address\.ts|cli\/|dashboard\/)/ },
]

const root = join(import.meta.dirname, '..')
const files = globSync(['{contract,server,cli,sdk,dashboard}/src/**/*.{ts,tsx}', 'bench/**/*.ts'], { cwd: root })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !/\.test\.tsx?$|\/node_modules\//.test(file))
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
      ...importedOnlyBy.filter(({ imports, by }) => imported && imports.test(imported) && !by.test(name)),
      ...saidOnlyIn.filter(({ words, by }) => words.test(code) && !by.test(name)),
      ...(imported && climbs(file, imported) ? [{ law: 'a file imports its own folder and lower floors' }] : []),
    ]
    return broken.map(({ law }) => `${file}:${index + 1}: ${law}`)
  })
}

/** The wing of a file; `undefined` for the roof and for files outside of the server. */
const wingOf = (file: string): string | undefined => /^server\/src\/([^/]+)\//.exec(file)?.[1]
const floorOf = (wing: string): number => wings.find((each) => each.wing === wing)?.floor ?? -1

function climbs(importer: string, imported: string): boolean {
  const [from, to] = [wingOf(importer), wingOf(imported.replace(/ \(pure\)$/, ''))]
  if (from === undefined || to === undefined || from === to) return false
  return floorOf(from) < 0 || floorOf(to) < 0 || floorOf(to) >= floorOf(from)
}

/** The path of an imported file from the root of the repository, or the name of a package. */
function pathOf(importer: string, specifier: string): string {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(importer), specifier)
  const [, workspace, path] = /^@ostiary\/([^/]+)\/(.+)$/.exec(specifier) ?? []
  return workspace ? `${workspace}/src/${path}` : specifier
}

/** The files that a file loads when it is loaded. `import type` loads nothing, and `import()` loads later. */
function loadedBy(file: string, source: string): string[] {
  const statements = source.matchAll(/^(?:import (?!type )(?:[^'"]+ from )?|export (?!type )(?:\*|\{[^}]*\})[^'"]* from )'([^']+)'/gm)
  return [...statements].map(([, specifier = '']) => pathOf(file, specifier))
}

const loads = (all: ReadonlyMap<string, string>) => new Map([...all].map(([file, source]) => [file, loadedBy(file, source)]))

/** The circles of a graph, each as `a → b → a`. */
function circles(all: ReadonlyMap<string, Iterable<string>>): string[] {
  const found: string[] = []
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(' → '))
    if (path.includes(file) || done.has(file)) return
    for (const loaded of all.get(file) ?? []) visit(loaded, [...path, file])
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
  assert.deepEqual(circles(loads(sources)), [])
})

test('each folder of the server is a wing, and architecture.md shows them all', () => {
  const folders = new Set(files.flatMap((file) => wingOf(file) ?? []))
  assert.deepEqual([...folders].sort(), wings.map(({ wing }) => wing).sort())
  const map = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  const missing = wings.filter(({ wing, owns }) => !map.includes(`| \`${wing}/\` | ${owns} |`))
  assert.deepEqual(missing, [])
})

/** The engines know each other: PostgreSQL asks Citus for the node of a batch, which Citus reaches by connections of PostgreSQL. */
const may_know_each_other = 'server/src/db/'

test('within a wing no folder imports itself through another folder', () => {
  const folders = new Map<string, Set<string>>()
  for (const [file, source] of sources) {
    const from = posix.dirname(file)
    if (wingOf(file) === undefined || file.startsWith(may_know_each_other)) continue
    const known = folders.get(from) ?? new Set()
    folders.set(from, known)
    for (const [, specifier = ''] of source.matchAll(/\bfrom '(\.[^']+)'/g)) {
      const imported = pathOf(file, specifier)
      if (wingOf(imported) === wingOf(file) && posix.dirname(imported) !== from) known.add(posix.dirname(imported))
    }
  }
  assert.deepEqual(circles(folders), [])
})

// biome-ignore format: this table is read by column
const examples: [string, string, number][] = [
  ['contract/src/ids.ts',                      `import { z } from 'zod'`,                                   0],
  ['contract/src/ids.ts',                      `import { hash } from 'node:crypto'`,                        1],
  ['sdk/src/call.ts',                          `import { z } from 'zod'`,                                   1],
  ['sdk/src/verify.ts',                        `import { jwtVerify } from 'jose'`,                          0],
  ['sdk/src/verify.ts',                        `import { jwtVerify } from 'jose/jwt/verify'`,               1],
  ['sdk/src/call.ts',                          `import type { User } from '@ostiary/contract/user.ts'`,     1],
  ['sdk/src/call.ts',                          `const at = new Date()`,                                     1],
  ['dashboard/src/pages/users.tsx',            `import { Project } from '@ostiary/contract/project.ts'`,    1],
  ['dashboard/src/pages/users.tsx',            `import { brand } from '../../../server/src/pages/brand.ts'`, 1],
  ['dashboard/src/pages/users.tsx',            `import { listUsers } from '@ostiary/sdk'`,                  0],
  ['dashboard/src/pages/users.tsx',            `const list = useQuery({ queryKey: ['users'] })`,            1],
  ['dashboard/src/pages/users.tsx',            `void queries.invalidateQueries()`,                          1],
  ['dashboard/src/queries/query.ts',           `void queries.invalidateQueries({ queryKey })`,              0],
  ['bench/main.ts',                            `import { changeUser } from '../server/src/api/handlers/users.ts'`, 1],
  ['server/src/protocol/claims.ts',            `import { Settings } from '@ostiary/contract/settings.ts'`,  0],
  ['server/src/protocol/claims.ts',       `import {\n  sql,\n} from '../db/db.ts'`,                     2],
  ['server/src/protocol/claims.ts',       `import type { UserRow } from '../domain/users/store.ts'`,   2],
  ['server/src/oidc/endpoints/token.ts',       `import { revoke } from './revoke.ts'`,                      1],
  ['server/src/oidc/flow/shared/begin.ts',     `import { authorize } from '../authorize/authorize.ts'`,     1],
  ['server/src/oidc/flow/sign-in/sign-in.ts',  `import { sendCode } from '../email-code/send-code.ts'`,     0],
      ['server/src/oidc/endpoints/token.ts',       `import { findGrantType } from '../grants/grant-types.ts'`,  0],
  ['server/src/domain/keys/policy.ts',                `// pure\nimport fastify from 'fastify'`,                    2],
  ['server/src/domain/keys/store.ts',                 `import { findUser } from '../users/store.ts'`,              0],
  ['server/src/domain/keys/store.ts',          `import { page } from '../../pages/layout.ts'`,              0],
  ['server/src/domain/users/store.ts',                `import type { Call } from '../../api/handler.ts'`,          1],
  ['server/src/domain/sessions/sessions.ts',          `import { issuerOf } from '../../oidc/issuer.ts'`,           1],
  ['server/src/api/handlers/users.ts',         `import { findUser } from '../../domain/users/store.ts'`,    0],
  ['server/src/api/handlers/users.ts',         `import { ApiError } from '../../http/problem.ts'`,          1],
  ['server/src/api/mount.ts',                  `import { users } from './handlers/users.ts'`,               1],
  ['server/src/http/write.ts',                 `import { sql } from '../db/db.ts'`,                         0],
  ['server/src/http/write.ts',                 `import { createPasswords } from '../domain/users/password.ts'`, 1],
  ['server/src/http/write.ts',                 `import { mount } from '../api/mount.ts'`,                   1],
  ['server/src/http/write.ts',                 `import type { Deployment } from '../deployment/deployment.ts'`, 0],
  ['server/src/db/db.ts',                      `import type { Config } from '../base/config/config.ts'`,    0],
  ['server/src/base/config/config.ts',         `import { sql } from '../../db/db.ts'`,                         1],
  ['server/src/db/db.ts',                      `import { claims } from '../protocol/claims.ts'`,            1],
  ['server/src/pages/sign-in.ts',              `import { secrets } from '../deployment/secrets/secrets.ts'`, 1],
  ['server/src/pages/sign-in.ts',              `import { findUser } from '../domain/users/store.ts'`,       1],
  ['server/src/domain/mail/send.ts',                  `import { app } from '../../app.ts'`,                        1],
  ['server/src/anything/new.ts',               `import { sql } from '../db/db.ts'`,                         1],
  ['server/src/workers/jobs.ts',               `import { sweep } from '../domain/keys/store.ts'`,           0],
  ['server/src/workers/jobs.ts',               `import { users } from '../api/handlers/users.ts'`,          2],
  ['server/src/workers/jobs.ts',               `const { Pool } = await import('pg')`,                       1],
  ['server/src/workers/jobs.ts',               `const at = new Date() // not Date.now()`,                   1],
  ['server/src/workers/jobs.ts',               `/** Not Date.now(), nor process.env. */`,                   0],
  ['server/src/workers/jobs.ts',               `const port = process.env.PORT`,                             1],
  ['server/src/domain/webhooks/deliver.ts',    `const answer = await fetch(url)`,                            1],
  ['server/src/domain/webhooks/deliver.ts',    `import { request } from 'node:https'`,                       1],
  ['server/src/domain/webhooks/deliver.ts',    `import { connect } from 'node:net'`,                         1],
  ['server/src/domain/webhooks/deliver.ts',    `import type { Server } from 'node:http'`,                    0],
  ['cli/src/serve.ts',                         `import { visible } from './client/show.ts'`,                1],
  ['cli/src/client/tail.ts',                   `import { sql } from '@ostiary/server/db/db.ts'`,            1],
]
for (const [file, source, count] of examples) {
  test(`${file} breaks ${count || 'no'} ${count === 1 ? 'rule' : 'rules'} with ${JSON.stringify(source)}`, () =>
    assert.equal(offences(file, source).length, count))
}

// biome-ignore format: this table is read by column
const imports: [string, string[]][] = [
  [`import { b } from './b.ts'`,                                  ['server/src/a.ts → server/src/b.ts → server/src/a.ts']],
  [`import {\n  b,\n  type C,\n} from '@ostiary/server/b.ts'`,    ['server/src/a.ts → server/src/b.ts → server/src/a.ts']],
  [`import './b.ts'`,                                             ['server/src/a.ts → server/src/b.ts → server/src/a.ts']],
  [`export { b } from './b.ts'`,                                  ['server/src/a.ts → server/src/b.ts → server/src/a.ts']],
  [`import type { B } from './b.ts'`,                             []],
  [`const b = await import('./b.ts')`,                            []],
  [`import { c } from './c.ts'`,                                  []],
]
for (const [source, expected] of imports) {
  const files = new Map([
    ['server/src/a.ts', source],
    ['server/src/b.ts', `import { a } from './a.ts'`],
  ])
  test(`${JSON.stringify(source)} in a file that the imported file imports ${expected.length ? 'makes a circle' : 'makes no circle'}`, () =>
    assert.deepEqual(circles(loads(files)), expected))
}
