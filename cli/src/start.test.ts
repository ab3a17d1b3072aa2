/** The output of the commands on a first start, with right and wrong settings. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { commandLineTool } from '../../launch.mjs'
import { freePort } from '../../server/test/support/free-port.ts'

const main = await commandLineTool('serve') // the build, as users run it

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ostiary first '))
  after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Matches the end of each welcome text of `start`. */
const welcome_end = /Ctrl-C stops the service\.|for a new demo\.|docs\/routes\.md\./

/** Runs a command until it ends or its output contains `shown`. */
async function ostiary(words: string[], env: Record<string, string>, { input = '', shown }: { input?: string; shown?: RegExp } = {}) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...words], {
    env: { PATH: process.env.PATH, ...env },
  })
  const output = { out: '', err: '' }
  child.stderr.on('data', (data) => {
    output.err += data
  })
  child.stdout.on('data', (data) => {
    output.out += data
    if (shown?.test(output.out)) child.kill('SIGTERM')
  })
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  return { code, ...output }
}

test('all mistakes of the configuration are reported at once, each with its variable', async () => {
  const env = { OSTIARY_BASE_URL: 'https://a.test/', OSTIARY_PORT: '99999', OSTIARY_MASTER_KEY: 'abc', OSTIARY_DATABSE_URL: 'x' }
  const { code, out, err } = await ostiary(['serve'], env)
  assert.deepEqual([code, out], [1, ''])
  for (const name of Object.keys(env)) assert.match(err, new RegExp(`^ {2}${name}: `, 'm'))
  assert.match(err, /Write https:\/\/a\.test\n/)
  assert.doesNotMatch(err, / at .+:\d+:\d+/)
})

test('a port in use is reported before anything is stored, since issuers never change', async (t: TestContext) => {
  const port = await freePort()
  const other = createServer().listen(port, '127.0.0.1')
  t.after(() => other.close())
  await once(other, 'listening')
  const data_dir = freshFolder()
  const { code, err } = await ostiary(['start'], { OSTIARY_DATA_DIR: data_dir, OSTIARY_PORT: String(port) })
  assert.deepEqual(
    [code, err],
    [1, `Port ${port} is in use. Stop the program that uses it, or choose another port, such as OSTIARY_PORT=${port + 1}.\n`],
  )
  assert.ok(!readdirSync(data_dir).includes('ostiary.db'))
})

test('an unusable data directory is reported in one sentence', async () => {
  const folder = freshFolder()
  writeFileSync(join(folder, 'file'), '')
  writeFileSync(join(folder, 'ostiary.db'), 'no database '.repeat(100))
  for (const [data_dir, why] of [
    [join(folder, 'file'), /EEXIST/],
    [folder, /file is not a database/],
  ] as const) {
    const { code, err } = await ostiary(['serve'], { OSTIARY_DATA_DIR: data_dir, OSTIARY_PORT: String(await freePort()) })
    assert.equal(code, 1)
    assert.match(err, why)
    assert.match(err, /^The data directory .+ cannot be used: .+ OSTIARY_DATA_DIR to another folder\.\n$/)
  }
})

test('start prints where to sign in and the password, the key only once, and at another address that issuers do not move', async () => {
  const port = await freePort()
  const env = { OSTIARY_DATA_DIR: freshFolder(), OSTIARY_PORT: String(port), OSTIARY_LOG_LEVEL: 'silent' }
  const start = (change = {}) => ostiary(['start'], { ...env, ...change }, { shown: welcome_end })

  const first = await start()
  assert.equal(first.code, 0)
  const password = /Password +(\S+)\n/.exec(first.out)?.[1] ?? assert.fail(first.out)
  assert.match(first.out, new RegExp(`Open +http://localhost:${port}/dashboard/t/demo/p/shop/test\\n +Sign in as +demo@example\\.com\\n`))
  assert.match(first.out, new RegExp(`See the tokens +http://localhost:${port}/demo\\n`))
  assert.match(first.out, /Platform key +svc_platform_sk_\w+\n/)
  assert.ok(first.out.includes(env.OSTIARY_DATA_DIR))

  const second = await start()
  assert.ok(second.out.includes(`Password         ${password}\n`))
  assert.doesNotMatch(second.out, /svc_platform_sk_/)

  const moved = await start({ OSTIARY_PORT: String(await freePort()) })
  assert.match(moved.out, new RegExp(`was created for http://localhost:${port}, and issuers never change`))
})

test('after a bootstrap, start creates no demo and says so', async () => {
  const env = { OSTIARY_DATA_DIR: freshFolder(), OSTIARY_PORT: String(await freePort()), OSTIARY_LOG_LEVEL: 'silent' }
  const words = ['bootstrap', '--email', 'ada@example.com', '--tenant', 'Acme Tools', '--password-stdin', '--json']
  const created = await ostiary(words, env, { input: 'a long enough password\n' })
  assert.equal(JSON.parse(created.out).base_url, `http://localhost:${env.OSTIARY_PORT}`)
  assert.match(
    created.err,
    /^\nThe platform key \("key"\) is shown once\. [\s\S]*npx ostiary serve[\s\S]*X-API-Key[\s\S]*docs\/quick-start\.md/,
  )
  assert.ok(!created.err.includes(JSON.parse(created.out).key))
  const again = await ostiary(words, env, { input: 'a long enough password\n' })
  assert.deepEqual([again.code, again.out], [1, ''])
  const { out } = await ostiary(['start'], env, { shown: welcome_end })
  assert.match(out, /There was a tenant already, so no demo was created\./)
})

const npm_fails = spawnSync('npm', ['--version'], { shell: process.platform === 'win32' }).status !== 0 && 'npm is not in the PATH'

test('the piped output of npm start begins with the address of the service', { skip: npm_fails }, async () => {
  const env = { OSTIARY_DATA_DIR: freshFolder(), OSTIARY_PORT: String(await freePort()), OSTIARY_LOG_LEVEL: 'silent' }
  const npm = spawn('npm', ['start'], {
    cwd: join(import.meta.dirname, '../..'),
    env: { PATH: process.env.PATH, HOME: tmpdir(), ...env }, // neither the settings of this user nor those of `npm test`
    shell: process.platform === 'win32',
  })
  let out = ''
  npm.stdout.on('data', (data) => {
    out += data
    if (welcome_end.test(out)) npm.kill('SIGTERM')
  })
  await once(npm, 'close')
  assert.ok(out.startsWith(`Ostiary runs at http://localhost:${env.OSTIARY_PORT}\n`), out)
})
