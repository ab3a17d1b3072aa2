/** Rules of the dashboard that need no browser. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errors } from '@ostiary/contract/errors.ts'
import { ProviderId } from '@ostiary/contract/ids.ts'
import { ProviderCause } from '@ostiary/contract/objects/provider.ts'
import { shownCodes } from '@ostiary/contract/refused-call.ts'
import { routes } from '@ostiary/contract/routes.ts'
import { firstOf, pathIn } from '../../../dashboard/src/frame/places.ts'
import { keySetProblem } from '../../../dashboard/src/pages/application/key-set.ts'
import { offeredAddress } from '../../../dashboard/src/pages/application/offered-address.ts'
import { productAddress } from '../../../dashboard/src/pages/application/product-address.ts'
import { questionOf } from '../../../dashboard/src/pages/application/questions.ts'
import { changesOf, didOf, foundOf, objectOf, tellingChanges } from '../../../dashboard/src/pages/audit/sentences.ts'
import { fixOf, hasPage } from '../../../dashboard/src/pages/calls/fixes.ts'
import { isProved, type Remedy, remaining, wordsOf } from '../../../dashboard/src/pages/calls/remedies.ts'
import { statusWords } from '../../../dashboard/src/pages/calls/status.ts'
import { changeOf, isNarrowed, type KeyChange, limitOf } from '../../../dashboard/src/pages/keys/restrictions.ts'
import { causeWords } from '../../../dashboard/src/pages/providers/causes.ts'
import { providerId } from '../../../dashboard/src/pages/providers/id.ts'
import { type Beginning, beginningsIn, judgeWaysIn, mailsFor } from '../../../dashboard/src/pages/users/ways-in.ts'
import { scopeLines } from '../../../dashboard/src/pages/users/why.ts'
import { medianAnswer } from '../../../dashboard/src/pages/webhook/answers.ts'
import { cell } from '../../../dashboard/src/parts/cells.ts'
import { calendarDay, clockTime, intervalStart, intervalStartWithDay, localTime, secondsIn } from '../../../dashboard/src/parts/clock.ts'
import { countdown, secondsLeft, waitOf } from '../../../dashboard/src/parts/countdown.ts'
import { curlOf } from '../../../dashboard/src/parts/curl.ts'
import { deviceOf } from '../../../dashboard/src/parts/device.ts'
import { type Choice, differences, isContested, isSecret, withChoices } from '../../../dashboard/src/parts/differences.ts'
import { valueIn } from '../../../dashboard/src/parts/field-text.ts'
import { objectText, patchTo, readObject } from '../../../dashboard/src/parts/json-object.ts'
import { type CheckState, countDone, stateOf } from '../../../dashboard/src/parts/readiness.ts'
import { markDifference, nearestOf } from '../../../dashboard/src/parts/uri-difference.ts'
import { reasonWords, signInWords } from '../../../dashboard/src/parts/words.ts'
import { type EnvironmentRole, OstiaryError } from '../../../sdk/src/index.ts'
import { createIds } from '../../src/base/ids.ts'
import { fieldsOf, pointerOf } from '../support/schema-fields.ts'

const unknown = fixOf('no such code')
test('each code of a refused call has a fix of its own, and a page', () => {
  const codes: readonly string[] = shownCodes
  assert.deepEqual(
    codes.filter((code) => fixOf(code) === unknown),
    [],
  )
  assert.deepEqual(
    codes.filter((code) => !hasPage(code)),
    [],
  )
})

test('the status of each refused call has a word beside its number', () => {
  const statuses = [200, 303, ...Object.values(errors).map(({ status }) => status)]
  assert.deepEqual(
    statuses.filter((status) => statusWords(status) === statusWords(999).replace('999', String(status))),
    [],
  )
})

const roleOf = (slug: string, kind: 'user' | 'organization', ...scopes: string[]) =>
  ({ slug, name: slug.toUpperCase(), kind, permissions: [{ resource_server: 'orders', scopes }] }) as unknown as EnvironmentRole // as: what the lines read
const roles_of_lines = [
  roleOf('editor', 'user', 'read', 'write', 'again'),
  roleOf('viewer', 'user', 'read'),
  roleOf('remover', 'user', 'delete'),
  roleOf('member', 'organization', 'export'),
]

// biome-ignore format: this table is read by column
const scope_lines: [name: string, by: string[] | null, line: string][] = [
  ['read',   ['editor', 'viewer'], 'can: By EDITOR, VIEWER'],
  ['read',   ['gone'],             'can: By gone'],
  ['read',   [],                   'can: No role is needed here'],
  ['delete', null,                 'cannot: Only by REMOVER'],
  ['again',  null,                 'cannot: The scope is newer than EDITOR: save its permissions again'],
  ['export', null,                 'cannot: No role gives it'],
  ['other',  null,                 'cannot: No role gives it'],
]
for (const [name, by, expected] of scope_lines)
  test(`${name} ${by === null ? 'that is not given' : `by ${JSON.stringify(by)}`} is shown as "${expected}"`, () => {
    const at = { resource_server: 'orders', identifier: 'https://orders', require_roles: true, scopes: by === null ? [] : [{ name, by }] }
    const [line] = scopeLines(at, { scopes: [name], roles: roles_of_lines, kind: 'user', held: ['editor', 'viewer'] })
    assert.equal(`${line?.can ? 'can' : 'cannot'}: ${line?.why}`, expected)
  })

test('in an organization only the roles of members can give a scope', () => {
  const at = { resource_server: 'orders', identifier: 'https://orders', require_roles: true, scopes: [{ name: 'read', by: ['member'] }] }
  const lines = scopeLines(at, { scopes: ['read', 'export', 'delete'], roles: roles_of_lines, kind: 'organization', held: [] })
  assert.deepEqual(
    lines.map(({ name, why }) => [name, why]),
    [
      ['read', 'By MEMBER'],
      ['export', 'Only by MEMBER'],
      ['delete', 'No role gives it'],
    ],
  )
})

test('until the scopes of a resource server are read, those that are given are shown', () => {
  const at = { resource_server: 'orders', identifier: 'https://orders', require_roles: true, scopes: [{ name: 'read', by: ['viewer'] }] }
  const lines = scopeLines(at, { scopes: undefined, roles: [], kind: 'user', held: ['viewer'] })
  assert.deepEqual(lines, [{ name: 'read', can: true, why: 'By viewer' }])
})

// biome-ignore format: this table is read by column
const cells: [string, string][] = [
  ['plain',          '"plain"'],
  ['say "no", then', '"say ""no"", then"'],
  ['=1+1',           `"'=1+1"`],
  ['+1',             `"'+1"`],
  ['-1',             `"'-1"`],
  ['@sum',           `"'@sum"`],
  ['\t=1',           `"'\t=1"`],
  ['\r=1',           `"'\r=1"`],
  [' =1',            `" =1"`],
]
for (const [value, written] of cells)
  test(`the cell of ${JSON.stringify(value)} runs as no formula`, () => assert.equal(cell(value), written))

const registered = { redirect_uris: ['https://shop.example.com/callback'] }
// biome-ignore format: this table is read by column
const offers: [string, string | undefined, 'test' | 'live', boolean][] = [
  ['an unregistered address in Test',        'https://shop.example.com/other',               'test', true],
  ['an unregistered address in Live',        'https://shop.example.com/other',               'live', false],
  ['a registered address',                   'https://shop.example.com/callback',            'test', false],
  ['no address',                             undefined,                                      'test', false],
  ['an empty text',                          '',                                             'test', false],
  ['an address of 2,001 characters',         `https://a.example/${'a'.repeat(1_983)}`,       'test', false],
  ['two addresses on two lines',             'https://a.example\nhttps://b.example',         'test', false],
  ['an address with an invisible character', 'https://shop.example.com/callback\u200b',      'test', false],
]
for (const [what, sent, environment_type, is_offered] of offers)
  test(`a link with ${what} offers ${is_offered ? 'it' : 'nothing'} to register`, () =>
    assert.equal(offeredAddress(sent, registered, environment_type), is_offered ? sent : null))

// biome-ignore format: this table is read by column
const shown_waits: [number, string][] = [
  [0,     '0 s'],
  [59,    '59 s'],
  [60,    '1 min'],
  [125,   '2 min 5 s'],
  [3_599, '59 min 59 s'],
  [3_600, '1 h'],
  [3_601, '1 h 1 min'],
  [7_199, '2 h'],
]
for (const [seconds, text] of shown_waits)
  test(`a wait of ${seconds} seconds is shown as ${text}`, () => assert.equal(countdown(seconds), text))

test('a wait ends at its time, and never before', () => {
  assert.deepEqual(
    [0, 1, 999, 1_000, 1_001, 9_000].map((now_ms) => secondsLeft(2_000, now_ms)),
    [2, 2, 2, 1, 1, 0],
  )
})

test('only 429 counts down, since the client has repeated what fails for a moment', () => {
  const failed = (status: number, retry_after_seconds: number | null) =>
    new OstiaryError({ status, code: 'rate_limited', detail: 'Later.', retry_after_seconds })
  assert.deepEqual([failed(429, 90), failed(429, null), failed(503, 5), new Error('other'), null].map(waitOf), [90, 0, 0, 0, 0])
})

const before = { name: 'Shop', uris: ['a'], tokens: { access: 60, id: 60 }, updated_at: '1' }
const now = { name: 'Store', uris: ['a', 'b'], tokens: { access: 90, id: 60 }, updated_at: '2' }
const change = { name: 'Mine', tokens: { access: 30, id: 30 } }

test('both versions of each changed field are shown, and the other fields that changed, without bookkeeping', () => {
  const { fields, others } = differences(change, before, now)
  assert.deepEqual(fields, [
    { pointer: '/name', before: 'Shop', mine: 'Mine', theirs: 'Store' },
    { pointer: '/tokens/access', before: 60, mine: 30, theirs: 90 },
    { pointer: '/tokens/id', before: 60, mine: 30, theirs: 60 },
  ])
  assert.deepEqual(others, [{ pointer: '/uris', before: ['a'], mine: undefined, theirs: ['a', 'b'] }])
  assert.deepEqual(fields.map(isContested), [true, true, false])
})

test('a secret of a refused save is chosen by the person, since no version shows whether another person set it too', () => {
  const { fields } = differences({ client_secret: 'mine', scopes: ['email'] }, { scopes: [] }, { scopes: [] })
  assert.deepEqual(fields.map(isContested), [true, false])
})

// biome-ignore format: this table is read by column
const choices: [string, [string, Choice][], object][] = [
  ['nothing is chosen of theirs',     [],                                                                      change],
  ['one field is chosen of theirs',   [['/name', 'theirs'], ['/tokens/id', 'mine']],                           { tokens: { access: 30, id: 30 } }],
  ['a whole group is of theirs',      [['/tokens/access', 'theirs'], ['/tokens/id', 'theirs']],                { name: 'Mine' }],
  ['everything is chosen of theirs',  [['/name', 'theirs'], ['/tokens/access', 'theirs'], ['/tokens/id', 'theirs']], {}],
]
for (const [when, chosen, sent] of choices)
  test(`what is saved when ${when}`, () => assert.deepEqual(withChoices(change, new Map(chosen)), sent))

const edited = [
  'changeSettings',
  'changeApplication',
  'changeResourceServer',
  'changeRole',
  'changeProvider',
  'changeWebhook',
  'changeAuthKey',
  'changePlatformKey',
] as const
for (const name of edited)
  test(`the dialog with both versions hides what ${name} takes and never returns, and shows every other field`, () => {
    const { body, returns } = routes[name]
    const shown = new Set(fieldsOf('', returns[1]).map(({ path }) => pointerOf(path)))
    const taken = fieldsOf(name, body).map(({ path }) => pointerOf(path))
    assert.deepEqual(
      [...taken, ...shown].filter(isSecret),
      taken.filter((pointer) => !shown.has(pointer)),
    )
  })

type User = Parameters<typeof mailsFor>[0]
type Settings = Parameters<typeof mailsFor>[1]
const newUser = { email: 'sam@example.com', email_verified: false, has_password: false, blocked_at: null } as User // as: what the rules read
const password_only = {
  sign_in: { password: true, email_code: false, passkey: false },
  email: { delivery: 'smtp' },
  mfa: { mode: 'off' },
} as Settings // as: what the rules read

// biome-ignore format: this table is read by column
const mails: [string, Partial<User>, boolean, { reset: boolean; invitation: boolean; verification: boolean }][] = [
  ['a new account without a password',  {},                                                   true,  { reset: false, invitation: true,  verification: true }],
  ['a password and a verified address',   { has_password: true, email_verified: true },         true,  { reset: true,  invitation: false, verification: false }],
  ['a verified address without a password', { email_verified: true },                           true,  { reset: false, invitation: false, verification: false }],
  ['a password where passwords are off', { has_password: true },                              false, { reset: false, invitation: false, verification: true }],
  ['no address',                        { has_password: true, email: null },                  true,  { reset: false, invitation: false, verification: false }],
  ['a blocked account',                 { has_password: true, blocked_at: '2026-01-01T00:00:00.000Z' }, true, { reset: false, invitation: false, verification: false }],
]
for (const [of, user, password, offered] of mails)
  test(`the mails that are offered for ${of}`, () => {
    const settings = { ...password_only, sign_in: { ...password_only.sign_in, password } }
    assert.deepEqual(mailsFor({ ...newUser, ...user }, settings), offered)
  })

test('the record of a user without any method names the ways to get one', () => {
  assert.deepEqual(judgeWaysIn(newUser, [], password_only, []), {
    can: false,
    text: 'Cannot sign in: has no sign-in method. Set a password, or offer emailed codes or a provider.',
  })
})

// biome-ignore format: this table is read by column
const beginnings: [string, boolean, 'smtp' | 'none', Beginning[]][] = [
  ['with passwords and mail',     true,  'smtp', ['invitation', 'password', 'neither']],
  ['with passwords without mail', true,  'none', ['password', 'neither']],
  ['without passwords',           false, 'smtp', ['neither']],
]
for (const [where, password, delivery, expected] of beginnings)
  test(`a new user can begin ${where} by ${expected.join(', ')}`, () => {
    const { sign_in, email } = password_only
    assert.deepEqual(beginningsIn({ sign_in: { ...sign_in, password, email_code: true }, email: { ...email, delivery } }), expected)
  })

// biome-ignore format: this table is read by column
const metadata_edits: [string, string, object, object][] = [
  ['a new member is added',                  '{"plan": "team"}',                {},                            { plan: 'team' }],
  ['a member that is gone is removed',       '{"plan": "team"}',                { plan: 'team', seats: 3 },    { seats: null }],
  ['no text removes all',                    ' ',                               { plan: 'team' },              { plan: null }],
  ['inner members are changed one by one',   '{"a": {"b": 1, "d": [2]}}',       { a: { b: 1, c: 2, d: [1] } }, { a: { c: null, d: [2] } }],
  ['an object takes the place of a text',    '{"a": {"b": 1}}',                 { a: 'x' },                    { a: { b: 1 } }],
  ['another order of members changes nothing','{"a": {"c": 2, "b": 1}, "d": 0}', { d: 0, a: { b: 1, c: 2 } },   {}],
]
for (const [what, text, before, expected] of metadata_edits)
  test(`the metadata of a user: ${what}`, () => {
    const read = readObject(text)
    assert.ok('object' in read)
    assert.deepEqual(patchTo(read.object, { ...before }), expected)
    assert.deepEqual(readObject(objectText({ ...before })), { object: before })
  })
for (const text of ['{', '[]', '"text"', 'null', '1'])
  test(`metadata that reads ${text} is refused at its field`, () => assert.ok('problem' in readObject(text)))

test('the id of a provider that is about to be added is a UUIDv7, as the service makes them', () => {
  const at = new Date('2026-11-26T01:00:00Z')
  for (const byte of [0, 255, 137]) {
    const id = providerId(at.getTime(), new Uint8Array(10).fill(byte))
    assert.ok(ProviderId.safeParse(id).success, id)
    const bits = [...id.slice(4)].reduce((value, digit) => (value << 5n) | BigInt('0123456789abcdefghjkmnpqrstvwxyz'.indexOf(digit)), 0n)
    assert.deepEqual([bits >> 80n, (bits >> 76n) & 15n, (bits >> 62n) & 3n], [BigInt(at.getTime()), 7n, 2n])
    assert.ok(
      id.startsWith(
        createIds(
          () => at,
          (count) => new Uint8Array(count),
        )('prv').slice(0, 14),
      ),
    )
  }
  assert.notEqual(providerId(1, new Uint8Array(10).fill(1)), providerId(1, new Uint8Array(10).fill(2)))
})

type ApiKey = Parameters<typeof changeOf>[0]
const restrictions = { allowed_origins: ['https://a.test'], ip_allowlist: [], rate_limit: null, expires_at: null, scopes: [] }
const key = { ...restrictions, label: null } as unknown as ApiKey // as: what the rules read

test('an edit of a key sends what was changed, and the default rate limit as null', () => {
  const limited = { ...key, rate_limit: { limit: 5, window_seconds: 10 } }
  const rate_limit = limitOf({ limit: '100', window_seconds: '10' }, false)
  assert.deepEqual(changeOf(limited, { ...restrictions, label: '', rate_limit }), { rate_limit: null })
  assert.deepEqual(limitOf({ limit: '100', window_seconds: '10' }, true), { limit: 100, window_seconds: 10 })
  assert.deepEqual(changeOf(key, { ...restrictions, label: 'web', ip_allowlist: ['192.0.2.1'] }), {
    label: 'web',
    ip_allowlist: ['192.0.2.1'],
  })
})

// biome-ignore format: this table is read by column
const edits: [string, string[], KeyChange, boolean][] = [
  ['a first address',      [],                         { ip_allowlist: ['192.0.2.1'] },              true],
  ['another address',      ['192.0.2.1'],              { ip_allowlist: ['192.0.2.1', '192.0.2.2'] }, false],
  ['one address less',     ['192.0.2.1', '192.0.2.2'], { ip_allowlist: ['192.0.2.1'] },              true],
  ['no address any more',  ['192.0.2.1'],              { ip_allowlist: [] },                         false],
  ['another origin',       [],                         { allowed_origins: ['https://a.test', 'https://b.test'] }, false],
  ['one origin less',      [],                         { allowed_origins: ['https://b.test'] },      true],
]
for (const [what, ip_allowlist, change, expected] of edits)
  test(`an edit to ${what} ${expected ? 'warns that calls will be refused' : 'refuses no call'}`, () => {
    assert.equal(isNarrowed({ ...key, ip_allowlist }, change), expected)
  })

type Application = Parameters<typeof questionOf>[0]
type Change = Parameters<typeof questionOf>[1]
const application = { name: 'Shop', token_endpoint_auth_method: 'client_secret_basic', has_client_secret: true } as Application // as: what the rules read

// biome-ignore format: this table is read by column
const changes: [string, Change, RegExp | null][] = [
  ['another name',      { name: 'Store' },                                    null],
  ['enabling',          { disabled: false },                                  null],
  ['disabling',         { disabled: true },                                   /^Nobody can sign in/],
  ['another method',    { token_endpoint_auth_method: 'client_secret_post' }, /refused at once, so that nobody can sign in until its code changes too\.$/],
  ['either place',      { token_endpoint_auth_method: 'client_secret' },      null],
  ['signing by a key',  { token_endpoint_auth_method: 'private_key_jwt' },    /Its secret is deleted for good\.$/],
]
for (const [what, change, question] of changes)
  test(`a change to ${what} of an application ${question ? 'asks first' : 'is saved at once'}`, () => {
    const asked = questionOf(application, change)?.consequence
    if (question) assert.match(asked ?? '', question)
    else assert.equal(asked, undefined)
  })

const strict = {
  token_endpoint_auth_method: 'client_secret_basic',
  unknown_scopes: 'reject',
  allowed_roles: [],
  roles_claim: null,
  data_claims: false,
  require_pkce: true,
  nonce_replaces_pkce: false,
}
// biome-ignore format: this table is read by column
const remedies: [string, Remedy, object, Remedy | null][] = [
  ['all of it',                  { unknown_scopes: 'ignore', nonce_replaces_pkce: true }, {},                                       { unknown_scopes: 'ignore', nonce_replaces_pkce: true }],
  ['what is left of it',         { unknown_scopes: 'ignore', nonce_replaces_pkce: true }, { nonce_replaces_pkce: true },            { unknown_scopes: 'ignore' }],
  ['a value that is false',      { require_pkce: false },                                 {},                                       { require_pkce: false }],
  ['nothing, since it was made', { require_pkce: false },                                 { require_pkce: false },                  null],
]
for (const [what, remedy, fields, offered] of remedies)
  test(`the page of a refused call offers ${what}, each with its consequence`, () => {
    const application = { ...strict, ...fields } as unknown as Parameters<typeof remaining>[1] // as: what the rule reads
    assert.deepEqual(remaining(remedy, application), offered)
    if (offered) assert.equal(wordsOf(offered).length, Object.keys(offered).length)
  })

test('only the right secret proves that the application itself sent a refused call', () => {
  assert.equal(isProved({ token_endpoint_auth_method: 'client_secret' }), true)
  for (const remedy of [{ unknown_scopes: 'ignore' }, { nonce_replaces_pkce: true }, { require_pkce: false }] as const)
    assert.equal(isProved(remedy), false)
})

// biome-ignore format: this table is read by column
const key_sets: [string, string, boolean][] = [
  ['nothing',          ' ',                        true],
  ['a key set',        '{"keys":[{"kty":"RSA"}]}', true],
  ['a half-typed one', '{"keys":[',                false],
  ['one key alone',    '{"kty":"RSA"}',            false],
]
for (const [what, text, is_accepted] of key_sets)
  test(`${what} is ${is_accepted ? 'accepted as public keys' : 'no key set'}`, () =>
    assert.equal(keySetProblem(valueIn('json', text)) === null, is_accepted))
test('the switch keeps a page that the other environment has, and else leads to its overview', () => {
  assert.equal(pathIn('live', { path: '/users' }), '/users')
  assert.equal(pathIn('live', { path: '/inbox', only: 'test' }), '')
  assert.equal(pathIn('test', { path: '/inbox', only: 'test' }), '/inbox')
  assert.equal(pathIn('live', undefined), '')
})

// biome-ignore format: this table is read by column
const clocks: [string, string, string, string][] = [
  ['is today',                          '2026-11-23T09:12:07Z', 'UTC',              '09:12:07'],
  ['is yesterday',                      '2026-11-22T23:59:59Z', 'UTC',              '22 Nov, 23:59'],
  ['is tomorrow, as a next attempt',    '2026-11-24T08:00:00Z', 'UTC',              '24 Nov, 08:00'],
  ['is today here and yesterday in UTC','2026-11-22T23:59:59Z', 'Europe/Berlin',    '00:59:59'],
  ['is yesterday here, today in UTC',   '2026-11-23T03:00:00Z', 'America/New_York', '22 Nov, 22:00'],
  ['is of the same day a year ago',     '2025-11-23T09:12:07Z', 'UTC',              '23 Nov 2025, 09:12'],
]
for (const [when, at, zone, text] of clocks)
  test(`a time of day has its date unless it is today: it ${when}`, () =>
    assert.equal(clockTime(at, new Date('2026-11-23T10:00:00Z'), zone), text))

test('the days of a chart are those of UTC and say so, its hours are local', () => {
  assert.equal(intervalStart('2026-11-23T00:00:00.000Z', 'day', 'America/New_York'), '23 Nov UTC')
  assert.equal(intervalStartWithDay('2026-11-23T00:00:00.000Z', 'day', 'America/New_York'), '23 Nov UTC')
  assert.equal(intervalStart('2026-11-23T00:00:00.000Z', 'hour', 'America/New_York'), '19:00')
  assert.equal(intervalStartWithDay('2026-11-23T00:00:00.000Z', 'hour', 'America/New_York'), '22 Nov, 19:00')
})

test('a filter by time names the zone that its fields have, and leaves what is not a time', () => {
  assert.equal(localTime('2026-11-23T00:00:00.000Z', 'America/New_York'), '22 Nov 2026, 19:00 local time')
  assert.equal(localTime('yesterday'), 'yesterday')
})

// biome-ignore format: this table is read by column
const calls: [string, Parameters<typeof curlOf>[1], string][] = [
  ['a path',                     { path: '/v1/a' },                                         'curl -H "X-API-Key: $OSTIARY_PLATFORM_KEY" \\\n  http://s/v1/a'],
  ['a query, for the shell',     { path: '/v1/a', query: { b: 'c d', e: undefined, f: '&' } }, 'curl -H "X-API-Key: $OSTIARY_PLATFORM_KEY" \\\n  \'http://s/v1/a?b=c+d&f=%26\''],
  ['a body, for the shell',      { path: '/v1/a', body: { b: "it's" } },                    `curl http://s/v1/a \\\n  -H "X-API-Key: $OSTIARY_PLATFORM_KEY" -H 'Content-Type: application/json' \\\n  -d '{"b":"it'\\''s"}'`],
  ['a key of another kind',      { path: '/v1/a', key: 'OSTIARY_SECRET_KEY' },              'curl -H "X-API-Key: $OSTIARY_SECRET_KEY" \\\n  http://s/v1/a'],
]
for (const [what, call, curl] of calls) test(`a call as curl has ${what}`, () => assert.equal(curlOf('http://s', call), curl))

const environment = (type: 'test' | 'live', slug: string = type) => ({ type, slug })
// biome-ignore format: this table is read by column
const firsts: [string, ReturnType<typeof environment>[], string | undefined][] = [
  ['its environment test',          [environment('live'), environment('test', 'eu'), environment('test')],       'test'],
  ['its oldest other one for Test', [environment('test', 'new'), environment('test', 'old'), environment('live')], 'old'],
  ['its oldest one for Live',       [environment('live', 'us'), environment('live', 'eu')],                      'eu'],
  ['nothing, where it has none',    [],                                                                          undefined],
]
for (const [which, newest_first, slug] of firsts) test(`a project opens at ${which}`, () => assert.equal(firstOf(newest_first)?.slug, slug))

test('each change of the management API has words of its own in the audit log', () => {
  const changes = Object.entries(routes).filter(([, { method }]) => method !== 'GET')
  const without_entry = ['validateToken', 'previewSettings', 'previewRole']
  const unworded = changes.map(([name]) => name).filter((name) => !without_entry.includes(name) && didOf(name) === name)
  assert.deepEqual(unworded, [])
  assert.equal(didOf('rotateAuthKey'), 'rotated the key')
})

// biome-ignore format: this table is read by column
const members: [string, string | undefined, string][] = [
  ['a member by the address',                'ada@example.com', 'ada@example.com'],
  ['a member who has left, instead of nothing', undefined,         'a former member'],
]
for (const [what, name, expected] of members)
  test(`the audit log names ${what}`, () => {
    const object = { type: 'member', id: 'usr_1' }
    const entry = { action: 'changeMember', object, before: { role: 'viewer' }, after: { role: 'owner' } }
    assert.equal(
      objectOf(entry, () => (name ? { name } : undefined)),
      expected,
    )
  })

for (const cause of ProviderCause.options)
  test(`the audit log says in words that a check of a provider failed by ${cause}`, () => {
    assert.notEqual(causeWords(cause), reasonWords(cause))
    const after = { ok: false, cause, detail: 'The name login.example.com has no address.' }
    assert.equal(foundOf({ action: 'checkProvider', after }), `${causeWords(cause)}. The name login.example.com has no address.`)
  })

test('the audit log says in words that a check of a provider succeeded', () => {
  const after = { ok: true, cause: null, detail: null }
  assert.equal(foundOf({ action: 'checkProvider', after }), 'The metadata and the keys can be read.')
  assert.equal(foundOf({ action: 'changeProvider', after }), null)
})

test('a duration with a fraction is whole seconds where it can be', () => {
  assert.deepEqual([secondsIn(1.1, 3_600), secondsIn(0.7, 86_400), secondsIn(0.5, 1)], [3_960, 60_480, 0.5])
})

test('a change of the audit log shows the fields of the settings page, durations with their unit, and no bookkeeping', () => {
  const before = { tokens: { access_token_ttl_seconds: 3600 }, updated_at: '1', redirect_uris: ['https://a.example'] }
  const after = { tokens: { access_token_ttl_seconds: 900 }, updated_at: '2', redirect_uris: [] }
  const object = { type: 'application', id: 'app_1' }
  assert.deepEqual(
    changesOf({ object, before, after }).map(({ field, before, after }) => [field, before, after]),
    [
      ['Tokens: Access token', '1 h', '15 min'],
      ['Redirect URIs', 'https://a.example', 'none'],
    ],
  )
})

const maker = { type: 'user', id: 'usr_1', label: 'olga@example.com' }
const created = {
  id: 'app_1',
  environment_id: 'env_1',
  project_id: 'prj_1',
  tenant_id: 'ten_1',
  name: 'Shop',
  logo_url: null,
  redirect_uris: [],
  consent: 'ask',
  disabled: false,
  from_environment_id: 'env_2',
  created_by: maker,
  created_at: '2026-11-30T10:00:00.000Z',
}
const place = { object: { type: 'application', id: 'app_1' }, project_id: 'prj_1', environment_id: 'env_1' }

// biome-ignore format: this table is read by column
const telling: [what: string, before: object | null, after: object | null, actor: string, fields: string[]][] = [
  ['creation has what is neither empty, nor initial, nor above it', null,                created,              'usr_1', ['name', 'consent', 'from_environment_id']],
  ['creation for another person names that person',               null,                created,              'usr_2', ['name', 'consent', 'from_environment_id', 'created_by.type', 'created_by.id', 'created_by.label']],
  ['deletion has the same of the former object',                  created,             null,                 'usr_1', ['name', 'consent', 'from_environment_id']],
  ['change has both sides, even if one is empty or initial',   { logo_url: 'https://a.example/l.png', disabled: false }, { logo_url: null, disabled: true }, 'usr_1', ['logo_url', 'disabled']],
]
for (const [what, before, after, id, fields] of telling)
  test(`of an audit entry a ${what}`, () => {
    const state = (value: object | null) => value && { ...value }
    const entry = { ...place, actor: { ...maker, type: 'user' as const, id }, before: state(before), after: state(after) }
    assert.deepEqual(
      tellingChanges(entry).map(({ path }) => path),
      fields,
    )
  })

test('an audit entry has the words of the choices of a field', () => {
  const [change] = changesOf({ object: place.object, before: { consent: 'skip' }, after: { consent: 'ask' } })
  assert.ok(change && change.before !== 'skip' && change.after !== 'ask', JSON.stringify(change))
})

const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36'
for (const [agent, words] of [
  [chrome, 'Chrome on Linux'],
  [`${chrome} Edg/147.0.0.0`, 'Edge on Linux'],
  ['curl/8.9.1', 'curl'],
  ['node', 'node'],
  ['', 'An unknown program'],
  [null, 'An unknown program'],
] as const)
  test(`the program ${agent?.slice(-20)} is called ${words}`, () => assert.equal(deviceOf(agent), words))

// biome-ignore format: this table is read by column
const uri_differences: [sent: string, registered: string, marked: string][] = [
  ['https://app.example.com/calback',  'https://app.example.com/callback', 'https://app.example.com/cal[]back'],
  ['https://app.example.com/cb/',      'https://app.example.com/cb',       'https://app.example.com/cb[/]'],
  ['http://localhost:3001/cb',         'http://localhost:3000/cb',         'http://localhost:[3001]/cb'],
  ['http://localhost:3001/cb',         'http://localhost/cb',              'http://localhost[:3001]/cb'],
  ['http://localhost/cb',              'http://localhost:3000/cb',         'http://[localhost]/cb'],
  ['http://127.0.0.1:3000/cb',         'http://localhost:3000/cb',         'http://[127.0.0.1:3000]/cb'],
  ['https://app.example.com.evil.net', 'https://app.example.com',          'https://[app.example.com.evil.net]'],
]
for (const [sent, registered, marked] of uri_differences)
  test(`of ${sent} the page marks what ${registered} does not have, and a host or a port whole`, () => {
    const { before, differs, after } = markDifference(sent, registered)
    assert.equal(`${before}[${differs}]${after}`, marked)
    assert.equal(nearestOf(sent, ['https://other.example/x', registered]), registered)
  })

// biome-ignore format: this table is read by column
const counts: [string, { ok: boolean; applies: boolean }[], { done: number; of: number }][] = [
  ['0 of 1, where the only passed one has nothing to check', [{ ok: true, applies: false }, { ok: false, applies: true }],                            { done: 0, of: 1 }],
  ['1 of 2',                                                 [{ ok: true, applies: true }, { ok: false, applies: true }, { ok: true, applies: false }], { done: 1, of: 2 }],
  ['0 of 0, where nothing is to be checked',                 [{ ok: true, applies: false }],                                                           { done: 0, of: 0 }],
]
for (const [words, checks, expected] of counts)
  test(`the list Before Live counts ${words}`, () => {
    const states: CheckState[] = checks.map(stateOf)
    assert.deepEqual(countDone(states), expected)
  })

// biome-ignore format: this table is read by column
const answers: [string, { status: number | null; latency_ms: number }[], number | undefined][] = [
  ['of the answers alone, not of the attempts without one', [{ status: null, latency_ms: 5 }, { status: null, latency_ms: 6 }, { status: 200, latency_ms: 90 }], 90],
  ['of refusals too',                                       [{ status: 500, latency_ms: 40 }],                                                              40],
  ['of nothing, where nobody answered',                     [{ status: null, latency_ms: 5 }],                                                              undefined],
]
for (const [words, attempts, expected] of answers)
  test(`the median answer of a webhook is ${words}`, () => assert.equal(medianAnswer([{ attempts }]), expected))

test('a calendar day is shown as all other dates', () => assert.equal(calendarDay('2026-11-26'), '26 Nov 2026'))

// biome-ignore format: this table is read by column
const product_addresses: [why: string, paths: string[], registered: string[], address: string][] = [
  ['it stands before the path',              ['{url}/hub/oauth_callback'],                        ['https://hub.example.com/hub/oauth_callback'],   'https://hub.example.com'],
  ['it has a path itself',                   ['{url}/callback'],                                  ['https://a.example.com/dex/callback'],           'https://a.example.com/dex'],
  ['it is the redirect URI itself',          ['{url}'],                                           ['http://localhost:8000'],                        'http://localhost:8000'],
  ['the first redirect URI was added later', ['{url}/callback'],                                  ['https://b.example.com/x', 'https://a.example.com/callback'], 'https://a.example.com'],
  ['only the second path is left',           ['{url}/auth/oauth', '{url}/oauth'],                 ['https://a.example.com/oauth'],                  'https://a.example.com'],
  ['no redirect URI is of the template',     ['{url}/callback'],                                  ['https://a.example.com/own'],                    'https://a.example.com'],
  ['the redirect URI is of an app',          ['{url}/callback'],                                  ['com.example.app:/x'],                           'com.example.app:/x'],
]
for (const [why, redirect_uris, registered, address] of product_addresses)
  test(`the address of a product is found in its redirect URIs where ${why}`, () => {
    assert.equal(productAddress({ redirect_uris }, registered), address)
  })

// biome-ignore format: this table is read by column
const sign_ins: [method: string | null, amr: string[], words: string][] = [
  ['email_code', ['otp'],                  'emailed code'],
  ['email_code', ['otp', 'mfa'],           'emailed code and one-time code'],
  ['password',   ['pwd'],                  'password'],
  ['password',   ['pwd', 'otp', 'mfa'],    'password and one-time code'],
  ['password',   ['pwd', 'hwk', 'user', 'mfa'], 'password and passkey'],
  ['passkey',    ['swk', 'user'],          'passkey'],
  ['provider',   [],                       'identity provider'],
  [null,         ['pwd'],                  'password'],
  [null,         ['swk', 'user'],          'passkey'],
  [null,         [],                       'an unknown method'],
]
for (const [method, amr, words] of sign_ins)
  test(`a session by ${method} with amr ${amr.join(' ')} reads "${words}"`, () => assert.equal(signInWords({ method, amr }), words))
