/** The settings of an environment: the range and default of every field, as in the contract, and merge patches. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { applySettingsChange } from '../../src/domain/tenancy/settings.ts'
import { expectStatus, type Reply, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
/** A way in beside the password, so that the password can be switched off. */
const provider = { type: 'github', client_id: 'ours', client_secret: 'secret' }
expectStatus(201, await w.call('POST', `${w.test.path}/providers`, { body: provider }))
const read = async (environment: TestEnvironment) => expectStatus(200, await w.call('GET', `${environment.path}/settings`))
const change = (environment: TestEnvironment, body: unknown): Promise<Reply> =>
  w.call('PATCH', `${environment.path}/settings`, { body, headers: { 'content-type': 'application/merge-patch+json' } })
const pointersOf = ({ status, body }: Reply) => [status, body.errors?.map(({ pointer }: { pointer: string }) => pointer)]
const at = (document: Record<string, any>, path: string) => path.split('.').reduce((value, name) => value?.[name], document as any) // settings have groups of every shape
const patchOf = (path: string, value: unknown): unknown => path.split('.').reduceRight((inner, name) => ({ [name]: inner }), value)
const pointerOf = (path: string) => `/${path.replaceAll('.', '/')}`

// biome-ignore format: this table is read by column
const numbers: [path: string, min: number, max: number, fallback: number][] = [
  ['tokens.access_token_ttl_seconds',           60,    86_400,     3_600],
  ['tokens.id_token_ttl_seconds',               60,    86_400,     3_600],
  ['tokens.authorization_code_ttl_seconds',     10,    600,        60],
  ['tokens.refresh_token_idle_ttl_seconds',     3_600, 31_536_000, 1_209_600],
  ['tokens.refresh_token_absolute_ttl_seconds', 3_600, 63_072_000, 7_776_000],
  ['tokens.refresh_retry_window_seconds',       0,     60,         0],
  ['sessions.idle_ttl_seconds',                 300,   2_592_000,  86_400],
  ['sessions.absolute_ttl_seconds',             3_600, 31_536_000, 2_592_000],
  ['password.min_length',                       8,     128,        12],
  ['lockout.max_attempts',                      3,     100,        10],
  ['lockout.duration_seconds',                  30,    86_400,     900],
]

// biome-ignore format: this table is read by column
const others: [path: string, fallback: unknown, good: unknown[], bad: unknown[]][] = [
  ['tokens.access_token_format',  'jwt',   ['opaque'],                                          ['JWT', '', 1]],
  ['tokens.id_token_claims',      'full',  ['minimal'],                                         ['none', true]],
  ['scopes.disabled',             [],      [['phone'], ['profile', 'email']],                   [['openid'], ['orders:read'], 'phone']],
  ['sign_in.password',            true,    [false],                                             ['no', 0]],
  ['sign_in.email_code',          false,   [true, false],                                       ['yes', 1]],
  ['sign_in.passkey',             false,   [true, false],                                       [1, 'yes']],
  ['sign_up.mode',                'open',  ['closed'],                                          ['invite', false]],
  ['sign_up.name',                'off',   ['optional', 'required'],                            ['ask', true]],
  ['password.reject_common',      true,    [false],                                             ['']],
  ['mfa.mode',                    'off',   ['off', 'optional', 'required'],                     ['on', true]],
  ['mfa.totp',                    true,    [true, false],                                       ['yes', 1]],
  ['email.delivery',              'capture', ['none', 'capture'],                               ['pigeon', '']],
  ['email.from',                  null,    ['shop@example.com', 'Shop <shop@example.com>'],     ['Shop', 'a@example.com\r\nBcc: b@example.com']],
  ['branding.display_name',       null,    ['The Shop', 'Ünïcode 🧺'],                          ['', 'x'.repeat(101), 'a\nb']],
  ['branding.logo_url',           null,    ['https://cdn.example.com/l.svg'],                   ['javascript:alert(1)', 'data:image/svg+xml,<svg/>', '/l.svg', 'https://a@b.c/']],
  ['branding.primary_color',      null,    ['#0aF9c3'],                                         ['#fff', 'red', '#gggggg', '#0000000', 'url(x)']],
  ['links.terms_url',             null,    ['https://example.com/terms'],                       ['example.com', 'ftp://example.com']],
  ['links.privacy_url',           null,    ['https://example.com/privacy?x=1'],                 ['vbscript:x']],
  ['links.support_url',           null,    ['http://localhost:3000/help'],                      ['mailto:a@example.com']],
  ['cors.allowed_origins',        [],      [['https://app.example.com', 'http://localhost:5173']], [['*'], ['https://app.example.com/'], ['null'], 'https://a.b']],
]

test('a new environment has the defaults of the contract', async () => {
  for (const environment of [w.test, w.live]) {
    const settings = await read(environment)
    for (const [path, , , fallback] of numbers) assert.equal(at(settings, path), fallback, path)
    for (const [path, fallback] of others) if (path !== 'email.delivery') assert.deepEqual(at(settings, path), fallback, path)
    assert.deepEqual(settings.email, { delivery: environment.type === 'test' ? 'capture' : 'none', from: null, smtp: null })
    assert.deepEqual(settings.test, environment.type === 'test' ? { fixed_code: null } : null)
    assert.deepEqual([settings.project_id, settings.environment_id], [w.project.id, environment.id])
  }
})

/** Other changes that a bound of a field needs, so that an absolute lifetime stays at least the idle one. */
const companions: Record<string, [lower: object, upper: object]> = {
  'tokens.refresh_token_idle_ttl_seconds': [{}, { tokens: { refresh_token_absolute_ttl_seconds: 63_072_000 } }],
  'tokens.refresh_token_absolute_ttl_seconds': [{ tokens: { refresh_token_idle_ttl_seconds: 3_600 } }, {}],
  'sessions.idle_ttl_seconds': [{}, {}],
  'sessions.absolute_ttl_seconds': [{ sessions: { idle_ttl_seconds: 300 } }, {}],
}

for (const [path, min, max, fallback] of numbers) {
  test(`${path} is from ${min} to ${max}, and ${fallback} by default`, async () => {
    const [lower, upper] = companions[path] ?? [{}, {}]
    for (const [value, besides] of [
      [min, lower],
      [max, upper],
    ] as const) {
      expectStatus(200, await change(w.live, besides))
      assert.equal(at(expectStatus(200, await change(w.live, patchOf(path, value))), path), value)
      assert.equal(at(await read(w.live), path), value)
    }
    for (const value of [min - 1, max + 1, min + 0.5, String(min), true, [min], 1e300]) {
      const { status, body } = await change(w.live, patchOf(path, value))
      assert.deepEqual([status, body.errors?.[0].pointer], [422, pointerOf(path)], `${value}`)
    }
    assert.equal(at(await read(w.live), path), max)
    assert.equal(at(expectStatus(200, await change(w.live, patchOf(path, null))), path), fallback)
    expectStatus(200, await change(w.live, { tokens: null, sessions: null }))
  })
}

for (const [path, fallback, good, bad] of others) {
  test(`${path} accepts valid values, refuses invalid ones, and null resets it to ${JSON.stringify(fallback)}`, async () => {
    for (const value of good) {
      assert.deepEqual(at(expectStatus(200, await change(w.test, patchOf(path, value))), path), value)
      assert.deepEqual(at(await read(w.test), path), value)
    }
    for (const value of bad) {
      const reply = await change(w.test, patchOf(path, value))
      assert.equal(reply.status, 422, JSON.stringify(value))
      assert.ok(reply.body.errors[0].pointer.startsWith(pointerOf(path)), JSON.stringify(reply.body.errors))
    }
    assert.deepEqual(at(await read(w.test), path), good.at(-1))
    assert.deepEqual(at(expectStatus(200, await change(w.test, patchOf(path, null))), path), fallback)
  })
}

test('an absolute lifetime is at least as long as the idle lifetime', async () => {
  const cases: [object, string][] = [
    [{ tokens: { refresh_token_idle_ttl_seconds: 7_776_001 } }, '/tokens/refresh_token_absolute_ttl_seconds'],
    [{ tokens: { refresh_token_absolute_ttl_seconds: 3_600 } }, '/tokens/refresh_token_absolute_ttl_seconds'],
    [{ sessions: { absolute_ttl_seconds: 3_600 } }, '/sessions/absolute_ttl_seconds'],
  ]
  for (const [body, pointer] of cases) assert.deepEqual(pointersOf(await change(w.live, body)), [422, [pointer]])
  expectStatus(
    200,
    await change(w.live, { tokens: { refresh_token_idle_ttl_seconds: 7_776_001, refresh_token_absolute_ttl_seconds: 7_776_001 } }),
  )
  expectStatus(200, await change(w.live, { tokens: null }))
})

const other_groups = { sign_up: { mode: 'closed' } }

test('Live refuses the settings that only Test has', async () => {
  for (const body of [
    { test: { fixed_code: '123456' } },
    { test: {} },
    { test: null },
    { test: { fixed_code: null } },
    { email: { delivery: 'capture' } },
  ]) {
    const reply = await change(w.live, { ...other_groups, ...body })
    assert.equal(reply.status, 422, JSON.stringify(body))
    assert.match(reply.body.errors[0].pointer, /^\/(test|email\/delivery)$/)
  }
  assert.equal((await read(w.live)).sign_up.mode, 'open')
})

test('Test accepts a fixed code of six digits', async () => {
  for (const code of ['000000', '123456'])
    assert.equal(expectStatus(200, await change(w.test, { test: { fixed_code: code } })).test.fixed_code, code)
  for (const code of ['12345', '1234567', 'abcdef', '١٢٣٤٥٦', 123456, '12 456', '123456\n'])
    assert.deepEqual(pointersOf(await change(w.test, { test: { fixed_code: code } })), [422, ['/test/fixed_code']])
  assert.equal(expectStatus(200, await change(w.test, { test: null })).test.fixed_code, null)
})

test('an unknown name is 422 at its pointer, whatever its value and depth', async () => {
  const cases: [object, string][] = [
    [{ surprise: {} }, '/surprise'],
    [{ surprise: null }, '/surprise'],
    [{ tokens: { surprise: 1 } }, '/tokens/surprise'],
    [{ tokens: { surprise: null } }, '/tokens/surprise'],
    [{ email: { smtp: { host: 'a.b', surprise: null } } }, '/email/smtp/surprise'],
    [{ email: { smtp: { host: 'a.b', has_password: true } } }, '/email/smtp/has_password'],
    [{ environment_id: w.test.id }, '/environment_id'],
    [{ updated_at: '2026-01-01T00:00:00.000Z' }, '/updated_at'],
    [{ 'a/b~c': 1 }, '/a~1b~0c'],
    [{ constructor: null }, '/constructor'],
    [{ tokens: { toString: null } }, '/tokens/toString'],
  ]
  const before = await read(w.test)
  for (const [body, pointer] of cases) assert.deepEqual(pointersOf(await change(w.test, { ...other_groups, ...body })), [422, [pointer]])
  for (const body of [{ tokens: 1 }, { tokens: [] }, { tokens: 'x' }, { email: { smtp: [] } }])
    assert.equal((await change(w.test, body)).status, 422)
  assert.deepEqual(await read(w.test), before)
})

test('a merge patch changes the named settings: a group of null resets it, and {} leaves it', async () => {
  await change(w.test, { tokens: { access_token_ttl_seconds: 600, id_token_ttl_seconds: 700 }, sign_up: { mode: 'closed' } })
  const changed = expectStatus(200, await change(w.test, { tokens: { id_token_ttl_seconds: null } }))
  assert.deepEqual(
    [changed.tokens.access_token_ttl_seconds, changed.tokens.id_token_ttl_seconds, changed.sign_up.mode],
    [600, 3_600, 'closed'],
  )
  const same = await change(w.test, { tokens: {}, sign_up: { mode: 'closed' } })
  assert.deepEqual(expectStatus(200, same), changed)
  const reset = expectStatus(200, await change(w.test, { tokens: null, sign_up: null }))
  assert.deepEqual([reset.tokens.access_token_ttl_seconds, reset.sign_up.mode], [3_600, 'open'])
})

test('only a change with an effect has a new version', async () => {
  const tag = async () => (await w.call('GET', `${w.test.path}/settings`)).headers.get('etag')
  const before = await tag()
  for (const body of [{}, { tokens: {} }, { tokens: null }, { tokens: { access_token_ttl_seconds: null } }]) {
    assert.equal((await change(w.test, body)).headers.get('etag'), before, JSON.stringify(body))
  }
  const reply = await change(w.test, { lockout: { max_attempts: 5 } })
  assert.notEqual(reply.headers.get('etag'), before)
  assert.equal(await tag(), reply.headers.get('etag'))
  assert.equal(expectStatus(200, await w.call('GET', w.test.path)).slug, 'test')
})

test('the password of a mail server can be set, replaced and removed, stays through other changes, and is never shown', async () => {
  const smtp = { host: 'smtp.example.com', port: 465, username: 'shop', tls: 'implicit' }
  const shown = async () => (await read(w.test)).email.smtp
  expectStatus(200, await change(w.test, { email: { smtp: { host: 'smtp.example.com' } } }))
  assert.deepEqual(await shown(), { host: 'smtp.example.com', port: 587, username: null, tls: 'starttls', has_password: false })
  const reply = await change(w.test, { email: { smtp: { ...smtp, password: 'x'.repeat(1_000) } } })
  assert.deepEqual(expectStatus(200, reply).email.smtp, { ...smtp, has_password: true })
  for (const elsewhere of [{ port: 587 }, { host: 'smtp.attacker.example' }, { host: 'smtp.attacker.example', password: undefined }])
    assert.deepEqual(pointersOf(await change(w.test, { email: { smtp: elsewhere } })), [422, ['/email/smtp/password']])
  expectStatus(200, await change(w.test, { email: { smtp: { port: 587, password: 'x' } }, branding: { display_name: 'Shop' } }))
  assert.deepEqual(await shown(), { ...smtp, port: 587, has_password: true })
  for (const password of ['', 'x'.repeat(1_001), 1, {}])
    assert.deepEqual(pointersOf(await change(w.test, { email: { smtp: { password } } })), [422, ['/email/smtp/password']])
  expectStatus(200, await change(w.test, { email: { smtp: { password: '🔑'.repeat(500) } } }))
  assert.equal((await w.call('GET', `${w.test.issuer}/.well-known/openid-configuration`, { key: null })).status, 200)
  expectStatus(200, await change(w.test, { email: { smtp: { password: null } } }))
  assert.equal((await shown()).has_password, false)
  expectStatus(200, await change(w.test, { email: { smtp: null } }))
  assert.equal(await shown(), null)
  for (const wrong of [{ port: 0 }, { port: 65_536 }, { host: '' }, {}])
    assert.equal((await change(w.test, { email: { smtp: wrong } })).status, 422)
})

test('a changed setting takes effect with its response', async () => {
  const client = await w.createApplication(w.live)
  const discovery = async () => expectStatus(200, await w.call('GET', `${w.live.issuer}/.well-known/openid-configuration`, { key: null }))
  assert.ok((await discovery()).scopes_supported.includes('phone'))
  expectStatus(200, await change(w.live, { scopes: { disabled: ['phone'] } }))
  assert.ok(!(await discovery()).scopes_supported.includes('phone'))
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.id,
    redirect_uri: client.redirect_uris[0],
    scope: 'openid phone',
    state: 's',
  })
  const refused = await w.call('GET', `${w.live.issuer}/oauth/authorize?${query}`, { key: null })
  assert.match(refused.headers.get('location') ?? '', /error=invalid_scope/)
})

// biome-ignore format: this table is read by column
const passkeys: [name: string, issuer: string, type: 'test' | 'live', change: object, refused: RegExp | null][] = [
  ['Test on the shared host',                        'https://id.example.com/e/env_1', 'test', { passkey: true },                             null],
  ['Live on the shared host',                        'https://id.example.com/e/env_1', 'live', { passkey: true },                             /could never move/],
  ['Live on the shared host, which it accepts',      'https://id.example.com/e/env_1', 'live', { passkey: true, passkey_shared_host: true },  null],
  ['Live on a host of its own',                      'https://login.acme.example',     'live', { passkey: true },                             null],
  ['an IPv4 address',                                'http://192.0.2.1:8080/e/env_1',  'test', { passkey: true },                             /address/],
  ['an IPv4 address as one number',                  'http://3221225985/e/env_1',      'test', { passkey: true },                             /address/],
  ['an IPv6 address',                                'https://[2001:db8::1]',          'live', { passkey: true, passkey_shared_host: true },  /address/],
  ['an address, without passkeys',                   'http://192.0.2.1/e/env_1',       'test', { passkey: false },                            null],
]
for (const [name, issuer, type, sign_in, refused] of passkeys)
  test(`sign_in.passkey: ${name} is ${refused ? 'refused' : 'accepted'}`, () => {
    const outcome = applySettingsChange(type, {}, { sign_in }, { seal: (password) => password, allowed: [], issuer, has_provider: true })
    if (!refused) return assert.deepEqual(outcome, { stored: { sign_in }, changed: ['sign_in'] })
    assert.ok('problem' in outcome)
    assert.deepEqual([outcome.problem.issues.length, outcome.problem.issues[0]?.path], [1, ['sign_in', 'passkey']])
    assert.match(outcome.problem.issues[0]?.message ?? '', refused)
  })

test('passkey_shared_host exists in Live only, and cannot be taken back while passkeys are on', async () => {
  for (const value of [true, false, null])
    assert.deepEqual(pointersOf(await change(w.test, { sign_in: { passkey_shared_host: value } })), [422, ['/sign_in/passkey_shared_host']])
  assert.equal((await read(w.test)).sign_in.passkey_shared_host, null)
  assert.equal((await read(w.live)).sign_in.passkey_shared_host, false)
  assert.deepEqual(pointersOf(await change(w.live, { sign_in: { passkey: true } })), [422, ['/sign_in/passkey']])
  expectStatus(200, await change(w.live, { sign_in: { passkey: true, passkey_shared_host: true } }))
  for (const value of [false, null])
    assert.deepEqual(pointersOf(await change(w.live, { sign_in: { passkey_shared_host: value } })), [422, ['/sign_in/passkey']])
  expectStatus(200, await change(w.live, { sign_in: null }))
})

test('Test and Live have separate settings', async () => {
  await change(w.test, { password: { min_length: 30 } })
  assert.equal((await read(w.live)).password.min_length, 12)
})

const pages = join(import.meta.dirname, '../../../docs/settings')
for (const file of readdirSync(pages))
  test(`the call on the page ${file} of the settings is accepted and stored`, async () => {
    const [, body = ''] = /-d '(.+)'$/m.exec(readFileSync(join(pages, file), 'utf8')) ?? assert.fail(file)
    const sent: Record<string, object> = JSON.parse(body)
    const stored = expectStatus(200, await change(w.test, sent))
    for (const [group, fields] of Object.entries(sent)) assert.deepEqual({ ...stored[group], ...fields }, stored[group])
    expectStatus(200, await change(w.test, Object.fromEntries(Object.keys(sent).map((group) => [group, null]))))
  })
