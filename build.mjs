// Builds the service into `dist/`: `main.js` and its chunks from our sources and the packages, and `assets/`, the files that
// are read at run time. The launcher runs it when a source or the lock file has changed, `npm run build` at any time.
// Plain JavaScript for any Node from 18, like the launcher. See docs/decisions/0024.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

// Files that are read at run time, relative to `server/`; `server/src/assets.ts` finds them.
const ASSETS = ['migrations', 'src/demo/browser']
// Files that a build depends on besides the sources.
const BESIDE = ['build.mjs', 'package-lock.json']
const RECORD = 'build.json'

/** The entry of the build in `folder`, if it was built from the files under `root` as they are now. Else `null`. */
export function currentBuild(root, folder) {
  const build = readRecord(folder)
  try {
    const is_current = build && Object.entries(build.files).every(([file, state]) => stateOf(join(root, file)) === state)
    const is_whole = is_current && build.output.every((file) => existsSync(join(folder, file)))
    return is_whole ? join(folder, 'main.js') : null
  } catch (error) {
    if (error.code === 'ENOENT') return null // a source is gone
    throw error
  }
}

/** Size and time of change: another text when the file was written, except with the same size in the same instant. */
export function stateOf(file) {
  const { size, mtimeMs } = statSync(file)
  return `${size} ${mtimeMs}`
}

/**
 * Builds `entry` into `folder` and returns the path to run. A process that runs the build before can still load its chunks, whose
 * names contain their hash; older chunks are removed.
 */
export async function makeBuild(root, entry, folder) {
  const { build, stop } = await import('esbuild')
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main: entry },
    bundle: true,
    splitting: true, // a part that is loaded when it is needed stays apart
    chunkNames: '[name]-[hash]',
    platform: 'node',
    target: 'node24',
    format: 'esm',
    external: ['@node-rs/*', 'pg-native'], // native
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
  // A folder changes when a file is added to it.
  const asset_files = assets.flatMap((asset) =>
    ['', ...readdirSync(join(root, 'server', asset))].map((name) => join('server', asset, name)),
  )
  const files = Object.fromEntries([...BESIDE, ...sources, ...asset_files].map((file) => [file, stateOf(join(root, file))]))
  const output = outputFiles.map(({ path }) => relative(folder, path))

  mkdirSync(folder, { recursive: true })
  for (const asset of assets) cpSync(join(root, 'server', asset), join(folder, 'assets', asset), { recursive: true })
  // The entry last: a start in between finds either build whole.
  const entry_last = [...outputFiles].sort((a, b) => Number(a.path.endsWith('main.js')) - Number(b.path.endsWith('main.js')))
  for (const { path, contents } of entry_last) replaceFile(path, contents)
  replaceFile(join(folder, RECORD), JSON.stringify({ files, output }))
  const kept = new Set([...output, ...previous, RECORD, 'assets'])
  for (const name of readdirSync(folder)) if (!kept.has(name)) rmSync(join(folder, name), { recursive: true, force: true })
  return join(folder, 'main.js')
}

/** The record of the build in a folder; `null` where there is none or it is broken. */
function readRecord(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, RECORD), 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return null
    throw error
  }
}

function replaceFile(path, contents) {
  writeFileSync(`${path}.tmp`, contents)
  renameSync(`${path}.tmp`, path)
}
