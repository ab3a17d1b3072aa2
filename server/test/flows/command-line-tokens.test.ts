/** The sign-in of a command line ends after 12 hours without use, whatever the settings of the root environment say. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { authorizationRequest, createAgent, exchange, obtainCode, refresh } from '../support/cookie-browser.ts'
import { emptyDatabase } from '../support/empty-database.ts'
import { expectStatus, owner, type Reply, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const root = { id: w.admin_issuer.split('/').at(-1) as TestEnvironment['id'], issuer: w.admin_issuer } // as: the issuer ends with it
const client = { client_id: w.admin_client_id, redirect_uris: ['http://127.0.0.1:49152/callback'] }
const hour_seconds = 3_600

async function signIn(): Promise<string> {
  const request = authorizationRequest(root, client, { scope: 'openid offline_access', resource: w.base_url })
  const code = await obtainCode(createAgent(), request, owner)
  return expectStatus(200, await exchange(w, root, client, { request, code })).refresh_token
}

const use = (refresh_token: string) => refresh(w, root, client, refresh_token)
const hasEnded = (reply: Reply) => assert.deepEqual([reply.status, reply.body.error], [400, 'invalid_grant'])

const changeRootSettings = (tokens: object) =>
  w.deployment.db.run(sql`update environments set settings = ${{ sign_up: { mode: 'closed' }, tokens }},
    settings_version = settings_version + 1 where id = ${root.id}`)

test('a refresh token of a command line ends after 12 hours without use, and each use gives another 12', async () => {
  let token = await signIn()
  for (let uses = 0; uses < 3; uses++) {
    w.advance(12 * hour_seconds - 60)
    token = expectStatus(200, await use(token)).refresh_token
  }
  w.advance(12 * hour_seconds + 60)
  hasEnded(await use(token))
})

test('settings of the root environment shorten the idle time of a command line, and never lengthen it', async () => {
  const cases = [
    { idle: hour_seconds, ends_after: hour_seconds },
    { idle: 30 * 24 * hour_seconds, ends_after: 12 * hour_seconds },
  ]
  for (const { idle, ends_after } of cases) {
    await changeRootSettings({ refresh_token_idle_ttl_seconds: idle })
    const [in_time, late] = [await signIn(), await signIn()]
    w.advance(ends_after - 60)
    expectStatus(200, await use(in_time))
    w.advance(120)
    hasEnded(await use(late))
  }
  await changeRootSettings({})
})

const Row = z.object({ token_hash: z.string(), expires_at: z.date() })

test('migration 0031 ends what a command line has not used for 12 hours, and leaves every other refresh token', async () => {
  const db = await emptyDatabase()
  const all = readMigrations()
  await migrate(
    db,
    all.filter(({ number }) => number < 31),
  )
  const created = new Date(1_800_000_000_000)
  const after = (hours: number) => new Date(created.getTime() + hours * hour_seconds * 1_000)
  const [used, two_weeks] = [after(100), after(14 * 24)]
  const environment = (slug: string) => [
    sql`insert into tenants (id, slug, name, created_at, updated_at) values (${`ten_${slug}`}, ${slug}, 'T', ${created}, ${created})`,
    sql`insert into projects (tenant_id, id, slug, name, created_at, updated_at)
        values (${`ten_${slug}`}, ${`prj_${slug}`}, 'p', 'P', ${created}, ${created})`,
    sql`insert into environments (id, tenant_id, project_id, slug, name, type, issuer, created_at, updated_at, settings_updated_at)
        values (${`env_${slug}`}, ${`ten_${slug}`}, ${`prj_${slug}`}, 'live', 'Live', 'live', ${`https://${slug}.example`},
                ${created}, ${created}, ${created})`,
    ...['native', 'web'].map(
      (type) => sql`insert into applications (environment_id, id, slug, name, application_type, redirect_uris, post_logout_redirect_uris,
            token_endpoint_auth_method, allowed_scopes, require_pkce, consent, allow_loopback_port, disabled, created_at, updated_at)
          values (${`env_${slug}`}, ${`app_${type}`}, ${type}, 'A', ${type}, '[]', '[]', 'none', '[]', 1, 'skip', 1, 0, ${created}, ${created})`,
    ),
  ]
  const grant = (slug: string, type: string, last_used_at: Date | null, tokens: Record<string, { expires_at: Date; spent?: true }>) => [
    sql`insert into grants (environment_id, id, user_id, application_id, session_id, scope, resource, offline, auth_time, amr, acr,
          created_at, expires_at, last_used_at)
        values (${`env_${slug}`}, ${`grt_${type}_${last_used_at ? 'used' : 'new'}`}, 'usr_1', ${`app_${type}`}, 'ses_1', 'openid', '[]', 1,
                ${created}, '[]', '', ${created}, ${two_weeks}, ${last_used_at})`,
    ...Object.entries(tokens).map(
      ([token_hash, { expires_at, spent }]) => sql`insert into refresh_tokens (environment_id, token_hash, grant_id, expires_at, spent_at)
        values (${`env_${slug}`}, ${token_hash}, ${`grt_${type}_${last_used_at ? 'used' : 'new'}`}, ${expires_at}, ${spent ? used : null})`,
    ),
  ]
  await db.batch([
    ...environment('ostiary'),
    ...environment('acme'),
    ...grant('ostiary', 'native', null, { a_never_used: { expires_at: two_weeks } }),
    ...grant('ostiary', 'native', used, {
      b_used: { expires_at: two_weeks },
      c_spent: { expires_at: two_weeks, spent: true },
      d_ends_sooner: { expires_at: after(101) },
    }),
    ...grant('ostiary', 'web', used, { e_dashboard: { expires_at: two_weeks } }),
    ...grant('acme', 'native', used, { f_tenant: { expires_at: two_weeks } }),
  ])
  await migrate(
    db,
    all.filter(({ number }) => number <= 31),
  )
  const rows = await db.all(Row, sql`select token_hash, expires_at from refresh_tokens order by token_hash`)
  assert.deepEqual(Object.fromEntries(rows.map(({ token_hash, expires_at }) => [token_hash, expires_at])), {
    a_never_used: after(12),
    b_used: after(112),
    c_spent: two_weeks,
    d_ends_sooner: after(101),
    e_dashboard: two_weeks,
    f_tenant: two_weeks,
  })
})
