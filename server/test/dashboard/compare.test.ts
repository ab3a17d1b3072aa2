/** The comparison of Test and Live, which the dashboard makes of what the API answers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldClass, NestedFieldClasses } from '@ostiary/contract/field-class.ts'
import { fieldClasses } from '@ostiary/contract/field-classes.ts'
import {
  areEqual,
  type Configuration,
  changedMeanwhile,
  compare,
  isDifference,
  planOf,
  type Row,
  type State,
  show,
} from '../../../dashboard/src/pages/compare/compare.ts'
import { type ObjectKind, objectFields, settingsGroups } from '../../../dashboard/src/pages/compare/fields.ts'

/** The paths of a class, as `group.name`. */
function pathsOf(classes: NestedFieldClasses, wanted: FieldClass, prefix = ''): string[] {
  return Object.entries(classes).flatMap(([name, value]) =>
    typeof value === 'string' ? (value === wanted ? [prefix + name] : []) : pathsOf(value, wanted, `${prefix}${name}.`),
  )
}

test('the comparison knows every setting that travels or is owned, and no other', () => {
  const fields = settingsGroups.flatMap((group) => group.fields)
  const named = (travels: boolean) => fields.filter((field) => 'affects' in field === travels).map(({ path }) => path)
  assert.deepEqual(named(true).sort(), pathsOf(fieldClasses.settings, 'travels').sort())
  const owned = pathsOf(fieldClasses.settings, 'owned').filter((path) => path !== 'test.fixed_code') // Live has no such field
  assert.deepEqual(named(false).sort(), owned.sort())
})

for (const [kind, { travels, owned }] of Object.entries(objectFields))
  test(`the comparison of a ${kind} has the field classes of the contract`, () => {
    const classes: NestedFieldClasses = fieldClasses[kind as ObjectKind] // as: the table has these keys
    assert.deepEqual(travels.map(({ path }) => path).sort(), pathsOf(classes, 'travels').sort())
    assert.deepEqual(Object.keys(owned).sort(), pathsOf(classes, 'owned').sort())
  })

const settings = {
  tokens: { access_token_ttl_seconds: 3_600, access_token_format: 'jwt' },
  scopes: { disabled: [] },
  sign_in: { password: true, email_code: false, passkey: false, passkey_shared_host: null },
  branding: { display_name: null, logo_url: null, primary_color: null },
  links: { terms_url: null },
  email: { delivery: 'smtp', from: 'a@example.com', smtp: null },
}
type Group = Record<string, unknown>

/** A configuration with only the fields that a case needs. */
const configuration = ({
  of_settings = {},
  ...objects
}: { of_settings?: Record<string, Group> } & Partial<Record<ObjectKind, Group[]>>) => {
  const merged = Object.fromEntries(Object.entries(settings).map(([group, fields]) => [group, { ...fields, ...of_settings[group] }]))
  return { settings: merged, application: [], resource_server: [], provider: [], webhook: [], ...objects } as unknown as Configuration // as: no other field is read
}
const shop = {
  id: 'app_1',
  slug: 'shop',
  name: 'Shop',
  application_type: 'web',
  consent: 'skip',
  redirect_uris: ['https://a.test/cb'],
  disabled: false,
}
const hook = { id: 'whk_1', slug: 'orders', url: 'https://a.test/hooks', events: ['user.created'], disabled: false }

interface Case {
  why: string
  test?: Parameters<typeof configuration>[0]
  live?: Parameters<typeof configuration>[0]
  row: string
  state: State
  shown: [test: string, live: string]
  next?: unknown
}

// biome-ignore format: this table is read by column
const cases: Case[] = [
  { why: 'a travelling setting with the same value',     row: 'settings/sign_in.password', state: 'same', shown: ['On', 'On'] },
  { why: 'a travelling setting that differs',            test: { of_settings: { sign_in: { passkey: true } } }, row: 'settings/sign_in.passkey', state: 'differs', shown: ['On', 'Off'], next: true },
  { why: 'a time that differs',                          test: { of_settings: { tokens: { access_token_ttl_seconds: 900 } } }, row: 'settings/tokens.access_token_ttl_seconds', state: 'differs', shown: ['15 min', '1 h'], next: 900 },
  { why: 'a travelling setting that only Live has',      live: { of_settings: { branding: { primary_color: '#112233' } } }, row: 'settings/branding.primary_color', state: 'differs', shown: ['Not set', '#112233'], next: null },
  { why: 'scopes in another order',                      test: { of_settings: { scopes: { disabled: ['phone', 'email'] } } }, live: { of_settings: { scopes: { disabled: ['email', 'phone'] } } }, row: 'settings/scopes.disabled', state: 'same', shown: ['Phone number, Email address', 'Email address, Phone number'] },
  { why: 'Live without mail',                            test: { of_settings: { email: { delivery: 'capture' } } }, live: { of_settings: { email: { delivery: 'none' } } }, row: 'settings/email.delivery', state: 'to_do', shown: ['Captured', 'None'] },
  { why: 'mail of each environment',                     test: { of_settings: { email: { delivery: 'capture' } } }, row: 'settings/email.delivery', state: 'own_values', shown: ['Captured', 'Mail server'] },
  { why: 'a link that only Test has',                    test: { of_settings: { links: { terms_url: 'https://a.test/t' } } }, row: 'settings/links.terms_url', state: 'missing', shown: ['https://a.test/t', 'Not set'] },
  { why: 'a link of each environment',                   test: { of_settings: { links: { terms_url: 'https://a.test/t' } } }, live: { of_settings: { links: { terms_url: 'https://b.test/t' } } }, row: 'settings/links.terms_url', state: 'own_values', shown: ['https://a.test/t', 'https://b.test/t'] },
  { why: 'an owned setting that nobody has',             row: 'settings/branding.logo_url', state: 'same', shown: ['Not set', 'Not set'] },
  { why: 'an application that only Test has',            test: { application: [shop] }, row: 'application/shop', state: 'missing', shown: ['Exists', 'Missing'] },
  { why: 'an application that only Live has',            live: { application: [shop] }, row: 'application/shop', state: 'only_live', shown: ['Missing', 'Exists'] },
  { why: 'an application with its own return addresses', test: { application: [shop] }, live: { application: [{ ...shop, redirect_uris: ['https://b.test/cb'] }] }, row: 'application/shop', state: 'own_values', shown: ['Exists', 'Exists'] },
  { why: 'an application of another type',               test: { application: [shop] }, live: { application: [{ ...shop, application_type: 'spa' }] }, row: 'application/shop', state: 'to_do', shown: ['web', 'spa'] },
  { why: 'an application that Live switched off',        test: { application: [shop] }, live: { application: [{ ...shop, disabled: true }] }, row: 'application/shop', state: 'to_do', shown: ['Exists', 'Off'] },
  { why: 'an application that differs',                  test: { application: [{ ...shop, consent: 'ask' }] }, live: { application: [shop] }, row: 'application/shop/consent', state: 'differs', shown: ['Shown', 'Skipped'], next: 'ask' },
  { why: 'a webhook for more kinds',                     test: { webhook: [{ ...hook, events: [] }] }, live: { webhook: [hook] }, row: 'webhook/orders/events', state: 'differs', shown: ['All kinds', 'user.created'], next: [] },
  { why: 'a provider that Live switched off',            test: { provider: [{ id: 'prv_1', slug: 'github', type: 'github', enabled: true }] }, live: { provider: [{ id: 'prv_2', slug: 'github', type: 'github', enabled: false }] }, row: 'provider/github', state: 'to_do', shown: ['Exists', 'Off'] },
]
for (const { why, test: of_test = {}, live: of_live = {}, row: id, state, shown, next } of cases)
  test(`${why}: ${state}`, () => {
    const rows = compare(configuration(of_test), configuration(of_live)).flatMap((group) => group.rows)
    const row = rows.find((each) => each.id === id)
    assert.deepEqual([row?.state, row?.test, row?.live], [state, ...shown])
    assert.equal(row?.change !== null, state === 'differs', 'only a difference can be taken to Live')
    if (row?.change) assert.deepEqual(row.change.next, next)
  })

const different = {
  application: [{ ...shop, consent: 'ask', name: 'The shop' }],
  of_settings: { sign_in: { passkey: true, email_code: true }, tokens: { access_token_ttl_seconds: 900 } },
  webhook: [{ ...hook, events: [] }],
}
const changesOf = (rows: Row[]) => rows.flatMap(({ change }) => change ?? [])
const rows = compare(configuration(different), configuration({ application: [shop], webhook: [hook] })).flatMap((group) => group.rows)

test('a plan has one patch for each document, settings first, with the chosen fields only', () => {
  const steps = planOf(changesOf(rows).filter(({ path }) => path !== 'sign_in.email_code'))
  assert.deepEqual(
    steps.map(({ kind, slug, body }) => ({ kind, slug, body })),
    [
      { kind: 'settings', slug: null, body: { sign_in: { passkey: true }, tokens: { access_token_ttl_seconds: 900 } } },
      { kind: 'application', slug: 'shop', body: { name: 'The shop', consent: 'ask' } },
      { kind: 'webhook', slug: 'orders', body: { events: [] } },
    ],
  )
})

test('a plan offers no field that is owned, immutable or never shown', () => {
  const offered = changesOf(rows).map(({ kind, path }) => `${kind}.${path}`)
  const travelling = Object.entries(fieldClasses).flatMap(([kind, classes]) => pathsOf(classes, 'travels').map((path) => `${kind}.${path}`))
  assert.deepEqual(
    offered.filter((path) => !travelling.includes(path)),
    [],
  )
  assert.equal(offered.length, 6)
})

test('a plan names the changes whose value in Live is no longer the compared one', () => {
  const [step] = planOf(changesOf(rows))
  assert.ok(step)
  const same = { sign_in: { passkey: false, email_code: false }, tokens: { access_token_ttl_seconds: 3_600 } }
  assert.deepEqual(changedMeanwhile(step, same), [])
  const paths = changedMeanwhile(step, { ...same, tokens: { access_token_ttl_seconds: 60 } }).map(({ path }) => path)
  assert.deepEqual(paths, ['tokens.access_token_ttl_seconds'])
})

test('differences are all states but Same and Own values', () => {
  const shown = rows.filter(isDifference).map(({ state }) => state)
  assert.deepEqual([...new Set(shown)].sort(), ['differs'])
  assert.ok(rows.some(({ state }) => state === 'own_values') && rows.some(({ state }) => state === 'same'))
})

test('scopes of a resource server are shown by name, and compared with their descriptions', () => {
  const [a, b] = [[{ name: 'read', description: 'Read' }], [{ name: 'read', description: 'See' }]]
  assert.equal(show('scopes', a), 'read')
  assert.equal(areEqual(a, b), false)
})
