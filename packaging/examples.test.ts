/**
 * The files for operators. systemd, nginx and Caddy check theirs where they are installed; the steps of the Dockerfile run in empty folders,
 * since a daemon of Docker is rarely at hand. docs/operate.md says which were tried.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { readConfig, variables } from '../server/src/base/config/config.ts'
import { writeCertificates } from '../server/test/support/front.ts'

const root = join(import.meta.dirname, '..')
const { version } = JSON.parse(readFileSync(join(root, 'cli/package.json'), 'utf8')) as { version: string } // as: a package.json
const example = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8')
const missing = (program: string, ...args: string[]) => (spawnSync(program, args).status === 0 ? false : `needs ${program}`)
const folder = mkdtempSync(join(tmpdir(), 'ostiary-examples-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const assignments = [...example('env.example').matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value] as const)

test('env.example has every variable, in the order of the configuration', () => {
  const names = assignments.map(([name]) => name)
  assert.deepEqual(names.toSorted(), [...variables].toSorted())
})

test('env.example is a valid configuration as it is', () => {
  const config = readConfig(Object.fromEntries(assignments))
  assert.ok(!Array.isArray(config), JSON.stringify(config))
})

const defaults = ['OSTIARY_PORT', 'OSTIARY_LOG_LEVEL'] as const
for (const name of defaults)
  test(`env.example shows the default of ${name}`, () => {
    const shown = Object.fromEntries(assignments)
    assert.deepEqual(readConfig({ ...shown, [name]: '' }), readConfig(shown))
  })

for (const name of ['compose.yaml', 'Dockerfile', 'ostiary.service', 'nginx.conf', 'Caddyfile'])
  test(`${name} names only variables that exist`, () => {
    const named = [...example(name).matchAll(/\bOSTIARY_[A-Z_]+/g)].map(([variable]) => variable)
    assert.ok(named.length > 0)
    for (const variable of named)
      assert.ok(
        variables.some((known) => known === variable),
        variable,
      )
  })

/** The unit with programs that exist here. */
function writeUnit(): string {
  const entry = join(folder, 'ostiary.mjs')
  writeFileSync(entry, '')
  const path = join(folder, 'ostiary.service')
  writeFileSync(path, example('ostiary.service').replace('/usr/bin/node', process.execPath).replace('/opt/ostiary/ostiary.mjs', entry))
  return path
}

test('systemd accepts the unit without a warning', { skip: missing('systemd-analyze', '--version') }, () => {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--recursive-errors=no', writeUnit()], { encoding: 'utf8' })
  const about_ours = (stdout + stderr).split('\n').filter((line) => line.includes('ostiary.service'))
  assert.deepEqual([status, about_ours], [0, []])
})

test('systemd rates the exposure of the unit as low', { skip: missing('systemd-analyze', '--version') }, () => {
  const { status, stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', writeUnit()], {
    encoding: 'utf8',
  })
  assert.equal(status, 0, stdout)
})

test('nginx accepts its example', { skip: missing('nginx', '-v') }, () => {
  writeCertificates(folder)
  const site = example('nginx.conf')
    .replace('/etc/ssl/ostiary/fullchain.pem', join(folder, 'server.pem'))
    .replace('/etc/ssl/ostiary/privkey.pem', join(folder, 'server.key'))
    .replaceAll('/var/log/nginx', folder)
  const around = `error_log stderr; pid ${folder}/pid; events {} http {\n${site}\n}`
  writeFileSync(join(folder, 'nginx.conf'), around)
  const { status, stderr } = spawnSync('nginx', ['-t', '-p', folder, '-c', join(folder, 'nginx.conf')], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  assert.doesNotMatch(stderr, /\[warn\]/)
})

test('Caddy accepts its example', { skip: missing('caddy', 'version') }, () => {
  const { status, stderr } = spawnSync('caddy', ['validate', '--adapter', 'caddyfile', '--config', join(import.meta.dirname, 'Caddyfile')])
  assert.equal(status, 0, String(stderr))
})

test('the Compose file trusts the network of its proxy and no other address', () => {
  const text = example('compose.yaml')
  const [, trusted] = /OSTIARY_TRUSTED_PROXIES: \$\{OSTIARY_TRUSTED_PROXIES:-(.+)\}/.exec(text) ?? []
  const [, subnet] = /networks:\n {2}default:\n[\s\S]*subnet: ([\d./]+)/.exec(text) ?? []
  assert.ok(trusted !== undefined && trusted === subnet, text)
  assert.match(text, /ports: \["127\.0\.0\.1:3000:3000"\]/)
})

test('Docker Compose accepts its example', { skip: missing('docker', 'compose', 'version') }, () => {
  const env = { ...process.env, POSTGRES_PASSWORD: 'a', OSTIARY_MASTER_KEY: 'b' }
  const { status, stderr } = spawnSync('docker', ['compose', '--file', join(import.meta.dirname, 'compose.yaml'), 'config', '--quiet'], {
    env,
  })
  assert.equal(status, 0, String(stderr))
})

type Instruction = readonly [name: string, argument: string]
const instructions: Instruction[] = example('Dockerfile')
  .split('\n')
  .flatMap((line) => {
    const [, name, argument] = /^([A-Z]+) (.+)$/.exec(line) ?? []
    return name === undefined || argument === undefined ? [] : [[name, argument] as const]
  })
const last = (name: string) => instructions.findLast(([each]) => each === name)?.[1] ?? ''

/** Runs the instructions as Docker would, each stage in an empty folder. Returns the folder of the last stage. */
function replay(): string {
  const stages = new Map<string, string>()
  let [stage, workdir] = ['', '/']
  const within = (path: string) => join(stage, path.startsWith('/') ? path : join(workdir, path))
  for (const [name, argument] of instructions) {
    if (name === 'FROM') {
      stage = mkdtempSync(join(folder, 'stage-'))
      workdir = '/'
      stages.set(/ AS (\w+)$/.exec(argument)?.[1] ?? 'last', stage)
    }
    if (name === 'WORKDIR') {
      workdir = argument
      mkdirSync(within(workdir), { recursive: true })
    }
    if (name === 'COPY') copy(argument)
    if (name === 'RUN') execute(JSON.parse(argument))
  }
  return stage

  function copy(argument: string): void {
    const [from = '', to = ''] = argument.replaceAll(/--\S+ /g, '').split(' ')
    const source = stages.get(/--from=(\w+)/.exec(argument)?.[1] ?? '')
    if (source !== undefined) {
      cpSync(join(source, from), within(to), { recursive: true })
      return
    }
    const files = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' }).stdout
    const ignored = /(^|\/)[^/]+\.test\.ts$|^server\/test\//
    for (const path of files.split('\0')) {
      if (path === '' || ignored.test(path) || !existsSync(join(root, path))) continue
      mkdirSync(dirname(within(path)), { recursive: true })
      cpSync(join(root, path), within(path))
    }
  }

  /** Absolute folders among the arguments lie in the stage. */
  function execute([program = '', ...args]: string[]): void {
    const placed = args.map((word) => (word.startsWith('/') ? join(stage, word) : word))
    const path = `${dirname(process.execPath)}:${process.env.PATH}`
    const env = { ...process.env, PATH: path, npm_config_prefer_offline: 'true' }
    const { status, stderr } = spawnSync(program, placed, { cwd: within('.'), env, encoding: 'utf8' })
    assert.equal(status, 0, `${program} ${args.join(' ')}: ${stderr}`)
  }
}

test('the steps of the Dockerfile make an image that runs the command, and has only the output of the build', () => {
  const image = replay()
  const release = join(image, 'opt/ostiary')
  for (const built of ['dist/main.js', 'dist/dashboard/index.html', `dist/sdk/ostiary-sdk-${version}.tgz`])
    assert.equal(existsSync(join(release, built)), true, built)
  for (const absent of ['launch.mjs', 'server', 'node_modules/fastify', '.git'])
    assert.equal(existsSync(join(release, absent)), false, absent)
  assert.equal(existsSync(join(image, 'var/lib/ostiary')), true)

  const [program, ...args] = JSON.parse(last('ENTRYPOINT')) as string[] // as: the form of ENTRYPOINT without a shell
  assert.equal(program, 'node')
  const placed = args.map((word) => word.replace(/^\//, `${image}/`))
  const env = { PATH: '/nothing', NODE_COMPILE_CACHE: join(folder, 'compiled') }
  const { status, stdout, stderr } = spawnSync(process.execPath, [...placed, '--version'], { env, encoding: 'utf8' })
  assert.deepEqual([status, stdout, stderr], [0, `ostiary ${version}\n`, ''])
  const [, health = ''] = JSON.parse(/CMD (.*)$/.exec(last('HEALTHCHECK'))?.[1] ?? '[]') as string[] // as: the form without a shell
  assert.equal(existsSync(join(image, health)), true)
})

test('the image runs without a shell and not as root', () => {
  assert.equal(last('USER'), 'node')
  for (const [name, argument] of instructions)
    if (['RUN', 'ENTRYPOINT', 'CMD'].includes(name)) assert.ok(Array.isArray(JSON.parse(argument)), argument)
  assert.equal(basename(last('WORKDIR')), 'ostiary')
})

test('the files that .dockerignore leaves out are those that the steps leave out', () => {
  const lines = example('Dockerfile.dockerignore').trim().split('\n')
  for (const line of ['.git', 'node_modules', 'dist', '**/*.test.ts', 'server/test']) assert.ok(lines.includes(line), line)
})
