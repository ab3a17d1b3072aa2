/** Codes and links have one limit together, whatever a stranger asks for: the path that used up the limit × the path that asks then. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Agent, authorizationRequest, createAgent } from '../support/cookie-browser.ts'
import { mailsTo } from '../support/mailed.ts'
import { world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_TRUSTED_PROXIES: '127.0.0.0/8,::1' } })
const environment = w.test
await w.changeSettings(environment, { sign_in: { email_code: true } })
const client = await w.createApplication(environment)

const open = (prompt: string, agent: Agent) => agent.get(authorizationRequest(environment, client, { prompt }).url)

/** Each in a browser of its own. */
const paths: Record<string, (email: string, from: Record<string, string>) => Promise<unknown>> = {
  async 'a code to sign in'(email, from) {
    const agent = createAgent()
    return agent.submit(await open('login', agent), { email, password: '', method: 'email_code' }, from)
  },
  async 'a sign-up'(email, from) {
    const agent = createAgent()
    return agent.submit(await open('create', agent), { email, password: 'the sentence of a stranger' }, from)
  },
  async 'a reset'(email, from) {
    const agent = createAgent()
    const link = /href="([^"]*\/forgot-password\?[^"]*)"/.exec((await open('login', agent)).body)?.[1] ?? ''
    return agent.submit(await agent.get(link.replaceAll('&amp;', '&')), { email }, from)
  },
}

let pairs = 0
for (const [used, ask] of Object.entries(paths))
  for (const [then, askAgain] of Object.entries(paths))
    for (const email_verified of [true, false])
      test(`after five times ${used}, ${then} from the same source mails nothing to ${email_verified ? 'a proven' : 'an unproven'} address`, async () => {
        const { email } = await w.createUser(environment, { email_verified })
        const mails = async () => (await mailsTo(w, environment, email)).length
        pairs += 1
        const from = { 'x-forwarded-for': `198.18.${pairs}.1` }
        for (let i = 0; i < 5; i++) await ask(email, from)
        assert.equal(await mails(), 5)
        await askAgain(email, from)
        assert.equal(await mails(), 5)
        await askAgain(email, { 'x-forwarded-for': `198.18.${pairs}.2` })
        assert.equal(await mails(), 6)
      })
