/** Invitations where the root environment sends mail: the link is mailed, and no administrator sees it (decision 0025). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { findRoot } from '../../src/setup/root.ts'
import { acceptInvitation, asAdministrator } from '../support/administrator.ts'
import { createAgent } from '../support/cookie-browser.ts'
import { createTenant, storedMembers } from '../support/invitations.ts'
import { readMessage, startMailServer } from '../support/mail-server.ts'
import { until } from '../support/receiver.ts'
import { createAdministrator } from '../support/tenants.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world({
  resolve: async () => ['127.0.0.1'],
  env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', OSTIARY_LIMITS: '{"tenants_per_person":1000}' },
})
const [olga, paul] = [await createAdministrator(w, 'olga@example.com'), await createAdministrator(w, 'paul@example.com')]
const root = (await findRoot(w.deployment.db)) ?? assert.fail('There is no root environment.')
const server = await startMailServer({ disabledCommands: ['STARTTLS'] })
const smtp = { host: 'mail.test', port: server.port, tls: 'none' }
const settings = { email: { delivery: 'smtp', from: 'Ostiary <ostiary@example.com>', smtp } }
await w.deployment.db.run(
  sql`update environments set settings = ${settings}, settings_version = settings_version + 1 where id = ${root.environment_id}`,
)

const mailsTo = (to: string) => server.received.filter((mail) => mail.to.includes(to))
const linkTo = async (to: string, count = 1) => {
  const mails = await until(`mail ${count} to ${to}`, () => (mailsTo(to).length >= count ? mailsTo(to) : false))
  const { text } = readMessage(mails[count - 1]?.raw ?? '')
  return { text, link: /^https?:\S+$/m.exec(text)?.[0] ?? assert.fail(`There is no link in ${text}`) }
}

test('the link is mailed and not returned; it names the tenant, the inviter and the role, and makes the person a member', async () => {
  const t = await createTenant(w, olga)
  const invited = await t.invite('nora@example.com', 'developer')
  assert.equal(invited.invitation_url, null)
  assert.equal(invited.status, 'pending')
  const { text, link } = await linkTo('nora@example.com')
  assert.ok(link.startsWith(`${w.admin_issuer}/invitation?token=`))
  for (const part of [t.name, 'Ada Example', 'a developer']) assert.ok(text.includes(part), part)
  assert.equal(mailsTo('nora@example.com').length, 1)
  expectStatus(200, await acceptInvitation(link, paul))
  assert.ok((await storedMembers(w, t.id)).some(({ user_id, role }) => user_id === paul.user_id && role === 'developer'))
})

test('resending mails a new link and ends the old one', async () => {
  const t = await createTenant(w, olga)
  const { id } = await t.invite('again@example.com', 'viewer')
  const { link: first } = await linkTo('again@example.com')
  const resent = expectStatus(200, await t.as(olga, 'POST', `/${id}/resend`))
  assert.equal(resent.invitation_url, null)
  const { link: second } = await linkTo('again@example.com', 2)
  assert.notEqual(first, second)
  assert.equal((await createAgent().get(first)).status, 410)
  assert.equal((await createAgent().get(second)).status, 200)
})

test('a repeated request with one Idempotency-Key mails once, and a refused invitation mails nothing', async () => {
  const t = await createTenant(w, olga)
  const body = { email: 'once@example.com', role: 'viewer' }
  for (let times = 0; times < 3; times++) expectStatus(201, await t.as({ ...olga, headers: { 'idempotency-key': 'k' } }, 'POST', '', body))
  await linkTo('once@example.com')
  for (let times = 0; times < 3; times++) await t.as(olga, 'POST', '', { email: 'often@example.com', role: 'viewer' })
  assert.equal((await t.as(olga, 'POST', '', { email: 'often@example.com', role: 'viewer' })).status, 422)
  await linkTo('often@example.com', 3)
  const after_all = await t.invite('last@example.com', 'viewer')
  assert.equal(after_all.invitation_url, null)
  await linkTo('last@example.com')
  assert.deepEqual([mailsTo('once@example.com').length, mailsTo('often@example.com').length], [1, 3])
})

test('the name of a tenant is text: it makes no link, no header and no markup', async () => {
  const name = 'Win at evil.example <a href="https://evil.example">'
  const call = asAdministrator(w, olga.token, null)
  const { id } = expectStatus(201, await call('POST', '/v1/tenants', { slug: 'evil', name }))
  expectStatus(
    201,
    await asAdministrator(w, olga.token, id)('POST', `/v1/tenants/${id}/members`, { email: 'victim@example.com', role: 'admin' }),
  )
  const { link } = await linkTo('victim@example.com')
  const { text, html, subject } = readMessage(mailsTo('victim@example.com')[0]?.raw ?? '')
  for (const part of [text, html, subject]) assert.doesNotMatch(part, /evil\.example/)
  assert.deepEqual([...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href), [link]) // biome-ignore format: one assertion
})

test('the token of a link is neither in the events, the audit log nor the log, and gone from the queue', async () => {
  const t = await createTenant(w, olga)
  const { id } = await t.invite('token@example.com', 'viewer')
  const token = /token=(.*)$/.exec((await linkTo('token@example.com')).link)?.[1] ?? ''
  assert.equal(token.length, 43)
  const Text = z.object({ text: z.string() })
  const stored = await until('an empty queue', async () => {
    const mails = await w.deployment.db.all(Text, sql`select sealed as text from mails`)
    return (
      mails.length === 0 && [
        await w.deployment.db.all(Text, sql`select data as text from events`),
        await w.deployment.db.all(Text, sql`select coalesce(after_change, '') as text from audit_log`),
        w.log,
      ]
    )
  })
  assert.ok(!JSON.stringify(stored).includes(token))
  assert.ok(JSON.stringify(stored).includes(id), 'the invitation is in the audit log')
})

test('recovery on the machine prints its link and mails nothing', async () => {
  const t = await createTenant(w, olga)
  const { invitation_url } = await t.recover('locked@example.com')
  assert.equal((await createAgent().get(invitation_url)).status, 200)
  assert.equal(mailsTo('locked@example.com').length, 0)
})
