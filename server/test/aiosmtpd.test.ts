/** Mail through a second implementation of SMTP. `.ci/run` installs it; without it these tests are skipped. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseNetworks } from '../src/base/networks.ts'
import { createSmtp } from '../src/deployment/outbound/smtp.ts'
import { mailStatements } from '../src/domain/mail/send.ts'
import type { Notice } from '../src/domain/mail/texts/notice.ts'
import { noAiosmtpd, startAiosmtpd } from './support/aiosmtpd.ts'
import { certificate, readMessage } from './support/mail-server.ts'
import { until } from './support/receiver.ts'
import { expectStatus, world } from './support/world.ts'

const loopback = parseNetworks('127.0.0.0/8')
const webhook_allowed_networks = 'networks' in loopback ? loopback.networks : []
const smtp = createSmtp(
  { base_url: 'http://localhost', webhook_allowed_networks },
  { resolve: async () => ['127.0.0.1'], ca: certificate.cert },
)

for (const tls of ['starttls', 'implicit'] as const)
  test(`aiosmtpd gets every mail: at once, after a refusal for now, and twice if it broke off (${tls})`, { skip: noAiosmtpd }, async () => {
    const server = await startAiosmtpd(tls)
    const w = await world({ smtp, env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' } })
    const email = (password: string) => ({
      delivery: 'smtp',
      from: 'Söhne <shop@example.com>',
      smtp: { host: 'mail.test', port: server.port, tls, username: 'shop', password },
    })
    await w.changeSettings(w.live, { email: email('wrong') })
    const testMail = () => w.call('POST', `${w.live.path}/settings/email/test`, { body: { to: 'test@example.com' } })
    const { reply, detail, ...refused } = expectStatus(200, await testMail())
    assert.deepEqual(refused, { accepted: false, stage: 'auth', reason: 'auth' })
    assert.match(detail, /refused the user name or the password/)
    assert.match(reply, /^535 /)
    await w.changeSettings(w.live, { email: email('smtp password') })
    assert.deepEqual(expectStatus(200, await testMail()), {
      ...{ accepted: true, stage: 'data', reply: '250 2.0.0 Message accepted' },
      ...{ reason: null, detail: null },
    })

    const people = ['ada@example.com', 'däisy@müller.example', 'later@example.com', 'dropped@example.com']
    for (const to of people) {
      const notice: Notice = { kind: 'sign_in_code', code: '482913', expires_at: new Date(w.now().getTime() + 600_000), device: null }
      await w.deployment.db.batch(await mailStatements(w.deployment, w.live.id, { to, user_id: null, request_id: null, notice }, w.now()))
    }
    await until('every mail', async () => {
      w.advance(1)
      return server.received.length === 1 + people.length + 1
    })
    const count = (local: string) => server.received.filter(({ to }) => to[0]?.startsWith(`${local}@`)).length
    assert.deepEqual(['test', 'ada', 'däisy', 'later', 'dropped'].map(count), [1, 1, 1, 1, 2])
    for (const { raw, user, is_secure } of server.received) {
      assert.deepEqual([user, is_secure], ['shop', true])
      assert.equal(readMessage(raw).headers.get('auto-submitted'), 'auto-generated')
    }
    assert.match(readMessage(server.received.find(({ to }) => to[0]?.startsWith('ada@'))?.raw ?? '').text, /^482913 /)
  })
