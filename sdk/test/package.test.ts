/** The package as it is published: packed, installed into an empty folder, compiled against, run, and measured. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { build, stop } from 'esbuild'
import ts from 'typescript'
import { world } from '../../server/test/support/world.ts'
import { buildSdk } from '../build.ts'

const w = await world()
// Within the repository, so that the examples find express and hono.
const folder = mkdtempSync(join(import.meta.dirname, '../../node_modules/.sdk-package-'))
after(async () => {
  rmSync(folder, { recursive: true })
  await stop()
})
const consumer = join(folder, 'consumer')
const installed = join(consumer, 'node_modules/@ostiary/sdk')

buildSdk(join(folder, 'dist'))
mkdirSync(consumer)
writeFileSync(join(consumer, 'package.json'), '{"name":"consumer","version":"1.0.0","type":"module"}')
run('npm', ['pack', './dist', '--pack-destination', 'consumer'], folder)
const [archive = ''] = readdirSync(consumer).filter((name) => name.endsWith('.tgz'))
run('npm', ['install', `./${archive}`, '--offline', '--ignore-scripts'], consumer)

function run(command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = process.env): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: 'utf8' })
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${error ?? ''}${stdout}${stderr}`)
  return stdout
}

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
/** The examples by the word after `ts`; those without a word are parts of one program. */
const examples = [...readme.matchAll(/^```ts ?(\w*)\n([\s\S]*?)^```$/gm)].map(([, name = '', code = '']) => ({ name, code }))
const program = examples
  .filter(({ name }) => name === '')
  .map(({ code }) => code)
  .join('\n')

// biome-ignore format: one line a subject
const entries = [
  '@ostiary/sdk', '@ostiary/sdk/verify', '@ostiary/sdk/webhooks', '@ostiary/sdk/express', '@ostiary/sdk/hono',
  '@ostiary/sdk/fastify', '@ostiary/sdk/fetch', '@ostiary/sdk/node',
  '@ostiary/sdk/react', '@ostiary/sdk/sessions', '@ostiary/sdk/sessions/express', '@ostiary/sdk/sessions/hono', '@ostiary/sdk/sessions/nextjs',
]

test('the package has only code, declarations, README and LICENSE, no dependency, and its entries are those of the workspace', () => {
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  assert.equal(manifest.name, '@ostiary/sdk')
  assert.deepEqual([manifest.private, manifest.dependencies, manifest.devDependencies], [undefined, undefined, undefined])
  assert.deepEqual(
    Object.keys(manifest.exports).map((name) => name.replace('.', '@ostiary/sdk')),
    entries,
  )
  const files = readdirSync(installed, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  for (const { name } of files) assert.match(name, /(\.js|\.d\.ts|^package\.json|^README\.md|^LICENSE|^LICENSE-jose)$/)
})

test('no file of the package imports another package, and its licences are those of its two sources', () => {
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(js|d\.ts)$/.test(file))
  const imports = files.flatMap((file) => {
    const source = readFileSync(join(installed, file), 'utf8')
    return [...source.matchAll(/(?:\bfrom|^import|\bimport\() ?['"]([^'"]+)['"]/gm)].map(([, name = '']) => `${file}: ${name}`)
  })
  assert.ok(imports.length > 10)
  assert.deepEqual(
    imports.filter((line) => !/: \.\.?\//.test(line)),
    [],
  )
  assert.match(readFileSync(join(installed, 'LICENSE'), 'utf8'), /Apache License/)
  assert.match(readFileSync(join(installed, 'LICENSE-jose'), 'utf8'), /MIT License[\s\S]*Filip Skokan/)
})

/** The type errors of files of the consumer. */
function typeErrors(files: string[], moduleResolution: ts.ModuleResolutionKind, lib: string[], types: string[]): string[] {
  const program = ts.createProgram(
    files.map((file) => join(consumer, file)),
    {
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      esModuleInterop: true,
      target: ts.ScriptTarget.ES2022,
      module: moduleResolution === ts.ModuleResolutionKind.Bundler ? ts.ModuleKind.ESNext : ts.ModuleKind.NodeNext,
      moduleResolution,
      lib,
      types,
      typeRoots: [join(import.meta.dirname, '../../node_modules/@types')],
    },
  )
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText, file }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`)
}

const dom = ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts']
const use_all = entries.map((entry, i) => `import * as m${i} from '${entry}'\nexport const k${i} = Object.keys(m${i})`).join('\n')
const calls = readFileSync(join(import.meta.dirname, 'support/calls.ts'), 'utf8')

test('a TypeScript program compiles with the types of a browser alone, and each wrong call does not', () => {
  const wrong_calls = calls.split('@ts-expect-error').length - 1
  assert.ok(wrong_calls > 15)
  for (const [file, code] of [
    ['all.ts', use_all],
    ['calls.ts', calls],
    ['wrong.ts', calls.replaceAll('@ts-expect-error', '')],
  ] as const)
    writeFileSync(join(consumer, file), code)
  assert.deepEqual(typeErrors(['all.ts', 'calls.ts'], ts.ModuleResolutionKind.Bundler, dom, []), [])
  assert.ok(typeErrors(['wrong.ts'], ts.ModuleResolutionKind.Bundler, dom, []).length >= wrong_calls)
})

test('every example of the README compiles in a Node program', () => {
  const files = examples.filter(({ name }) => name !== '').map(({ name, code }) => ({ file: `${name}.ts`, code }))
  for (const { file, code } of [...files, { file: 'program.ts', code: program }]) writeFileSync(join(consumer, file), code)
  const errors = typeErrors(
    [...files.map(({ file }) => file), 'program.ts'],
    ts.ModuleResolutionKind.NodeNext,
    ['lib.es2022.d.ts'],
    ['node'],
  )
  // The types of other packages are not ours.
  assert.deepEqual(
    errors.filter((error) => error.includes('/consumer/')),
    [],
  )
})

const withoutTypes = (code: string) =>
  ts.transpileModule(code, { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 } }).outputText

test('the examples of the README for the management client run as plain JavaScript', async () => {
  const code = withoutTypes(program).replaceAll('https://id.example.com', w.reach(w.base_url))
  assert.ok(code.includes(w.reach(w.base_url)))
  writeFileSync(join(consumer, 'program.js'), code)
  // The service runs in this process, which must not block.
  const child = spawn(process.execPath, ['program.js'], { cwd: consumer, env: { ...process.env, OSTIARY_KEY: w.key } })
  const [output, errors, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  assert.equal(status, 0, errors)
  assert.match(output, /^(test|live) http.*\n(test|live) http.*\n2 false\nslug_taken\n$/)
})

test('every entry loads as plain JavaScript, and the examples with middleware too', () => {
  const names = examples.filter(({ name }) => name !== '')
  for (const { name, code } of names) writeFileSync(join(consumer, `${name}.js`), withoutTypes(code))
  const imports = [...entries, ...names.map(({ name }) => `./${name}.js`)]
  writeFileSync(join(consumer, 'all.js'), `${imports.map((name) => `await import('${name}')`).join('\n')}\nconsole.log('loaded')`)
  assert.equal(run(process.execPath, ['all.js'], consumer), 'loaded\n')
})

// biome-ignore format: this table is read by column
const sizes: [string, number][] = [
  ['@ostiary/sdk',          12_000],
  ['@ostiary/sdk/verify',   15_000],
  ['@ostiary/sdk/webhooks',  5_000],
  ['@ostiary/sdk/express',  15_000],
  ['@ostiary/sdk/hono',     15_000],
  ['@ostiary/sdk/fastify',  15_000],
  ['@ostiary/sdk/fetch',    15_000],
  ['@ostiary/sdk/node',     15_000],
  ['@ostiary/sdk/react',     2_000],
  ['@ostiary/sdk/sessions',         22_000],
  ['@ostiary/sdk/sessions/express', 22_000],
  ['@ostiary/sdk/sessions/hono',    22_000],
  ['@ostiary/sdk/sessions/nextjs',  22_000],
]
for (const [entry, most] of sizes) {
  test(`${entry} has at most ${most} bytes for a browser, compressed`, async () => {
    const { outputFiles } = await build({
      stdin: { contents: `import * as all from '${entry}'; globalThis.all = all`, resolveDir: consumer },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      write: false,
    })
    const [output] = outputFiles
    assert.ok(output)
    const size = gzipSync(output.contents).length
    assert.ok(size > 500 && size <= most, `${size} bytes`)
  })
}
