/** Broken requests about promotions: each is refused at its place, and none changes anything. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownOf, pointersOf, promoting, upward, values } from '../support/promotions.ts'
import { createTwoTenants } from '../support/tenants.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()
const { theirs } = await createTwoTenants(w)
const { filled, planned, step, documentOf, versionOf } = promoting(w)
const project = await filled()
const { test: source, live } = project
const ends = upward(project)
const own = (document: object) => ownOf(live, document)
const ofTest = (document: object) => own({ environment: 'test', ...document })
const times = (n: number, of: (i: number) => object) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`object-${i}`, of(i)]))
const value = (object: string, slug: string | null, pointer: string, given: unknown) => ({
  ...ends,
  values: [{ object, slug, pointer, value: given }],
})

// biome-ignore format: this table is read by column
const plans: [why: string, body: object, pointers: string[]][] = [
  ['neither source nor document',          { to_environment_id: live.id },                                       ['required /from_environment_id']],
  ['nothing at all',                       {},                                                                   ['required /from_environment_id', 'required /to_environment_id']],
  ['a target alone that is not one',       { to_environment_id: 'live' },                                        ['required /from_environment_id', 'not_allowed /to_environment_id']],
  ['both and no target',                   { from_environment_id: source.id, document: { version: 1 } },         ['required /from_environment_id', 'required /to_environment_id']],
  ['both',                                 { ...ends, document: { version: 1 } },                                ['required /from_environment_id']],
  ['no target',                            { from_environment_id: source.id },                                   ['required /to_environment_id']],
  ['the same environment twice',           { ...ends, from_environment_id: live.id },                            ['not_allowed /to_environment_id']],
  ['a foreign source',                     { ...ends, from_environment_id: theirs.test.id },                     ['not_allowed /from_environment_id']],
  ['a foreign target',                     { ...ends, to_environment_id: theirs.live.id },                       ['not_allowed /to_environment_id']],
  ['an id of something else',              { ...ends, to_environment_id: project.id },                           ['not_allowed /to_environment_id']],
  ['an unknown member',                    { ...ends, force: true },                                             ['unknown_field /force']],
  ['a note of 501 characters',             { ...ends, note: 'x'.repeat(501) },                                   ['out_of_range /note']],
  ['a value of a field that travels',      value('settings', null, '/password/min_length', 9),                   ['not_allowed /values/0/pointer']],
  ['a value of an immutable field',        value('application', 'shop', '/application_type', 'spa'),             ['not_allowed /values/0/pointer']],
  ['a value of a secret',                  value('provider', 'google', '/client_secret', 'hunter2'),             ['not_allowed /values/0/pointer']],
  ['a value of a field that never moves',  value('application', 'shop', '/created_at', 'now'),                   ['not_allowed /values/0/pointer']],
  ['a value of an unknown field',          value('application', 'shop', '/colour', 'red'),                       ['not_allowed /values/0/pointer']],
  ['a value of a broken pointer',          value('application', 'shop', 'redirect_uris', []),                    ['bad_format /values/0/pointer']],
  ['a value of an unknown object',         value('application', 'none', '/disabled', true),                      ['not_allowed /values/0/slug']],
  ['a value of settings with a slug',      value('settings', 'shop', '/links/terms_url', null),                  ['not_allowed /values/0/slug']],
  ['a value of an unknown kind',           value('user', 'ada', '/name', 'Ada'),                                 ['not_allowed /values/0/object']],
  ['a value of a wrong type',              value('application', 'shop', '/disabled', 'no'),                      ['not_allowed /values/0/value']],
  ['a value that Live refuses',            value('application', 'shop', '/redirect_uris', ['http://a.example']), ['not_allowed /values/0/value/0']],
  ['a value over 1,000',                   { ...ends, values: Array.from({ length: 1_001 }, () => values[0]) },  ['out_of_range /values']],
  ['values beside an own document',        { ...own({}), values },                                               ['not_allowed /values']],
  ['an only without a match',              { ...ends, only: [{ object: 'webhook', slug: 'none' }] },             ['not_allowed /only/0']],
  ['an only of over 1,000',                { ...ends, only: Array.from({ length: 1_001 }, () => ({ object: 'settings' })) }, ['out_of_range /only']],
  ['a prune between environments',         { ...ends, prune: [{ object: 'webhook', slug: 'hook' }] },            ['not_allowed /prune']],
  ['a prune by a document of Test',        { ...ofTest({}), prune: [{ object: 'webhook', slug: 'hook' }] },      ['not_allowed /prune']],
  ['a prune of the settings',              { ...own({}), prune: [{ object: 'settings', slug: 'hook' }] },        ['not_allowed /prune/0/object']],
  ['a prune of what is not there',         { ...own({}), prune: [{ object: 'webhook', slug: 'none' }] },         ['not_allowed /prune/0/slug']],
  ['a list for a document',                { ...own({}), document: [] },                                         ['wrong_type /document']],
  ['a document without a version',         { ...own({}), document: {} },                                         ['required /document/version']],
  ['a version to come',                    own({ version: 2 }),                                                  ['not_allowed /document/version']],
  ['a value out of range in a document',   own({ settings: { password: { min_length: 7 } } }),                   ['out_of_range /document/settings/password/min_length']],
  ['an unknown section',                   own({ users: {} }),                                                   ['unknown_field /document/users']],
  ['a broken slug',                        own({ webhooks: { 'A B': {} } }),                                     ['not_allowed /document/webhooks/A B']],
  ['a group of Test in a document of Live', own({ settings: { test: { fixed_code: '123456' } } }),               ['unknown_field /document/settings/test']],
  ['a document of over 1,000 objects',     own({ webhooks: times(1_001, () => ({})) }),                          ['not_allowed /document']],
  ['a new object that lacks a field',      own({ webhooks: { x: {} } }),                                         ['required /document/webhooks/x/url']],
  ['a private key of an application that lacks more', own({ applications: { x: { application_type: 'web', name: 'X', token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [{ kty: 'RSA', d: 'x' }] } } } }), ['not_allowed /document/applications/x/jwks']],
  ['a secret in the clear',                own({ providers: { g: { client_secret: 'hunter2' } } }),              ['secret_in_document /document/providers/g/client_secret']],
  ['a foreign variable',                   own({ providers: { g: { client_secret: `\${HOME}` } } }),             ['secret_in_document /document/providers/g/client_secret']],
]

const state = async () => ({
  promotions: expectStatus(200, await w.call('GET', `${project.path}/promotions?limit=100`)).data,
  documents: [await documentOf(source), await documentOf(live)],
  versions: [await versionOf(source), await versionOf(live)],
})

const waiting = await planned(project, { ...upward(project), only: [{ object: 'settings' }] })
const with_secret = await planned(
  project,
  own({
    providers: { corp: { type: 'oidc', client_id: 'live', issuer: 'https://corp.example', client_secret: `\${OSTIARY_SECRET_CORP}` } },
  }),
)
const deleting = await planned(project, ownOf(source, {}))
const before = await state()

for (const [why, body, pointers] of plans)
  test(`a plan with ${why} is 422 at ${pointers}`, async () =>
    assert.deepEqual(pointersOf(await w.call('POST', `${project.path}/promotions`, { body })), ['422 validation_failed', ...pointers]))

test('the answer to a plan with nothing at all says what to send', async () => {
  const { body } = await w.call('POST', `${project.path}/promotions`, { body: {} })
  assert.deepEqual(
    body.errors.map(({ detail }: { detail: string }) => detail),
    ['Send from_environment_id or document, and not both.', 'This field is required.'],
  )
})

const of = (id: string, name: 'apply' | 'revert' | 'approve', body: object = {}): Promise<Reply> => step([project, id], name, body)
const unknown_id = waiting.id.replace(/.{4}$/, '0000')

// biome-ignore format: this table is read by column
const steps: [why: string, call: () => Promise<Reply>, answer: string[]][] = [
  ['an apply of an unknown promotion',      () => of(unknown_id, 'apply'),                                                ['404 not_found']],
  ['a revert of an unknown promotion',      () => of(unknown_id, 'revert'),                                               ['404 not_found']],
  ['an apply in another project',           () => w.call('POST', `/v1/platform/projects/${w.project.id}/promotions/${waiting.id}/apply`, { body: {} }), ['404 not_found']],
  ['an apply without a needed secret',      () => of(with_secret.id, 'apply'),                                            ['422 validation_failed', 'required /secrets/OSTIARY_SECRET_CORP']],
  ['an apply with an unknown secret',       () => of(waiting.id, 'apply', { secrets: { OSTIARY_SECRET_X: 'x' } }),        ['422 validation_failed', 'not_allowed /secrets/OSTIARY_SECRET_X']],
  ['an apply with an empty secret',         () => of(with_secret.id, 'apply', { secrets: { OSTIARY_SECRET_CORP: '' } }),  ['422 validation_failed', 'out_of_range /secrets/OSTIARY_SECRET_CORP']],
  ['an apply with a number as a secret',     () => of(with_secret.id, 'apply', { secrets: { OSTIARY_SECRET_CORP: 1 } }),  ['422 validation_failed', 'wrong_type /secrets/OSTIARY_SECRET_CORP']],
  ['an apply with an unknown member',       () => of(waiting.id, 'apply', { force: true }),                               ['422 validation_failed', 'unknown_field /force']],
  ['an apply of another version',           () => step([project, waiting.id], 'apply', {}, { headers: { 'if-match': '"9"' } }), ['412 stale_version']],
  ['an approval by a key',                  () => of(waiting.id, 'approve'),                                              ['403 wrong_key_type']],
  ['a revert of what was never applied',    () => of(deleting.id, 'revert'),                                              ['409 promotion_state']],
  ['a dry run of such a revert',            () => of(deleting.id, 'revert', { dry_run: true }),                           ['409 promotion_state']],
  ['a revert with a leave of an unknown kind', () => of(waiting.id, 'revert', { leave: [{ object: 'user' }] }),           ['422 validation_failed', 'not_allowed /leave/0/object']],
  ['a revert with a leave over 1,000',      () => of(waiting.id, 'revert', { leave: Array.from({ length: 1_001 }, () => ({ object: 'settings' })) }), ['422 validation_failed', 'out_of_range /leave']],
]
for (const [why, call, answer] of steps)
  test(`${why} is ${answer.join(' at ')}`, async () => assert.deepEqual(pointersOf(await call()), answer))

test('none of these requests has changed anything', async () => {
  assert.ok(plans.length + steps.length >= 30)
  assert.deepEqual(await state(), before)
})
