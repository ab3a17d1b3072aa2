/** How the test files of a full run are spread over processes. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..')

/** These start programs, change the process they run in, or measure it. */
const own_process: readonly RegExp[] = [
  /^server\/test\/[^/]+$/,
  /^server\/test\/browser\//,
  /^(cli|scripts|packaging)\/|^applications\/light/,
  /^server\/test\/flows\/(bad-input|browser-state|hostile-values)\.test\.ts$/, // replace URLSearchParams
  /^server\/test\/(api\/field-order|dashboard\/settings-fields)\.test\.ts$/, // read schemas as they are before the documentation registers names
  /^server\/src\/(outbound\/fetch|db\/private-files)\.test\.ts$/,
]

export const needsOwnProcess = (file: string): boolean => own_process.some((pattern) => pattern.test(file))

/** One walk of each behaviour, for `npm run test:citus`. */
const walks_on_citus: readonly string[] = [
  'db.citus',
  'distributed',
  'outage.citus',
  'flows/sign-in',
  'flows/codes',
  'flows/refresh-tokens',
  'flows/userinfo',
  'flows/revoke',
  'flows/logout',
  'flows/early-ends',
  'flows/sequencer',
  'flows/webhooks',
  'flows/key-rotation',
  'api/sessions',
  'api/keys',
  'api/guards-objects',
].map((name) => `server/test/${name}.test.ts`)

/** Whether a file runs on Citus: a walk, or with `every` a test of behaviour too. */
export const isOnCitus = (file: string, every: boolean): boolean =>
  walks_on_citus.includes(file) || (every && /^server\/test\/(flows|api)\//.test(file))

/** Tests with the time limits of a service: another file beside them would use them up. */
export const needsMachine = (file: string): boolean => file === 'server/test/outage.citus.test.ts'

/** The files that take longest, longest first: one that begins last would leave a core idle. */
const long_files: readonly string[] = [
  'api/slugs',
  'api/words',
  'api/guards-credentials',
  'flows/outgoing-addresses',
  'flows/account-attacker',
  'api/guards-operators',
  'api/guards-http',
  'flows/authorize',
  'api/guards-text',
  'api/guards-bodies',
  'api/guards-objects',
  'flows/second-factor',
  'flows/mail-delivery',
  'flows/authorize-walk',
  'flows/sequencer',
].map((name) => `server/test/${name}.test.ts`)

/** Writes a queue of test files, those that take longest first. Returns the main modules of the processes that run them. */
export function writeQueue(folder: string, shared: readonly string[], processes: number): string[] {
  mkdirSync(folder)
  const longest_first = [...long_files.filter((file) => shared.includes(file)), ...shared.filter((file) => !long_files.includes(file))]
  writeFileSync(join(folder, 'files'), longest_first.map((file) => join(root, file)).join('\n'))
  const work = `import { work } from ${JSON.stringify(pathToFileURL(join(root, 'scripts/test-worker.ts')).href)}\nawait work(import.meta.dirname)\n`
  return Array.from({ length: processes }, (_, index) => {
    const path = join(folder, `process-${index + 1}.mjs`)
    writeFileSync(path, work)
    return path
  })
}
