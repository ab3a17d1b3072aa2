/** Test and Live side by side in the dashboard: the values of both documents, and what the service says about them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldClass, NestedFieldClasses } from '@ostiary/contract/objects/field.ts'
import { documentFields, fieldClasses } from '@ostiary/contract/objects/objects.ts'
import { NewPromotion } from '@ostiary/contract/promotion.ts'
import {
  type Compared,
  compare,
  entriesOf,
  entriesOfAll,
  errorsOfAll,
  isDifference,
  type Plan,
  type State,
} from '../../../dashboard/src/pages/compare/compare.ts'
import { fieldAt, fieldsOf, kinds, type ObjectKind } from '../../../dashboard/src/pages/compare/fields.ts'
import { most_entries, onlyOf } from '../../../dashboard/src/pages/compare/only.ts'
import { linesOf, sharedLines, shown } from '../../../dashboard/src/pages/compare/values.ts'

/** The pointers of a class. */
function pointersOf(classes: NestedFieldClasses, wanted: FieldClass, prefix = ''): string[] {
  return Object.entries(classes).flatMap(([name, value]) =>
    typeof value === 'string' ? (value === wanted ? [`${prefix}/${name}`] : []) : pointersOf(value, wanted, `${prefix}/${name}`),
  )
}
const named = (kind: ObjectKind | 'settings', of: string) =>
  fieldsOf(kind)
    .filter((field) => field.class === of)
    .map(({ pointer }) => pointer)
    .sort()

for (const kind of ['settings', ...kinds] as const)
  test(`the fields of ${kind} have the classes of the contract`, () => {
    for (const which of ['travels', 'owned'] as const) assert.deepEqual(named(kind, which), pointersOf(fieldClasses[kind], which).sort())
    if (kind === 'settings') assert.deepEqual(named(kind, 'secret'), ['/email/smtp/password'])
  })

for (const kind of kinds)
  test(`every field that a document can have of a ${kind} has words`, () => {
    const known = fieldsOf(kind).map(({ pointer }) => pointer)
    assert.deepEqual(
      known,
      documentFields(kind).map((name) => `/${name}`),
    )
  })

test('a field of a newer service is shown by its name', () => {
  assert.deepEqual(
    [fieldAt('settings', '/sign_in/face_scan').label, fieldAt('application', '/redirect_uris/1').label],
    ['sign in, face scan', 'Redirect URIs'],
  )
})

const base = {
  settings: {
    tokens: { access_token_ttl_seconds: 3_600 },
    scopes: { disabled: [] },
    sign_in: { password: true, email_code: false, passkey: false, passkey_shared_host: null },
    branding: { logo_url: null, primary_color: null },
    links: { terms_url: null },
    email: { delivery: 'smtp', from: 'a@example.com', smtp: null },
  },
}
type Group = Record<string, unknown>
interface Side {
  settings?: Record<string, Group>
  applications?: Record<string, Group>
  webhooks?: Record<string, Group>
  providers?: Record<string, Group>
}
const documentOf = ({ settings = {}, ...objects }: Side) => {
  const merged = Object.fromEntries(Object.entries(base.settings).map(([group, fields]) => [group, { ...fields, ...settings[group] }]))
  return {
    settings: merged,
    resource_servers: {},
    roles: {},
    applications: {},
    providers: {},
    webhooks: {},
    ...objects,
  } as unknown as Compared['test'] // as: no other field is read
}
type Said = Partial<{ [Name in keyof Plan]: object[] }>
const planOf = ({ changes = [], checks = [], left_alone = [] }: Said) => ({ changes, checks, left_alone }) as unknown as Plan // as: what the rules read

const shop = { application_type: 'web', name: 'Shop', consent: 'skip', redirect_uris: ['https://a.test/cb'], disabled: false }
const hook = { url: 'https://a.test/hooks', events: ['user.created'], disabled: false }
const setting = (pointer: string) => ({ object: 'settings', slug: null, id: null, action: 'update', fields: [{ pointer }] })
const error = (code: string, object: string, slug: string | null, pointer: string | null) => ({
  code,
  level: 'error',
  object,
  slug,
  pointer,
  detail: 'Live refuses it.',
})

interface Case {
  why: string
  test?: Side
  live?: Side
  plan?: Said | null
  row: string
  state: State
  shown: [test: string, live: string]
  entry?: object
  note?: string
}

// biome-ignore format: this table is read by column
const cases: Case[] = [
  { why: 'a travelling setting that the service leaves out',  row: 'settings/sign_in/password', state: 'same', shown: ['On', 'On'] },
  { why: 'a travelling setting that the service would change', test: { settings: { sign_in: { passkey: true } } }, plan: { changes: [setting('/sign_in/passkey')] }, row: 'settings/sign_in/passkey', state: 'differs', shown: ['On', 'Off'], entry: { object: 'settings', pointer: '/sign_in/passkey' } },
  { why: 'a setting that Live would refuse',                  test: { settings: { sign_in: { email_code: true } } }, plan: { changes: [setting('/sign_in/email_code')], checks: [error('not_valid_there', 'settings', null, '/sign_in/email_code')] }, row: 'settings/sign_in/email_code', state: 'differs', shown: ['On', 'Off'], note: 'Live refuses it.' },
  { why: 'a setting that is meant to differ',                 test: { settings: { tokens: { access_token_ttl_seconds: 900 } } }, plan: { left_alone: [{ object: 'settings', slug: null, pointer: '/tokens/access_token_ttl_seconds', why: 'kept', reason: 'Short in Test' }] }, row: 'settings/tokens/access_token_ttl_seconds', state: 'kept', shown: ['15 min', '1 h'], note: 'Short in Test' },
  { why: 'a setting that differs, for a viewer',              test: { settings: { tokens: { access_token_ttl_seconds: 900 } } }, plan: null, row: 'settings/tokens/access_token_ttl_seconds', state: 'differs', shown: ['15 min', '1 h'], entry: { object: 'settings', pointer: '/tokens/access_token_ttl_seconds' } },
  { why: 'Live without mail',                                 test: { settings: { email: { delivery: 'capture' } } }, live: { settings: { email: { delivery: 'none' } } }, row: 'settings/email/delivery', state: 'to_do', shown: ['Captured', 'None'] },
  { why: 'mail of each environment',                          test: { settings: { email: { delivery: 'capture' } } }, row: 'settings/email/delivery', state: 'own_values', shown: ['Captured', 'Mail server'] },
  { why: 'a link that only Test has',                         test: { settings: { links: { terms_url: 'https://a.test/t' } } }, row: 'settings/links/terms_url', state: 'missing', shown: ['https://a.test/t', 'Not set'] },
  { why: 'a link of each environment',                        test: { settings: { links: { terms_url: 'https://a.test/t' } } }, live: { settings: { links: { terms_url: 'https://b.test/t' } } }, row: 'settings/links/terms_url', state: 'own_values', shown: ['https://a.test/t', 'https://b.test/t'] },
  { why: 'an application that only Test has',                 test: { applications: { shop } }, plan: { changes: [{ object: 'application', slug: 'shop', id: null, action: 'create', fields: [] }], checks: [error('value_required', 'application', 'shop', '/redirect_uris')] }, row: 'application/shop', state: 'missing', shown: ['Exists', 'Missing'], entry: { object: 'application', slug: 'shop' }, note: 'Live needs its own redirect URI' },
  { why: 'an application that is not wanted in Live',         test: { applications: { shop } }, plan: { left_alone: [{ object: 'application', slug: 'shop', pointer: null, why: 'kept', reason: 'Of developers' }] }, row: 'application/shop', state: 'kept', shown: ['Exists', 'Missing'], note: 'Of developers' },
  { why: 'an application that only Live has',                 live: { applications: { shop } }, plan: { left_alone: [{ object: 'application', slug: 'shop', pointer: null, why: 'only_there', reason: null }] }, row: 'application/shop', state: 'only_live', shown: ['Missing', 'Exists'] },
  { why: 'an application with its own return addresses',      test: { applications: { shop } }, live: { applications: { shop: { ...shop, redirect_uris: ['https://b.test/cb'] } } }, row: 'application/shop', state: 'own_values', shown: ['Exists', 'Exists'], note: 'Never copied: Redirect URIs' },
  { why: 'an application of another type',                    test: { applications: { shop } }, live: { applications: { shop: { ...shop, application_type: 'spa' } } }, plan: { checks: [error('type_differs', 'application', 'shop', '/application_type')] }, row: 'application/shop', state: 'to_do', shown: ['Web', 'Browser'], note: 'Live refuses it.' },
  { why: 'an application that Live switched off',             test: { applications: { shop } }, live: { applications: { shop: { ...shop, disabled: true } } }, row: 'application/shop', state: 'to_do', shown: ['Exists', 'Off'] },
  { why: 'an application that differs',                       test: { applications: { shop: { ...shop, consent: 'ask' } } }, live: { applications: { shop } }, plan: { changes: [{ object: 'application', slug: 'shop', id: 'app_1', action: 'update', fields: [{ pointer: '/consent' }] }] }, row: 'application/shop/consent', state: 'differs', shown: ['Ask each person once', 'Skip: the application is your own'], entry: { object: 'application', slug: 'shop', pointer: '/consent' } },
  { why: 'a webhook for more kinds',                          test: { webhooks: { orders: { ...hook, events: [] } } }, live: { webhooks: { orders: hook } }, plan: null, row: 'webhook/orders/events', state: 'differs', shown: ['All kinds', 'user.created'], entry: { object: 'webhook', slug: 'orders', pointer: '/events' } },
  { why: 'a provider that Live switched off',                 test: { providers: { github: { type: 'github', enabled: true } } }, live: { providers: { github: { type: 'github', enabled: false } } }, row: 'provider/github', state: 'to_do', shown: ['Exists', 'Off'] },
]
for (const { why, test: of_test = {}, live: of_live = {}, plan = {}, row: id, state, shown, entry, note } of cases)
  test(`${why}: ${state}`, () => {
    const rows = compare({ test: documentOf(of_test), live: documentOf(of_live), plan: plan && planOf(plan) }).flatMap(
      (group) => group.rows,
    )
    const row = rows.find((each) => each.id === id)
    assert.ok(row, rows.map((each) => each.id).join())
    assert.deepEqual([row.state, row.test, row.live], [state, ...shown])
    assert.deepEqual(entriesOf([row]), entry ? [entry] : [], 'only what Live would take can be ticked')
    if (note) assert.equal(row.note, note)
  })

test('a whole group that is refused closes none of its rows, and is said once for all of them', () => {
  const plan = planOf({
    changes: [{ ...setting('/sign_in/password'), fields: [{ pointer: '/sign_in/password' }, { pointer: '/sign_in/passkey' }] }],
    checks: [error('not_valid_there', 'settings', null, '/sign_in')],
  })
  const rows = compare({ test: documentOf({}), live: documentOf({}), plan }).flatMap((group) => group.rows)
  assert.equal(entriesOf(rows).length, 2)
  assert.deepEqual(errorsOfAll(rows, plan), ['Live refuses it.'])
})

test('a plan of all of it leaves out an object of another type, which has nothing to tick', () => {
  const passkey = { object: 'settings', pointer: '/sign_in/passkey' }
  const all = (checks: object[]) =>
    entriesOfAll(
      compare({
        test: documentOf({ applications: { shop } }),
        live: documentOf({ applications: { shop: { ...shop, application_type: 'spa' } } }),
        plan: planOf({ changes: [setting('/sign_in/passkey')], checks }),
      }).flatMap((group) => group.rows),
    )
  assert.deepEqual(all([error('type_differs', 'application', 'shop', '/application_type')]), [passkey])
  assert.equal(all([]), undefined)
})

const fieldsIn = (slug: string, count: number) =>
  Array.from({ length: count }, (_, n) => ({ object: 'application' as const, slug, pointer: `/${n}` }))
const changeOf = (slug: string, count: number) =>
  ({ object: 'application', slug, fields: fieldsIn(slug, count) }) as unknown as Plan['changes'][number] // as: what the rule reads
test('a plan names each field, and a whole object only where the list would be too long', () => {
  const changes = [changeOf('a', 600), changeOf('b', 600), changeOf('c', 3)]
  const few = [...fieldsIn('a', 600), ...fieldsIn('c', 3)]
  assert.deepEqual(onlyOf(few, changes), few)
  const part = fieldsIn('b', 500)
  assert.deepEqual(onlyOf([...few, ...part], changes), [
    { object: 'application', slug: 'a' },
    { object: 'application', slug: 'c' },
    ...part,
  ])
  const settings = Array.from({ length: 1_001 }, (_, n) => ({ object: 'settings' as const, pointer: `/${n}` }))
  assert.deepEqual(onlyOf(settings, [{ ...changeOf('', 1_001), object: 'settings', slug: null }]), [{ object: 'settings' }])
  assert.throws(() => onlyOf(fieldsIn('a', 1_001), [changeOf('a', 1_002)]), /at most 1,000 fields and objects/)
})

test('a plan names as many entries as the service takes', () => {
  const isTaken = (count: number) =>
    NewPromotion.shape.only.safeParse(Array(count).fill({ object: 'application', slug: 'shop', pointer: '/name' })).success
  assert.deepEqual([isTaken(most_entries), isTaken(most_entries + 1)], [true, false])
})

test('what Live keeps is a row that can be taken out, even if nothing differs or the object is gone', () => {
  const kept = (object: 'settings' | 'application', slug: string | null, pointer: string | null) => ({
    object,
    slug,
    pointer,
    reason: 'Ours',
  })
  const keeps = [kept('settings', null, '/sign_in/password'), kept('application', 'gone', '/name'), kept('application', 'gone', null)]
  const rows = compare({ test: documentOf({}), live: documentOf({}), plan: planOf({}) }, keeps)
    .flatMap((group) => group.rows)
    .filter(({ state }) => state === 'kept')
  assert.deepEqual(
    rows.map(({ label, note, place, entry }) => [label, note, place?.pointer, entry]),
    [
      [fieldAt('settings', '/sign_in/password').label, 'Ours', '/sign_in/password', null],
      ['gone: Name', 'Ours', '/name', null],
      ['gone', 'Ours', null, null],
    ],
  )
  assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length)
})

test('differences are all states but Same, Own values and Meant to differ', () => {
  const states: State[] = ['same', 'differs', 'kept', 'to_do', 'missing', 'own_values', 'only_live']
  assert.deepEqual(
    states.filter((state) => isDifference({ state } as Parameters<typeof isDifference>[0])), // as: the rule reads the state
    ['differs', 'to_do', 'missing', 'only_live'],
  )
})

test('scopes of a resource server are shown with their descriptions, and lists line by line', () => {
  assert.equal(
    shown('scopes', [
      { name: 'read', description: 'Read' },
      { name: 'write', description: null },
    ]),
    'read: Read, write',
  )
  assert.deepEqual(linesOf('list', ['a', 'b']), ['a', 'b'])
  assert.deepEqual([...sharedLines('list', ['a', 'b'], ['b', 'c'])], ['b'])
})
