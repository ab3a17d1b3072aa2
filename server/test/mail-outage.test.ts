/** A real mail server that is down for a minute while people sign up, and addresses for which nothing is sent. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { parseNetworks } from '../src/base/networks.ts'
import { sql } from '../src/db/db.ts'
import { createSmtp } from '../src/deployment/outbound/smtp.ts'
import { authorizationRequest, createAgent } from './support/cookie-browser.ts'
import { freePort } from './support/free-port.ts'
import { certificate, type ReceivedMail, readMessage, startMailServer } from './support/mail-server.ts'
import { until } from './support/receiver.ts'
import { visibleIn } from './support/visible.ts'
import { type TestEnvironment, world } from './support/world.ts'

const loopback = parseNetworks('127.0.0.0/8')
const webhook_allowed_networks = 'networks' in loopback ? loopback.networks : []
const smtp = createSmtp(
  { base_url: 'http://localhost', webhook_allowed_networks },
  { resolve: async () => ['127.0.0.1'], ca: certificate.cert, most_reply_ms: 2_000 },
)
const w = await world({ smtp, env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' } })
let projects = 0

async function sender(port: number, sign_in: object): Promise<TestEnvironment> {
  const { live } = await w.createProject(`mail${++projects}`)
  const server = { host: 'mail.test', port, username: 'shop', password: 'smtp password' }
  await w.changeSettings(live, { email: { delivery: 'smtp', from: 'shop@example.com', smtp: server } })
  await w.changeSettings(live, { sign_in })
  return live
}

const Count = z.object({ count: z.int() })
const hasNoJobs = async ({ id }: TestEnvironment) =>
  (await w.deployment.db.maybeOne(Count, sql`select count(*) as count from jobs where environment_id = ${id}`))?.count === 0

const codeIn = ({ raw }: ReceivedMail) => /\b\d{6}\b/.exec(readMessage(raw).text)?.[0] ?? ''

test('a mail server is down for a minute during 100 sign-ups: every code arrives and works, and a mail comes twice only where the server broke off', async () => {
  const port = await freePort()
  const environment = await sender(port, { email_code: true, password: false }) // hashes would take long
  const client = await w.createApplication(environment)
  const broken_off = new Set<string>()
  /** The server breaks off after accepting every tenth message. */
  const decide = ({ to: [to = ''] }: ReceivedMail, count: number) => {
    if (count % 10 !== 0 || broken_off.has(to)) return undefined
    broken_off.add(to)
    return 'drop'
  }
  const people = Array.from({ length: 100 }, (_, i) => `person${i}@example.com`)
  const signUp = async (email: string) => {
    const agent = createAgent()
    const page = await agent.get(authorizationRequest(environment, client, { prompt: 'create' }).url)
    const asked = await agent.submit(page, { email, name: '' })
    assert.equal(asked.status, 200, asked.body)
    return { email, agent, asked }
  }

  const first = await startMailServer({ port, decide })
  const signed_up: Awaited<ReturnType<typeof signUp>>[] = []
  for (const email of people.slice(0, 30)) signed_up.push(await signUp(email))
  const arrived = (all: readonly ReceivedMail[]) => new Set(all.flatMap(({ to }) => to)).size
  await until('the first 30 mails', async () => arrived(first.received) === 30)
  first.stop()
  const down_until = w.now().getTime() + 60_000
  for (const email of people.slice(30)) signed_up.push(await signUp(email))
  while (w.now().getTime() < down_until) {
    w.advance(2)
    await until('the attempts of these seconds', async () => (await dueJobs(environment)) === 0)
  }
  const second = await startMailServer({ port, decide })
  await until('the end of the queue', async () => {
    w.advance(0.25) // slowly, since the codes end after ten minutes of this clock
    return hasNoJobs(environment)
  })

  const received = [...first.received, ...second.received]
  const of = (email: string) => received.filter(({ to }) => to[0] === email)
  assert.ok(broken_off.size >= 5)
  for (const email of people) {
    assert.equal(of(email).length, broken_off.has(email) ? 2 : 1, email)
    assert.equal(new Set(of(email).map(({ raw }) => readMessage(raw).headers.get('message-id'))).size, 1, email)
  }
  for (const { email, agent, asked } of signed_up) {
    const [mail] = of(email)
    assert.equal((await agent.submit(asked, { code: mail ? codeIn(mail) : '' })).status, 303, email)
  }
})

const dueJobs = async ({ id }: TestEnvironment) =>
  (await w.deployment.db.maybeOne(Count, sql`select count(*) as count from jobs where environment_id = ${id} and due_at <= ${w.now()}`))
    ?.count ?? 0

const decoys = ['an emailed code', 'a reset'] as const
for (const [i, what] of decoys.entries())
  test(`for an unknown address that asks for ${what} nothing is sent by SMTP, and the answer is the same`, async () => {
    const server = await startMailServer()
    const environment = await sender(server.port, { email_code: true })
    await w.changeSettings(environment, { sign_up: { mode: 'closed' } })
    const client = await w.createApplication(environment)
    const user = await w.createUser(environment)
    const ask = async (email: string) => {
      const agent = createAgent()
      const { url } = authorizationRequest(environment, client)
      const page = await agent.get(i === 0 ? url : url.replace('/oauth/authorize', '/forgot-password'))
      const fields = i === 0 ? { password: '', method: 'email_code' } : {}
      return visibleIn(await agent.submit(page, { email, ...fields }), email)
    }
    const unknown = await ask('nobody@example.com')
    const known = await ask(user.email)
    assert.deepEqual(unknown, known)
    await until('the mail of the account', async () => server.received.length > 0 && (await hasNoJobs(environment)))
    assert.deepEqual(server.received.flatMap(({ to }) => to), [user.email]) // biome-ignore format: one row
  })
