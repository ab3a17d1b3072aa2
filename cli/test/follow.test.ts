/** Commands that run until they are stopped, as processes: Ctrl-C, a closed pipe, kill -9; and the completion in a shell. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { commandLineTool } from '../../launch.mjs'
import { verifyWebhook } from '../../sdk/src/webhooks.ts'
import { startReceiver, until } from '../../server/test/support/receiver.ts'
import { expectStatus, world } from '../../server/test/support/world.ts'
import { answerTo, openClient } from './support/terminal-of-client.ts'

const main = await commandLineTool('serve') // the build that users run
const w = await world()
const home = mkdtempSync(join(tmpdir(), 'ostiary-follow-'))
const started = new Set<ChildProcess>()
after(() => {
  for (const child of started) child.kill('SIGKILL')
  rmSync(home, { recursive: true, force: true })
})
const inTest = ['--project', 'shop', '--env', 'test']
const flags = ['--disable-warning=ExperimentalWarning', main]

/** Starts a command as a process of its own. */
function start(words: readonly string[], variables: Record<string, string> = { OSTIARY_KEY: w.key }) {
  const env = { PATH: process.env.PATH, XDG_CONFIG_HOME: home, OSTIARY_URL: w.base_url, ...variables }
  const child = spawn(process.execPath, [...flags, ...words], { env })
  started.add(child)
  const texts = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    texts.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    texts.err += text
  })
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  return { child, texts, ended }
}

const said = (texts: { err: string }, words: RegExp) => until(`${words} on standard error`, () => words.test(texts.err))
const name = () => w.createApplication(w.test, { name: 'Followed', redirect_uris: ['https://app.example.com/callback'] })

test('events tail prints each event as a line of JSON, and Ctrl-C ends it with 0', async () => {
  const first = await name()
  const tail = start(['events', 'tail', ...inTest, '--after', '0', '--type', 'application.created', '--json'])
  await until('the first event', () => tail.texts.out.includes(first.id))
  const second = await name()
  await until('the second event', () => tail.texts.out.includes(second.id))
  tail.child.kill('SIGINT')
  assert.deepEqual(await tail.ended, { code: 0, signal: null })
  const events = tail.texts.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    events.map(({ application_id }) => application_id),
    [first.id, second.id],
  )
})

test('requests tail prints the calls that are refused from now on', async () => {
  await w.call('GET', `${w.test.path}/applications/app_earlier`)
  await until('the earlier record', async () => expectStatus(200, await w.call('GET', `${w.test.path}/requests`)).data.length > 0)
  const tail = start(['requests', 'tail', ...inTest])
  const later = await until('a later refused call', async () => {
    const { body } = await w.call('GET', `${w.test.path}/users/usr_later`)
    await new Promise((resolve) => setTimeout(resolve, 200))
    return tail.texts.out !== '' && body
  })
  assert.match(tail.texts.out, /^\S+ {2}404 {2}not_found {2}GET {2}\/v1\/platform\/\S+\/users\/\{user_id\} {2}req_\w+ {2}/)
  assert.doesNotMatch(tail.texts.out, /applications/)
  assert.equal(later.code, 'not_found')
  tail.child.kill('SIGINT')
  assert.deepEqual(await tail.ended, { code: 0, signal: null })
})

test('a closed pipe ends a command silently', async () => {
  const tail = start(['events', 'tail', ...inTest, '--after', '0'])
  await once(tail.child.stdout ?? assert.fail(), 'data')
  tail.child.stdout?.destroy()
  await name()
  assert.deepEqual(await tail.ended, { code: 0, signal: null })
  assert.equal(tail.texts.err, '')
})

test('webhooks listen loses no event when it is killed and started again, and verifies by its secret', async () => {
  let accepts = 0
  const receiver = await startReceiver(() => ({ status: accepts-- > 0 ? 204 : 500 }))
  const words = ['webhooks', 'listen', '--forward', receiver.url, ...inTest]
  const created: string[] = []
  const first = start(words)
  await said(first.texts, /The secret of the signatures/)
  const folder = join(home, 'ostiary/listen')
  const [file = ''] = readdirSync(folder).filter((each) => each.endsWith('.json'))
  const begun: number = JSON.parse(readFileSync(join(folder, file), 'utf8')).sequence
  for (let count = 0; count < 5; count++) created.push((await name()).id)
  accepts = 2
  await until('two accepted events and a refused one', () => receiver.received.length >= 3)
  first.child.kill('SIGKILL')
  await first.ended

  for (let count = 0; count < 3; count++) created.push((await name()).id)
  accepts = 100
  const second = start(words)
  const events = () => receiver.received.map(({ body }) => JSON.parse(body))
  await until('all events', () => events().some(({ application_id }) => application_id === created.at(-1)))
  const sequences = events().map(({ sequence }) => sequence)
  assert.deepEqual(
    [...new Set(sequences)],
    Array.from({ length: 8 }, (_, index) => begun + 1 + index),
  )

  const secret = /whsec_\S+/.exec(second.texts.err)?.[0] ?? ''
  assert.equal(/whsec_\S+/.exec(first.texts.err)?.[0], secret)
  const ids = await Promise.all(
    receiver.received.map(async ({ headers, body }) => {
      const { message_id, event } = await verifyWebhook({ headers, body }, { secret, now: w.now })
      return `${message_id} ${event.id}`
    }),
  )
  assert.equal(new Set(ids).size, 8)

  const another = start(words)
  assert.deepEqual(await another.ended, { code: 1, signal: null })
  assert.match(another.texts.err, /^Another "webhooks listen" forwards/)
  second.child.kill('SIGINT')
  assert.deepEqual(await second.ended, { code: 0, signal: null })
  for (const each of readdirSync(folder)) assert.equal(statSync(join(folder, each)).mode & 0o777, 0o600, each)
})

test('a sign-in as a process: login ends after the browser came back, and 5 commands at once use it', async () => {
  const login = start(['login', '--no-browser'], {})
  await said(login.texts, /^http\S+authorize\S+$/m)
  const answer = await answerTo(/^http\S+authorize\S+$/m.exec(login.texts.err)?.[0] ?? '')
  assert.equal((await fetch(answer)).status, 200)
  assert.deepEqual(await login.ended, { code: 0, signal: null })
  const results = await Promise.all(Array.from({ length: 5 }, () => start(['whoami', '--json'], {})).map((each) => each.ended))
  assert.deepEqual(new Set(results.map(({ code }) => code)), new Set([0]))
})

test('Ctrl-C during login leaves no process and no profile', async () => {
  const folder = mkdtempSync(join(home, 'empty-'))
  const login = start(['login', '--no-browser'], { XDG_CONFIG_HOME: folder })
  await said(login.texts, /authorize/)
  login.child.kill('SIGINT')
  assert.deepEqual(await login.ended, { code: 130, signal: null })
  assert.deepEqual(readdirSync(folder), [])
})

// biome-ignore format: this table is read by column
const completions: [typed: string[], offers: string[]][] = [
  [['app'],                                      ['applications', 'apply', 'application-templates']],
  [['webhooks', 'li'],                           ['list', 'listen']],
  [['applications', 'create', '--redirect'],     ['--redirect-uris']],
  [['applications', 'create', 'x', '--if-a'],    ['--if-absent']],
  [['login', '--f'],                             ['--fresh']],
  [['completion', 'z'],                          ['zsh']],
  [['doctor', '--j'],                            ['--json']],
]
test('the completion of bash offers commands, verbs and options', async (t) => {
  const { out } = await openClient(w).ostiary(['completion', 'bash'])
  const script = join(home, 'completion.bash')
  writeFileSync(script, out)
  for (const [typed, offers] of completions)
    await t.test(typed.join(' '), () => {
      const words = ['ostiary', ...typed].map((word) => `'${word}'`).join(' ')
      const line = `source '${script}'; COMP_WORDS=(${words}); COMP_CWORD=${typed.length}; _ostiary; printf '%s\\n' "\${COMPREPLY[@]}"`
      const { stdout, stderr } = spawnSync('bash', ['-c', line], { encoding: 'utf8' })
      assert.deepEqual([stdout.trim().split('\n'), stderr], [offers, ''])
    })
})

test('the completions of zsh and fish have every command', async () => {
  const { ostiary } = openClient(w)
  for (const shell of ['zsh', 'fish']) assert.match((await ostiary(['completion', shell])).out, /case 'webhooks'|'webhooks'\)/)
  assert.equal((await ostiary(['completion', 'tcsh'])).code, 2)
})
