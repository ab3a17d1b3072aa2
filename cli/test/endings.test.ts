/** What ends something on the command line says so and asks: every command of the route table, in Test, in Live and outside both. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { descriptions } from '@ostiary/contract/descriptions.ts'
import type { Route } from '@ostiary/contract/route.ts'
import { z } from 'zod'
import { sql } from '../../server/src/db/db.ts'
import { createPerson } from '../../server/test/support/cookie-browser.ts'
import { expectStatus, world } from '../../server/test/support/world.ts'
import { clientCommands } from '../src/client/derive.ts'
import { hurtWords, switched_off } from '../src/client/endings.ts'
import { bodyFields } from '../src/client/fields.ts'
import { reads } from '../src/client/names.ts'
import { browserOf, openClient } from './support/terminal-of-client.ts'

const w = await world()
const client = openClient(w)
const signed_in = await client.ostiary(['login'], { openBrowser: browserOf(w) })
assert.equal(signed_in.code, 0, signed_in.err)
const { ostiary } = client

type Place = 'test' | 'live'
const at = (place: Place) => ['--project', 'shop', '--env', place]

/** One object of each kind, in Test and in Live. */
async function objectsIn(place: Place) {
  const { path } = w[place]
  const created = async (name: string, body: object) => expectStatus(201, await w.call('POST', `${path}/${name}`, { body }))
  const user = await createPerson(w, w[place], { email: `ada.${place}@example.com` })
  const application = await w.createApplication(w[place], { slug: 'storefront' })
  await user.tokens(application)
  const key = await created('auth-keys', { type: 'auth_secret' })
  const customer = { slug: 'customer', name: 'Customer', members: [{ user_id: user.id }] }
  const organization = expectStatus(201, await w.call('POST', '/v1/auth/organizations', { key: key.key, body: customer }))
  const smtp = { host: 'mail.invalid', username: 'shop', password: 'secret' }
  if (place === 'live') await w.changeSettings(w.live, { email: { delivery: 'smtp', from: 'Shop <shop@example.com>', smtp } })
  const invited = { email: 'invited@example.com', send_email: false }
  const invitations = `/v1/auth/organizations/${organization.id}/invitations`
  const invitation = expectStatus(201, await w.call('POST', invitations, { key: key.key, body: invited }))
  const { data: sessions } = expectStatus(200, await w.call('GET', `/v1/auth/users/${user.id}/sessions`, { key: key.key }))
  return {
    application_id: application.id,
    resource_server_id: (await created('resource-servers', { slug: 'api', identifier: 'https://api.example.com', name: 'API', scopes: [] }))
      .id,
    role_id: (await created('roles', { slug: 'editor', name: 'Editor', kind: 'user' })).id,
    client_secret_id: expectStatus(200, await w.call('GET', `${path}/applications/${application.id}/secrets`)).data[0].id as string,
    metadata_client_id: (await created('metadata-clients', { client_id: `https://agent.example.com/${place}/client.json` })).id,
    organization_id: organization.id as string,
    invitation_id: invitation.id as string,
    key_id: key.id,
    provider_id: (await created('providers', { slug: 'google', type: 'google', client_id: '1.apps', client_secret: 'hunter2' })).id,
    webhook_id: (await created('webhooks', { slug: 'hook', url: 'https://hooks.example.com', events: ['user.created'] })).id,
    user_id: user.id,
    session_id: sessions[0].id,
    // No route shows one of these alone.
    grant_id: 'grt_01m7wwr5ftevtv5yxb47hmb4ht',
    method_id: 'mth_01m7wwr5ftevtv5yxb47hmb4ht',
    trusted_browser_id: 'tbr_01m7wwr5ftevtv5yxb47hmb4ht',
    member_id: w.owner_id,
  }
}
type Objects = Awaited<ReturnType<typeof objectsIn>>
const objects: Record<Place, Objects> = { test: await objectsIn('test'), live: await objectsIn('live') }
const platform_key: string = expectStatus(200, await w.call('GET', '/v1/api-keys/whoami')).id

const commands = clientCommands()
const named = (noun: string, verb: string) => `${noun} ${verb}`

/** The actions of the table that end nothing. A new action fails the test below until it asks, or stands here. */
const actions_that_end_nothing = [
  'users unblock', 'users approve', 'users restore', 'users send-reset', 'users send-verification', 'promotions approve', 'settings test-mail', 'providers check',
  'webhooks test', 'webhooks resend', 'deliveries resend', 'backchannel-logouts resend', 'invitations resend',
  'organization-invitations resend', 'metadata-clients read',
  // They ask where their plan deletes something in Live.
  'promotions apply', 'promotions revert',
] // biome-ignore format: as a list

const ends = ({ method, returns: [status] }: Route, name: string) =>
  method === 'DELETE' || (method === 'POST' && status !== 201 && !actions_that_end_nothing.includes(name))
const ending = commands.filter(({ noun, verb, rows: [{ name, route }] }) => !reads.includes(name) && ends(route, named(noun, verb)))

/** Everything that a call can change is in the audit log. */
const changes = async () => (await w.deployment.db.all(z.object({ id: z.string() }), sql`select id from audit_log`)).length

/** The options without which a command is not called. */
const options_of: Readonly<Record<string, (place: Place) => string[]>> = {
  'user-jobs create': (place) => ['--action', 'delete', '--user-ids', objects[place].user_id],
}

/** How to call a command for an object in Test, in Live or outside both. */
function callOf({ noun, verb, rows: [row] }: (typeof commands)[number], place: Place): string[] {
  const is_in_tenant = row.route.path.startsWith('/v1/tenants/')
  const words = row.words.map((word) => {
    if (is_in_tenant && word === 'key_id') return platform_key
    return objects[place][word as keyof Objects] ?? assert.fail(`Give the test an object for {${word}}.`) // as: asserted
  })
  return [noun, verb, ...words, ...(options_of[named(noun, verb)]?.(place) ?? []), ...(is_in_tenant ? [] : at(place))]
}

test('the walk meets deletions, revocations, rotations, blocks and ended sessions', () => {
  const names = ending.map(({ noun, verb }) => named(noun, verb))
  for (const name of [
    'applications delete',
    'keys delete',
    'keys rotate',
    'signing-keys rotate',
    'users block',
    'users end-sessions',
    'platform-keys delete',
    'members delete',
    'sessions delete',
  ])
    assert.ok(names.includes(name), name)
})

for (const command of ending)
  for (const place of ['test', 'live'] as const) {
    const { noun, verb } = command
    test(`${noun} ${verb} in ${place} says what ends, and without a terminal and --confirm nothing happens`, async () => {
      const call = callOf(command, place)
      const is_test = place === 'test' && call.includes('--env')
      const before = await changes()
      const { code, out, err } = await ostiary(call)
      assert.deepEqual([code, out], [2, ''], err)
      assert.match(err, is_test ? /--yes/ : /--confirm \S+/)
      assert.match(err, /\. Nothing was changed\.\n$/)
      assert.ok(err.includes(descriptions[command.rows[0].name].replaceAll('`', '')), err)
      for (const args of [['--confirm', 'other'], ...(is_test ? [] : [['--yes']])]) {
        const refused = await ostiary([...call, ...args])
        assert.deepEqual([refused.code, refused.out], [2, ''], refused.err)
      }
      for (const input of ['\n', 'other\n', ...(is_test ? ['n\n'] : ['y\n', 'yes\n'])]) {
        const declined = await ostiary(call, { is_interactive: true, input })
        assert.deepEqual([declined.code, declined.out], [1, ''], declined.err)
        assert.match(declined.err, /Nothing was changed\.\n$/)
      }
      assert.equal(await changes(), before)
    })
  }

// biome-ignore format: this table is read by column
const switches: [what: string, words: string[], word: string][] = [
  ['an application',              ['applications', 'update', 'storefront', '--disabled'],                     'storefront'],
  ['an application by --data',    ['applications', 'update', 'storefront', '--data', '{"disabled":true}'],    'storefront'],
  ['a webhook',                   ['webhooks', 'update', 'hook', '--disabled', 'true'],                       'hook'],
  ['an organization',             ['organizations', 'update', 'customer', '--disabled'],                     'customer'],
  ['a provider',                  ['providers', 'update', 'google', '--enabled', 'false'],                    'google'],
]
for (const [what, words, word] of switches)
  test(`switching off ${what} in Live needs its word; switching it on needs none`, async () => {
    const call = [...words, ...at('live')]
    const before = await changes()
    const refused = await ostiary(call)
    assert.deepEqual([refused.code, refused.err.includes(`--confirm ${word}`)], [2, true], refused.err)
    assert.equal(await changes(), before)
    const done = await ostiary([...call, '--confirm', word])
    assert.equal(done.code, 0, done.err)
    const on =
      { applications: '--disabled=false', organizations: '--disabled=false', webhooks: '--disabled=false', providers: '--enabled=true' }[
        words[0] ?? ''
      ] ?? ''
    assert.equal((await ostiary([...words.slice(0, 3), on, ...at('live')])).code, 0)
  })

test('in Live the word is the slug, else the address, else the id; it is typed, or given as --confirm', async () => {
  const { key_id } = objects.live
  // biome-ignore format: this table is read by column
  const cases: [string[], string][] = [
    [['applications', 'rotate-secret', objects.live.application_id], 'storefront'],
    [['users', 'end-sessions', 'ada.live@example.com'],              'ada.live@example.com'],
    [['keys', 'rotate', key_id],                                     key_id],
    [['signing-keys', 'rotate'],                                     'live'],
  ]
  for (const [words, word] of cases) {
    const call = [...words, ...at('live')]
    const asked = await ostiary(call, { is_interactive: true, input: `${word}\n` })
    assert.equal(asked.code, 0, asked.err)
    assert.match(asked.err, new RegExp(`Type ${word} to go on: `))
    const given = await ostiary([...call, '--confirm', word, '--json'])
    assert.equal(given.code, 0, given.err)
  }
})

test('a deletion in Live by its typed word happens once, and one in Test by --yes or by a yes', async () => {
  const { application_id } = await w.createApplication(w.live, { slug: 'old' }).then(({ id }) => ({ application_id: id }))
  const call = ['applications', 'delete', 'old', ...at('live')]
  const { code, err } = await ostiary(call, { is_interactive: true, input: 'old\n' })
  assert.equal(code, 0, err)
  assert.ok(err.includes(`application old (${application_id}) in Live`), err)
  assert.match(err, /Its grants end, so its refresh tokens and opaque access tokens stop working\./)
  assert.match((await ostiary(call)).err, /^There is no application "old"\./)
  for (const [index, options] of [{ is_interactive: true, input: 'y\n' }, {}].entries()) {
    await w.createApplication(w.test, { slug: 'old' })
    const done = await ostiary(['applications', 'delete', 'old', ...at('test'), ...(index === 0 ? [] : ['--yes'])], options)
    assert.equal(done.code, 0, done.err)
  }
})

test('in Live a question counts who would be hurt, and in Test it does not', async () => {
  const counted = /Who would be hurt: .*[0-9]+ (use|uses) in 30 days\./
  for (const [noun, id] of [
    ['applications', 'application_id'],
    ['providers', 'provider_id'],
    ['resource-servers', 'resource_server_id'],
    ['keys', 'key_id'],
  ] as const) {
    assert.match((await ostiary([noun, 'delete', objects.live[id], ...at('live')])).err, counted, noun)
    assert.doesNotMatch((await ostiary([noun, 'delete', objects.test[id], ...at('test')])).err, counted, noun)
  }
  assert.match((await ostiary(['applications', 'update', 'storefront', '--disabled', ...at('live')])).err, counted)
  assert.match((await ostiary(['users', 'delete', objects.live.user_id, ...at('live')])).err, /^(?!.*Who would be hurt)/s)
})

test('the key of a pipeline obeys the same', async () => {
  const key: string = expectStatus(201, await w.call('POST', `${w.live.path}/auth-keys`, { body: { type: 'auth_secret' } })).key
  const call = ['users', 'delete', objects.live.user_id, '--env', 'live']
  const refused = await ostiary(call, { key })
  assert.deepEqual([refused.code, refused.err.includes('--confirm ada.live@example.com')], [2, true], refused.err)
  assert.equal((await ostiary([...call, '--yes'], { key })).code, 2)
  assert.equal((await ostiary([...call, '--confirm', objects.live.user_id], { key })).code, 2)
  assert.equal((await ostiary([...call, '--confirm', 'ada.live@example.com'], { key })).code, 0)
  assert.equal((await ostiary(['applications', 'delete', 'storefront', ...at('test')], { key: w.key })).code, 2)
})

test('each action that ends nothing is one of the table', () => {
  for (const name of actions_that_end_nothing)
    assert.ok(
      commands.some(({ noun, verb }) => named(noun, verb) === name),
      name,
    )
})

test('each object that can be switched off has words for what that does', () => {
  const found = commands.filter(
    ({ rows: [{ route }] }) => route.method === 'PATCH' && bodyFields(route).some(({ option }) => /^(disabled|enabled)$/.test(option)),
  )
  assert.deepEqual(found.map(({ rows: [{ name }] }) => name).sort(), Object.keys(switched_off).sort())
})

test('who would be hurt is one sentence, without what is not counted', () => {
  const one = (count: number, or_more = false) => ({ count, or_more })
  assert.equal(
    hurtWords({ grants: one(1_000, true), people: one(1), locked_out: one(0), calls_30_days: 12 }),
    'Who would be hurt: 0 people without another way to sign in, 1 person, 1000 or more live grants, 12 uses in 30 days.',
  )
  assert.equal(hurtWords({ grants: null, people: null, locked_out: null, calls_30_days: 1 }), 'Who would be hurt: 1 use in 30 days.')
})
