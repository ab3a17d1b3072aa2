/** Every hosted page: visited without scripts, then audited in each theme and width. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appCode, wrongCode } from '../support/authenticator-app.ts'
import { noBrowser } from '../support/chromium.ts'
import { startClientServer } from '../support/client-server.ts'
import { authorizationRequest } from '../support/cookie-browser.ts'
import { examplePages } from '../support/example-pages.ts'
import { launchForTests } from '../support/page-audit.ts'
import { auditSeen, withoutScripts } from '../support/page-visit.ts'
import { createRoleWorld } from '../support/role-person.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const w = await world()

const brand = {
  branding: { display_name: 'Acme Shop', primary_color: '#1F4FD8' },
  links: { terms_url: 'https://example.com/terms', privacy_url: 'https://example.com/privacy', support_url: 'https://example.com/help' },
  lockout: { max_attempts: 3, duration_seconds: 900 },
}

test('the hosted pages work without scripts and pass the audit', { skip: noBrowser }, async (t) => {
  const landing = await startClientServer(t)
  const { browser, context, page, seen, errors, look, press } = await withoutScripts(t)
  await w.changeSettings(w.test, brand)
  const fields = { name: 'Storefront web', consent: 'ask', post_logout_redirect_uris: [`${landing.origin}/bye`] }
  const application = await w.createApplication(w.test, { ...fields, redirect_uris: [`${landing.origin}/callback`] })
  const begin = (change = {}, environment: TestEnvironment = w.test, client = application) =>
    page.goto(authorizationRequest(environment, client, change).url)
  const signIn = async (email: string, password: string) => {
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password').fill(password)
    await press('Sign in')
  }

  await t.test('sign-in: a wrong password, then too many', async () => {
    const person = await w.createUser(w.test)
    await begin()
    await look('sign-in')
    await signIn(person.email, 'not the password')
    await look('sign-in, wrong', 400)
    assert.equal(await page.getByLabel('Email address').inputValue(), person.email)
    assert.equal(await page.getByLabel('Password').inputValue(), '')
    for (let attempt = 0; attempt < 3; attempt++) await signIn(person.email, 'not the password')
    await look('sign-in, locked', 429)
    await context.clearCookies()
    await signIn(person.email, person.password)
    await look('sign-in, no cookies', 400)
    await page.reload()
    await look('sign-in, no cookies, loaded again', 400)
    await page.goto(`${w.test.issuer}/sign-in`)
    await look('sign-in, its address opened', 405)
    await begin({ login_hint: person.email })
    await look('sign-in, with a login_hint')
    assert.equal(await page.locator('[autofocus]').getAttribute('name'), 'password')
  })

  await t.test('sign-up with values that only the service refuses, then consent', async () => {
    await w.changeSettings(w.test, { email: { delivery: 'none' } })
    await begin()
    await page.getByRole('link', { name: 'Create an account' }).click()
    await look('sign-up')
    await page.getByLabel('Email address').fill('ada@example')
    await page.getByLabel('Password').fill('password1234')
    await press('Create account')
    await look('sign-up, wrong', 400)
    await page.getByLabel('Email address').fill((await w.createUser(w.test)).email)
    await page.getByLabel('Password').fill('an engine of brass')
    await press('Create account')
    await look('sign-up, taken', 400)
    await page.getByLabel('Email address').fill('ada@example.com')
    await page.getByLabel('Name').fill('Ada Lovelace')
    await page.getByLabel('Password').fill('an engine of brass')
    await press('Create account')
    await look('consent')
    await press('Do not allow')
    assert.equal(new URL(page.url()).searchParams.get('error'), 'access_denied')
    await begin()
    await press('Allow')
    assert.ok(new URL(page.url()).searchParams.get('code'))
    await w.changeSettings(w.test, { email: null })
  })

  await t.test('the account chooser, with a second account', async () => {
    const second = await w.createUser(w.test, { name: 'Grace Hopper', email: 'grace@example.com' })
    await begin({ prompt: 'select_account' })
    await page.getByRole('link', { name: 'Another account' }).click()
    await look('sign-in, beside another account')
    await signIn(second.email, second.password)
    await press('Allow')
    await begin({ prompt: 'select_account' })
    await look('account chooser')
    await page.getByRole('button', { name: 'Ada Lovelace ada@example.com', exact: true }).click()
    assert.ok(page.url().startsWith(landing.origin), 'Ada has consented before')
  })

  await t.test('form_post continues with its button', async () => {
    await begin({ response_mode: 'form_post' })
    await look('form post')
    await press('Continue')
    assert.match(landing.visits.at(-1)?.body ?? '', /^code=[\w-]+&state=/)
  })

  await t.test('sign-out asks first, and links back to the application', async () => {
    const address = `${w.test.issuer}/oauth/logout?${new URLSearchParams({ client_id: application.client_id, post_logout_redirect_uri: `${landing.origin}/bye` })}`
    await page.goto(address)
    await look('sign-out')
    await press('Stay signed in')
    await look('still signed in')
    await page.goto(address)
    await press('Sign out')
    await look('signed out')
    await page.getByRole('link', { name: 'Back to Storefront web' }).click()
    assert.equal(page.url(), `${landing.origin}/bye`)
    await page.goto(`${address}s`)
    await look('signed out, return address compared')
    await page.goto(`${w.test.issuer}/oauth/logout`)
    await look('signed out, without a client')
  })

  await t.test('a provider that fails, and providers without a form', async () => {
    const types = ['oidc', 'google', 'github', 'gitlab', 'microsoft'] as const
    for (const type of types) {
      const issuer = {
        oidc: 'https://localhost:9',
        microsoft: `https://login.microsoftonline.com/${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}/v2.0`,
      }
      const body = {
        type,
        display_name: type === 'oidc' ? 'Acme staff account' : type[0]?.toUpperCase() + type.slice(1),
        client_id: 'x',
        client_secret: 'y',
      }
      const own = type in issuer ? { issuer: issuer[type as keyof typeof issuer] } : {} // as: just checked
      expectStatus(201, await w.call('POST', `${w.test.path}/providers`, { body: { ...body, ...own } }))
    }
    await begin()
    await look('sign-in, with providers')
    await press('Continue with Acme staff account')
    await look('provider problem', 502)
    await w.changeSettings(w.test, { sign_in: { password: false } })
    await begin()
    await look('sign-in, providers only')
    await w.changeSettings(w.test, { sign_in: { password: null } })
  })

  await t.test('a logo that does not load leaves the initial, in the colour of the brand', async () => {
    await w.changeSettings(w.test, { branding: { logo_url: `${landing.origin}/no-such-logo.png` } })
    await begin()
    await look('sign-in, broken logo')
    const tile = page.locator('.logo .tile')
    assert.deepEqual([await tile.textContent(), (await tile.boundingBox())?.width], ['A', 36])
    await w.changeSettings(w.test, { branding: { logo_url: null } })
  })

  await t.test('the second factor: mailed code, authenticator app, recovery codes, and the next sign-in', async () => {
    await w.changeSettings(w.test, { mfa: { mode: 'required' }, lockout: { max_attempts: 100 } })
    const client = await w.createApplication(w.test, { redirect_uris: [`${landing.origin}/second`] })
    const person = await w.createUser(w.test)
    const enter = (label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value)
    await context.clearCookies()
    await begin({}, w.test, client)
    await signIn(person.email, person.password)
    await look('mailed code')
    await enter('Code', '000000')
    await press('Continue')
    await look('mailed code, wrong', 400)
    const inbox = expectStatus(200, await w.call('GET', `${w.test.path}/inbox?to=${person.email}`))
    const { code } = expectStatus(200, await w.call('GET', `${w.test.path}/inbox/${inbox.data[0].id}`))
    await enter('Code', code)
    await press('Continue')
    await look('authenticator app')
    const secret = (await page.locator('main code').innerText()).replaceAll(' ', '')
    assert.equal(await page.locator('[autofocus]').getAttribute('autocomplete'), 'one-time-code')
    await enter('Code', wrongCode(secret, w.now()))
    await press('Continue')
    await look('authenticator app, wrong', 400)
    await enter('Code', appCode(secret, w.now()))
    await press('Continue')
    await look('recovery codes')
    const codes = await page.locator('[data-recovery-code]').allInnerTexts()
    assert.equal(codes.length, 10)
    assert.equal(await page.locator('[data-code-tools]').isHidden(), true, 'their script does not run')
    await page.locator('[data-action=continue]').click()
    assert.ok(new URL(page.url()).searchParams.get('code'))

    await begin({ prompt: 'login' }, w.test, client)
    await signIn(person.email, person.password)
    await look('second factor')
    await enter('Code', wrongCode(secret, w.now()))
    await press('Continue')
    await look('second factor, wrong', 400)
    await page.locator('[data-action=use-recovery-code]').click()
    await look('second factor, recovery code')
    await enter('Recovery code', 'none of them')
    await press('Continue')
    await look('second factor, recovery code wrong', 400)
    await page.locator('[data-action=use-totp]').click()
    await page.locator('[data-action=use-recovery-code]').click()
    await enter('Recovery code', codes[0] ?? '')
    await press('Continue')
    assert.ok(new URL(page.url()).searchParams.get('code'))

    await begin({ prompt: 'login', ui_locales: 'de' }, w.test, client)
    await page.getByLabel('E-Mail-Adresse').fill(person.email)
    await page.getByLabel('Passwort').fill(person.password)
    await page.locator('[data-action=password]').click()
    await look('second factor, German')
    for (let i = 0; i < 5; i++) {
      await page.locator('[name=code]').fill(wrongCode(secret, w.now()))
      await page.locator('[data-action=continue]').click()
    }
    await look('second factor, ended', 400)
    await context.clearCookies()
    await w.changeSettings(w.test, { mfa: { mode: 'off' }, lockout: { max_attempts: 3 } })
  })

  await t.test('a person whose roles give a part of the scope, and one whose roles give nothing', async () => {
    const roles = await createRoleWorld(w, w.test)
    const server = await roles.createServer('orders', ['orders:read', 'orders:write'])
    const reader = await roles.createRole('reader', { orders: ['orders:read'] })
    const allowed_scopes = ['openid', 'email', 'orders:read', 'orders:write']
    const client = await w.createApplication(w.test, { ...fields, allowed_scopes, redirect_uris: application.redirect_uris })
    const person = await w.createUser(w.test, { name: 'Charles Babbage', email: 'charles@example.com' })
    const ask = { scope: allowed_scopes.join(' '), resource: server.identifier }
    await roles.give(person, reader)
    await begin(ask, w.test, client)
    await signIn(person.email, person.password)
    await look('consent, a scope that no role gives')
    assert.equal(await page.locator('[data-scope="orders:write"][data-given=false]').count(), 1)
    await roles.give(person)
    await press('Allow')
    await look('no access', 403)
    await page.locator('[data-action=use-other-account]').click()
    await page.locator('[data-step=select-account]').waitFor()
    await page.goBack()
    await press(`Back to ${client.name}`)
    assert.equal(new URL(page.url()).searchParams.get('error'), 'access_denied')
  })

  await t.test('addresses that are not a step: the root, an unknown address, a disabled application', async () => {
    await page.goto(`${w.base_url}/`)
    await look('start page')
    await page.goto(`${w.base_url}/nowhere`)
    await look('not found, service', 404)
    await page.goto(`${w.base_url}/v1/me`)
    await look('for programs', 401)
    await page.goto(`${w.test.issuer}/nowhere`)
    await look('not found, test', 404)
    await page.goto(`${w.live.issuer}/nowhere`)
    await look('not found, live', 404)
    const disabled = await w.createApplication(w.test)
    expectStatus(200, await w.call('PATCH', `${w.test.path}/applications/${disabled.id}`, { body: { disabled: true } }))
    await begin({}, w.test, disabled)
    await look('disabled app', 400)
    await begin({}, w.test, await w.createApplication(w.live))
    await look('client of Live in Test', 400)
    await begin({ ui_locales: 'de' })
    await look('sign-in, German')
  })

  await t.test('error pages, with details for developers in Test and without in Live', async () => {
    const live = await w.createApplication(w.live)
    for (const [environment, client] of [
      [w.test, application],
      [w.live, live],
    ] as const) {
      await begin({ redirect_uri: `${client.redirect_uris[0]}/` }, environment, client)
      await look(`redirect mismatch, ${environment.type}`, 400)
      await begin({ client_id: 'app_unknown' }, environment, client)
      await look(`unknown app, ${environment.type}`, 400)
      await page.goto(`${environment.issuer}/oauth/logout?state=one&state=two`)
      await look(`sign-out, unusable, ${environment.type}`, 400)
    }
    await begin({}, w.live, live)
    await look('sign-in, live')
  })

  assert.deepEqual(errors, [])
  const scripted = await browser.newContext()
  for (const one of seen)
    await t.test(`${one.name}: axe, both themes, 320 to 1440 px`, async () => assert.deepEqual(await auditSeen(scripted, one), []))
})

test('a long address breaks before @ and before dots, and never within a word', { skip: noBrowser }, async (t) => {
  const browser = await launchForTests(t)
  const context = await browser.newContext({ viewport: { width: 390, height: 900 } })
  const page = await context.newPage()
  const email = 'a.person.with.quite-some.names.of.their.own@department-of-addresses.example.com'
  const user = await w.createUser(w.test, { email, name: 'Ada Lovelace' })
  const application = await w.createApplication(w.test, { name: 'Storefront web', consent: 'ask' })
  await page.goto(authorizationRequest(w.test, application).url)
  await page.getByLabel('Email address').fill(user.email)
  await page.getByLabel('Password').fill(user.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.locator('[data-step=consent]').waitFor()
  const pages: [name: string, selector: string][] = [
    ['consent', '.who .name'],
    ['consent', '[data-id=email] span'],
    ['chooser', '.name b + span'],
  ]
  for (const [name, selector] of pages)
    await t.test(`${name}: ${selector}`, async () => {
      if (name === 'chooser') await page.goto(authorizationRequest(w.test, application, { prompt: 'select_account' }).url)
      const lines = (await page.evaluate(`(${linesOf})(document.querySelector(${JSON.stringify(selector)}))`)) as string[] // as: what the script returns
      assert.equal(lines.join(''), email)
      assert.ok(lines.length > 1, 'the address is longer than a line')
      for (const [i, line] of lines.entries()) if (i > 0) assert.ok(/^[@.]/.test(line) || /-$/.test(lines[i - 1] ?? ''), lines.join(' | '))
    })
})

test('the account page breaks the titles of its rows between words in German too', { skip: noBrowser }, async (t) => {
  const browser = await launchForTests(t)
  for (const width of [360, 390, 430, 481, 560, 761, 830])
    await t.test(`${width} px`, async () => {
      const page = await browser.newPage({ viewport: { width, height: 900 } })
      await page.setContent(examplePages('test', undefined, 'de').account?.html ?? '')
      const titles = (await page.evaluate(`[...document.querySelectorAll('.it b')].map(${linesOf})`)) as string[][] // as: what the script returns
      assert.ok(titles.flat().includes('Wiederherstellungscodes'), titles.flat().join(' | '))
    })
})

test('the mark of the way in that was used last stands within its button, below the text', { skip: noBrowser }, async (t) => {
  const browser = await launchForTests(t)
  const page = await browser.newPage({ viewport: { width: 390, height: 900 } })
  await page.setContent(examplePages('test', undefined, 'de')['sign-in, with providers']?.html ?? '')
  const mark = await page.locator('.last').boundingBox()
  const button = await page.locator('.b:has(> .last)').boundingBox()
  const text_bottom = await page.evaluate(`(() => {
    const range = document.createRange()
    range.selectNode([...document.querySelector('.b:has(> .last)').childNodes].find(({ nodeType }) => nodeType === Node.TEXT_NODE))
    return range.getBoundingClientRect().bottom
  })()`)
  assert.ok(mark && button)
  assert.ok(mark.y >= Number(text_bottom), `the text ends at ${text_bottom} px, the mark begins at ${mark.y} px`)
  const edges = [mark.x - button.x, button.x + button.width - mark.x - mark.width, button.y + button.height - mark.y - mark.height]
  for (const edge of edges) assert.ok(edge >= 3, `${edge} px are between the mark and an edge of its button`)
})

/** Runs in the browser: the text of an element as its lines. */
const linesOf = `function (element) {
  const lines = []
  let top = null
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    for (let i = 0; i < node.data.length; i++) {
      const range = document.createRange()
      range.setStart(node, i)
      range.setEnd(node, i + 1)
      const y = Math.round(range.getBoundingClientRect().top)
      if (y === top) lines[lines.length - 1] += node.data[i]
      else lines.push(node.data[i])
      top = y
    }
  return lines
}`

test('form_post continues by itself with scripts', { skip: noBrowser }, async (t) => {
  const landing = await startClientServer(t)
  const application = await w.createApplication(w.live, { name: 'Storefront web' })
  const browser = await launchForTests(t)
  const page = await browser.newPage()
  const user = await w.createUser(w.live)
  // In Live the redirect URI uses https, so the browser intercepts the POST.
  await page.route('https://app.example.com/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: `<h1>${route.request().method()} ${route.request().postData()}</h1>` }),
  )
  await page.goto(authorizationRequest(w.live, application, { response_mode: 'form_post' }).url)
  await page.getByLabel('Email address').fill(user.email)
  await page.getByLabel('Password').fill(user.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: /^POST code=/ }).waitFor()
  assert.equal(landing.visits.length, 0)
})

test('a hosted page cannot be framed', { skip: noBrowser }, async (t) => {
  const application = await w.createApplication(w.test)
  const { url } = authorizationRequest(w.test, application)
  const landing = await startClientServer(t, {
    '/frames': { type: 'text/html', body: `<!doctype html><title>Frames</title><iframe src="${url}"></iframe>` },
  })
  const browser = await launchForTests(t)
  const page = await browser.newPage()
  await page.goto(`${landing.origin}/frames`)
  const [, frame] = page.frames()
  await assert.doesNotReject(async () => frame?.waitForLoadState())
  assert.match(frame?.url() ?? '', /^chrome-error:/)
  assert.equal(await frame?.locator('form').count(), 0)
})
