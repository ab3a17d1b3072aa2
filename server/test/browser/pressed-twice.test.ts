/**
 * The forms of the hosted pages, each pressed twice in a real browser that is 200 ms away, with and without scripts (decision 0082). In
 * half of the browsers the two presses reach different processes. `npm test -- --all` combines every gap with both.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { addPasskey, openAccount } from '../support/account.ts'
import { createAuthenticator } from '../support/authenticator.ts'
import { appCode } from '../support/authenticator-app.ts'
import { noBrowser } from '../support/chromium.ts'
import { serve } from '../support/cli-process.ts'
import { startClientServer } from '../support/client-server.ts'
import { authorizationRequest, createAgent, followPages, formOf, signInForTokens } from '../support/cookie-browser.ts'
import { isAt, pressTwice, secretOfApp, startDistance } from '../support/distant.ts'
import { freePort } from '../support/free-port.ts'
import { mailsTo, newestMail } from '../support/mailed.ts'
import { launchForTests } from '../support/page-audit.ts'
import { migratedDatabase, noPostgres } from '../support/postgres.ts'
import { until } from '../support/receiver.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const ports = { far: await freePort(), near: await freePort(), second: await freePort() }
const distance = await startDistance({ port: ports.far, services: noPostgres ? [ports.near] : [ports.near, ports.second], one_way_ms: 100 })
const upstreams = await startUpstreams()
const env = {
  OSTIARY_BASE_URL: `http://localhost:${ports.far}`,
  ...(noPostgres ? {} : { OSTIARY_DATABASE_URL: await migratedDatabase(), OSTIARY_MASTER_KEY: randomBytes(32).toString('base64') }),
}
const w = await world({ env: { ...env, OSTIARY_PORT: String(ports.near) }, outbound: upstreams.outbound })
if (!noPostgres) await serve({ ...env, OSTIARY_PORT: String(ports.second) })

const { test: environment } = w
await w.changeSettings(environment, { mfa: { mode: 'optional' }, sign_in: { passkey: true } })
const { test: strict } = await w.createProject('strict')
await w.changeSettings(strict, { mfa: { mode: 'required' } })
const body = {
  type: 'oidc',
  display_name: 'Company',
  issuer: 'https://sso.example.com',
  client_id: 'o',
  client_secret: 's',
  link_by_verified_email: true,
}
const provider = expectStatus(201, await w.call('POST', `${environment.path}/providers`, { body }))
const planner = await w.createApplication(environment, { name: 'Meal Planner' })

interface Way {
  javaScriptEnabled: boolean
  gap_ms: number
  has_several: boolean
}

const gaps = [0, 40, 120]
const every_way = [true, false].flatMap((javaScriptEnabled) =>
  gaps.flatMap((gap_ms) => [false, true].map((has_several) => ({ javaScriptEnabled, gap_ms, has_several }))),
)
/** Each gap with and without scripts, and both of these in one process and in several. */
const ways = every_way.filter(
  ({ javaScriptEnabled, gap_ms, has_several }) =>
    (noPostgres ? !has_several : has_several === (gaps.indexOf(gap_ms) % 2 === (javaScriptEnabled ? 1 : 0))) ||
    (process.env.OSTIARY_TEST_ALL === '1' && !noPostgres),
)

const nameOf = ({ javaScriptEnabled, gap_ms, has_several }: Way) =>
  `${gap_ms} ms ${javaScriptEnabled ? 'with' : 'without'} scripts, in ${has_several ? 'two processes' : 'one process'}`

/** A browser at a distance, and its hand. */
async function openBrowser(browser: Browser, way: Way, flow: string) {
  const hand = `${flow}-${way.gap_ms}-${way.javaScriptEnabled}`
  const { javaScriptEnabled, gap_ms, has_several } = way
  const context = await browser.newContext({ javaScriptEnabled, ...(has_several && { extraHTTPHeaders: distance.headersOf(hand) }) })
  const page = await context.newPage()
  let presses = 0
  return {
    page,
    email: `${hand}-${has_several ? 2 : 1}@example.com`,
    twice(action: string) {
      presses += 1
      return pressTwice(page, action, gap_ms)
    },
    /** The browser may drop the first request of a pair: always without a gap, and on a busy machine now and then. */
    checkPresses(): void {
      if (has_several && gap_ms > 0) assert.ok(distance.formsInSeveral(hand) > presses / 2, 'the presses reached both processes')
    },
  }
}

const key_of: Record<string, string> = {}
for (const { path, id } of [environment, strict])
  key_of[id] = expectStatus(201, await w.call('POST', `${path}/auth-keys`, { body: { type: 'auth_secret' } })).key
const backend = async ({ id }: TestEnvironment, path: string) =>
  expectStatus(200, await w.call('GET', `/v1/auth/users${path}`, { key: key_of[id] ?? null })).data

const codesOn = (page: Page) => page.locator('[data-recovery-code]').allTextContents()

/** The second press ends the first navigation, so no load of a page can be awaited. */
const isBack = (page: Page, origin: string) => until('the application', async () => page.url().startsWith(`${origin}/back`))

async function signUp(t: TestContext, browser: Browser, way: Way): Promise<void> {
  const landing = await startClientServer(t)
  const client = await w.createApplication(strict, { redirect_uris: [`${landing.origin}/back`] })
  const { page, email, twice, checkPresses } = await openBrowser(browser, way, 'new')

  await page.goto(authorizationRequest(strict, client, { prompt: 'create' }).url)
  await page.locator('[name=email]').fill(email)
  await page.locator('[name=password]').fill('a memorable sentence')
  await twice('create-account')
  await isAt(page, 'code')
  assert.equal((await mailsTo(w, strict, email)).length, 1)

  await page.locator('[name=code]').fill((await newestMail(w, strict, email)).code ?? '')
  await twice('continue')
  await isAt(page, 'enrol-totp')
  const secret = await secretOfApp(page)

  await page.locator('[name=code]').fill(appCode(secret, w.now()))
  await twice('continue')
  await isAt(page, 'recovery-codes')
  assert.equal(new Set(await codesOn(page)).size, 10)

  await twice('continue')
  await isBack(page, landing.origin)
  assert.ok(new URL(page.url()).searchParams.get('code'))
  const [user] = await backend(strict, `?email=${email}`)
  assert.deepEqual((await backend(strict, `/${user.id}/methods`)).map(({ type }: { type: string }) => type).sort(), [
    'password',
    'recovery_codes',
    'totp',
  ])
  assert.equal((await backend(strict, `/${user.id}/sessions`)).length, 1)
  assert.deepEqual((await mailsTo(w, strict, email)).map(({ kind }) => kind).sort(), ['method_added', 'verify_email'])
  checkPresses()
}

/** A person with an account at a provider, an application, and three sessions in other browsers. */
async function personWithEverything(email: string) {
  const user = await w.createUser(environment, { email })
  await signInForTokens(w, environment, planner, { user, agent: createAgent(w.reach) })
  const other = createAgent(w.reach)
  const own = formOf((await other.get(`${environment.issuer}/account`)).body).hidden
  const started = await other.post(`${environment.issuer}/federate`, { ...own, provider: provider.id })
  const answer = upstreams.agree(started.headers.get('location') ?? '', { claims: { sub: email, email, email_verified: true } })
  await followPages(other, await other.get(`${environment.issuer}/oauth/callback/${provider.id}?${new URLSearchParams(answer)}`))
  await openAccount(environment, user, createAgent(w.reach))
  return user
}

/** Adds a passkey in the session of a browser. It may have no scripts. */
async function addPasskeyIn(page: Page): Promise<void> {
  const agent = createAgent(w.reach)
  for (const { name, value } of await page.context().cookies(environment.issuer)) agent.cookies.set(name, value)
  expectStatus(303, await addPasskey(environment, agent, createAuthenticator(w.base_url)))
}

async function useAccount(t: TestContext, browser: Browser, way: Way): Promise<void> {
  const landing = await startClientServer(t)
  const client = await w.createApplication(environment, { redirect_uris: [`${landing.origin}/back`] })
  const { page, email: first_email, twice, checkPresses } = await openBrowser(browser, way, 'own')
  const user = await personWithEverything(first_email)
  const openForm = (action: string, id = '') => page.goto(`${environment.issuer}/account?action=${action}&id=${id}`)
  const sessions = async () => (await backend(environment, `/${user.id}/sessions`)).length
  const methods = async (): Promise<{ id: string; type: string }[]> => backend(environment, `/${user.id}/methods`)
  const idOf = async (type: string) => (await methods()).find((method) => method.type === type)?.id ?? ''
  const has = async (action: string) => (await page.locator(`[data-action=${action}]`).count()) > 0
  async function wasDone(notice: string): Promise<void> {
    await until(`the account page after ${notice}`, async () => page.url().includes(`done=${notice}`))
    await page.locator('main[data-step=account] .said').waitFor()
  }
  async function doTwice(action: string): Promise<void> {
    await twice(action)
    await wasDone(action)
  }

  await page.goto(`${environment.issuer}/account`)
  await page.locator('[name=email]').fill(user.email)
  await page.locator('[name=password]').fill(user.password)
  await twice('password')
  await isAt(page, 'account')
  assert.equal(await sessions(), 4)

  await openForm('remove-provider', await idOf('provider'))
  await doTwice('remove-provider')
  assert.equal(await sessions(), 3, 'one began at the provider')
  await doTwice('disconnect')
  assert.equal(await has('disconnect'), false)
  await doTwice('end-session')
  assert.equal(await sessions(), 2)
  await doTwice('end-other-sessions')
  assert.equal(await sessions(), 1)

  await openForm('change-name')
  await page.locator('[name=name]').fill('Ada Byron')
  await doTwice('change-name')

  await openForm('change-password')
  await page.locator('[name=password]').fill('another memorable sentence')
  await doTwice('change-password')

  await openForm('add-totp')
  await page.locator('[name=code]').fill(appCode(await secretOfApp(page), w.now()))
  await twice('add-totp')
  await isAt(page, 'recovery-codes')
  const of_app = await codesOn(page)
  await twice('continue')
  await wasDone('add-totp')

  await openForm('new-recovery-codes')
  await twice('new-recovery-codes')
  await isAt(page, 'recovery-codes')
  const codes = await codesOn(page)
  assert.equal(new Set([...codes, ...of_app]).size, 20, 'ten codes, and other ones')
  await twice('continue')
  await wasDone('new-recovery-codes')

  await openForm('export')
  const download = page.waitForEvent('download')
  await twice('export')
  await download

  const email = `moved-${first_email}`
  await openForm('change-email')
  await page.locator('[name=email]').fill(email)
  await twice('change-email')
  await page.locator('[name=code]').waitFor()
  await page.locator('[name=code]').fill((await newestMail(w, environment, email)).code ?? '')
  await twice('change-email')
  await page.locator('main[data-step=account]:not(:has([name=code]))').waitFor()
  await page.goto((await newestMail(w, environment, user.email)).link ?? '')
  await twice('confirm')
  await page.locator('main[data-step=link]:not(:has([data-action=confirm]))').waitFor()
  assert.deepEqual([(await backend(environment, `?email=${email}`)).length, await sessions()], [1, 1])

  await page.goto(authorizationRequest(environment, client, { prompt: 'login' }).url)
  await page.locator('[data-action=forgot-password]').click()
  await isAt(page, 'forgot-password')
  await page.locator('[name=email]').fill(email)
  await twice('continue')
  await page.locator('main[data-step=forgot-password] :not(input)', { hasText: email }).first().waitFor()
  await page.goto((await newestMail(w, environment, email)).link ?? '')
  await twice('confirm')
  await isAt(page, 'new-password')
  await page.locator('[name=password]').fill('a third memorable sentence')
  await twice('continue')
  await page.locator('main[data-step=new-password] a[data-action=continue]').waitFor()

  await page.goto(authorizationRequest(environment, client, { prompt: 'login' }).url)
  await page.locator('[name=email]').fill(email)
  await page.locator('[name=password]').fill('a third memorable sentence')
  await twice('password')
  await isAt(page, 'second-factor')
  await twice('use-recovery-code')
  await page.locator('[name=recovery_code]').fill(codes[0] ?? '')
  await twice('continue')
  if (way.javaScriptEnabled) {
    await isAt(page, 'offer-passkey') // only a script finds out whether the browser can use passkeys
    await twice('not-now')
  }
  await isBack(page, landing.origin)
  assert.ok(new URL(page.url()).searchParams.get('code'))
  assert.equal(await sessions(), 1, 'the reset ended the first one')

  await addPasskeyIn(page)
  for (const type of ['passkey', 'totp']) {
    await openForm(`remove-${type}`, await idOf(type))
    await doTwice(`remove-${type}`)
  }
  assert.deepEqual(
    (await methods()).map(({ type }) => type),
    ['password'],
  )

  await openForm('delete-account')
  await page.locator('[name=email]').fill(email)
  await twice('delete-account')
  await page.locator('main[data-step=account]:not(:has([data-action=delete-account]))').waitFor()
  assert.deepEqual(await backend(environment, `?email=${email}`), [])
  const kindsTo = async (address: string) => (await mailsTo(w, environment, address)).map(({ kind }) => kind).sort()
  assert.deepEqual(await kindsTo(first_email), [
    'change_email_notice',
    'data_exported',
    'method_added',
    'method_added',
    'method_removed',
    'new_sign_in',
    'password_changed',
    'recovery_codes_made',
  ])
  assert.deepEqual(
    await kindsTo(email),
    [
      'account_deleted',
      'change_email',
      'method_added',
      'method_removed',
      'method_removed',
      'password_changed',
      'recovery_code_used',
      'reset_password',
    ],
    'one mail of each change',
  )
  checkPresses()
}

const flows = {
  'the forms of a sign-up, its code, an enrolment and new codes': signUp,
  'the forms of an account, a reset and a sign-in': useAccount,
}

for (const [name, run] of Object.entries(flows))
  test(`${name} have one effect and one answer`, { skip: noBrowser, concurrency: ways.length }, async (t) => {
    const browser = await launchForTests(t)
    await Promise.all(ways.map((way) => t.test(`pressed twice within ${nameOf(way)}`, (subtest) => run(subtest, browser, way))))
  })
