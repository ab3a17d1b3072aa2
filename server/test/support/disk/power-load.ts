/**
 * A load whose answers are kept as facts, each with the length of the trace when it was answered: the power is cut there and later. What a
 * client got an answer to is acknowledged. What another client read meanwhile is shown, be it answered or not.
 */
import { sql } from '../../../src/db/db.ts'
import { authorizationRequest, createAgent, createPerson, exchange, obtainCode, refresh, revoke } from '../cookie-browser.ts'
import { createAuthKey } from '../tenants.ts'
import { expectStatus, type Reply } from '../world.ts'
import { type Fact, facts } from './facts.ts'
import { seedFolder } from './watched-service.ts'

export interface Noted extends Fact {
  readonly how: 'acknowledged' | 'shown'
  /** Of the trace, when the answer was there. */
  readonly length: number
  /** Asks a service for it. */
  isAnswered(): Promise<boolean>
}

/** A change that a client is about to ask for. `look` reads as another client whether it has happened. */
interface Expected {
  look(): Promise<Fact | null>
}

/** 16 requests in flight. */
const lanes = { refreshing: 5, redeeming: 3, rotating: 2, revoking: 3, ending: 3 }
const readers = 3
/** The most metadata of a user (16 KiB as JSON), so that a checkpoint is due soon. */
const filling = 'x'.repeat(16_000)

export type Seeded = Awaited<ReturnType<typeof seedForPowerCuts>>

/** Makes a data directory with people who have signed in, and what their clients know. */
export const seedForPowerCuts = () =>
  seedFolder(async (w) => {
    const unlimited = { limit: 100_000, window_seconds: 1 }
    await w.deployment.db.run(sql`update api_keys set rate_limit = ${unlimited} where id = ${w.key_id}`)
    await w.changeSettings(w.test, { tokens: { authorization_code_ttl_seconds: 600, refresh_retry_window_seconds: 0 } })
    const client = await w.createApplication(w.test)
    const { key: secret } = await createAuthKey(w, w.test, 'auth_secret')
    const people = (count: number) => Promise.all(Array.from({ length: count }, () => createPerson(w, w.test)))
    const seeded = {
      client,
      secret,
      refreshing: await people(lanes.refreshing),
      redeeming: await people(lanes.redeeming),
      revoking: await people(lanes.revoking),
      ending: await people(lanes.ending),
      keys: await Promise.all(Array.from({ length: lanes.rotating }, () => createAuthKey(w, w.test, 'auth_secret'))),
    }
    // Their browsers have signed in before the load.
    for (const person of [...seeded.refreshing, ...seeded.redeeming, ...seeded.revoking]) await person.tokens(client)
    return seeded
  })

type Tokens = { access_token: string; refresh_token: string }

/**
 * Starts the load. It ends by `end`, or when the service dies.
 * @param fills makes the log grow faster
 */
export function startPowerLoad({ w, client, secret, ...seeded }: Seeded, traceLength: () => number, fills = false) {
  const noted = new Map<string, Noted>()
  const expected = new Set<Expected>()
  let is_over = false

  function note(how: Noted['how'], fact: Fact, isAnswered: Noted['isAnswered']): void {
    const length = traceLength()
    const key = `${how} ${fact.what}`
    if (!noted.has(key)) noted.set(key, { ...fact, how, length, isAnswered })
  }

  /** Repeats a step until the load is over, the service dies, or the disk fails. Any other refusal fails the test. */
  async function lane(step: () => Promise<unknown>): Promise<void> {
    try {
      while (!is_over) await step()
    } catch (error) {
      const is_dead = error instanceof TypeError // as fetch calls a connection that broke
      if (!is_dead && !(error instanceof Error && /got 503/.test(error.message))) throw error
    }
  }

  /** Asks for a change that other clients look for meanwhile. `ask` returns the fact that its answer states. */
  async function change(looks: readonly Expected['look'][], ask: () => Promise<Fact>): Promise<void> {
    const own = looks.map((look) => ({ look }))
    for (const each of own) expected.add(each)
    const fact = await ask()
    const isAnswered = async () => (await looks[0]?.()) !== null
    note('acknowledged', fact, isAnswered)
  }

  async function lookOnce(each: Expected): Promise<void> {
    const fact = await each.look()
    if (!fact) return
    note('shown', fact, async () => (await each.look()) !== null)
    expected.delete(each)
  }

  /** Looks for the latest changes first. */
  async function read(): Promise<void> {
    for (const each of [...expected].reverse().slice(0, 8)) await lookOnce(each)
    await new Promise(setImmediate)
  }

  const get = async (path: string) => expectStatus(200, await w.call('GET', `${path}?limit=100`, { key: secret })).data as { id: string }[] // as: the answer of a list
  const refused = (reply: Reply): boolean => reply.status === 400 && reply.body.error === 'invalid_grant'

  async function verdict(token: string): Promise<{ active: boolean; reason?: string; jti: string; sid: string }> {
    return expectStatus(200, await w.call('POST', '/v1/auth/tokens/validate', { key: secret, body: { token } }))
  }
  /** The fact, once the token is inactive. */
  const onceInactive = (token: string, fact: Fact) => async () => ((await verdict(token)).active ? null : fact)
  /** The fact, once the list has no such object. */
  const onceAbsent = (path: string, id: string, fact: Fact) => async () => ((await get(path)).some((each) => each.id === id) ? null : fact)

  type Person = Seeded['refreshing'][number]

  async function redeem(person: Person) {
    const obtained = await person.code(client)
    const tokens: Tokens = expectStatus(200, await exchange(w, w.test, client, obtained))
    note('acknowledged', facts.codeSpent(obtained.code), async () => refused(await exchange(w, w.test, client, obtained)))
    return { ...obtained, tokens }
  }

  async function refreshing(person: Person): Promise<() => Promise<void>> {
    const { code, tokens } = await redeem(person)
    let { refresh_token } = tokens
    let times = 0
    return async () => {
      const spent = refresh_token
      const reply: Tokens = expectStatus(200, await refresh(w, w.test, client, spent))
      refresh_token = reply.refresh_token
      note('acknowledged', facts.refreshed(code, ++times), async () => refused(await refresh(w, w.test, client, spent)))
    }
  }

  /** Redeems a code, and presents every second one again, which ends its grant. */
  function redeeming(person: Person): () => Promise<void> {
    let turn = 0
    return async () => {
      const redeemed = await redeem(person)
      if (turn++ % 2 === 0) return
      const fact = facts.grantEnded(redeemed.code)
      await change([onceInactive(redeemed.tokens.access_token, fact)], async () => {
        const reply = await exchange(w, w.test, client, redeemed)
        if (!refused(reply)) throw new Error(`A spent code was answered with ${reply.status}.`)
        return fact
      })
    }
  }

  /** Revokes the refresh token of a new grant and the access token of another, in turns (RFC 7009). */
  function revoking(person: Person): () => Promise<void> {
    const path = `/v1/auth/users/${person.id}/grants`
    let turn = 0
    return async () => {
      const before = await get(path)
      const { code, tokens } = await redeem(person)
      const grant = (await get(path)).find(({ id }) => !before.some((each) => each.id === id))
      const { jti } = await verdict(tokens.access_token)
      const of_grant = facts.grantEnded(code)
      const of_token = facts.tokenRevoked(jti)
      const is_of_grant = turn++ % 2 === 0
      const fact = is_of_grant ? of_grant : of_token
      const looks = [onceInactive(tokens.access_token, fact), ...(is_of_grant && grant ? [onceAbsent(path, grant.id, fact)] : [])]
      await change(looks, async () => {
        expectStatus(200, await revoke(w, w.test, client, is_of_grant ? tokens.refresh_token : tokens.access_token))
        return fact
      })
      if (is_of_grant) return
      // The list has few grants then.
      await change([onceAbsent(path, grant?.id ?? '', of_grant)], async () => {
        expectStatus(200, await revoke(w, w.test, client, tokens.refresh_token))
        return of_grant
      })
    }
  }

  /** Signs in with a new browser, and ends the session. */
  function ending(person: Person): () => Promise<void> {
    return async () => {
      const request = authorizationRequest(w.test, client)
      const code = await obtainCode(createAgent(), request, person)
      const tokens: Tokens = expectStatus(200, await exchange(w, w.test, client, { request, code }))
      const { sid } = await verdict(tokens.access_token)
      const sessions = `/v1/auth/users/${person.id}/sessions`
      note('acknowledged', facts.sessionBegan(sid), async () => true)
      const fact = facts.sessionEnded(sid)
      await change([onceInactive(tokens.access_token, fact), onceAbsent(sessions, sid, fact)], async () => {
        expectStatus(204, await w.call('DELETE', `/v1/auth/sessions/${sid}`, { key: secret }))
        return fact
      })
    }
  }

  function rotating(key: Seeded['keys'][number]): () => Promise<void> {
    const path = `${w.test.path}/auth-keys`
    let before: string | null = null
    return async () => {
      const last = before
      const look = async () => {
        const { data } = expectStatus(200, await w.call('GET', path))
        const found: { rotated_at: string | null } = data.find(({ id }: { id: string }) => id === key.id)
        return found.rotated_at === null || found.rotated_at === last ? null : facts.keyRotated(key.id, found.rotated_at)
      }
      await change([look], async () => {
        const { rotated_at } = expectStatus(200, await w.call('POST', `${path}/${key.id}/rotate`, { body: {} }))
        before = rotated_at
        return facts.keyRotated(key.id, rotated_at)
      })
    }
  }

  let turn = 0
  const fill = async ({ id }: Person) => {
    const body = { metadata: { filling: `${++turn} ${filling}` } }
    expectStatus(200, await w.call('PATCH', `/v1/auth/users/${id}`, { key: secret, body }))
  }

  const steps = [
    ...(fills ? [...seeded.refreshing, ...seeded.redeeming].map((person) => () => fill(person)) : []),
    ...seeded.redeeming.map(redeeming),
    ...seeded.revoking.map(revoking),
    ...seeded.ending.map(ending),
    ...seeded.keys.map(rotating),
    ...Array.from({ length: readers }, () => read),
  ]
  const ended = Promise.all([
    ...steps.map(lane),
    ...seeded.refreshing.map(async (person) => {
      let step: (() => Promise<void>) | null = null
      await lane(async () => {
        step ??= await refreshing(person)
        await step()
      })
    }),
  ])
  ended.catch(() => {}) // `end` throws it

  return {
    noted: (): Noted[] => [...noted.values()],
    count: (how: Noted['how']): number => [...noted.values()].filter((each) => each.how === how).length,

    async end(): Promise<void> {
      is_over = true
      await ended
    },

    /** Reads as another client every change that was asked for, after a restart. */
    async readAll(): Promise<void> {
      for (const each of [...expected]) await lookOnce(each)
    },
  }
}
