/** Builds the package that is published into `sdk/dist/`: JavaScript, declarations, and a package.json that names them. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

const here = import.meta.dirname

/** The package is published from this folder: `npm publish sdk/dist`. */
export function buildSdk(folder = join(here, 'dist')): void {
  const { private: _, devDependencies: __, scripts: ___, exports, ...rest } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'))
  const entries = Object.entries<string>(exports)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  compile(
    entries.map(([, source]) => join(here, source)),
    folder,
  )
  const published = Object.fromEntries(
    entries.map(([name, source]) => {
      const file = source.replace('./src/', './').replace(/\.ts$/, '')
      return [name, { types: `${file}.d.ts`, default: `${file}.js` }]
    }),
  )
  const manifest = { ...rest, exports: published, files: ['**/*.js', '**/*.d.ts'] }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  cpSync(join(here, 'README.md'), join(folder, 'README.md'))
  cpSync(join(here, '../LICENSE'), join(folder, 'LICENSE'))
}

function compile(sources: string[], folder: string): void {
  const program = ts.createProgram(sources, {
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2024.d.ts'],
    types: ['node'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    verbatimModuleSyntax: true,
    declaration: true,
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
