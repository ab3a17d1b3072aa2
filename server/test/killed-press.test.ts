/**
 * A process is killed between the effect of a form and its answer. The second press has no effect, and its page says what is true
 * (decision 0082).
 */
import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { appCode, secretOn, stepOn } from './support/authenticator-app.ts'
import { type Agent, authorizationRequest, createAgent, followPages } from './support/cookie-browser.ts'
import { mailsTo, newestMail } from './support/mailed.ts'
import { expectStatus, type Reply, world } from './support/world.ts'

const data_dir = mkdtempSync(join(tmpdir(), 'ostiary-pressed-'))
after(() => rmSync(data_dir, { recursive: true, force: true }))

// This process creates the tenant; then child processes serve the same data directory.
const w = await world({ data_dir })
const { test: environment } = w
await w.changeSettings(environment, { mfa: { mode: 'optional' } })
const client = await w.createApplication(environment)
const key = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } })).key
const ada = await w.createUser(environment)
const ben = await w.createUser(environment)
await w.close()

let ahead_seconds = 0
let service: ChildProcess | null = null
after(() => service?.kill('SIGKILL'))

/** Lets the service end itself between the effect of the next form and its answer. */
async function dieBeforeAnswer(dying: ChildProcess): Promise<void> {
  dying.send({ ahead_seconds, dies_before: 'update kept_answers set sealed' })
  await once(dying, 'message')
}

async function start(): Promise<void> {
  service = fork(join(import.meta.dirname, 'support/service-process.ts'), [data_dir, new URL(w.base_url).port], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  service.send({ ahead_seconds })
  await once(service, 'message')
}

const now = () => new Date(Date.now() + ahead_seconds * 1000)
const backend = async (path: string) => expectStatus(200, await w.call('GET', `/v1/auth/users${path}`, { key })).data
const codeTo = async (email: string) => (await newestMail(w, environment, email)).code ?? ''

interface Form {
  agent: Agent
  page: Reply
  typed: Record<string, string>
}
interface Case {
  ready: () => Promise<Form>
  /** Returns the change of the form, as the service reports it. */
  effect: () => Promise<unknown>
  is: unknown
}

const signInPage = async (change = {}) => {
  const agent = createAgent()
  return { agent, page: await agent.get(authorizationRequest(environment, client, { prompt: 'login', ...change }).url) }
}
const typesOf = async (id: string) => (await backend(`/${id}/methods`)).map(({ type }: { type: string }) => type).sort()

const forms: Record<string, Case> = {
  'a right password': {
    async ready() {
      return { ...(await signInPage()), typed: { email: ada.email, password: ada.password, method: 'password' } }
    },
    effect: async () => (await backend(`/${ada.id}/sessions`)).length,
    is: 1,
  },
  'the code of a sign-up': {
    async ready() {
      const { agent, page } = await signInPage({ prompt: 'create' })
      const next = await followPages(agent, await agent.submit(page, { email: 'new@example.com', password: 'a memorable sentence' }))
      return { agent, page: next, typed: { code: await codeTo('new@example.com') } }
    },
    effect: async () => [
      (await backend('?email=new@example.com')).length,
      (await mailsTo(w, environment, 'new@example.com')).map(({ kind }) => kind),
    ],
    is: [1, ['verify_email']],
  },
  'the first code of an app': {
    async ready() {
      const { agent, page } = await signInPage({ acr_values: 'urn:ostiary:2fa' })
      const typed = { email: ben.email, password: ben.password, method: 'password' }
      const code_page = await followPages(agent, await agent.submit(page, typed))
      const app = await followPages(agent, await agent.submit(code_page, { code: await codeTo(ben.email) }))
      return { agent, page: app, typed: { code: appCode(secretOn(app), now()) } }
    },
    effect: async () => [await typesOf(ben.id), (await backend(`/${ben.id}/sessions`)).length],
    is: [['password', 'recovery_codes', 'totp'], 1],
  },
}

for (const [name, { ready, effect, is }] of Object.entries(forms))
  test(`a process killed between the effect of ${name} and its answer: the second press has no effect, and says so`, async () => {
    if (service === null || service.exitCode !== null || service.signalCode !== null) await start()
    const { agent, page, typed } = await ready()
    const dying = service as ChildProcess // as: it runs
    await dieBeforeAnswer(dying)
    const ended = once(dying, 'exit')
    await assert.rejects(agent.press(page, typed), TypeError)
    assert.deepEqual(await ended, [null, 'SIGKILL'])
    // The time within which a first press that is still at work would be waited for.
    ahead_seconds += 16
    await start()
    assert.deepEqual(await effect(), is, 'the effect of the first press')
    const second = await agent.press(page, typed)
    assert.equal(second.status, 409)
    assert.match(second.body, /Our answer to this form was lost/)
    assert.match(second.body, /What you asked for may have been done\./)
    assert.deepEqual(await effect(), is)
    const onward = /href="([^"]*)"[^>]*data-action="continue"/.exec(second.body)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const next = await followPages(agent, await agent.get(onward))
    assert.equal(next.status, 200)
    assert.match(stepOn(next) ?? '', /^sign-(in|up)$/, 'the browser has no session, and can sign in')
  })

test('an answer that was given survives the end of its process', async () => {
  const { agent, page, typed } = await (forms['a right password'] as Case).ready() // as: it is in the table
  // The browser has not got the answer yet when its second press leaves.
  const hand = createAgent()
  for (const [name, value] of agent.cookies) hand.cookies.set(name, value)
  const first = await agent.press(page, typed)
  assert.equal(first.status, 303)
  const ended = once(service as ChildProcess, 'exit') // as: it runs
  service?.kill('SIGKILL')
  await ended
  await start()
  const second = await hand.press(page, typed)
  assert.deepEqual(
    [second.status, second.headers.get('location'), second.headers.getSetCookie()],
    [303, first.headers.get('location'), first.headers.getSetCookie()],
  )
  assert.equal((await backend(`/${ada.id}/sessions`)).length, 2)
})
