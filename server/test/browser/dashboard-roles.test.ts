/** The pages of the dashboard about roles: from a new role to what its holders lose when it is deleted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from '../support/chromium.ts'
import { button, changed, dashboardFolder, dashboardPath, openDashboard, show, signInAgain, slugOf } from '../support/dashboard-browser.ts'
import { organizationsOf } from '../support/organizations.ts'
import { audit, launchForTests } from '../support/page-audit.ts'
import { createRoleWorld } from '../support/role-person.ts'
import { createRole } from '../support/roles.ts'
import { createAuthKey } from '../support/tenants.ts'
import { expectStatus, owner, world } from '../support/world.ts'

test('roles are made, given, narrowed and deleted in the dashboard, which says before who loses what', { skip: noBrowser }, async (t) => {
  const w = await world({ dashboard_folder: dashboardFolder })
  const { key } = await createAuthKey(w, w.test, 'auth_secret')
  const post = async (path: string, body: object) => expectStatus(201, await w.call('POST', w.test.path + path, { body }))
  const stored = async (path: string) => expectStatus(200, await w.call('GET', w.test.path + path))
  const scopes = ['stock:read', 'stock:write', 'stock:count'].map((name) => ({ name }))
  const stock = await post('/resource-servers', {
    slug: 'stock',
    name: 'Stock',
    identifier: 'https://stock.example',
    require_roles: true,
    scopes,
  })
  const user = await w.createUser(w.test, { email: 'robin@example.com' })
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
  const openEditor = async (name: string) => {
    await row('Edit', name).click()
    await dialog.getByLabel('Name').waitFor()
  }

  await t.test('a role is created with the scopes that are ticked, and a refusal is explained', async () => {
    await createRole(w, w.test, { slug: 'packer', permissions: [] })
    await show(page, `${base}/roles`, 'Roles')
    await button(page, 'Create role').click()
    await dialog.getByLabel('Name').fill('Packer')
    await dialog.getByLabel('stock:read').check()
    await dialog.getByLabel('stock:write').check()
    await dialog.getByRole('button', { name: 'Create role' }).click()
    await dialog.getByText('slug_taken').waitFor()
    await dialog.getByLabel('Slug').fill('support')
    await dialog.getByLabel('Name').fill('Support')
    await dialog.getByRole('button', { name: 'Create role' }).click()
    await closed()
    const role = (await stored('/roles?slug=support')).data[0]
    assert.deepEqual(
      [role.name, role.kind, role.permissions],
      ['Support', 'user', [{ resource_server: 'stock', scopes: ['stock:read', 'stock:write'] }]],
    )
    await page
      .getByRole('row', { name: /^Support/ })
      .getByText('2 scopes')
      .waitFor()
  })

  await t.test('the record of a user says what the role gives once it is given', async () => {
    await show(page, `${base}/users?chosen=${user.id}`, 'Users')
    const line = (scope: string) => dialog.getByRole('listitem').filter({ hasText: scope })
    await line('stock:write').getByText('Only by Support').waitFor()
    await dialog.getByRole('button', { name: 'Give a role' }).click()
    await page.getByLabel('Role', { exact: true }).selectOption({ label: 'Support' })
    await button(page, 'Give it').click()
    await line('stock:write').getByText('By Support', { exact: true }).waitFor()
  })

  await t.test('before a scope is taken the form says how many people lose it, and a role beside it keeps it', async () => {
    await show(page, `${base}/roles`, 'Roles')
    await openEditor('Support')
    await dialog.getByLabel('stock:write').uncheck()
    await dialog.getByText('1 user loses stock:write').waitFor()
    await passesAudit('edit role')
    await dialog.getByLabel('stock:write').check()
    await dialog.getByText('1 user loses').waitFor({ state: 'detached' })
    await dialog.getByLabel('stock:write').uncheck()
    await dialog.getByText('1 user loses stock:write').waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await closed()
    const access = await stored(`/users/${user.id}/access`)
    assert.deepEqual(access.permissions[0].scopes, [{ name: 'stock:read', by: ['support'] }])
  })

  await t.test('what gives nothing any more stands apart, and a scope that was made again is given only by its box', async () => {
    const set = async (...names: string[]) =>
      expectStatus(
        200,
        await w.call('PATCH', `${w.test.path}/resource-servers/${stock.id}`, { body: { scopes: names.map((name) => ({ name })) } }),
      )
    await set('stock:count')
    await show(page, `${base}/roles`, 'Roles')
    await openEditor('Support')
    await dialog.getByText('These give nothing').waitFor()
    await passesAudit('role with what is gone')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await closed()
    await set('stock:count', 'stock:read')
    await show(page, `${base}/roles`, 'Roles')
    await openEditor('Support')
    await dialog.getByText(/^Made again after this role was saved/).waitFor()
    assert.equal(await dialog.getByLabel('stock:read').isChecked(), false)
    await dialog.getByLabel('stock:read').check()
    await dialog.getByText('1 user gains stock:read').waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await closed()
    const access = await stored(`/users/${user.id}/access`)
    assert.deepEqual(access.permissions[0].scopes, [{ name: 'stock:read', by: ['support'] }])
  })

  await t.test('two people who change a role see both versions', async () => {
    const { id } = (await stored('/roles?slug=support')).data[0]
    await openEditor('Support')
    await dialog.getByLabel('Name').fill('Support of customers')
    expectStatus(200, await w.call('PATCH', `${w.test.path}/roles/${id}`, { body: { name: 'Help desk' } }))
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Help desk').first().waitFor()
    expectStatus(200, await w.call('PATCH', `${w.test.path}/roles/${id}`, { body: { name: 'Support' } }))
  })

  await t.test('an application chooses among the roles that exist, and shows a deleted one as gone', async () => {
    const { id } = (await stored('/roles?slug=packer')).data[0]
    const application = await w.createApplication(w.test, { name: 'Shop', allowed_roles: ['packer'] })
    await show(page, `${base}/applications/${application.id}?tab=scopes`, 'Shop')
    assert.equal(await page.getByLabel(/packer/).isChecked(), true)
    await page.getByLabel(/^Support/).check()
    await changed(page, () => button(page, 'Save').click())
    assert.deepEqual((await stored(`/applications/${application.id}`)).allowed_roles, ['packer', 'support'])
    expectStatus(204, await w.call('DELETE', `${w.test.path}/roles/${id}`))
    await show(page, `${base}/applications/${application.id}?tab=scopes`, 'Shop')
    await page.getByText('These roles are gone and let nobody in').waitFor()
    await passesAudit('allowed roles')
    await row('Take out', 'packer').click()
    await button(page, 'Save').click()
    await page.getByText('These roles are gone and let nobody in').waitFor({ state: 'detached' })
  })

  await t.test('a resource server that requires roles says when no role gives a scope', async () => {
    await show(page, `${base}/resource-servers`, 'Resource servers')
    await button(page, 'Add resource server').click()
    await dialog.getByLabel('Require roles').check()
    await dialog.getByText('No role gives a scope of it yet').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
  })

  await t.test('before a role of members is changed or deleted, the page says how many members lose what', async () => {
    const of_test = await organizationsOf(w, w.test)
    await of_test.role('clerk', { name: 'Clerk', permissions: [{ resource_server: 'stock', scopes: ['stock:count', 'stock:read'] }] })
    const members = [{ user_id: user.id, roles: ['clerk'] }]
    await of_test.create({ members: [...members, { user_id: (await of_test.user()).id, roles: ['clerk'] }] })
    await of_test.create({ members })
    await show(page, `${base}/roles`, 'Roles')
    await openEditor('Clerk')
    await dialog.getByLabel('stock:count').uncheck()
    await dialog.getByText('3 members lose stock:count').waitFor()
    await passesAudit('edit a role of members')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await closed()
    await row('Delete', 'Clerk').click()
    await alert.getByText(/^3 members lose it at once/).waitFor()
    await alert.getByText('3 members lose stock:count, stock:read').waitFor()
    await button(page, 'Delete now').click()
    await alert.waitFor({ state: 'detached' })
  })

  await t.test('an id opens the record of the role, with those who have it, and its deletion says who loses what', async () => {
    const { id } = (await stored('/roles?slug=support')).data[0]
    await page.goto(`${w.base_url}/dashboard/go/${id}`)
    await dialog.getByRole('link', { name: 'robin@example.com' }).waitFor()
    await passesAudit('role')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await alert.getByText(/^1 user loses it at once/).waitFor()
    await alert.getByText('1 user loses stock:read').waitFor()
    await page.locator(':focus', { hasText: /^Keep the role$/ }).waitFor()
    await passesAudit('delete role')
    await button(page, 'Delete now').click()
    await page.getByText('No role yet').waitFor()
    assert.deepEqual(expectStatus(200, await w.call('GET', `/v1/auth/users/${user.id}`, { key })).roles, [])
  })
  const refusals = faults.filter((fault) => !/status of (409|412) /.test(fault)) // the taken slug and the version of another person
  assert.deepEqual(refusals, [])
})

test(
  'in Live a change that gives more by a role waits for a fresh sign-in, and one that takes something does not',
  { skip: noBrowser },
  async (t) => {
    const w = await world({ dashboard_folder: dashboardFolder })
    const roles = await createRoleWorld(w, w.live)
    await roles.createServer('stock', ['stock:read', 'stock:write'])
    const support = await roles.createRole('support', { stock: ['stock:read'] }, { name: 'Support' })
    const { key } = await createAuthKey(w, w.live, 'auth_secret')
    const user = await w.createUser(w.live, { email: 'robin@example.com' })
    const browser = await launchForTests(t)
    const { page, faults } = await openDashboard(w, browser, owner)
    const base = `${w.base_url}${dashboardPath(await slugOf(w))}/live`
    const confirm = page.getByRole('dialog', { name: 'Confirm that it is you' })
    const rolesOf = async () => expectStatus(200, await w.call('GET', `/v1/auth/users/${user.id}`, { key })).roles
    const permissions = async () => expectStatus(200, await w.call('GET', `${w.live.path}/roles/${support.id}`)).permissions

    await t.test('a scope that a role gives from then on', async () => {
      await show(page, `${base}/roles`, 'Roles')
      w.advance(601)
      await page.getByRole('button', { name: /^Edit ?: Support$/ }).click()
      const editor = page.getByRole('dialog', { name: /Support/ })
      await editor.getByLabel('stock:write').check()
      await editor.getByRole('button', { name: 'Save' }).click()
      await confirm.waitFor()
      assert.deepEqual(await permissions(), [{ resource_server: 'stock', scopes: ['stock:read'] }], 'nothing has changed yet')
      await signInAgain(page, confirm, owner)
      await editor.waitFor({ state: 'detached' })
      assert.deepEqual(await permissions(), [{ resource_server: 'stock', scopes: ['stock:read', 'stock:write'] }])
    })

    await t.test('a scope that it gives no more', async () => {
      w.advance(601)
      await page.getByRole('button', { name: /^Edit ?: Support$/ }).click()
      const editor = page.getByRole('dialog', { name: /Support/ })
      await editor.getByLabel('stock:write').uncheck()
      await editor.getByRole('button', { name: 'Save' }).click()
      await editor.waitFor({ state: 'detached' })
      assert.deepEqual(await permissions(), [{ resource_server: 'stock', scopes: ['stock:read'] }])
    })

    await t.test('a role that a person is given, and one that is taken', async () => {
      await show(page, `${base}/users?chosen=${user.id}`, 'Users')
      const record = page.getByRole('dialog').first()
      await record.getByRole('button', { name: 'Give a role' }).click()
      await page.getByLabel('Role', { exact: true }).selectOption({ label: 'Support' })
      await button(page, 'Give it').click()
      await confirm.waitFor()
      assert.deepEqual(await rolesOf(), [])
      await signInAgain(page, confirm, owner)
      await record.getByRole('listitem').filter({ hasText: 'stock:read' }).getByText('By Support', { exact: true }).waitFor()
      assert.deepEqual(await rolesOf(), ['support'])
      w.advance(601)
      await record.getByRole('button', { name: /^Take/ }).first().click()
      await page.getByRole('alertdialog').getByRole('button', { name: /^Take/ }).click()
      await record.getByRole('listitem').filter({ hasText: 'stock:read' }).getByText('Only by Support').waitFor()
      assert.deepEqual(await rolesOf(), [])
    })
    assert.deepEqual(
      faults.filter((fault) => !/status of 403 /.test(fault)), // the changes that wait
      [],
    )
  },
)
