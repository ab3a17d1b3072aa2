/** The page of a promotion: rules that need no browser. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { didOf } from '../../../dashboard/src/pages/audit/sentences.ts'
import { callOf, callWithout, entriesOf, entryAt, withoutGone } from '../../../dashboard/src/pages/promotion/again.ts'
import { askedOf, marksOf, unsent, valuesWith } from '../../../dashboard/src/pages/promotion/given.ts'
import { fileOf } from '../../../dashboard/src/pages/promotion/secrets-file.ts'
import {
  comparedWith,
  conflictPlace,
  goneFrom,
  keyOf,
  lostIn,
  movedWords,
  newIn,
  type Standing,
  statusOf,
  summaryWords,
  whyNotApply,
  whyNotApprove,
} from '../../../dashboard/src/pages/promotion/words.ts'
import { OstiaryError } from '../../../sdk/src/index.ts'

type Promotion = Standing['promotion']
const no_approval = { required: false, approved_by: null, approved_at: null }
const waits = { ...no_approval, required: true }
const promotionOf = (of: object = {}) =>
  ({
    status: 'planned',
    stale: false,
    approval: no_approval,
    checks: [],
    changes: [],
    values: [],
    only: [],
    note: null,
    created_by: { type: 'user', id: 'usr_1', label: null },
    ...of,
  }) as unknown as Promotion // as: what the rules read
const error = (code: string, pointer: string, slug = 'shop') => ({
  code,
  level: 'error',
  object: 'application',
  slug,
  pointer,
  detail: 'Not so.',
})

// biome-ignore format: this table is read by column
const statuses: [string, object, string][] = [
  ['planned',                     {},                                        'Planned'],
  ['planned, of other versions',  { stale: true },                           'Out of date'],
  ['planned, before an approval', { approval: waits },                       'Waits for approval'],
  ['planned, after an approval',  { approval: { ...waits, approved_at: '' } }, 'Planned'],
  ['applied',                     { status: 'applied' },                     'Applied'],
  ['reverted',                    { status: 'reverted' },                    'Reverted'],
]
for (const [what, of, word] of statuses)
  test(`the status of a promotion that is ${what} is “${word}”`, () => assert.equal(statusOf(promotionOf(of)).word, word))

const live = { name: 'Live', type: 'live' } as Standing['target'] // as: what the rules read
const roles = ['developer', 'admin']
// biome-ignore format: this table is read by column
const closed: [string, object, Partial<Standing> & { role?: string }, string | null][] = [
  ['nothing stands in the way',   {},                                                                          {},                     null],
  ['two values are missing',      { checks: [error('value_required', '/redirect_uris'), error('value_required', '/redirect_uris', 'admin')] }, {}, '2 values are missing'],
  ['a value is refused',          { checks: [error('not_valid_there', '/redirect_uris/0')] },                  {},                     '1 error is to be solved'],
  ['only warnings are found',     { checks: [{ ...error('begins_disabled', '/disabled'), level: 'warning' }] }, {},                    null],
  ['it is out of date',           { stale: true },                                                             {},                     'The plan is out of date'],
  ['the person is a developer',   {},                                                                          { role: 'developer' },  'Needs the role admin'],
  ['another must approve',        { approval: waits },                                                         {},                     'Needs another administrator'],
  ['a secret is missing',         {},                                                                          { missing_secrets: 1 }, '1 secret is missing'],
  ['an edit would be replaced',   {},                                                                          { unconfirmed: 1 },     '1 change made in Live would be replaced: tick each, or leave it out'],
]
for (const [when, of, { role = 'admin', ...standing }, why] of closed)
  test(`apply is ${why === null ? 'open' : 'closed, and says why,'} when ${when}`, () => {
    const can = (needed: string) => roles.indexOf(role) >= roles.indexOf(needed)
    assert.equal(whyNotApply({ promotion: promotionOf(of), target: live, can, unconfirmed: 0, missing_secrets: 0, ...standing }), why)
  })

test('in Test a developer applies', () => {
  const target = { ...live, name: 'Test', type: 'test' } as Standing['target'] // as: above
  assert.equal(
    whyNotApply({ promotion: promotionOf(), target, can: (role) => role === 'developer', unconfirmed: 0, missing_secrets: 0 }),
    null,
  )
})

test('an owner or admin who did not plan approves', () => {
  const why = (person: string, is_admin = true) => whyNotApprove({ promotion: promotionOf(), can: () => is_admin }, person)
  assert.deepEqual(
    [why('usr_1'), why('usr_2'), why('usr_2', false)],
    ['You planned this. Needs another administrator', null, 'Needs the role admin'],
  )
})

test('the summary says what will happen, and then what happened', () => {
  const summary = { create: 2, update: 1, delete: 0, errors: 0, warnings: 3 }
  assert.deepEqual(
    [summaryWords(summary, 'planned'), summaryWords(summary, 'applied')],
    ['2 to create, 1 to change', '2 created, 1 changed'],
  )
  assert.equal(summaryWords({ ...summary, create: 0, update: 0 }, 'planned'), 'No change')
})

// biome-ignore format: this table is read by column
const places: [string, ReturnType<typeof conflictPlace>][] = [
  ['/applications/shop/name',       { object: 'application', slug: 'shop', pointer: '/name' }],
  ['/resource_servers/orders',      { object: 'resource_server', slug: 'orders', pointer: null }],
  ['/settings/password/min_length', { object: 'settings', slug: null, pointer: '/password/min_length' }],
  ['/elsewhere/a',                  null],
]
for (const [path, place] of places) test(`the place of a conflict at ${path}`, () => assert.deepEqual(conflictPlace(path), place))

const update = (...fields: [pointer: string, to: unknown][]) => ({
  object: 'settings',
  slug: null,
  action: 'update',
  fields: fields.map(([pointer, to]) => ({ pointer, from: 0, to })),
})
const create = (slug: string) => ({ object: 'application', slug, action: 'create', fields: [] })

test('a plan that was made again marks what the one before did not have, and names what is gone', () => {
  const before = promotionOf({ changes: [update(['/a', 1], ['/b', 1], ['/c', 1]), create('shop')] })
  const now = promotionOf({ changes: [update(['/a', 1], ['/b', 2], ['/d', 1]), create('admin')] })
  assert.deepEqual([...newIn(now, before)], ['settings//b', 'settings//d', 'application/admin'])
  assert.deepEqual(goneFrom(now, before).map(keyOf), ['settings//c', 'application/shop'])
  assert.deepEqual([...newIn(before, before)], [])
})

test('the end that moved is named', () => {
  const versions = { from_config_version: 1, to_config_version: 5 }
  const words = (source: number, target: number) =>
    movedWords(versions, [
      { name: 'Test', config_version: source },
      { name: 'Live', config_version: target },
    ] as unknown as Parameters<typeof movedWords>[1]) // as: what the rule reads
  assert.deepEqual(
    [words(1, 6), words(2, 5), words(2, 6)],
    ['Live has changed since this plan', 'Test has changed since this plan', 'Test and Live have changed since this plan'],
  )
})

const call = {
  from_environment_id: 'env_1',
  to_environment_id: 'env_2',
  values: [],
  note: null,
  only: [
    { object: 'settings' as const, pointer: '/a' },
    { object: 'settings' as const, pointer: '/b' },
  ],
}
const refused = (...pointers: string[]) =>
  ({ code: 'validation_failed', errors: pointers.map((pointer) => ({ pointer, code: 'not_allowed', detail: '' })) }) as const
test('what matches nothing any more is left out when a plan is made again, and any other mistake is shown', () => {
  assert.deepEqual(withoutGone(call, refused('/only/0'))?.only, [{ object: 'settings', pointer: '/b' }])
  assert.equal(withoutGone(call, refused('/only/0', '/values/0/value')), null)
  assert.equal(withoutGone(call, { code: 'rate_limited', errors: [] }), null)
})

test('a plan from a document cannot be made again, since the service does not keep the document', () => {
  assert.equal(callOf(promotionOf({ from_environment_id: null })), null)
  assert.deepEqual(callOf(promotionOf({ from_environment_id: 'env_1', to_environment_id: 'env_2' })), {
    from_environment_id: 'env_1',
    to_environment_id: 'env_2',
    values: [],
    note: null,
  })
})

test('a field or a new object is left out of a plan, as long as something is left', () => {
  const plan = promotionOf({
    from_environment_id: 'env_1',
    to_environment_id: 'env_2',
    changes: [update(['/password/min_length', 1], ['/sign_in/passkey', true]), create('shop')],
  })
  const onlyOf = (place: Parameters<typeof entryAt>[1]) => {
    const entry = entryAt(entriesOf(plan), place)
    return entry && callWithout(plan, entriesOf(plan), entry)?.only
  }
  const settings = { object: 'settings', slug: null } as const
  const shop = { object: 'application', slug: 'shop' } as const
  assert.deepEqual(onlyOf({ ...settings, pointer: '/sign_in/passkey' }), [{ object: 'settings', pointer: '/password/min_length' }, shop])
  assert.deepEqual(onlyOf({ ...shop, pointer: '/redirect_uris/0' }), [
    { object: 'settings', pointer: '/password/min_length' },
    { object: 'settings', pointer: '/sign_in/passkey' },
  ])
  assert.equal(onlyOf({ ...settings, pointer: '/sign_in' }), null, 'an error of a group is about no single field')
  const alone = promotionOf({ from_environment_id: 'env_1', changes: [create('shop')] })
  assert.equal(callWithout(alone, entriesOf(alone), shop), null)
})

test('a plan asks first for what is missing or refused, then for the rest of what a new object can have', () => {
  const asked = askedOf(
    promotionOf({
      changes: [create('shop')],
      checks: [error('value_required', '/redirect_uris'), error('not_valid_there', '/logo_uri')],
      values: [{ object: 'application', slug: 'shop', pointer: '/logo_uri', value: 'http://a.test' }],
    }),
  )
  assert.deepEqual(
    asked.slice(0, 2).map(({ field, is_needed, error, given }) => [field.pointer, is_needed, error, given]),
    [
      ['/redirect_uris', true, null, undefined],
      ['/logo_uri', true, 'Not so.', 'http://a.test'],
    ],
  )
  assert.ok(asked.slice(2).every(({ is_needed, field }) => !is_needed && field.class === 'owned' && field.pointer !== '/disabled'))
  const values = valuesWith(
    [
      { object: 'application', slug: 'shop', pointer: '/logo_uri', value: 'http://a.test' },
      { object: 'webhook', slug: 'hook', pointer: '/url', value: 'https://hook.test' },
    ],
    asked,
    new Map([
      ['application/shop/redirect_uris', ' https://a.test/cb \n\n'],
      ['application/shop/logo_uri', ''],
    ]),
  )
  assert.deepEqual(
    values.map((value) => [keyOf(value), value.value]),
    [
      ['webhook/hook/url', 'https://hook.test'],
      ['application/shop/redirect_uris', ['https://a.test/cb']],
    ],
  )
})

test('what was typed for one plan is unsent in the next as long as it asks for the field and does not have the text', () => {
  const plan = { changes: [create('shop')], checks: [error('value_required', '/redirect_uris')] }
  const typed = new Map([
    ['application/shop/redirect_uris', 'https://a.test/cb'],
    ['application/shop/logo_uri', 'https://a.test/logo.png'],
    ['application/gone/logo_uri', 'https://a.test/logo.png'],
  ])
  assert.deepEqual([...unsent(typed, askedOf(promotionOf(plan))).keys()], [...typed.keys()].slice(0, 2))
  const has = [{ object: 'application', slug: 'shop', pointer: '/redirect_uris', value: ['https://a.test/cb'] }] as const
  assert.deepEqual([...unsent(typed, askedOf(promotionOf({ ...plan, values: [...has] }))).keys()], ['application/shop/logo_uri'])
})

const logo = { object: 'application', slug: 'shop', pointer: '/logo_uri' } as const
const uris = { object: 'application', slug: 'shop', pointer: '/redirect_uris' } as const
const gone = { object: 'application', slug: 'gone', pointer: '/logo_uri' } as const
const refusedCall = (...fields: [pointer: string, detail: string][]) =>
  new OstiaryError({
    status: 400,
    code: 'validation_failed',
    detail: 'A field is wrong.',
    errors: fields.map(([pointer, detail]) => ({ pointer, code: 'not_allowed', detail })),
  })
const shown = new Set([logo, uris].map(keyOf))
// biome-ignore format: this table is read by column
const marks: [string, unknown, Record<string, string>, boolean][] = [
  ['each at its own value',          refusedCall(['/values/0/value', 'No.'], ['/values/1/value/0', 'Not this.']), { 'application/shop/logo_uri': 'No.', 'application/shop/redirect_uris': 'Not this.' }, true],
  ['two of one value together',      refusedCall(['/values/1/value/0', 'One.'], ['/values/1/value/2', 'Two.']),   { 'application/shop/redirect_uris': 'One. Two.' }, true],
  ['none for a value without field', refusedCall(['/values/2/slug', 'Gone.']),                                    {}, false],
  ['not all for another member too', refusedCall(['/values/0/value', 'No.'], ['/note', 'Too long.']),             { 'application/shop/logo_uri': 'No.' }, false],
  ['none without refused fields',    refusedCall(),                                                               {}, false],
  ['none for a broken connection',   new Error('Broken.'),                                                        {}, false],
]
for (const [what, error, at, is_all] of marks)
  test(`what is refused of values is marked: ${what}`, () => {
    const found = marksOf(error, [logo, uris, gone], shown)
    assert.deepEqual([Object.fromEntries(found.at), found.is_all], [at, is_all])
  })

test('after a value that is gone was left out, a refusal marks the value of the list that was sent', () => {
  const values = [gone, logo, uris].map((place) => ({ ...place, value: 'a' }))
  const sent = withoutGone({ to_environment_id: 'env_2', values }, refused('/values/0/slug'))?.values ?? []
  const places = sent.map(({ slug = null, ...place }) => ({ ...place, slug }))
  assert.deepEqual([...marksOf(refusedCall(['/values/0/value', 'No.']), places, shown).at.keys()], [keyOf(logo)])
})

test('1,000 new objects are asked for in the time of their number', () => {
  const slugs = Array.from({ length: 1_000 }, (_, n) => `app-${n}`)
  let readings = 0
  const counted = (check: ReturnType<typeof error>) => ({
    ...check,
    get level() {
      readings++
      return check.level
    },
  })
  const checks = slugs.map((slug) => counted(error('value_required', '/redirect_uris', slug)))
  const asked = askedOf(promotionOf({ changes: slugs.map(create), checks }))
  assert.equal(asked.filter(({ is_needed }) => is_needed).length, 1_000)
  assert.ok(readings <= 5 * slugs.length, `${readings} readings`)
})

const secret_made = [
  { code: 'secret_made', level: 'warning', object: 'webhook', slug: 'hook', pointer: null, detail: '' },
] as unknown as Promotion['checks'] // as: what the rule reads
// biome-ignore format: this table is read by column
const losses: [string, Parameters<typeof lostIn>[0], Promotion['checks'], string[]][] = [
  ['a repeated answer of a step that makes one',  null, secret_made,                       ['webhook/hook']],
  ['a repeated answer of a step that makes none', null, [],                                []],
  ['an answer with its secrets',                  [],   secret_made,                       []],
]
for (const [what, secrets, checks, lost] of losses)
  test(`secrets are lost only by a repeated answer of a step that makes one: ${what}`, () =>
    assert.deepEqual(lostIn(secrets, checks).map(keyOf), lost))

const plan_2 = { id: 'prm_2', to_environment_id: 'env_2' }
// biome-ignore format: this table is read by column
const comparisons: [string, object, object, boolean][] = [
  ['an earlier one to the same target',   {},                    { id: 'prm_1' },                               true],
  ['itself',                              {},                    {},                                            false],
  ['a later one',                         {},                    { id: 'prm_3' },                               false],
  ['an earlier one to another target',    {},                    { id: 'prm_1', to_environment_id: 'env_3' },   false],
  ['an earlier one after the apply',      { status: 'applied' }, { id: 'prm_1' },                               false],
]
for (const [what, of, other, is_compared] of comparisons)
  test(`a plan is ${is_compared ? '' : 'not '}compared with ${what}`, () => {
    const found = comparedWith(promotionOf({ ...plan_2, ...of }), promotionOf({ ...plan_2, ...other }))
    assert.equal(found !== undefined, is_compared)
  })

test('made secrets are saved as variables', () => {
  const made = [
    { object: 'application' as const, slug: 'my-shop', id: 'app_1', client_secret: 's1' },
    { object: 'webhook' as const, slug: '1', id: 'whk_1', secret: 's2' },
  ]
  assert.equal(fileOf(made), 'MY_SHOP_CLIENT_SECRET=s1\n_1_WEBHOOK_SECRET=s2\n')
})

// biome-ignore format: this table is read by column
const sentences: [string, string, string][] = [
  ['applyPromotion',  'promotion',   'applied a promotion'],
  ['applyPromotion',  'application', 'promoted the application'],
  ['applyPromotion',  'environment', 'promoted the settings of'],
  ['revertPromotion', 'provider',    'reverted the identity provider'],
]
for (const [action, type, words] of sentences)
  test(`the audit log says “${words}” for ${action} at the object ${type}`, () => assert.equal(didOf(action, type), words))
