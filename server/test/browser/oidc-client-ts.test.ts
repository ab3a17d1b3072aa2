/** oidc-client-ts, unchanged and in a real browser, from another origin than the issuer's. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { noBrowser } from '../support/chromium.ts'
import { startClientServer } from '../support/client-server.ts'
import { organizationsOf } from '../support/organizations.ts'
import { launchForTests } from '../support/page-audit.ts'
import { world } from '../support/world.ts'

const library = readFileSync(new URL('../browser/oidc-client-ts.min.js', import.meta.resolve('oidc-client-ts')), 'utf8')

interface Tokens {
  access_token: string
  refresh_token: string
  id_token: string
  profile: { sub: string; email: string; org_id?: string; org_name?: string }
}

/** The page of an application at an origin of its own, with the library. */
async function openApplication(t: TestContext, organizations: 'none' | 'required') {
  const w = await world()
  const page_source = '<!doctype html><title>App</title><script src="/oidc-client-ts.js"></script><h1>App</h1>'
  const landing = await startClientServer(t, {
    '/oidc-client-ts.js': { type: 'text/javascript', body: library },
    ...Object.fromEntries(['/', '/callback', '/bye'].map((path) => [path, { type: 'text/html', body: page_source }])),
  })
  const application = await w.createApplication(w.test, {
    organizations,
    application_type: 'spa',
    redirect_uris: [`${landing.origin}/callback`],
    post_logout_redirect_uris: [`${landing.origin}/bye`],
  })
  const user = await w.createUser(w.test)
  const browser = await launchForTests(t)
  const page = await browser.newPage()
  const errors: string[] = []
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on('pageerror', (error) => errors.push(String(error)))

  const settings = {
    authority: w.test.issuer,
    client_id: application.client_id,
    redirect_uri: `${landing.origin}/callback`,
    post_logout_redirect_uri: `${landing.origin}/bye`,
    scope: 'openid profile email offline_access',
    loadUserInfo: true,
    revokeTokensOnSignout: true,
  }
  /** Runs code of the application, with the library's manager as `manager`. */
  const run = (code: string) =>
    page.evaluate(`(async () => { const manager = new oidc.UserManager(${JSON.stringify(settings)}); return (${code}) })()`)
  return { w, landing, user, page, errors, run }
}

test('oidc-client-ts signs in with PKCE, refreshes, reads UserInfo, revokes and signs out', { skip: noBrowser }, async (t) => {
  const { w, landing, user, page, errors, run } = await openApplication(t, 'none')
  await page.goto(landing.origin)
  await run('void manager.signinRedirect()')
  await page.waitForURL(`${w.test.issuer}/**`)
  await page.getByLabel('Email address').fill(user.email)
  await page.getByLabel('Password').fill(user.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${landing.origin}/callback?*`)

  const first = (await run('await manager.signinCallback()')) as Tokens
  assert.equal(first.profile.sub, user.id)
  assert.equal(first.profile.email, user.email)

  const second = (await run('await manager.signinSilent()')) as Tokens
  assert.notEqual(second.access_token, first.access_token)
  assert.notEqual(second.refresh_token, first.refresh_token)
  assert.equal(second.profile.sub, user.id)

  await run(`await manager.revokeTokens(['access_token', 'refresh_token'])`)
  const status = await page.evaluate(
    `fetch('${w.test.issuer}/v1/oauth/userinfo', { headers: { authorization: 'Bearer ${second.access_token}' } }).then(({ status }) => status)`,
  )
  assert.equal(status, 401)
  assert.ok(errors.every((text) => text.includes('401')) && errors.length === 1, errors.join('\n'))

  await run('void manager.signoutRedirect()')
  await page.waitForURL(`${landing.origin}/bye*`)
  await run('await manager.signoutCallback()')
  await run('void manager.signinRedirect()')
  await page.waitForURL(`${w.test.issuer}/**`)
  assert.ok(await page.getByLabel('Password').isVisible(), 'the session has ended')
})

test('oidc-client-ts asks for an organization, keeps it, and switches to another one by a request', { skip: noBrowser }, async (t) => {
  const { w, landing, user, page, run } = await openApplication(t, 'required')
  const { create } = await organizationsOf(w, w.test)
  const [first, second] = [await create({ members: [{ user_id: user.id }] }), await create({ members: [{ user_id: user.id }] })]
  await page.goto(landing.origin)
  const begin = (parameters: object) => run(`void manager.signinRedirect({ extraQueryParams: ${JSON.stringify(parameters)} })`)
  await begin({ organization: first.slug })
  await page.waitForURL(`${w.test.issuer}/**`)
  await page.getByLabel('Email address').fill(user.email)
  await page.getByLabel('Password').fill(user.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${landing.origin}/callback?*`)
  const signed_in = (await run('await manager.signinCallback()')) as Tokens
  const refreshed = (await run('await manager.signinSilent()')) as Tokens
  assert.deepEqual([signed_in.profile.org_id, refreshed.profile.org_id], [first.id, first.id])
  await page.goto(landing.origin)
  await begin({ organization: second.id, prompt: 'none' })
  await page.waitForURL(`${landing.origin}/callback?*`)
  const switched = (await run('await manager.signinCallback()')) as Tokens
  assert.equal(switched.profile.org_id, second.id)
})
