/** The pages of the dashboard about organizations: from a new one to its members, their roles, its settings and its end. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OrganizationInvitation } from '@ostiary/contract/organization.ts'
import { noBrowser } from '../support/chromium.ts'
import { button, changed, dashboardFolder, dashboardPath, openDashboard, show, slugOf } from '../support/dashboard-browser.ts'
import { organizationsOf } from '../support/organizations.ts'
import { audit, launchForTests } from '../support/page-audit.ts'
import { createRoleWorld } from '../support/role-person.ts'
import { expectStatus, owner, world } from '../support/world.ts'

test('an organization is created, gets members and roles, is disabled and deleted in the dashboard', { skip: noBrowser }, async (t) => {
  const w = await world({ dashboard_folder: dashboardFolder })
  const of_test = await organizationsOf(w, w.test)
  await of_test.role('owner', { name: 'Owner', administers: true })
  await of_test.role('billing', { name: 'Billing' })
  await of_test.role('everyone', { name: 'Everyone', default: true })
  await of_test.create({ name: 'Acme', slug: 'acme', external_id: 'customer-1' })
  const robin = await of_test.user({ email: 'robin@example.com', name: 'Robin Reader' })
  const kim = await of_test.user({ email: 'kim@example.com' })
  const browser = await launchForTests(t)
  const { page, faults } = await openDashboard(w, browser, owner)
  const base = `${w.base_url}${dashboardPath(await slugOf(w))}/test`
  const dialog = page.getByRole('dialog')
  const alert = page.getByRole('alertdialog')
  const row = (act: string, name: string) => page.getByRole('button', { name: new RegExp(`^${act} ?: ${name}$`) })
  const closed = () => dialog.waitFor({ state: 'detached' })
  const passesAudit = async (name: string) => {
    assert.deepEqual(await audit(page, `dashboard ${name}`), [])
    await page.setViewportSize({ width: 1280, height: 800 })
  }
  const find = async (field: string, text: string) => (await of_test.auth('GET', `organizations?${field}=${text}`)).body.data[0]
  const id = async (): Promise<string> => (await find('external_id', 'customer-2')).id
  const rolesOf = async (user_id: string) => (await of_test.auth('GET', `organizations/${await id()}/members/${user_id}`)).body.roles
  const members = page.getByRole('table', { name: 'Members' })
  const invitations = page.getByRole('table', { name: 'Invitations' })
  const tab = (name: string) => page.getByRole('navigation', { name: 'Organization', exact: true }).getByRole('link', { name })

  await t.test('a name that is taken or has no such form is refused, at its field where the service names it', async () => {
    await show(page, `${base}/organizations`, 'Organizations')
    await button(page, 'Create organization').click()
    await dialog.getByLabel('Name').fill('Blue Door')
    const create = () => dialog.getByRole('button', { name: 'Create organization' }).click()
    const slug = dialog.getByLabel('Slug')
    const external_id = dialog.getByLabel('External id')
    await slug.fill('none')
    await create()
    await dialog.getByText('This slug stands for no organization.').waitFor()
    assert.equal(await slug.getAttribute('aria-invalid'), 'true')
    await slug.fill('acme')
    await external_id.fill('customer 2')
    await create()
    await dialog.getByText('Use 1 to 255 visible characters of ASCII.').waitFor()
    assert.equal(await external_id.getAttribute('aria-invalid'), 'true')
    await external_id.fill('customer-1')
    await create()
    await dialog.getByText('slug_taken').waitFor()
    await slug.fill('')
    await create()
    await dialog.getByText('identifier_taken').waitFor()
    await external_id.fill('customer-2')
    await passesAudit('new organization')
    await create()
    await page.getByRole('heading', { level: 1, name: 'Blue Door' }).waitFor()
    assert.equal((await find('external_id', 'customer-2')).slug, 'blue-door')
  })

  await t.test('the first member is found by words of the name, and gets a role', async () => {
    await page.getByText('No member yet.').waitFor()
    await button(page, 'Add member').click()
    await dialog.getByLabel('User').fill('nobody')
    await dialog.getByText('No user has these words.').waitFor()
    await dialog.getByLabel('User').fill('read')
    await dialog.getByRole('radio', { name: 'robin@example.com' }).check()
    await dialog.getByLabel('Owner').check()
    await passesAudit('add a member')
    await dialog.getByRole('button', { name: 'Add member' }).click()
    await closed()
    await members
      .getByRole('row', { name: /^robin@example\.com/ })
      .getByText('Owner')
      .waitFor()
    assert.deepEqual(await rolesOf(robin.id), ['owner'])
  })

  await t.test('a member is added by the keyboard alone: the only user with the email needs no choice', async () => {
    await page.keyboard.press('c')
    await dialog.locator('input[type=search]:focus').waitFor()
    await page.keyboard.type('kim@example.com')
    await dialog.getByRole('radio', { name: 'kim@example.com', checked: true }).waitFor()
    await page.keyboard.press('Enter')
    await closed()
    await members
      .getByRole('row', { name: /^kim@example\.com/ })
      .getByText('None was given')
      .waitFor()
    await page.getByText('Every member has Everyone.').waitFor()
    assert.deepEqual(await rolesOf(kim.id), [])
  })

  await t.test('a user who is a member already is not added again', async () => {
    await button(page, 'Add member').click()
    await dialog.getByLabel('User').fill(kim.id)
    await dialog.getByRole('radio', { name: 'kim@example.com', checked: true }).waitFor()
    await dialog.getByRole('button', { name: 'Add member' }).click()
    await dialog.getByText('already_member').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await closed()
  })

  await t.test('roles are boxes, and two people who change them see both versions', async () => {
    await row('Roles', 'robin@example.com').click()
    await dialog.getByLabel('Owner').uncheck()
    await dialog.getByLabel('Billing').check()
    await passesAudit('roles of a member')
    expectStatus(200, await of_test.auth('PATCH', `organizations/${await id()}/members/${robin.id}`, { roles: [] }))
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Changed meanwhile').waitFor()
    await page.getByRole('radio', { name: /^Yours/ }).check()
    await button(page, 'Save the choice').click()
    await closed()
    await members
      .getByRole('row', { name: /^robin@example\.com/ })
      .getByText('Billing')
      .waitFor()
    assert.deepEqual(await rolesOf(robin.id), ['billing'])
  })

  await t.test('members are found by a role and by words, and the address keeps both', async () => {
    await page.getByLabel('Role', { exact: true }).selectOption({ label: 'Billing' })
    await members.getByRole('link', { name: 'kim@example.com' }).waitFor({ state: 'detached' })
    assert.match(page.url(), /role=billing/)
    await page.getByLabel('Search members').fill('kim')
    await page.getByText('No member has these words.').waitFor()
    await passesAudit('members, filtered')
    await page.reload()
    await button(page, 'Clear the filters').click()
    await members.getByRole('link', { name: 'kim@example.com' }).waitFor()
  })

  await t.test('an address is invited: the link is mailed, or shown once and then made again, and withdrawn', async () => {
    await w.createApplication(w.test, { name: 'Portal', initiate_login_uri: 'https://portal.example.com/begin' })
    await tab('Invitations').click()
    await page.getByText('No invitation yet.').waitFor()
    await button(page, 'Invite').click()
    const invite = () => dialog.getByRole('button', { name: 'Invite', exact: true }).click()
    await dialog.getByLabel('Email').fill('not an address')
    await invite()
    await dialog.locator('input[aria-invalid=true]:focus').waitFor()
    await dialog.getByLabel('Email').fill('lin@example.com')
    await dialog.getByLabel('Owner').check()
    await dialog.getByLabel('Where the person goes afterwards').selectOption('Portal')
    await passesAudit('invite a person')
    await invite()
    await page.getByText(/^Mailed to lin@example\.com/).waitFor()
    await button(page, 'Invite').click()
    await dialog.getByLabel('Email').fill('sam@example.com')
    await dialog.getByRole('radio', { name: /^Show the link to me/ }).check()
    await invite()
    const shown = async () => {
      await alert.getByText(`${w.test.issuer}/invitation?token=`).waitFor()
      const link = await alert.locator('.once code').innerText()
      await alert.getByRole('checkbox', { name: /^I have stored/ }).check()
      await alert.getByRole('button', { name: 'Done' }).click()
      await alert.waitFor({ state: 'detached' })
      return link
    }
    const first = await shown()
    await row('New link', 'sam@example.com').click()
    assert.notEqual(await shown(), first)
    await row('Withdraw', 'sam@example.com').click()
    await page.locator(':focus', { hasText: /^Keep the invitation$/ }).waitFor()
    await button(page, 'Withdraw now').click()
    await invitations
      .getByRole('row', { name: /^sam@example\.com/ })
      .getByText('Ended')
      .waitFor()
    await passesAudit('invitations')
    await page.getByLabel('Status').selectOption('Pending')
    await row('Withdraw', 'sam@example.com').waitFor({ state: 'detached' })
    await invitations
      .getByRole('row', { name: /^lin@example\.com/ })
      .getByText('Owner', { exact: true })
      .waitFor()
    await page.getByLabel('Status').selectOption('Accepted')
    await page.getByText('No invitation has this status.').waitFor()
    await button(page, 'Clear the filters').click()
    const { data } = (await of_test.auth('GET', `organizations/${await id()}/invitations?status=pending`)).body
    assert.deepEqual(
      data.map(({ email, roles, application_id }: OrganizationInvitation) => [email, roles, application_id !== null]),
      [['lin@example.com', ['owner'], true]],
    )
    await page.goto(`${w.base_url}/dashboard/go/${data[0].id}`)
    await row('New link', 'lin@example.com').waitFor()
  })

  await t.test('the settings refuse data at its field, and save names, metadata and claims', async () => {
    await tab('Settings').click()
    const save = page.getByRole('main').getByRole('button', { name: 'Save' })
    await page.getByLabel('Metadata').fill('{"plan":')
    await page.getByText('This is not JSON.').waitFor()
    assert.equal(await save.isDisabled(), true)
    await page.getByLabel('Metadata').fill('{"plan": "team"}')
    await page.getByLabel('Claims').fill('{"sub": "x"}')
    await save.click()
    await page.getByText('A standard or this service defines a claim with this name.').first().waitFor()
    assert.equal(await page.getByLabel('Claims').getAttribute('aria-invalid'), 'true')
    await page.getByLabel('Claims').fill('{"tier": "gold"}')
    await changed(page, () => save.click())
    const { metadata, claims } = await of_test.read(await id())
    assert.deepEqual([metadata, claims], [{ plan: 'team' }, { tier: 'gold' }])
    await passesAudit('settings of an organization')
  })

  await t.test('two people who change the settings see both versions', async () => {
    await page.getByLabel('Name').fill('Blue Doors')
    expectStatus(200, await of_test.auth('PATCH', `organizations/${await id()}`, { name: 'Green Door' }))
    await page.getByRole('main').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Changed meanwhile').waitFor()
    await page.getByRole('radio', { name: /^Theirs/ }).check()
    await button(page, 'Save the choice').click()
    await page.getByRole('heading', { level: 1, name: 'Green Door' }).waitFor()
  })

  await t.test('disabling asks first, and the way back stands on top of each tab', async () => {
    await button(page, 'Disable organization…').click()
    await page.locator(':focus', { hasText: /^Keep it enabled$/ }).waitFor()
    await passesAudit('disable an organization')
    await button(page, 'Disable now').click()
    await page.getByText('Disabled: nobody acts in this organization.').waitFor()
    assert.equal((await of_test.read(await id())).disabled, true)
    await tab('Members').click()
    await passesAudit('disabled organization')
    await button(page, 'Enable').click()
    await page.getByText('Disabled: nobody acts in this organization.').waitFor({ state: 'detached' })
    assert.equal((await of_test.read(await id())).disabled, false)
  })

  await t.test('the record of a user lists the memberships, page by page, and leads to each', async () => {
    for (let number = 1; number <= 20; number++)
      await of_test.create({ name: `Many ${number}`, members: [{ user_id: robin.id, roles: ['owner'] }] })
    await show(page, `${base}/users?chosen=${robin.id}`, 'Users')
    const line = (name: string) => dialog.getByRole('listitem').filter({ has: page.getByRole('link', { name, exact: true }) })
    await line('Many 20').getByText('Owner').waitFor()
    assert.equal(await line('Green Door').count(), 0)
    await dialog.getByRole('button', { name: /^Show more ?: Organizations$/ }).click()
    await line('Green Door').getByText('Billing').waitFor()
    await passesAudit('user with organizations')
    await dialog.getByRole('link', { name: 'Green Door' }).click()
    await page.getByRole('heading', { level: 1, name: 'Green Door' }).waitFor()
  })

  await t.test('the record of a user says what the person can do as a user and in each organization, and why not', async () => {
    const roles = await createRoleWorld(w, w.test)
    await roles.createServer('orders', ['orders:read', 'orders:write'], { name: 'Orders' })
    await roles.createRole('reader', { orders: ['orders:read'] }, { name: 'Reader', default: true })
    const owners = (await w.call('GET', `${w.test.path}/roles?slug=owner`)).body.data[0]
    await roles.change('roles', owners, { permissions: [{ resource_server: 'orders', scopes: ['orders:read', 'orders:write'] }] })
    const closed_one = await of_test.create({ name: 'Closed Door', members: [{ user_id: robin.id, roles: ['owner'] }] })
    expectStatus(200, await of_test.auth('PATCH', `organizations/${closed_one.id}`, { disabled: true }))
    await show(page, `${base}/users?chosen=${robin.id}`, 'Users')
    const line = (scope: string) => dialog.getByRole('listitem').filter({ hasText: scope })
    const acting = (name: string) => dialog.getByRole('radio', { name, exact: true })
    await line('orders:read').getByText('By Reader', { exact: true }).waitFor()
    await line('orders:write').getByText('No role gives it').waitFor()
    await acting('In Many 20').check()
    await line('orders:write').getByText('By Owner', { exact: true }).waitFor()
    await line('orders:read').getByText('By Owner', { exact: true }).waitFor()
    await acting('In Closed Door').check()
    await dialog.getByText('Nothing: the organization is disabled.').waitFor()
    const find = dialog.getByLabel('Find an organization')
    await find.fill('green')
    await acting('In Green Door').check()
    await line('orders:write').getByText('Only by Owner').waitFor()
    await passesAudit('what a person can do in an organization')
    await find.fill('acme')
    await acting('In Acme').check()
    await dialog.getByText('Nothing: not a member of it.').waitFor()
    await find.fill('no such words')
    await dialog.getByText('No organization has these words.').waitFor()
    await acting('As a user').check()
    await line('orders:read').getByText('By Reader', { exact: true }).waitFor()
  })

  await t.test('the id, the palette, an event and an entry of the audit log lead to the organization', async () => {
    const isThere = () => page.getByRole('heading', { level: 1, name: 'Green Door' }).waitFor()
    await page.goto(`${w.base_url}/dashboard/go/${await id()}`)
    await isThere()
    await show(page, base, /./)
    await page.keyboard.press('Control+k')
    await page.getByLabel('Search pages, or paste an id').fill('blue-door')
    await page.getByRole('option', { name: /^Green Door/ }).click()
    await isThere()
    await show(page, `${base}/events?type=organization_member.updated`, 'Events')
    await members.waitFor({ state: 'detached' })
    await page.locator('main tbody tr button').first().click()
    await dialog.getByText('Green Door').first().waitFor()
    await dialog.getByRole('link', { name: 'Open organization' }).click()
    await isThere()
    await show(page, `${w.base_url}/dashboard/t/acme/audit-log?action=changeOrganizationMember`, 'Audit log')
    await page
      .getByRole('button', { name: /changed the roles of the member robin@example\.com of Green Door/ })
      .first()
      .click()
    await dialog.getByRole('link', { name: 'Open organization' }).click()
    await isThere()
  })

  await t.test('removing a member says what the person loses, and the account stays', async () => {
    await row('Remove', 'robin@example.com').click()
    await alert.getByText(/loses Green Door at once/).waitFor()
    await page.locator(':focus', { hasText: /^Keep the member$/ }).waitFor()
    await passesAudit('remove a member')
    await button(page, 'Remove now').click()
    await members.getByRole('link', { name: 'robin@example.com' }).waitFor({ state: 'detached' })
    expectStatus(404, await of_test.auth('GET', `organizations/${await id()}/members/${robin.id}`))
    expectStatus(200, await of_test.auth('GET', `users/${robin.id}`))
  })

  await t.test('a deletion says how many members it concerns, and takes the name', async () => {
    await tab('Settings').click()
    await button(page, 'Delete organization…').click()
    await alert.getByText(/^Its one member loses it at once/).waitFor()
    await page.locator(':focus', { hasText: /^Keep the organization$/ }).waitFor()
    assert.equal(await button(page, 'Delete now').isDisabled(), true)
    await passesAudit('delete an organization')
    await page.getByLabel(/^Type Green Door/).fill('Green Door')
    await button(page, 'Delete now').click()
    await page.getByRole('heading', { level: 1, name: 'Organizations' }).waitFor()
    await page.getByLabel('Search organizations').fill('green')
    await page.getByText('No organization has these words.').waitFor()
    await button(page, 'Clear the search').click()
    await page.getByRole('link', { name: 'Many 20' }).waitFor()
    assert.equal(await find('external_id', 'customer-2'), undefined)
  })

  // The refusals of the new organization and of the second addition, and the versions of another person.
  assert.deepEqual(
    faults.filter((fault) => !/status of (?:409|412|422) /.test(fault)),
    [],
  )
})

const long = 'W'.repeat(100)
const right_to_left = 'شركة الأبواب الزرقاء (فرع الشمال)'

test('long names and names from right to left fit into each page and dialog of organizations', { skip: noBrowser }, async (t) => {
  const w = await world({ dashboard_folder: dashboardFolder })
  const of_test = await organizationsOf(w, w.test)
  const role = await of_test.role('a'.repeat(63), { name: long })
  const email = `${'long.address.of.a.person.'.repeat(2)}x@${'department.'.repeat(8)}example.com`
  const browser = await launchForTests(t)
  const { page, faults } = await openDashboard(w, browser, owner)
  const base = `${w.base_url}${dashboardPath(await slugOf(w))}/test`
  assert.ok(role)
  const user = await of_test.user({ email, name: right_to_left })
  for (const [number, name] of [long, right_to_left].entries())
    await t.test(name, async () => {
      const external_id = `customer/${'0123456789'.repeat(24)}/${number}`
      const { id } = await of_test.create({ name, external_id, members: [{ user_id: user.id, roles: ['a'.repeat(63)] }] })
      const passes = async (what: string) => {
        assert.deepEqual(await audit(page, `dashboard ${what} ${name.slice(0, 12)}`), [])
        await page.setViewportSize({ width: 1280, height: 800 })
      }
      await show(page, `${base}/organizations`, 'Organizations')
      await passes('organizations')
      await show(page, `${base}/organizations/${id}`, name)
      await passes('organization')
      for (const act of ['Roles', 'Remove']) {
        await page.getByRole('button', { name: new RegExp(`^${act}`) }).click()
        await page
          .getByText(/Only in|loses/)
          .first()
          .waitFor()
        await passes(`${act} of a member`)
        await page.keyboard.press('Escape')
        await page.getByRole(act === 'Roles' ? 'dialog' : 'alertdialog').waitFor({ state: 'detached' })
      }
      await show(page, `${base}/organizations/${id}?new=1`, name)
      await page.getByRole('radio').first().waitFor()
      await passes('add a member')
      expectStatus(201, await of_test.invite(id, email, { roles: ['a'.repeat(63)] }))
      await show(page, `${base}/organizations/${id}?tab=invitations`, name)
      await passes('invitations')
      await show(page, `${base}/organizations/${id}?tab=settings`, name)
      await passes('settings')
      await button(page, 'Delete organization…').click()
      await page.getByLabel(/^Type/).fill(name)
      assert.equal(await button(page, 'Delete now').isDisabled(), false)
      await passes('delete')
    })
  await t.test('the record of a member', async () => {
    await show(page, `${base}/users?chosen=${user.id}`, 'Users')
    await page.getByRole('dialog').getByRole('link', { name: right_to_left }).waitFor()
    assert.deepEqual(await audit(page, 'dashboard user with long organizations'), [])
  })
  assert.deepEqual(faults, [])
})

test('in Live a change that gives access asks for a fresh sign-in, and one that takes it does not', { skip: noBrowser }, async (t) => {
  const w = await world({ dashboard_folder: dashboardFolder })
  const of_live = await organizationsOf(w, w.live)
  await of_live.role('owner', { name: 'Owner' })
  const robin = await of_live.user({ email: 'robin@example.com' })
  await of_live.user({ email: 'kim@example.com' })
  const { id } = await of_live.create({ name: 'Acme', members: [{ user_id: robin.id, roles: ['owner'] }] })
  const browser = await launchForTests(t)
  const { page } = await openDashboard(w, browser, owner)
  const url = `${w.base_url}${dashboardPath(await slugOf(w))}/live/organizations/${id}`
  const dialog = page.getByRole('dialog')
  const asks = page.getByRole('dialog', { name: 'Confirm that it is you' })
  /** The dialog asks, and a person who does not sign in keeps what was entered. */
  const isAsked = async () => {
    await asks.waitFor()
    await page.keyboard.press('Escape')
    await asks.waitFor({ state: 'hidden' })
  }
  await show(page, url, 'Acme')
  w.advance(601)

  await t.test('adding a member', async () => {
    await button(page, 'Add member').click()
    await dialog.getByLabel('User').fill('kim@example.com')
    await dialog.getByRole('radio', { name: 'kim@example.com', checked: true }).waitFor()
    await dialog.getByRole('button', { name: 'Add member' }).click()
    await isAsked()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
  })

  await t.test('inviting and a new link ask, and withdrawing needs none', async () => {
    const smtp = { host: 'mail.example.com', port: 587, username: 'shop', password: 'smtp password' }
    await w.changeSettings(w.live, { email: { delivery: 'smtp', from: 'shop@example.com', smtp } })
    expectStatus(201, await of_live.invite(id, 'lin@example.com'))
    await show(page, `${url}?tab=invitations&new=1`, 'Acme')
    await dialog.getByLabel('Email').fill('sam@example.com')
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
    await isAsked()
    assert.equal(await dialog.getByLabel('Email').inputValue(), 'sam@example.com')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: /^New link/ }).click()
    await isAsked()
    await page.getByRole('button', { name: /^Withdraw/ }).click()
    await button(page, 'Withdraw now').click()
    await page.getByRole('table', { name: 'Invitations' }).getByText('Ended').waitFor()
    await show(page, url, 'Acme')
  })

  await t.test('taking a role needs none, and giving it asks', async () => {
    const roles = page.getByRole('button', { name: /^Roles/ })
    await roles.click()
    await dialog.getByLabel('Owner').uncheck()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await roles.click()
    await dialog.getByLabel('Owner').check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await isAsked()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
  })

  await t.test('disabling and removing need none, and enabling asks', async () => {
    await page.getByRole('button', { name: /^Remove/ }).click()
    await button(page, 'Remove now').click()
    await page.getByText('No member yet.').waitFor()
    await show(page, `${url}?tab=settings`, 'Acme')
    await button(page, 'Disable organization…').click()
    await button(page, 'Disable now').click()
    await button(page, 'Enable').click()
    await isAsked()
    assert.equal((await of_live.read(id)).disabled, true)
  })

  await t.test('deleting asks', async () => {
    await button(page, 'Delete organization…').click()
    await page.getByLabel(/^Type Acme/).fill('Acme')
    await button(page, 'Delete now').click()
    await isAsked()
    assert.equal((await of_live.read(id)).member_count, 0)
  })
})
