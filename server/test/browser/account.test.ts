/** The account page in a real browser: walked through without scripts, then audited in each theme and width. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from '../support/chromium.ts'
import { createAgent, createPerson, followPages, formOf } from '../support/cookie-browser.ts'
import { newestMail } from '../support/mailed.ts'
import { audit, launchForTests } from '../support/page-audit.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { expectStatus, world } from '../support/world.ts'

const upstreams = await startUpstreams()

for (const { locale, words } of [
  { locale: 'en-GB', words: { email: 'Email address', password: 'Password', sign_in: 'Sign in' } },
  { locale: 'de-AT', words: { email: 'E-Mail-Adresse', password: 'Passwort', sign_in: 'Anmelden' } },
])
  test(`a person manages their account without scripts, and every page passes the audit (${locale})`, { skip: noBrowser }, async (t) => {
    const w = await world({ outbound: upstreams.outbound })
    const planner = await w.createApplication(w.test, { name: 'Meal Planner', consent: 'ask' })
    const body = {
      type: 'oidc',
      display_name: 'Company',
      issuer: 'https://sso.example.com',
      client_id: 'o',
      client_secret: 's',
      link_by_verified_email: true,
    }
    const provider = expectStatus(201, await w.call('POST', `${w.test.path}/providers`, { body }))
    const person = await createPerson(w, w.test, {
      email: 'demo@example.com',
      name: 'Demo Example',
      locale: 'en',
      zoneinfo: 'Europe/Vienna',
    })
    await person.tokens(planner)
    const other = createAgent()
    const { hidden } = formOf((await other.get(`${w.test.issuer}/account`)).body)
    const started = await other.post(`${w.test.issuer}/federate`, { ...hidden, provider: provider.id })
    const answer = upstreams.agree(started.headers.get('location') ?? '', {
      claims: { sub: 'demo', email: person.email, email_verified: true },
    })
    await followPages(other, await other.get(`${w.test.issuer}/oauth/callback/${provider.id}?${new URLSearchParams(answer)}`))

    const browser = await launchForTests(t)
    const context = await browser.newContext({ javaScriptEnabled: false, locale })
    const auditor = await browser.newContext()
    const page = await context.newPage()
    const found: string[] = []
    /** Audits a copy of the page, since axe needs scripts. */
    const look = async (name: string) => {
      const copy = await auditor.newPage()
      const body = await page.content()
      await copy.route('**/*', (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body }))
      await copy.goto(page.url())
      found.push(...(await audit(copy, `${name}, ${locale}`)))
      await copy.close()
    }
    const press = (action: string) => page.locator(`[data-action=${action}]`).first().click()
    const step = () => page.locator('main').getAttribute('data-step')

    await page.goto(`${w.test.issuer}/account`)
    await look('account, sign-in')
    await page.getByLabel(words.email).fill(person.email)
    await page.getByLabel(words.password).fill(person.password)
    await page.getByRole('button', { name: words.sign_in, exact: true }).click()
    assert.equal(await step(), 'account')
    await look('account')

    await press('change-name')
    await look('account, profile')
    await page.locator('[name=zoneinfo]').fill('Mars/Olympus')
    await press('change-name')
    await look('account, profile, wrong')
    await page.locator('[name=zoneinfo]').fill('Asia/Tokyo')
    await page.locator('[name=name]').fill('Ada Lovelace')
    await press('change-name')
    assert.equal(await page.locator('h1').textContent(), 'Ada Lovelace')
    await look('account, changed')

    await press('change-email')
    await look('account, new address')
    await page.locator('[name=email]').fill('new@example.com')
    await press('change-email')
    await look('account, pending address')
    await page.locator('[name=code]').fill('12345')
    await press('change-email')
    await look('account, pending address, wrong code')
    await page.locator('[name=code]').fill((await newestMail(w, w.test, 'new@example.com')).code ?? '')
    await press('change-email')
    await look('account, one end confirmed')
    await page.goto((await newestMail(w, w.test, person.email)).link ?? '')
    await look('link, old address')
    await press('cancel')
    await look('link, old address kept')
    await page.goto(`${w.test.issuer}/account`)

    await press('change-password')
    await look('account, password')
    await page.locator('[name=password]').fill('password1234')
    await press('change-password')
    await look('account, password, refused')
    await page.locator('[data-action=cancel]').click()

    await page.locator('[data-id^=mth_] [data-action=remove-provider]').click()
    await look('account, removal')
    await press('remove-provider')
    assert.equal(await page.locator('[data-action=remove-provider]').count(), 0)
    await press('add-provider')
    await look('account, new provider')
    await page.locator('[data-action=cancel]').click()

    await press('disconnect')
    assert.equal(await page.locator('[data-action=disconnect]').count(), 0)
    await press('end-session')
    assert.equal(await page.locator('[data-action=end-session]').count(), 0)
    await look('account, with little')
    const downloaded = page.waitForEvent('download')
    await press('export')
    assert.match((await downloaded).suggestedFilename(), /^account-.*\.json$/)

    w.advance(601)
    await press('delete-account')
    assert.equal(await step(), 'sign-in')
    await look('account, sign-in for a change')
    await page.getByLabel(words.password).fill(person.password)
    await page.getByRole('button', { name: words.sign_in, exact: true }).click()
    await look('account, deletion')
    await page.locator('[name=email]').fill('someone@example.com')
    await press('delete-account')
    await look('account, deletion refused')
    await page.locator('[name=email]').fill(person.email)
    await press('delete-account')
    await look('account, deleted')
    await page.goto(`${w.test.issuer}/account`)
    assert.equal(await step(), 'sign-in')
    assert.deepEqual(found, [])
  })
