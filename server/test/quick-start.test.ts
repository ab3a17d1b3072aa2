/**
 * docs/quick-start.md, followed as written on a fresh database: every file is saved and every command is typed, and a person signs in by a
 * real browser. Only the ports are replaced by free ones, npx runs the launcher of this clone, and the libraries are those of this clone.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser, noBrowser } from './support/chromium.ts'
import { cleanFolder, install } from './support/followed.ts'
import { createAccount, enterCode } from './support/person.ts'
import { openTerminal, startProgram } from './support/terminal.ts'

const skip = process.platform === 'win32' ? 'the commands are for a POSIX shell' : noBrowser

const place = await cleanFolder(['3000', '8080', '8081', '8082', '8083'])
const { clone, env, origin } = place
const hello = join(place.folder, 'hello-ostiary')
const blocks = place.read('docs/quick-start.md')
const commands = (role: string) => blocks.filter((block) => block.language === 'sh' && block.role === role).map(({ code }) => code)

let browser: Browser
let page: Page
const terminal = skip ? null : openTerminal({ cwd: clone, env })

before(async () => {
  if (skip) return
  browser = await launchBrowser()
  page = await browser.newPage()
})
after(async () => {
  await browser?.close()
  await terminal?.close()
})

test('the service starts, and the setup creates a project with its applications', { skip }, async () => {
  const [bootstrap = '', serve = ''] = commands('service')
  const service = openTerminal({ cwd: clone, env })
  const said = await service.type(bootstrap)
  assert.match(said, /is shown once/)
  await service.close()
  await startProgram(serve, /"listening"/, { cwd: clone, env })

  const [folders = '', ...rest] = commands('')
  await terminal?.type(folders)
  for (const { language, role, code } of blocks) if (role.includes('.') && language !== 'sh') writeFileSync(join(hello, role), code)
  install(commands('install')[0] ?? '', hello)
  assert.match((await terminal?.type(rest[0] ?? '')) ?? '', /^Wrote \.env\. Your issuer is http:\/\/localhost:\d+\/e\/env_\w+\n$/)
})

test('web application: a person creates an account and returns signed in', { skip }, async () => {
  const [web = ''] = commands('server')
  await startProgram(web, /Open http/, { cwd: hello, env })
  await page.goto(origin('8080'))
  await page.getByRole('link', { name: 'Sign in' }).click()
  await createAccount(page, 'ada@example.com')
  await enterCode(page, '123456')
  await page.getByText('Signed in as ada@example.com').waitFor()
  assert.equal(page.url(), `${origin('8080')}/`)
})

test('single-page application: it signs the same person in without a password', { skip }, async () => {
  const [, spa = ''] = commands('server')
  await startProgram(spa, /Open http/, { cwd: hello, env })
  await page.goto(origin('8081'))
  await page.getByText('Not signed in').waitFor()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Signed in as ada@example.com').waitFor()
  assert.equal(page.url(), `${origin('8081')}/`)
})

test('API: it answers the web application for the signed-in user, and refuses a call without a token', { skip }, async () => {
  const [, , api = ''] = commands('server')
  await startProgram(api, /Listening on http/, { cwd: hello, env })
  await page.goto(origin('8080'))
  await page.getByRole('link', { name: 'My orders' }).click()
  assert.match(await page.locator('body').innerText(), /^\{"user":"usr_\w+","orders":\[\]\}$/)
  const [, , curl = ''] = commands('')
  assert.match((await terminal?.type(curl)) ?? '', /HTTP\/1\.1 401 Unauthorized\r\n[\s\S]*\{"error":"invalid_token"\}/)
})

test('API: it refuses an ID token, and an access token for another audience', { skip }, async () => {
  await page.goto(origin('8081'))
  const stored = String(
    await page.evaluate('sessionStorage.getItem(Object.keys(sessionStorage).find((key) => key.startsWith("oidc.user:")))'),
  )
  const { id_token, access_token } = JSON.parse(stored)
  for (const token of [id_token, access_token]) {
    const { status } = await fetch(`${origin('8082')}/orders`, { headers: { authorization: `Bearer ${token}` } })
    assert.equal(status, 401)
  }
})

test('both applications sign the person out', { skip }, async () => {
  await page.goto(origin('8081'))
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('Not signed in').waitFor()
  await page.goto(origin('8080'))
  await page.getByRole('link', { name: 'Sign out' }).click()
  await page.waitForURL(`${origin('8080')}/`)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByLabel('Password').waitFor()
})

test('curl: the commands lead from the platform key to the claims of the signed-in user', { skip }, async () => {
  const [begin = '', inbox = '', read = '', finish = ''] = commands('curl')
  const printed = (await terminal?.type(begin)) ?? ''
  const address = /^http\S+\/oauth\/authorize\?\S+$/m.exec(printed)?.[0] ?? assert.fail(printed)
  const returned = page.waitForRequest((request) => request.url().startsWith(`${origin('8083')}/callback`))
  await page.goto(address)
  await createAccount(page, 'grace@example.com')
  await page.getByLabel('Code').waitFor()
  const code = /^\d{6}$/m.exec((await terminal?.type(inbox)) ?? '')?.[0] ?? assert.fail('the inbox shows no code')
  await enterCode(page, code)
  await terminal?.answer(read, (await returned).url())
  assert.match((await terminal?.type(finish)) ?? '', /\{"sub":"usr_\w+","email":"grace@example\.com","email_verified":true\}/)
})

test('no other commands stand in the document', { skip }, () => {
  const roles = blocks.filter(({ language }) => language === 'sh').map(({ role }) => role)
  const followed = { service: 2, '': 3, install: 1, server: 3, curl: 4 }
  for (const [role, count] of Object.entries(followed)) assert.equal(roles.filter((each) => each === role).length, count, role)
  assert.equal(
    roles.length,
    Object.values(followed).reduce((sum, count) => sum + count),
  )
})
