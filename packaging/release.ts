/**
 * `npm run release`: builds one archive that runs with Node 24 alone, without npm, and its hash. `--folder PATH` writes the files into a
 * folder instead, and `--this-platform` includes the native module of this platform only; a container image uses both.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { gunzipSync, gzipSync } from 'node:zlib'
import { commandLineTool } from '../launch.mjs'
import { documentsIn } from '../scripts/links.ts'
import server from '../server/package.json' with { type: 'json' }
import { operator_examples } from '../server/src/site/documents/contents.ts'
import { accepted_licences, type Bom, bomOf, licenceList, licenceOf, packageName } from './bom.ts'
import { type ArchivedFile, readTar, writeTar } from './tar.ts'

const root = join(import.meta.dirname, '..')
/** The packages of this repository that a release has parts of. */
const released = ['@ostiary/cli', '@ostiary/dashboard']
/** The build leaves them out (`build.mjs`). */
const native_modules = Object.keys(server.dependencies).filter((name) => name.startsWith('@node-rs/'))
const platforms = ['linux-x64-gnu', 'linux-x64-musl', 'linux-arm64-gnu', 'linux-arm64-musl']
/** Every file of an archive has this time, so that the same sources make the same archive. */
const file_time = new Date('2026-01-01T00:00:00Z')
/** What a release needs of a native module. */
const needed = /(^|\/)(package\.json|LICENSE[\w.-]*|(index|binding)\.js|[\w.-]+\.node)$/

const { values } = parseArgs({ options: { folder: { type: 'string' }, 'this-platform': { type: 'boolean' } } })
const is_archive_of_all = values.folder === undefined && !values['this-platform']
const { version } = readJson<{ version: string }>('cli/package.json')
const lock = readJson<{ packages: Record<string, LockedPackage> }>('package-lock.json')

interface LockedPackage {
  name?: string
  version: string
  integrity: string
  dependencies?: Readonly<Record<string, string>>
}

const natives = nativePackages()
const build = await buildFiles()
const bom = billOfMaterials(natives.map(({ name }) => name))
const files = [
  ...natives.flatMap(({ files }) => files),
  ...build,
  ...ownFiles(bom),
  ...(values.folder === undefined ? await sdkFiles() : []),
].toSorted((a, b) => (a.path < b.path ? -1 : 1))

if (values.folder === undefined) writeArchive()
else for (const { path, mode, content } of files) write(join(values.folder, path), content, mode)

function writeArchive(): void {
  const name = `ostiary-${version}`
  const file = values['this-platform'] ? `${name}-${process.platform}-${process.arch}.tar.gz` : `${name}.tar.gz`
  const archive = gzipSync(
    writeTar(
      files.map((file) => ({ ...file, path: `${name}/${file.path}` })),
      file_time,
    ),
    { level: 9 },
  )
  const path = join(root, 'release', file)
  write(path, archive, 0o644)
  keepSdk()
  write(`${path}.sha256`, `${createHash('sha256').update(archive).digest('hex')}  ${file}\n`, 0o644)
  console.log(`release/${file}: ${files.length} files, ${(archive.length / 1e6).toFixed(1)} MB`)
}

/** The package of the client library beside the archive: the release procedure keeps it in `sdk/releases/` (docs/decisions/0152). */
function keepSdk(): void {
  for (const { path, content } of build.filter(({ path }) => path === `dist/sdk/ostiary-sdk-${version}.tgz`))
    write(join(root, 'release', path.replace(/^.*\//, '')), content, 0o644)
}

async function buildFiles(): Promise<ArchivedFile[]> {
  // A build keeps files of earlier ones, for pages that are open. An archive has none, so that the same sources make the same archive.
  if (is_archive_of_all) rmSync(join(root, 'dist'), { recursive: true, force: true })
  const { status } = spawnSync(process.execPath, [join(root, 'launch.mjs'), 'build-dashboard'], { stdio: ['ignore', 'ignore', 'inherit'] })
  const folder = dirname(await commandLineTool('serve'))
  if (status !== 0 || folder !== join(root, 'dist')) throw new Error('The build failed; see above.')
  for (const part of ['dashboard/index.html', `sdk/ostiary-sdk-${version}.tgz`])
    if (!existsSync(join(folder, part))) throw new Error(`The build has no ${part}.`)
  const skipped = /^(build\.json|dashboard\.json|sdk\.json|compiled\/.*|.*\.tmp)$/
  const paths = globSync('**/*', { cwd: folder }).filter((path) => !skipped.test(path) && statSync(join(folder, path)).isFile())
  return paths.map((path) => ({ path: `dist/${path.replaceAll('\\', '/')}`, mode: 0o644, content: readFileSync(join(folder, path)) }))
}

/** The entry, the documents, the examples, and what describes the release. */
function ownFiles(bom: Bom): ArchivedFile[] {
  const copied = (from: string, path: string, mode = 0o644): ArchivedFile => ({ path, mode, content: readFileSync(join(root, from)) })
  const text = (path: string, content: string): ArchivedFile => ({ path, mode: 0o644, content: Buffer.from(content) })
  // The documents keep their places, so that their links lead somewhere.
  const documents = [...documentsIn(root), 'docs/openapi.json', 'LICENSE']
  return [
    copied('packaging/ostiary.mjs', 'ostiary.mjs', 0o755),
    copied('packaging/health.mjs', 'health.mjs'),
    ...[...documents, ...operator_examples.map((name) => `packaging/${name}`), ...clusterFiles()].map((path) => copied(path, path)),
    text(
      'package.json',
      `${JSON.stringify({ name: 'ostiary', version, private: true, type: 'module', engines: { node: '>=24' } }, null, 2)}\n`,
    ),
    text('sbom.cdx.json', `${JSON.stringify(bom, null, 2)}\n`),
    text('LICENCES.txt', licenceList(bom, licenceText)),
  ]
}

/** The manifests and the chart for Kubernetes. */
function clusterFiles(): string[] {
  return globSync('packaging/{kubernetes,helm}/**/*.{yaml,json}', { cwd: root }).map((path) => path.replaceAll('\\', '/'))
}

/** The client library as it is published, which npm installs from the folder. Its README is among the documents; an image needs none. */
async function sdkFiles(): Promise<ArchivedFile[]> {
  const { buildSdk } = await import('../sdk/build.ts') // it needs TypeScript, which the build of an image does not install
  const folder = mkdtempSync(join(tmpdir(), 'ostiary-sdk-'))
  try {
    buildSdk(folder)
    const paths = globSync('**/*', { cwd: folder }).filter((path) => path !== 'README.md' && statSync(join(folder, path)).isFile())
    return paths.map((path) => ({ path: `sdk/${path.replaceAll('\\', '/')}`, mode: 0o644, content: readFileSync(join(folder, path)) }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function billOfMaterials(shipped_natives: readonly string[]): Bom {
  const { status, stdout, stderr } = npm(root, ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'])
  if (status !== 0) throw new Error(`"npm sbom" failed: ${stderr}`)
  const own = new Map(Object.values(lock.packages).map((each) => [each.name, Object.keys(each.dependencies ?? {})]))
  const isUsed = (by: string, name: string) =>
    native_modules.some((native) => name.startsWith(`${native}-`))
      ? shipped_natives.includes(name)
      : !by.startsWith('@ostiary/') || own.get(by)?.includes(name) === true
  const all: Bom = JSON.parse(stdout)
  const needed = bomOf(all, released, isUsed)
  // A package that another one uses only if it is there, as `debug` uses `supports-color`, is in the build but in no list of dependencies.
  const listed = new Set(needed.components.map((component) => packageName(component['bom-ref'])))
  const bom = bomOf(all, [...released, ...packagesInBuild().filter((name) => !listed.has(name))], isUsed)
  const refused = bom.components.filter((component) => !accepted_licences.includes(licenceOf(component).replace(/^\((\S+) OR .*\)$/, '$1')))
  if (refused.length > 0)
    throw new Error(`Not an accepted licence: ${refused.map((each) => `${each.name} (${licenceOf(each)})`).join(', ')}`)
  return bom
}

/** The packages of which the build has code, by its source maps. */
function packagesInBuild(): string[] {
  const maps = build.filter(({ path }) => path.endsWith('.map')).map(({ content }) => String(content))
  return [
    ...new Set(
      maps.flatMap((map) => [...map.matchAll(/node_modules\/((?:@[^/"]+\/)?[^/"]+)\/(?!node_modules)/g)].map(([, name = '']) => name)),
    ),
  ]
}

function licenceText(name: string): string {
  const folder = join(root, 'node_modules', name)
  if (!existsSync(folder)) return ''
  const [file] = globSync('{LICENSE,LICENCE,License,license}{,.md,.txt,.MIT,-MIT}', { cwd: folder })
  return file === undefined ? '' : readFileSync(join(folder, file), 'utf8')
}

/** The native modules: of each its JavaScript, and a package for each platform. One that is not installed here comes from npm. */
function nativePackages(): { name: string; files: ArchivedFile[] }[] {
  const names = native_modules.flatMap((native) => platforms.map((platform) => `${native}-${platform}`))
  const isInstalled = (name: string) => existsSync(join(root, 'node_modules', name, 'package.json'))
  const wanted = values['this-platform'] ? names.filter(isInstalled) : names
  return [...native_modules, ...wanted].map((name) => ({ name, files: isInstalled(name) ? installedFiles(name) : fetchedFiles(name) }))
}

function installedFiles(name: string): ArchivedFile[] {
  const folder = join('node_modules', name)
  const paths = globSync('*', { cwd: join(root, folder) }).filter((path) => needed.test(path))
  return paths.map((path) => ({ path: `node_modules/${name}/${path}`, mode: 0o644, content: readFileSync(join(root, folder, path)) }))
}

/** Fetches a package and compares it with the hash in the lock file before anything of it is used. */
function fetchedFiles(name: string): ArchivedFile[] {
  const { version, integrity } = lock.packages[`node_modules/${name}`] ?? assert.fail(`${name} is not in package-lock.json.`)
  const folder = mkdtempSync(join(tmpdir(), 'ostiary-release-'))
  try {
    const { status, stderr } = npm(folder, ['pack', `${name}@${version}`, '--pack-destination=.'])
    const [file] = globSync('*.tgz', { cwd: folder })
    if (status !== 0 || file === undefined) throw new Error(`"npm pack ${name}@${version}" failed: ${stderr}`)
    const packed = readFileSync(join(folder, file))
    const hash = `sha512-${createHash('sha512').update(packed).digest('base64')}`
    if (hash !== integrity) throw new Error(`${name}@${version} is not the package of package-lock.json.`)
    const files = readTar(gunzipSync(packed)).filter(({ path }) => needed.test(path))
    return files.map(({ path, content }) => ({ path: `node_modules/${name}/${path.replace(/^package\//, '')}`, mode: 0o644, content }))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function npm(cwd: string, args: readonly string[]) {
  return spawnSync('npm', [...args, '--ignore-scripts', '--loglevel=error'], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
  })
}

function write(path: string, content: Uint8Array | string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content, { mode })
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(join(root, path), 'utf8'))
}
