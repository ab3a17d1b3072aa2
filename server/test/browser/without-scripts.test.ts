/** Sign-ups, codes, links and changes of the account in a browser without scripts, each from the first page to its effect. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appCode } from '../support/authenticator-app.ts'
import { noBrowser } from '../support/chromium.ts'
import { startClientServer } from '../support/client-server.ts'
import { authorizationRequest } from '../support/cookie-browser.ts'
import { newestMail } from '../support/mailed.ts'
import { auditSeen, withoutScripts } from '../support/page-visit.ts'
import { world } from '../support/world.ts'

const w = await world()
await w.changeSettings(w.test, {
  sign_in: { email_code: true },
  branding: { display_name: 'Acme Shop', primary_color: '#1F4FD8' },
  mfa: { mode: 'optional' },
})

// biome-ignore format: this table is read by column
const languages = [
  { locale: 'en-GB', email: 'Email address',  password: 'Password', code: 'Code', name: 'Name' },
  { locale: 'de-AT', email: 'E-Mail-Adresse', password: 'Passwort', code: 'Code', name: 'Name' },
]
for (const { locale, ...words } of languages)
  test(
    `every way in that needs mail, and the second factor on the account page, work without scripts (${locale})`,
    { skip: noBrowser },
    async (t) => {
      const landing = await startClientServer(t)
      const { browser, context, page, seen, errors, look: see } = await withoutScripts(t, locale)
      const client = await w.createApplication(w.test, { name: 'Storefront web', redirect_uris: [`${landing.origin}/${locale}`] })
      const begin = (change = {}) => page.goto(authorizationRequest(w.test, client, { prompt: 'login', ...change }).url)
      const act = (action: string) => page.locator(`[data-action=${action}]`).first().click()
      const enter = (label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value)
      const step = () => page.locator('main').getAttribute('data-step')
      const look = (name: string, status = 200) => see(`${name}, ${locale}`, status)
      const isBack = () => assert.ok(new URL(page.url()).searchParams.get('code'), page.url())
      const mailTo = async (email: string) => newestMail(w, w.test, email)
      const signIn = async (email: string, password: string) => {
        await enter(words.email, email)
        await enter(words.password, password)
        await act('password')
      }
      const email = `new-person-in-${locale.toLowerCase()}@example.com`
      const passwords = ['an engine of brass', 'a loom of silver thread', 'punched cards in a drawer'] as const

      await t.test('sign-up with a mailed code', async () => {
        await begin()
        await act('create-account')
        await page.locator('[name=email]').fill(email)
        await page.locator('[name=name]').fill('Ada Lovelace')
        await page.locator('[name=password]').fill(passwords[0])
        await page.locator('button[data-action=create-account]').click()
        assert.equal(await step(), 'code')
        await look('code of a sign-up')
        await enter(words.code, (await mailTo(email)).code ?? '')
        await act('continue')
        isBack()
      })

      await t.test('sign-in with an emailed code, after a wrong one and a new one', async () => {
        await begin()
        await look('sign-in, with codes')
        await enter(words.email, email)
        await act('email-code')
        await look('code')
        const { code } = await mailTo(email)
        await enter(words.code, code === '000000' ? '111111' : '000000')
        await act('continue')
        await look('code, wrong', 400)
        w.advance(31)
        await act('resend-code')
        await enter(words.code, (await mailTo(email)).code ?? '')
        await act('continue')
        isBack()
      })

      let reset_link = ''
      await t.test('a forgotten password: the link, its page, the new password, and the sign-in', async () => {
        await begin()
        await act('forgot-password')
        await look('forgotten password')
        await enter(words.email, 'no address')
        await page.locator('form').evaluate((form) => form.setAttribute('novalidate', ''))
        await act('continue')
        await look('forgotten password, wrong', 400)
        await enter(words.email, email)
        await act('continue')
        await look('forgotten password, sent')
        reset_link = (await mailTo(email)).link ?? ''
        await page.goto(reset_link)
        assert.equal(await step(), 'link')
        await look('link of a reset')
        await act('confirm')
        assert.equal(await step(), 'new-password')
        await look('new password')
        await page.locator('[name=password]').fill('password1234')
        await act('continue')
        await look('new password, refused', 400)
        await page.locator('[name=password]').fill(passwords[1])
        await act('continue')
        await look('new password, saved')
        await begin()
        await signIn(email, passwords[1])
        isBack()
      })

      await t.test('on the account page: another password, an authenticator app, new recovery codes, and the app removed', async () => {
        await page.goto(`${w.test.issuer}/account`)
        assert.equal(await step(), 'account')
        await act('change-password')
        await page.locator('[name=password]').fill(passwords[2])
        await act('change-password')
        await act('add-totp')
        await look('account, new authenticator app')
        const secret = (await page.locator('main code').innerText()).replaceAll(' ', '')
        await enter(words.code, appCode(secret, w.now()))
        await page.locator('button[data-action=add-totp]').click()
        await look('account, recovery codes')
        const codes = await page.locator('[data-recovery-code]').allInnerTexts()
        assert.equal(codes.length, 10)
        await act('continue')
        await look('account, with a second factor')
        await act('new-recovery-codes')
        await look('account, new recovery codes')
        await page.locator('button[data-action=new-recovery-codes]').click()
        await page.locator('[data-recovery-code]').first().waitFor()
        const fresh = await page.locator('[data-recovery-code]').allInnerTexts()
        assert.ok(fresh.length === 10 && !codes.includes(fresh[0] ?? ''))
        await act('continue')

        await begin()
        await signIn(email, passwords[2])
        assert.equal(await step(), 'second-factor')
        await act('use-recovery-code')
        await page.locator('[name=recovery_code]').fill(fresh[0] ?? '')
        await act('continue')
        isBack()
        await page.goto(`${w.test.issuer}/account`)
        await page.locator('[data-id^=mth_] [data-action=remove-totp]').click()
        await look('account, removal of the app')
        await page.locator('button[data-action=remove-totp]').click()
        assert.equal(await page.locator('[data-action=remove-totp]').count(), 0)
      })

      await t.test('a link that was used, and one that was invented', async () => {
        await context.clearCookies()
        await page.goto(`${w.test.issuer}/link?token=invented`)
        await look('link, unknown', 410)
        await page.goto(reset_link)
        await look('link, used', 410)
      })

      assert.deepEqual(errors, [])
      const scripted = await browser.newContext({ locale })
      for (const one of seen)
        await t.test(`${one.name}: axe, both themes, 320 to 1440 px`, async () => assert.deepEqual(await auditSeen(scripted, one), []))
    },
  )
