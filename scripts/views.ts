/**
 * The views of the contact sheets: each hosted page in its states, from `examplePages`, pages of the documentation, and the pages of the dashboard of
 * a service that a few people have used. A view is a name and the way to it.
 */
import type { Page } from 'playwright-core'
import { administratorToken, asAdministrator, joinTenant } from '../server/test/support/administrator.ts'
import { authorizationRequest, createAgent, signInForTokens } from '../server/test/support/cookie-browser.ts'
import { examplePages } from '../server/test/support/example-pages.ts'
import { createAdministrator } from '../server/test/support/tenants.ts'
import { expectStatus, owner, type World } from '../server/test/support/world.ts'

export interface View {
  name: string
  /** Ends when the view is there. */
  open: (page: Page) => Promise<unknown>
}

/** Hosted pages, in Test and in the language of the name. */
export function hostedViews(locales: readonly string[]): View[] {
  return locales.flatMap((locale) =>
    Object.entries(examplePages('test', undefined, locale)).map(([name, { html }]) => ({
      name: `${name}, ${locale}`,
      open: async (page: Page) => {
        await page.setContent(html.replace('<head>', '<head><base href="https://id.example.com/">'), { waitUntil: 'domcontentloaded' })
        await page.evaluate('for (const block of document.querySelectorAll("[data-passkey]")) block.hidden = false')
      },
    })),
  )
}

/** Pages of the documentation: prose, code, tables, a search and its results. */
export function documentViews(base_url: string): View[] {
  const at = (name: string, path: string, then: (page: Page) => Promise<unknown> = async () => {}): View => ({
    name: `docs ${name}`,
    open: async (page) => {
      await page.goto(base_url + path)
      await then(page)
    },
  })
  const type = (words: string) => async (page: Page) => {
    await page.keyboard.press('/')
    await page.keyboard.type(words)
    await page.getByRole('list', { name: 'Results' }).getByRole('link').first().waitFor()
  }
  return [
    at('overview', '/docs'),
    at('guide', '/docs/guides/web-application#write-it'),
    at('framework', '/docs/guides/django#write-it'),
    at('settings', '/docs/settings/sessions'),
    at('not here', '/docs/not-here'),
    at('reference', '/docs/api/users#createUser'),
    at('error', '/docs/errors/rate_limited'),
    at('example', '/docs/packaging/compose.yaml'),
    at('search', '/docs/search?q=session+length'),
    at('search, nothing', '/docs/search?q=xyzzyplugh'),
    at('suggestions', '/docs/concepts', type('sign up')),
    at('suggestions, nothing', '/docs/concepts', type('xyzzyplugh')),
  ]
}

/** Creates the objects that a team of a shop may have after a week. Returns the ids that views open. */
export async function fill(w: World) {
  const post = async (path: string, body: unknown) => expectStatus(201, await w.call('POST', `${w.test.path}${path}`, { body }))
  const application = await w.createApplication(w.test, {
    name: 'Meal Planner',
    slug: 'meal-planner',
    consent: 'ask',
    redirect_uris: ['http://localhost:4000/callback'],
  })
  await w.createApplication(w.test, {
    name: 'Shop for phones',
    slug: 'shop',
    application_type: 'native',
    redirect_uris: ['com.example.shop:/callback'],
  })
  const resource = {
    identifier: 'https://orders.example.com',
    name: 'Orders',
    scopes: [{ name: 'orders:read', description: 'Read your orders' }],
  }
  await post('/resource-servers', resource)
  const role = await fillRoles(post, w)
  const provider = await post('/providers', { type: 'google', client_id: '123.apps.example.com', client_secret: 'a secret' })
  await post('/providers', { type: 'oidc', display_name: 'Acme staff', issuer: 'https://localhost:9', client_id: 'x', client_secret: 'y' })
  await post('/metadata-clients', { client_id: 'https://agent.example.com/client.json' })
  const blocked = await post('/metadata-clients', { client_id: 'https://unknown.example.com/client.json', listed: false })
  expectStatus(200, await w.call('PATCH', `${w.test.path}/metadata-clients/${blocked.id}`, { body: { disabled: true } }))
  const secret = await post('/auth-keys', { type: 'auth_secret', label: 'orders backend' })
  await post('/auth-keys', { type: 'auth_publishable', label: 'storefront', allowed_origins: ['http://localhost:4000'] })
  const webhook = await post('/webhooks', { url: 'https://hooks.example.com/ostiary', slug: 'orders' })
  await w.call('POST', `${w.test.path}/webhooks/${webhook.id}/test`)
  const ada = await w.createUser(w.test, { name: 'Ada Lovelace', email: 'ada@example.com', email_verified: true })
  expectStatus(200, await w.call('PATCH', `/v1/auth/users/${ada.id}`, { key: secret.key, body: { roles: ['support'] } }))
  const grace = await w.createUser(w.test, { name: 'Grace Hopper', email: 'grace@example.com' })
  const organization = await fillOrganizations(w, secret.key, [ada.id, grace.id])
  await signInForTokens(w, w.test, application, { user: ada })
  const wrong = createAgent()
  const page = await wrong.get(authorizationRequest(w.test, application).url)
  await wrong.submit(page, { email: ada.email, password: 'not the password', method: 'password' })
  await wrong.get(authorizationRequest(w.test, application, { redirect_uri: 'http://localhost:4001/callback' }).url)
  await w.call('POST', `${w.test.path}/settings/email/test`, { body: { to: 'ada@example.com' } })
  await w.call('PATCH', `${w.test.path}/applications/${application.id}`, { body: { name: 'Meal planner' } })
  await w.call('GET', '/v1/auth/users', { key: secret.key })
  return { application, provider, webhook, ada, role, organization, ...(await promote(w)) }
}

/** Roles at two resource servers. One of them names what is gone. */
async function fillRoles(post: (path: string, body: unknown) => Promise<{ id: string }>, w: World) {
  const names = ['stock:read', 'stock:write', 'stock:count']
  const stock = {
    slug: 'stock',
    name: 'Stock',
    identifier: 'https://stock.example.com',
    require_roles: true,
    scopes: names.map((name) => ({ name })),
  }
  await post('/resource-servers', stock)
  const old = { slug: 'old-orders', name: 'Old orders', identifier: 'https://old.example.com', scopes: [{ name: 'orders:export' }] }
  const { id } = await post('/resource-servers', old)
  const of = (resource_server: string, ...scopes: string[]) => ({ resource_server, scopes })
  await post('/roles', { name: 'Reader', kind: 'user', default: true, permissions: [of('orders', 'orders:read')] })
  await post('/roles', { name: 'Administrator', kind: 'organization', administers: true })
  const role = await post('/roles', {
    name: 'Support',
    description: 'Answers the questions of customers',
    kind: 'user',
    permissions: [of('orders', 'orders:read'), of('stock', 'stock:read', 'stock:write'), of('old-orders', 'orders:export')],
  })
  await w.call('DELETE', `${w.test.path}/resource-servers/${id}`)
  return role
}

/** An organization with two members and settings, one that is disabled, and one without members. Returns the first. */
async function fillOrganizations(w: World, key: string, [ada, grace]: [string, string]): Promise<{ id: string }> {
  const post = async (path: string, body: object) => expectStatus(201, await w.call('POST', `/v1/auth/organizations${path}`, { key, body }))
  const members = [{ user_id: ada, roles: ['administrator'] }, { user_id: grace }]
  Object.assign(w.deployment.config.limits, { organization_invitations_per_address: 100 }) // a view makes a new link each time
  await post('', { name: 'Corner bakery' })
  const closed = await post('', { name: 'Closed shop', external_id: 'customer-7', members: [{ user_id: ada }] })
  expectStatus(200, await w.call('PATCH', `/v1/auth/organizations/${closed.id}`, { key, body: { disabled: true } }))
  const organization = await post('', {
    name: 'Blue Door Ltd',
    external_id: 'customer-42',
    metadata: { plan: 'team' },
    claims: { tier: 'gold' },
    members,
  })
  const invite = (email: string, fields: object) => post(`/${organization.id}/invitations`, { email, send_email: false, ...fields })
  await invite('lin@example.com', {})
  await invite('lin@example.com', { roles: ['administrator'] }) // replaces the first
  await invite('katherine@example.com', {})
  return organization
}

/** One promotion that was applied and, since plans to Live then need an approval, two that were not, and one the other way around. */
async function promote(w: World) {
  const project = w.test.path.split('/environments')[0] ?? ''
  const settings = (...pointers: string[]) => pointers.map((pointer) => ({ object: 'settings', pointer }))
  const plan = async (body: object): Promise<string> =>
    expectStatus(
      201,
      await w.call('POST', `${project}/promotions`, { body: { from_environment_id: w.test.id, to_environment_id: w.live.id, ...body } }),
    ).id
  const change = async (path: string, body: object) => expectStatus(200, await w.call('PATCH', path, { body }))
  await change(`${w.test.path}/settings`, { tokens: { access_token_ttl_seconds: 900 }, password: { min_length: 14 } })
  const applied = await plan({ only: settings('/tokens/access_token_ttl_seconds'), note: 'Shorter tokens' })
  expectStatus(200, await w.call('POST', `${project}/promotions/${applied}/apply`, { body: {} }))
  await change(`${w.test.path}/settings`, { sessions: { idle_ttl_seconds: 3_600 } })
  await change(w.live.path, {
    keeps: [{ object: 'settings', slug: null, pointer: '/sessions/idle_ttl_seconds', reason: 'Live asks sooner' }],
  })
  // A key cannot ask for approvals, and nobody approves their own plan.
  const token = await administratorToken(w, owner)
  await joinTenant(w, { tenant_id: w.tenant_id, token }, await createAdministrator(w, 'grace@example.com'), 'admin')
  expectStatus(200, await asAdministrator(w, token)('PATCH', project, { promotion: { require_approval: true } }))
  const open = await plan({ note: 'The shop and its settings' })
  const waiting = await plan({ only: settings('/password/min_length') })
  const back = await plan({ from_environment_id: w.live.id, to_environment_id: w.test.id, only: settings('/password/min_length') })
  return { promotions: { applied, open, waiting, back } }
}

type Filled = Awaited<ReturnType<typeof fill>>

const heading = (page: Page) => page.locator('main h1').first().waitFor()
const dialog = (page: Page) => page.getByRole('dialog').first().waitFor()

const projectOf = (environment: string) => environment.replace(/\/[^/]+$/, '/promotions')

/** Pages of the dashboard at `base`, the address of the tenant and the environment. */
export function dashboardViews(
  base: { tenant: string; test: string; live: string; empty: string },
  { application, webhook, ada, role, organization, promotions }: Filled,
): View[] {
  const at = (name: string, url: string, then: (page: Page) => Promise<unknown> = heading): View => ({
    name,
    open: async (page) => {
      await page.goto(url)
      await heading(page)
      await page.waitForLoadState('networkidle')
      await then(page)
    },
  })
  const press = (name: string | RegExp) => async (page: Page) => {
    await page.getByRole('button', { name, exact: true }).first().click()
    await dialog(page)
  }
  const editRole = async (page: Page) => {
    await press(/^Edit.*Support/)(page)
    await page.getByLabel('stock:write').uncheck()
    await page.locator('.effects').scrollIntoViewIfNeeded()
  }
  const inEnvironment = (place: string, url: string) =>
    [
      'users',
      'organizations',
      'applications',
      'resource-servers',
      'roles',
      'providers',
      'sign-in-pages',
      'api-keys',
      'webhooks',
      'logouts',
      'inbox',
      'events',
      'calls',
      'settings',
      'test-and-live',
    ]
      .filter((path) => path !== 'inbox' || place !== 'live')
      .map((path) => at(`${place} ${path}`, `${url}/${path}`))
  return [
    at('start', `${new URL(base.tenant).origin}/dashboard/tenants`),
    at('projects', base.tenant),
    ...['platform-keys', 'members', 'calls', 'audit-log'].map((path) => at(`tenant ${path}`, `${base.tenant}/${path}`)),
    at('overview', base.test),
    at('overview of live', base.live),
    at('overview, empty', base.empty),
    ...inEnvironment('', base.test),
    ...inEnvironment('empty', base.empty),
    at('live test-and-live', `${base.live}/test-and-live`),
    at('live settings', `${base.live}/settings`),
    at('test-and-live kept', `${base.test}/test-and-live?show=kept`),
    at('test-and-live everything', `${base.test}/test-and-live?show=all`),
    ...['promotions', 'empty promotions'].map((name) => at(name, projectOf(name === 'promotions' ? base.test : base.empty))),
    ...Object.entries(promotions).map(([name, id]) => at(`promotion ${name}`, `${projectOf(base.test)}/${id}`)),
    at('promotion revert', `${projectOf(base.test)}/${promotions.applied}`, async (page) => {
      await page.getByRole('button', { name: 'Revert…' }).click()
      await page.getByRole('alertdialog').getByText('Goes back').waitFor()
    }),
    ...['connect', 'addresses', 'scopes', 'credentials', 'events'].map((tab) =>
      at(`application ${tab}`, `${base.test}/applications/${application.id}?tab=${tab}`),
    ),
    at('programs by address', `${base.test}/applications?tab=by-address`),
    at('programs by address, empty', `${base.empty}/applications?tab=by-address`),
    at('programs by address, approve', `${base.test}/applications?tab=by-address&new=1`, dialog),
    at('application new', `${base.test}/applications?new=1`, dialog),
    at('application of a product', `${base.test}/applications?new=1`, async (page) => {
      await page.getByRole('radio', { name: /A product that exists/ }).check()
      await page.getByLabel('Search products').fill('graf')
    }),
    at('product waits for the first sign-in', `${base.test}/applications?new=1`, async (page) => {
      await page.getByRole('radio', { name: /A product that exists/ }).check()
      await page.getByLabel('Search products').fill('graf')
      await page
        .getByLabel(/address/i)
        .last()
        .fill('https://grafana.example.com')
      await page.getByRole('button', { name: 'Create application' }).click()
      await page.getByText('Waiting for the first sign-in').waitFor()
    }),
    at('user', `${base.test}/users?chosen=${ada.id}`, dialog),
    at('this person', `${base.test}/users?tab=person&person=ada@example.com`),
    at('this person without an account', `${base.test}/users?tab=person&person=nobody@example.com`),
    at('this person, not asked', `${base.test}/users?tab=person`),
    at('who would be hurt', `${base.live}/settings`, async (page) => {
      await page.getByLabel('Password', { exact: true }).first().click()
      await page.getByRole('button', { name: 'Review' }).click()
      await page.locator('.hurt li').first().waitFor()
    }),
    at('user edit', `${base.test}/users?chosen=${ada.id}`, press('Edit')),
    at('user set password', `${base.test}/users?chosen=${ada.id}`, press(/password/i)),
    at('user add', `${base.test}/users`, press('Add user')),
    at('organization members', `${base.test}/organizations/${organization.id}`),
    at('organization invitations', `${base.test}/organizations/${organization.id}?tab=invitations`),
    at('organization invite', `${base.test}/organizations/${organization.id}?tab=invitations`, press('Invite')),
    at('organization withdraw', `${base.test}/organizations/${organization.id}?tab=invitations`, async (page) => {
      await page.getByRole('button', { name: /^Withdraw.*katherine/ }).click()
      await page.getByRole('alertdialog').waitFor()
    }),
    at('organization link once', `${base.test}/organizations/${organization.id}?tab=invitations`, async (page) => {
      await page.getByRole('button', { name: /^New link.*katherine/ }).click()
      await page.getByText('Copy the invitation link now').waitFor()
      await page.getByRole('checkbox', { name: /I have stored/ }).check()
    }),
    at('organization without invitations', `${base.test}/organizations`, async (page) => {
      await page.getByRole('link', { name: 'Corner bakery' }).click()
      await page.getByRole('link', { name: 'Invitations' }).click()
      await page.getByText('No invitation yet.').waitFor()
    }),
    at('organization settings', `${base.test}/organizations/${organization.id}?tab=settings`),
    at('organization create', `${base.test}/organizations`, press('Create organization')),
    at('organization add member', `${base.test}/organizations/${organization.id}`, press('Add member')),
    at('organization roles', `${base.test}/organizations/${organization.id}`, press(/^Roles.*ada/)),
    at('organization remove member', `${base.test}/organizations/${organization.id}`, async (page) => {
      await page.getByRole('button', { name: /^Remove.*ada/ }).click()
      await page.getByRole('alertdialog').waitFor()
    }),
    at('organization disabled', `${base.test}/organizations`, async (page) => {
      await page.getByRole('link', { name: 'Closed shop' }).click()
      await page.getByText('Disabled: nobody').waitFor()
    }),
    at('organization delete', `${base.test}/organizations/${organization.id}?tab=settings`, async (page) => {
      await page.getByRole('button', { name: 'Delete organization…' }).click()
      await page.getByRole('alertdialog').waitFor()
    }),
    at('provider add', `${base.test}/providers`, press('Add provider')),
    at('provider check', `${base.test}/providers`, async (page) => {
      await page
        .getByRole('button', { name: /^Actions for/ })
        .first()
        .click()
      await page.getByRole('menuitem', { name: 'Check' }).click()
      await page.waitForLoadState('networkidle')
    }),
    at('provider edit', `${base.test}/providers`, press(/^Edit/)),
    at('key create', `${base.test}/api-keys`, press('Create key')),
    at('resource server add', `${base.test}/resource-servers`, press('Add resource server')),
    at('role create', `${base.test}/roles`, press('Create role')),
    at('role record', `${base.test}/roles?chosen=${role.id}`, dialog),
    at('role edit', `${base.test}/roles`, editRole),
    at('role delete', `${base.test}/roles`, async (page) => {
      await page.getByRole('button', { name: /^Delete.*Support/ }).click()
      await page.locator('.effects').waitFor()
    }),
    at('webhook add', `${base.test}/webhooks`, press('Add webhook')),
    ...['deliveries', 'kinds', 'verify', 'settings'].map((tab) => at(`webhook ${tab}`, `${base.test}/webhooks/${webhook.id}?tab=${tab}`)),
    at('event', `${base.test}/events`, async (page) => {
      await page.locator('main tbody tr button').first().click()
      await dialog(page)
    }),
    at('call', `${base.test}/calls`, async (page) => {
      await page.locator('main tbody tr button').first().click()
      await dialog(page)
    }),
    at('project new', base.tenant, press('New project')),
    at('invite', `${base.tenant}/members`, press('Invite')),
    at('audit entry', `${base.tenant}/audit-log`, async (page) => {
      await page.locator('main tbody tr button').first().click()
      await dialog(page)
    }),
    at('palette', base.test, async (page) => {
      await page.keyboard.press('Control+k')
      await dialog(page)
    }),
    at('palette, found', base.test, async (page) => {
      await page.keyboard.press('Control+k')
      await page.getByLabel('Search pages, or paste an id').fill('ada')
      await page.getByRole('option').first().waitFor()
    }),
  ]
}
