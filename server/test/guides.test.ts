/** The guides, followed as written against a service of their own: every command is typed, and a person signs in with a real browser. */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { browserCommand, launchBrowser, noBrowser } from './support/chromium.ts'
import { type Act, cleanFolder, follow, writeProgram } from './support/followed.ts'
import { createAccount, enterCode } from './support/person.ts'

const skip = process.platform === 'win32' ? 'the commands are for a POSIX shell' : noBrowser

const ports = ['3000', '8080', '8081', '8082', '8083', '8084', '8085', '8086', '8087', '8088', '8089']
const place = await cleanFolder(ports, { CHROME_PATH: '' })
const guides = join(place.folder, 'guides')

let browser: Browser
before(async () => {
  if (skip) return
  browser = await launchBrowser()
  place.env.CHROME_PATH = join(place.folder, 'bin/chrome')
  writeProgram(place.env.CHROME_PATH, browserCommand())
})
after(() => browser?.close())

/** A browser without any session. */
async function inBrowser(act: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext()
  await act(await context.newPage())
  await context.close()
}

async function signUp(page: Page, email: string): Promise<void> {
  await createAccount(page, email)
  await enterCode(page, '123456')
}

/** Opens the address that a program printed, and signs up there. */
const atPrintedAddress =
  (email: string, then: (page: Page) => Promise<void> = async () => {}): Act =>
  ({ output }) =>
    inBrowser(async (page) => {
      await page.goto(/Open this address:\n(\S+)/.exec(output())?.[1] ?? assert.fail(output()))
      await signUp(page, email)
      await then(page)
      await page.waitForURL(/^http:\/\/127\.0\.0\.1:/)
    })

/** Opens the address, and signs in as the person whom the guide made. */
const signingIn =
  (then: (page: Page) => Promise<void> = async () => {}): Act =>
  ({ output }) =>
    inBrowser(async (page) => {
      await page.goto(/Open this address:\n(\S+)/.exec(output())?.[1] ?? assert.fail(output()))
      await page.locator('[name=email]').fill('grace@example.com')
      await page.locator('[name=password]').fill('two tall pines in the wind')
      await page.locator('[data-action=password]').click()
      await then(page)
      await page.waitForURL(/^http:\/\/127\.0\.0\.1:/)
    })

/** The guides in the order of the contents, with what a person does in each. */
const acts: Readonly<Record<string, readonly Act[]>> = {
  'web-application': [
    () =>
      inBrowser(async (page) => {
        await page.goto(place.origin('8080'))
        await page.getByRole('link', { name: 'Sign in' }).click()
        await signUp(page, 'web@example.com')
        await page.getByText('Signed in as web@example.com').waitFor()
        await page.getByRole('button', { name: 'Sign out' }).click()
        await page.getByText('Not signed in').waitFor()
      }),
  ],
  'single-page-application': [
    () =>
      inBrowser(async (page) => {
        await page.goto(place.origin('8081'))
        await page.getByRole('button', { name: 'Sign in' }).click()
        await signUp(page, 'spa@example.com')
        await page.getByText('Signed in as spa@example.com').waitFor()
        await page.getByRole('button', { name: 'Sign out' }).click()
        await page.getByText('Not signed in').waitFor()
      }),
  ],
  'native-application': [atPrintedAddress('native@example.com')],
  'backend-api': [atPrintedAddress('api@example.com')],
  roles: [atPrintedAddress('roles@example.com')],
  organizations: [signingIn((page) => page.getByRole('button', { name: 'Acme' }).click()), signingIn()],
  'which-check-counts': [],
  'roles-from-elsewhere': [],
  'mcp-server': [atPrintedAddress('mcp@example.com', (page) => page.getByRole('button', { name: 'Allow', exact: true }).click())],
  webhooks: [],
  federation: [
    () =>
      inBrowser(async (page) => {
        await page.goto(place.origin('8084', '127.0.0.1'))
        await page.getByRole('button', { name: /Partner/ }).click()
        await signUp(page, 'partner@example.com')
        await page.getByText('Signed in as partner@example.com').waitFor()
      }),
  ],
  'issuer-host': [],
  providers: [],
  'sign-up': [],
  testing: [],
  express: [
    () =>
      inBrowser(async (page) => {
        await page.goto(`${place.origin('8087')}/account`)
        await signUp(page, 'express@example.com')
        await page.getByText('Signed in as express@example.com').waitFor()
        await page.goto(place.origin('8087'))
        await page.getByRole('button', { name: 'Sign out' }).click()
        await page.getByRole('link', { name: 'Sign in' }).waitFor()
      }),
  ],
  nextjs: [],
  react: [],
  vue: [],
  sveltekit: [],
  'react-native': [],
  django: [],
  fastapi: [],
  go: [],
  spring: [],
  'aspnet-core': [],
  laravel: [],
  rails: [],
  'going-live': [],
  promotion: [],
  configuration: [],
  'key-rotation': [],
  'audit-log': [],
  'refused-calls': [],
  'sign-out': [],
  support: [],
  'import-users': [],
  'personal-data': [],
  claims: [],
  look: [],
  mail: [],
  'emailed-codes': [],
  passkeys: [],
  'second-factor': [],
  proxy: [],
  postgresql: [],
  'beyond-one-primary': [],
  kubernetes: [],
}

test('Before a guide', { skip }, () => follow(place, 'docs/guides.md', place.clone, []))

for (const [name, done] of Object.entries(acts))
  test(name, { skip, timeout: 120_000 }, () => follow(place, `docs/guides/${name}.md`, guides, done))

test('every guide is followed', () => {
  const found = globSync('*.md', { cwd: join(import.meta.dirname, '../../docs/guides') }).map((file) => file.replace('.md', ''))
  assert.deepEqual(found.toSorted(), Object.keys(acts).toSorted())
})
