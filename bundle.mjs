// Puts all that the service is made of, our sources and the packages, into a few files that Node reads at once: of a start
// from the sources, half the time goes into finding some 400 files. Made anew whenever a source or the lock file of the
// packages has changed, so nobody has to build anything. Plain JavaScript for any Node from 18, like the launcher. See docs/decisions/0024.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'

// What is looked at beside the sources: how bundles are made, and which packages there are.
const BESIDE = ['bundle.mjs', 'package-lock.json']
const RECORD = 'bundle.json'

/** The entry of the bundle in `folder`, where it was made of the files under `root` as they are now. Else `null`. */
export function currentBundle(root, folder) {
  try {
    const bundle = JSON.parse(readFileSync(join(folder, RECORD), 'utf8'))
    const isCurrent = bundle.root === root && Object.entries(bundle.files).every(([file, state]) => stateOf(join(root, file)) === state)
    const main = join(folder, bundle.name, 'main.js')
    return isCurrent && stateOf(main) ? main : null
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return null // none yet, or a file of it is gone
    throw error
  }
}

/** Another text whenever a file was written, but for one of the same size in the same instant. */
export function stateOf(file) {
  const { size, mtimeMs } = statSync(file)
  return `${size} ${mtimeMs}`
}

/** Bundles `entry` into `folder` and returns the path to run. Whoever starts from the one before it can go on loading its parts. */
export async function makeBundle(root, entry, folder) {
  const [{ build, stop }, { createHash }] = await Promise.all([import('esbuild'), import('node:crypto')])
  const outdir = join(folder, 'bundle') // as deep as where it will be, for the addresses in the maps
  const options = {
    absWorkingDir: root,
    entryPoints: { main: entry },
    bundle: true,
    splitting: true, // what is loaded when it is needed stays apart
    platform: 'node',
    target: 'node24',
    format: 'esm',
    external: ['@node-rs/*', 'pg-native'], // native
    banner: { js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);` },
    sourcemap: 'linked',
    sourcesContent: false,
    plugins: [{ name: 'import.meta.url', setup: keepOwnAddress }],
    metafile: true,
    write: false,
    outdir,
    logLevel: 'silent',
  }
  const { outputFiles, metafile } = await build(options).finally(stop)
  const made_of = [...BESIDE, ...Object.keys(metafile.inputs).filter((file) => !file.startsWith('node_modules/'))]
  const files = Object.fromEntries(made_of.map((file) => [file, stateOf(join(root, file))]))

  const name = `bundle-${createHash('sha256')
    .update(JSON.stringify([root, files]))
    .digest('hex')
    .slice(0, 16)}`
  const before = readdirSync(folder).filter((other) => other.startsWith('bundle-') && other !== name)
  mkdirSync(join(folder, name), { recursive: true })
  for (const { path, contents } of outputFiles) writeFileSync(join(folder, name, relative(outdir, path)), contents)
  writeFileSync(join(folder, `${RECORD}.tmp`), JSON.stringify({ root, name, files }))
  const last = lastName(folder)
  renameSync(join(folder, `${RECORD}.tmp`), join(folder, RECORD))
  for (const other of before) if (other !== last) rmSync(join(folder, other), { recursive: true, force: true })
  return join(folder, name, 'main.js')
}

function lastName(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, RECORD), 'utf8')).name
  } catch {
    return null // none yet, or unreadable: then nobody can have started from it
  }
}

/** Our sources find the files beside them by their own address, which is not that of the bundle. */
function keepOwnAddress({ onLoad }) {
  onLoad({ filter: /\.ts$/ }, ({ path }) => {
    const source = readFileSync(path, 'utf8')
    return { contents: source.replaceAll('import.meta.url', () => JSON.stringify(pathToFileURL(path).href)), loader: 'ts' }
  })
}
