/** The preview of unsaved settings: what it shows, what it checks, and that it cannot deceive people outside of the dashboard. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { signInToDashboard } from '../support/dashboard.ts'
import { createAdministrator } from '../support/tenants.ts'
import { expectStatus, owner, world } from '../support/world.ts'

const w = await world()
const dashboard = await signInToDashboard(w)
const in_frame = { 'sec-fetch-dest': 'iframe', accept: 'text/html' }

const preview = async (body: object, environment = w.test) =>
  expectStatus(200, await w.call('POST', `${environment.path}/settings/preview`, { body }))
const show = (url: string, headers: Record<string, string> = in_frame) =>
  dashboard.ask('GET', url.slice(w.base_url.length), undefined, headers)

test('it shows the page with the unsaved settings, and stores nothing', async () => {
  const before = expectStatus(200, await w.call('GET', `${w.test.path}/settings`))
  const { url } = await preview({
    branding: { display_name: 'Bäckerei <b>Müller</b> & Söhne', primary_color: '#1f4fd8' },
    links: { terms_url: 'https://example.com/terms' },
    sign_in: { passkey: true },
    theme: 'dark',
  })
  const page = await show(url)
  assert.equal(page.status, 200)
  assert.match(page.body, /Bäckerei &lt;b&gt;Müller&lt;\/b&gt; &amp; Söhne/)
  assert.match(page.body, /--tile:light-dark\(#1f4fd8,#1f4fd8\)/)
  assert.match(page.body, /<style>:root\{color-scheme:dark\}<\/style>/)
  assert.match(page.body, /<a href="#">Terms/)
  assert.match(page.body, /<div data-passkey="get"/)
  assert.match((await show((await preview({ page: 'sign_up' })).url)).body, /data-step="sign-up"/)
  assert.deepEqual(expectStatus(200, await w.call('GET', `${w.test.path}/settings`)), before)
})

test('nothing on it works: a sandbox without scripts and forms, in a frame of this origin only', async () => {
  const { url } = await preview({ sign_in: { passkey: true } })
  const { headers, body } = await show(url)
  const policy = headers.get('content-security-policy') ?? ''
  assert.match(policy, /; frame-ancestors 'self'; base-uri 'none'; form-action 'none'; sandbox$/)
  assert.doesNotMatch(policy, /script-src|connect-src/)
  assert.equal(headers.get('x-frame-options'), 'SAMEORIGIN')
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.equal(headers.get('set-cookie'), null)
  assert.match(body, /<body inert>/)
  assert.doesNotMatch(body, /<script/)
})

test('a new logo is not loaded before it is saved', async () => {
  const logo_url = 'https://tracker.example/pixel.png'
  const shown = async (branding: object) => show((await preview({ branding })).url)
  const draft = await shown({ logo_url })
  assert.doesNotMatch(`${draft.body} ${draft.headers.get('content-security-policy')}`, /tracker\.example/)
  expectStatus(200, await w.call('PATCH', `${w.test.path}/settings`, { body: { branding: { logo_url } } }))
  assert.match((await shown({})).body, /tracker\.example/)
  assert.doesNotMatch((await shown({ logo_url: null })).body, /tracker\.example/)
})

// biome-ignore format: this table is read by column
const wrong: [why: string, body: object, pointer: string][] = [
  ['a colour by its name',              { branding: { primary_color: 'red' } },                                        '/branding/primary_color'],
  ['a name that is too long',           { branding: { display_name: 'a'.repeat(101) } },                               '/branding/display_name'],
  ['a script as a link',                { links: { terms_url: 'javascript:alert(1)' } },                               '/links/terms_url'],
  ['an unknown field',                  { branding: { style: 'body{}' } },                                             '/branding'],
  ['another group',                     { email: { delivery: 'none' } },                                               ''],
  ['no way to sign in',                 { sign_in: { password: false } },                                              '/sign_in'],
  ['a page that does not exist',        { page: 'admin' },                                                             '/page'],
]
for (const [why, body, pointer] of wrong)
  test(`${why} is 422, as it would be when saving`, async () => {
    const { errors } = expectStatus(422, await w.call('POST', `${w.test.path}/settings/preview`, { body }))
    assert.ok(
      errors.some((error: { pointer: string }) => error.pointer.startsWith(pointer)),
      JSON.stringify(errors),
    )
  })

test('the address opens for no one else', async (t) => {
  const { url } = await preview({ branding: { display_name: 'A bank' } })
  const path = url.slice(w.base_url.length)
  const stranger = await createAdministrator(w, 'mallory@example.com')
  expectStatus(201, await asAdministrator(w, stranger.token, null)('POST', '/v1/tenants', { slug: 'mallory', name: 'Mallory' }))
  const theirs = await signInToDashboard(w, stranger)

  await t.test('without a session of the dashboard', async () => {
    expectStatus(404, await w.call('GET', path, { key: null, headers: in_frame }))
  })
  await t.test('for a member of another tenant only', async () => {
    expectStatus(404, await theirs.ask('GET', path, undefined, in_frame))
  })
  for (const destination of ['document', 'embed', 'image', 'empty'])
    await t.test(`as ${destination} and not as a frame`, async () => {
      expectStatus(404, await show(url, { ...in_frame, 'sec-fetch-dest': destination }))
    })
  for (const [name, change] of [
    ['another letter', (text: string) => text.replace(/.(?=\.)/, (last) => (last === 'A' ? 'B' : 'A'))],
    ['no signature', (text: string) => text.replace(/\..*/, '')],
    ['another signature', (text: string) => text.replace(/\.[\w-]{43}$/, `.${'A'.repeat(43)}`)],
    ['nothing', () => '/dashboard/preview'],
    ['a very long text', () => `/dashboard/preview?show=${'a'.repeat(5_000)}.${'A'.repeat(43)}`],
  ] as const)
    await t.test(`with ${name}`, async () => {
      expectStatus(404, await dashboard.ask('GET', change(path), undefined, in_frame))
    })
  await t.test('after ten minutes', async () => {
    assert.equal((await show(url)).status, 200)
    w.advance(600)
    expectStatus(404, await show(url))
  })
})

test('a key without the scope makes no preview, and an administrator does', async () => {
  const call = asAdministrator(w, await administratorToken(w, owner))
  expectStatus(200, await call('POST', `${w.test.path}/settings/preview`, {}))
  const key = expectStatus(
    201,
    await call('POST', `/v1/tenants/${w.tenant_id}/platform-keys`, { label: 'reads', scopes: ['env.settings:read'] }),
  ).key
  expectStatus(403, await w.call('POST', `${w.test.path}/settings/preview`, { body: {}, key }))
})
