/**
 * Random walks of two people through the pages in one browser. After any steps in any order, a code is issued only for a person who did
 * everything that the request requires. The walks are the same in every run.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { authorizationRequest, createAgent, exchange, type Request } from '../support/cookie-browser.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()
const requests_per_walk = 30

/** Pseudo-random numbers from 0 to 1; the same seed yields the same numbers (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** The steps that a person has done. Times are whole seconds of the service's clock. */
interface History {
  signed_in_at: number
  chosen_at: number
  consented_at: number
  consented: Set<string>
  is_signed_in: boolean
}

const seconds = () => Math.floor(w.now().getTime() / 1000)

for (const environment of [w.test, w.live]) {
  await w.changeSettings(environment, { lockout: { max_attempts: 100 }, email: { delivery: 'none' } })
  const skipping = await w.createApplication(environment)
  const asking = await w.createApplication(environment, { consent: 'ask' })

  for (const seed of environment === w.test ? [1, 2, 3] : [4, 5, 6]) {
    test(`a code is issued only for a person who did everything that the request requires (${environment.type}, walk ${seed})`, async () => {
      const people = [await w.createUser(environment), await w.createUser(environment)]
      const hints = new Map<string, string>()
      const random = randomFrom(seed)
      const any = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T // as: no list is empty
      const maybe = (chance: number) => random() < chance
      const histories = new Map<string, History>(
        people.map(({ id }) => [id, { signed_in_at: 0, chosen_at: 0, consented_at: 0, consented: new Set(), is_signed_in: false }]),
      )
      const historyOf = (id: string) => histories.get(id) as History // as: both are there
      const agent = createAgent()
      const outcomes: Record<string, number> = {}

      /** Takes a random step on the page and records it. */
      async function act(page: Reply, request: Request): Promise<Reply> {
        const person = any(people)
        const links = [...page.body.matchAll(/href="([^"]*\/oauth\/authorize\?[^"]*)"/g)].map(([, link = '']) =>
          link.replaceAll('&amp;', '&'),
        )
        if (links.length > 0 && maybe(0.2)) return agent.get(any(links))
        if (/\/sign-up"/.test(page.body)) {
          if (links.length > 0 && maybe(0.7)) return agent.get(any(links))
          const taken = await agent.submit(page, { email: person.email, password: person.password })
          assert.equal(taken.status, 400, 'a sign-up with the email of an account is not a sign-in')
          return taken
        }
        if (/\/sign-in"/.test(page.body)) {
          if (maybe(0.15)) return agent.submit(page, { email: person.email, password: 'a wrong password' })
          Object.assign(historyOf(person.id), { signed_in_at: seconds(), chosen_at: seconds(), is_signed_in: true })
          const reply = await agent.submit(page, { email: person.email, password: person.password })
          assert.equal(reply.status, 303)
          return reply
        }
        if (/\/select-account"/.test(page.body)) {
          const accounts = [...page.body.matchAll(/name="session" value="([^"]*)"[^>]*>(.*?)<\/button>/gs)]
          const [, session = '', text = ''] = any(accounts)
          const chosen = people.find(({ email }) => text.includes(email))
          assert.ok(chosen)
          const removes = maybe(0.3)
          Object.assign(historyOf(chosen.id), removes ? { is_signed_in: false } : { chosen_at: seconds() })
          return agent.submit(page, removes ? { remove: session } : { session })
        }
        const asked = people.find(({ email }) => page.body.includes(email))
        assert.ok(asked && /\/consent"/.test(page.body), page.body.slice(-500))
        if (maybe(0.3)) return agent.submit(page, { decision: 'deny' })
        const { consented } = historyOf(asked.id)
        for (const scope of (new URL(request.url).searchParams.get('scope') ?? '').split(' ')) consented.add(scope)
        historyOf(asked.id).consented_at = seconds()
        return agent.submit(page, { decision: 'allow' })
      }

      for (let i = 0; i < requests_per_walk; i++) {
        w.advance(2 + Math.floor(random() * 50))
        const client = any([skipping, asking])
        const prompt = any([
          undefined,
          undefined,
          'none',
          'login',
          'consent',
          'select_account',
          'login consent',
          'select_account login',
          'create',
        ])
        const max_age = any([undefined, undefined, undefined, '0', '60'])
        const hinted = maybe(0.25) ? any(people).id : null
        const id_token_hint = hinted === null ? undefined : hints.get(hinted)
        const scope = any(['openid', 'openid email', 'openid profile email'])
        const request = authorizationRequest(environment, client, { prompt, max_age, id_token_hint, scope })
        const began = seconds()

        let reply: Reply = await agent.get(request.url)
        for (let steps = 0; steps < 12 && !reply.headers.get('location')?.startsWith(request.redirect_uri); steps++) {
          const location = reply.headers.get('location')
          if (location === null) w.advance(2)
          assert.ok(location !== null || prompt !== 'none', 'prompt=none shows no page')
          reply = location === null ? await act(reply, request) : await agent.get(location)
        }
        const answer = new URL(reply.headers.get('location') ?? 'about:blank').searchParams
        const outcome = answer.get('error') ?? (answer.has('code') ? 'code' : 'none')
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
        if (outcome !== 'code') continue

        const { id_token } = expectStatus(200, await exchange(w, environment, client, { request, code: answer.get('code') ?? '' }))
        const { sub = '', auth_time } = decodeJwt(id_token)
        const done = historyOf(sub)
        const requires = (word: string) => prompt?.split(' ').includes(word) ?? false
        const details = JSON.stringify({
          seed,
          i,
          prompt,
          max_age,
          hinted: id_token_hint !== undefined,
          scope,
          sub,
          done: { ...done, consented: [...done.consented] },
        })
        assert.ok(done.is_signed_in, `the person is not signed in: ${details}`)
        assert.ok(Math.abs(Number(auth_time) - done.signed_in_at) <= 1, `auth_time is not the time of the sign-in: ${details}`)
        if (id_token_hint !== undefined) assert.equal(sub, hinted, `the hint names another person: ${details}`)
        if (requires('login') || max_age === '0') assert.ok(done.signed_in_at >= began, `the person did not sign in again: ${details}`)
        if (max_age !== undefined) assert.ok(done.signed_in_at >= began - Number(max_age), `the sign-in is older than max_age: ${details}`)
        if (requires('select_account') && id_token_hint === undefined)
          assert.ok(done.chosen_at >= began, `the person was not selected: ${details}`)
        if (client === asking)
          assert.ok(
            scope.split(' ').every((name) => done.consented.has(name)),
            `the person did not consent: ${details}`,
          )
        if (requires('consent')) assert.ok(done.consented_at >= began, `the person was not asked for consent: ${details}`)
        hints.set(sub, id_token)
      }
      assert.ok((outcomes.code ?? 0) > 5, JSON.stringify(outcomes))
    })
  }
}
