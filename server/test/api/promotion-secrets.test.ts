/** Secrets of promotions: those that come with the call, those that it makes, and those that end. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { own, pointersOf, promoting, public_keys } from '../support/promotions.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
const { createProject, make, planned, step, versionOf, eventsOf } = promoting(w)

const google_name = 'OSTIARY_SECRET_PROVIDERS_GOOGLE_CLIENT_SECRET'
const smtp_name = 'OSTIARY_SECRET_SMTP_PASSWORD'
const corp_name = 'OSTIARY_SECRET_CORP'

test('secrets come with the call: an unknown name, a missing one and a value that the field refuses are 422, and an equal one changes nothing', async () => {
  const project = await createProject()
  const body = own(project, {
    providers: { google: { type: 'google', client_id: 'live.apps', client_secret: `\${${google_name}}` } },
    settings: {
      email: {
        from: 'Shop <shop@example.com>',
        delivery: 'smtp',
        smtp: { host: 'mail.example.com', username: 'shop', password: `\${${smtp_name}}` },
      },
    },
  })
  const made = await planned(project, body)
  assert.deepEqual(
    made.needed_secrets.map(({ name, stored }: { name: string; stored: boolean }) => [name, stored]),
    [
      [smtp_name, false],
      [google_name, false],
    ],
  )
  const both = { [google_name]: 'of Live', [smtp_name]: 'of mail' }
  const apply = (id: string, secrets: object) => step([project, id], 'apply', { secrets })
  assert.deepEqual(pointersOf(await apply(made.id, {})), [
    '422 validation_failed',
    `required /secrets/${smtp_name}`,
    `required /secrets/${google_name}`,
  ])
  assert.deepEqual(pointersOf(await apply(made.id, { ...both, OTHER: 'x' })), ['422 validation_failed', 'not_allowed /secrets/OTHER'])
  assert.deepEqual(pointersOf(await apply(made.id, { ...both, [google_name]: 'x'.repeat(2_001) })), [
    '422 validation_failed',
    `bad_format /secrets/${google_name}`,
  ])
  assert.deepEqual(pointersOf(await apply(made.id, { ...both, [smtp_name]: 'two\nlines' })), [
    '422 validation_failed',
    `bad_format /secrets/${smtp_name}`,
  ])
  expectStatus(200, await apply(made.id, both))
  const version = await versionOf(project.live)
  for (const [secrets, raised] of [
    [{}, 0],
    [both, 0],
    [{ ...both, [google_name]: 'another' }, 1],
    [{ [smtp_name]: 'another' }, 2],
  ] as const) {
    const { id, changes, needed_secrets } = await planned(project, body)
    assert.deepEqual([changes, needed_secrets.every(({ stored }: { stored: boolean }) => stored)], [[], true], 'a plan compares no secrets')
    expectStatus(200, await apply(id, secrets))
    assert.equal((await versionOf(project.live)) - version, raised)
  }
})

test('a secret that goes to another place is sent again there, and nothing says whether it is the stored one', async () => {
  const project = await createProject()
  const document = (host: string, issuer: string) =>
    own(project, {
      providers: { corp: { type: 'oidc', client_id: 'live', issuer, client_secret: `\${${corp_name}}` } },
      settings: {
        email: { from: 'shop@example.com', delivery: 'smtp', smtp: { host, username: 'shop', password: `\${${smtp_name}}` } },
      },
    })
  const apply = async (host: string, issuer: string, secrets: object) => {
    const { id, needed_secrets } = await planned(project, document(host, issuer))
    assert.ok(needed_secrets.every(({ stored }: { stored: boolean }) => !stored))
    expectStatus(200, await step([project, id], 'apply', { secrets }))
  }
  const both = { [smtp_name]: 'of mail', [corp_name]: 'of corp' }
  await apply('one.example.com', 'https://one.example.com', both)
  await apply('two.example.com', 'https://two.example.com', both)
  await apply('three.example.com', 'https://three.example.com', { [smtp_name]: 'another', [corp_name]: 'another' })
  const [equal, different] = (await eventsOf(project.live, '%updated')).filter(({ type }) => type === 'provider.updated')
  assert.deepEqual(equal?.data.changed, ['issuer', 'client_secret'])
  assert.deepEqual(equal, different)
  const { email } = expectStatus(200, await w.call('GET', `${project.live.path}/settings`))
  assert.deepEqual([email.smtp.host, email.smtp.has_password], ['three.example.com', true])
})

const hashOf = async (id: string) =>
  w.deployment.db.maybeOne(
    z.object({ client_secret_hash: z.string().nullable() }),
    sql`select client_secret_hash from applications where id = ${id}`,
  )

test('a rotation between plan and apply survives, and a revert never revives a secret that ended', async () => {
  const project = await createProject()
  const { live } = project
  const app = await make(live, 'applications', {
    slug: 'shop',
    name: 'Shop',
    application_type: 'web',
    redirect_uris: ['https://shop.example/cb'],
  })
  const renamed = await planned(project, own(project, { applications: { shop: { name: 'Store' } } }))
  expectStatus(200, await w.call('POST', `${live.path}/applications/${app.id}/rotate-secret`))
  const rotated = await hashOf(app.id)
  expectStatus(200, await step([project, renamed.id], 'apply'))
  assert.deepEqual(await hashOf(app.id), rotated)

  const ended = await planned(project, own(project, { applications: { shop: { token_endpoint_auth_method: 'none' } } }))
  assert.deepEqual(
    ended.checks.map(({ code }: { code: string }) => code),
    ['not_valid_there', 'secret_ends'],
  )
  const by_keys = await planned(
    project,
    own(project, { applications: { shop: { token_endpoint_auth_method: 'private_key_jwt', jwks: public_keys('one') } } }),
  )
  assert.deepEqual(
    by_keys.checks.map(({ code }: { code: string }) => code),
    ['secret_ends'],
  )
  expectStatus(200, await step([project, by_keys.id], 'apply'))
  assert.deepEqual(await hashOf(app.id), { client_secret_hash: null })
  const { secrets } = expectStatus(200, await step([project, by_keys.id], 'revert'))
  assert.match(secrets[0].client_secret, /^svc_client_/)
  assert.notDeepEqual(await hashOf(app.id), rotated)
})
