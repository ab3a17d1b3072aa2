/**
 * Builds the package that is published into `sdk/dist/`: JavaScript with jose in it, declarations, and a package.json that names them.
 * See docs/decisions/0090.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { buildSync } from 'esbuild'

const here = import.meta.dirname

/** Loads TypeScript from the tools of developers or, where a service builds the package, from those of the dashboard. */
function loadTypeScript(): typeof import('typescript') {
  try {
    return createRequire(import.meta.url)('typescript')
  } catch {
    return createRequire(join(here, '../dashboard/package.json'))('typescript')
  }
}

/** The package is published from this folder: `npm publish sdk/dist`. */
export function buildSdk(folder = join(here, 'dist')): void {
  const { private: _, devDependencies: __, scripts: ___, exports, ...rest } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'))
  const entries = Object.entries<string>(exports)
  const sources = entries.map(([, source]) => join(here, source))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  declare(sources, folder)
  bundle(sources, folder)
  const published = Object.fromEntries(
    entries.map(([name, source]) => {
      const file = source.replace('./src/', './').replace(/\.ts$/, '')
      return [name, { types: `${file}.d.ts`, default: `${file}.js` }]
    }),
  )
  const manifest = { ...rest, exports: published, files: ['**/*.js', '**/*.d.ts', 'LICENSE*'] }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  copyFileSync(join(here, 'README.md'), join(folder, 'README.md'))
  copyFileSync(join(here, '../LICENSE'), join(folder, 'LICENSE'))
  copyFileSync(join(here, '../node_modules/jose/LICENSE.md'), join(folder, 'LICENSE-jose')) // citation-check: a file of a package
}

/** Writes an entry for each source and the code that they share. Fails if a package other than jose would get into them. */
function bundle(sources: string[], folder: string): void {
  const { metafile } = buildSync({
    absWorkingDir: here,
    entryPoints: sources,
    bundle: true,
    splitting: true, // the entries have one class `TokenError`
    format: 'esm',
    platform: 'neutral', // nothing of Node or of a browser alone
    target: 'es2022',
    metafile: true,
    outdir: folder,
    logLevel: 'silent',
  })
  const foreign = Object.keys(metafile.inputs).filter((file) => !/^(src|\.\.\/node_modules\/jose)\//.test(file))
  if (foreign.length > 0) throw new Error(`The package would contain ${foreign.join(', ')}, whose licence it does not have.`)
}

function declare(sources: string[], folder: string): void {
  const ts = loadTypeScript()
  const program = ts.createProgram(sources, {
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2024.d.ts'],
    types: ['node'],
    typeRoots: ['..', '../dashboard'].map((path) => join(here, path, 'node_modules/@types')),
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    verbatimModuleSyntax: true,
    declaration: true,
    emitDeclarationOnly: true,
    rewriteRelativeImportExtensions: true,
    rootDir: join(here, 'src'),
    outDir: folder,
  })
  const { diagnostics } = program.emit()
  const problems = [...ts.getPreEmitDiagnostics(program), ...diagnostics]
  if (problems.length === 0) return
  const host = { getCurrentDirectory: () => here, getCanonicalFileName: (name: string) => name, getNewLine: () => '\n' }
  throw new Error(ts.formatDiagnostics(problems, host))
}

if (process.argv[1] === import.meta.filename) buildSdk()
