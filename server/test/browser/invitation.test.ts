/** The pages of an invitation in a real browser: walked through without scripts, then audited in each theme and width. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from '../support/chromium.ts'
import { createTenant } from '../support/invitations.ts'
import { audit, launchForTests } from '../support/page-audit.ts'
import { createAdministrator } from '../support/tenants.ts'
import { expectStatus, world } from '../support/world.ts'

test(
  'a person without an account accepts an invitation without scripts, and every page passes the audit',
  { skip: noBrowser },
  async (t) => {
    const w = await world()
    const tenant = await createTenant(w, await createAdministrator(w, 'olga@example.com'))
    const browser = await launchForTests(t)
    const context = await browser.newContext({ javaScriptEnabled: false })
    const auditor = await browser.newContext()
    const page = await context.newPage()
    const found: string[] = []
    /** Audits a copy of the page, since axe needs scripts. */
    const look = async (name: string) => {
      const copy = await auditor.newPage()
      const body = await page.content()
      await copy.route('**/*', (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body }))
      await copy.goto(page.url())
      found.push(...(await audit(copy, name)))
      await copy.close()
    }

    const { invitation_url } = await tenant.invite('nora@example.com', 'developer')
    await page.goto(invitation_url)
    await look('invitation, new account')
    await page.getByLabel('Password').fill('passwordpassword')
    await page.locator('[data-action=create-account]').click()
    await look('invitation, account refused')
    await page.getByLabel('Password').fill('a memorable sentence')
    await page.locator('[data-action=create-account]').click()
    await look('invitation, question')
    await page.locator('[data-action=accept-invitation]').click()
    await look('invitation, accepted')
    const dashboard = page.getByRole('link', { name: 'Open the dashboard' })
    assert.equal(await dashboard.getAttribute('href'), `${w.base_url}/dashboard/t/${tenant.slug}`)
    const again = await tenant.invite('nora@example.com', 'admin')
    await page.goto(again.invitation_url)
    await look('invitation, already a member')
    assert.equal(await dashboard.getAttribute('href'), `${w.base_url}/dashboard/t/${tenant.slug}`)
    assert.equal((await page.goto(invitation_url))?.status(), 410)
    await look('invitation, used')
    const resent = expectStatus(200, await tenant.as(tenant.owner, 'POST', `/${again.id}/resend`))
    assert.equal((await page.goto(again.invitation_url))?.status(), 410)
    await look('invitation, replaced')
    assert.equal((await tenant.as(tenant.owner, 'DELETE', `/${again.id}`)).status, 204)
    assert.equal((await page.goto(resent.invitation_url))?.status(), 410)
    await look('invitation, withdrawn')
    assert.equal((await page.goto(invitation_url.replace(/token=.*/, `token=${'x'.repeat(43)}`)))?.status(), 404)
    await look('invitation, unknown')
    assert.deepEqual(found, [])
    assert.ok((await tenant.list()).some(({ email, status }) => email === 'nora@example.com' && status === 'active'))
  },
)
