// Builds the service into `dist/`: `main.js` and its chunks from the sources and packages, and `assets/`, the files that are read
// at run time. The launcher builds if a source or the lock file has changed. `npm run build` always builds.
// Plain JavaScript for any Node from 18, like the launcher. See docs/decisions/0024.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'

// Files that are read at run time, relative to `server/`; `server/src/base/assets.ts` finds them.
const ASSETS = ['migrations', 'src/domain/users/common-passwords']
// The files that threads begin with; `server/src/base/assets.ts` finds them.
const THREADS = { 'checkpoint-worker': 'server/src/db/sqlite/checkpoint-worker.ts' }
// The files that a build depends on in addition to the sources.
const BESIDE = ['build.mjs', 'package-lock.json']
const RECORD = 'build.json'
const DASHBOARD_RECORD = 'dashboard.json'
const SDK_RECORD = 'sdk.json'

/** Returns the entry of the build in `folder` if its sources under `root` have not changed since, else `null`. */
export function currentBuild(root, folder) {
  const build = readRecord(folder)
  try {
    const is_current = build && Object.entries(build.files).every(([file, state]) => stateOf(join(root, file)) === state)
    const is_complete = is_current && build.output.every((file) => existsSync(join(folder, file)))
    return is_complete ? join(folder, 'main.js') : null
  } catch (error) {
    if (error.code === 'ENOENT') return null // a source is gone
    throw error
  }
}

/** Returns size and modification time as text, which changes when the file is written. */
export function stateOf(file) {
  const { size, mtimeMs } = statSync(file)
  return `${size} ${mtimeMs}`
}

/**
 * Builds `entry` into `folder` and returns the path to run. The names of chunks contain their hash, so a process that runs the previous
 * build can still load its chunks. Older chunks are removed.
 */
export async function makeBuild(root, entry, folder) {
  const { build, stop } = await import('esbuild')
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main: entry, ...existingThreads(root) },
    bundle: true,
    splitting: true, // dynamic imports become chunks
    chunkNames: '[name]-[hash]',
    platform: 'node',
    target: 'node24',
    format: 'esm',
    external: ['@node-rs/*', 'pg-native'], // native modules
    banner: { js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);` },
    sourcemap: 'linked',
    sourcesContent: false,
    metafile: true,
    write: false,
    outdir: folder,
    logLevel: 'silent',
  }).finally(stop)

  const previous = readRecord(folder)?.output ?? []
  const sources = Object.keys(metafile.inputs).filter((file) => !file.startsWith('node_modules/'))
  const assets = ASSETS.filter((asset) => existsSync(join(root, 'server', asset)))
  // The state of the folder itself changes when a file is added.
  const asset_files = assets.flatMap((asset) =>
    ['', ...readdirSync(join(root, 'server', asset))].map((name) => join('server', asset, name)),
  )
  const files = Object.fromEntries([...BESIDE, ...sources, ...asset_files].map((file) => [file, stateOf(join(root, file))]))
  const output = outputFiles.map(({ path }) => relative(folder, path))

  mkdirSync(folder, { recursive: true })
  for (const asset of assets) copyFolder(join(root, 'server', asset), join(folder, 'assets', asset))
  // The entry is written last, so a start during the build finds one of the two builds complete.
  const entry_last = [...outputFiles].sort((a, b) => Number(a.path.endsWith('main.js')) - Number(b.path.endsWith('main.js')))
  for (const { path, contents } of entry_last) replaceFile(path, contents)
  replaceFile(join(folder, RECORD), JSON.stringify({ files, output }))
  const kept = new Set([...output, ...previous, RECORD, 'assets', 'dashboard', DASHBOARD_RECORD, 'sdk', SDK_RECORD])
  for (const name of readdirSync(folder)) if (!kept.has(name)) rmSync(join(folder, name), { recursive: true, force: true })
  return join(folder, 'main.js')
}

/** A build of other sources, as tests make one, has no threads. */
const existingThreads = (root) => Object.fromEntries(Object.entries(THREADS).filter(([, file]) => existsSync(join(root, file))))

/** Reports whether the dashboard in `folder` is a build of its current sources. */
export function isDashboardCurrent(root, folder) {
  const record = readRecord(folder, DASHBOARD_RECORD)
  if (!record || !existsSync(join(folder, 'dashboard/index.html'))) return false
  const files = statesOf(root)
  return (
    Object.keys(files).length === Object.keys(record.files).length &&
    Object.entries(files).every(([file, state]) => record.files[file] === state)
  )
}

/**
 * Builds the dashboard into `folder/dashboard`. Its assets have their hash in their names, and `index.html` is written last, so a page
 * that loads during the build gets one of the two builds complete. The assets of the previous build stay for open pages. See decision 0049.
 */
export async function makeDashboard(root, folder) {
  const here = join(root, 'dashboard')
  const files = statesOf(root)
  const vite = createRequire(join(here, 'package.json')).resolve('vite')
  const { build } = await import(pathToFileURL(vite).href)
  const { output } = await build({ configFile: join(here, 'vite.config.mjs'), logLevel: 'error', build: { write: false } })

  const target = join(folder, 'dashboard')
  const previous = readRecord(folder, DASHBOARD_RECORD)?.output ?? []
  const contents = new Map(output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source]))
  for (const name of readdirSync(join(here, 'public'))) contents.set(name, readFileSync(join(here, 'public', name)))
  const page_last = [...contents].sort(([a], [b]) => Number(a === 'index.html') - Number(b === 'index.html'))
  for (const [name, content] of page_last) {
    mkdirSync(dirname(join(target, name)), { recursive: true })
    replaceFile(join(target, name), content)
  }
  const kept = new Set([...contents.keys(), ...previous])
  for (const name of readdirSync(join(target, 'assets'))) if (!kept.has(`assets/${name}`)) rmSync(join(target, 'assets', name))
  replaceFile(join(folder, DASHBOARD_RECORD), JSON.stringify({ files, output: [...contents.keys()] }))
}

/** Reports whether the package of the client library in `folder` is made of its current sources. */
export function isSdkCurrent(root, folder) {
  const record = readRecord(folder, SDK_RECORD)
  const files = statesOfSdk(root)
  return (
    record !== null &&
    Object.keys(files).length === Object.keys(record.files).length &&
    Object.entries(files).every(([file, state]) => record.files[file] === state) &&
    existsSync(join(folder, 'sdk'))
  )
}

/** Packs the client library into `folder/sdk`, where the service finds it. See decision 0152. Needs Node 24. */
export async function makeSdk(root, folder) {
  const files = statesOfSdk(root)
  const { packSdk } = await import(pathToFileURL(join(root, 'sdk/pack.ts')).href)
  packSdk(join(folder, 'sdk'))
  replaceFile(join(folder, SDK_RECORD), JSON.stringify({ files }))
}

/** The state of each file that the package of the client library is made of. */
function statesOfSdk(root) {
  const folders = ['sdk/src', 'sdk/releases'].filter((folder) => existsSync(join(root, folder)))
  const beside = ['sdk/build.ts', 'sdk/pack.ts', 'sdk/package.json', 'sdk/README.md', 'LICENSE', 'package-lock.json', 'packaging/tar.ts']
  return Object.fromEntries(
    [...beside, ...folders.flatMap((folder) => filesIn(root, folder))].map((file) => [file, stateOf(join(root, file))]),
  )
}

/** The state of each file that the dashboard is made of. */
function statesOf(root) {
  const folders = ['dashboard/src', 'dashboard/public', 'sdk/src']
  const sources = folders.flatMap((folder) => filesIn(root, folder))
  const beside = ['dashboard/index.html', 'dashboard/vite.config.mjs', 'dashboard/package-lock.json', 'build.mjs']
  return Object.fromEntries([...beside, ...sources].map((file) => [file, stateOf(join(root, file))]))
}

const filesIn = (root, folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesIn(root, `${folder}/${entry.name}`) : [`${folder}/${entry.name}`],
  )

/** Reads the record of the build in a folder. Returns `null` if it is missing or broken. */
function readRecord(folder, name = RECORD) {
  try {
    return JSON.parse(readFileSync(join(folder, name), 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return null
    throw error
  }
}

/** Copies a folder of files, and removes the files that are no longer in it: a migration that was renamed must not run twice. */
function copyFolder(from, to) {
  cpSync(from, to, { recursive: true })
  const names = new Set(readdirSync(from))
  for (const name of readdirSync(to)) if (!names.has(name)) rmSync(join(to, name), { recursive: true })
}

function replaceFile(path, contents) {
  writeFileSync(`${path}.tmp`, contents)
  renameSync(`${path}.tmp`, path)
}
