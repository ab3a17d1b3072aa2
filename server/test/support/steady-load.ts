/**
 * A steady load on several environments, for tests in which nodes of the database fail or shards move meanwhile: refreshes, checks of keys, and
 * creations of users and projects. It keeps every answer, and what the answers promise.
 */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { sql } from '../../src/db/db.ts'
import { type Client, createPerson, refresh } from './cookie-browser.ts'
import { createAuthKey } from './tenants.ts'
import type { Reply, TestEnvironment, World } from './world.ts'

/** An environment with a key, and families of tokens. */
export interface Loaded extends TestEnvironment {
  client: Client
  key: string
  /** The refresh token of each family that was answered last. */
  families: { token: string }[]
}

export interface Answered {
  readonly what: 'refresh' | 'whoami' | 'user' | 'project'
  /** Who sent it. Each of them waits for an answer before its next request. */
  readonly sender: string
  /** `null` for a project, which is in no environment. */
  readonly environment_id: string | null
  readonly began: number
  readonly took_ms: number
  readonly reply: Reply
}

const families_of_each = 2
const creators_of_projects = 2
/** Between an answer and the next request of its sender, for the machine's sake. A service that refuses says 2 s. */
const pause_ms = { served: 20, refused: 100 }

let names = 0

/** The variables of the service: the load creates more projects than the default allows. */
export const env_of_load = { OSTIARY_LIMITS: '{"projects_per_tenant":100000}' }

/** Gives each environment what the load needs, and takes the limit of its rate from the key of the world. */
export async function prepareLoad<Of extends TestEnvironment>(w: World, environments: readonly Of[]): Promise<(Of & Loaded)[]> {
  await w.deployment.db.run(sql`update api_keys set rate_limit = ${{ limit: 100_000, window_seconds: 1 }} where id = ${w.key_id}`)
  return Promise.all(
    environments.map(async (environment) => {
      await w.changeSettings(environment, { tokens: { refresh_retry_window_seconds: 60 } })
      const client = await w.createApplication(environment)
      const { key } = await createAuthKey(w, environment, 'auth_secret')
      const person = await createPerson(w, environment)
      const families: Loaded['families'] = []
      for (let i = 0; i < families_of_each; i++) families.push({ token: (await person.tokens(client)).refresh_token })
      return { ...environment, client, key, families }
    }),
  )
}

/** Starts a sender for each family, two for each environment's key, and two that create projects. */
export function startLoad(w: World, environments: readonly Loaded[]) {
  const answers: Answered[] = []
  const created = { users: [] as string[], projects: [] as string[] }
  /** They got an answer that the test has to judge, and send nothing more. */
  const stopped = new Set<string>()
  let is_over = false

  async function sending(
    { what, sender, environment_id }: Pick<Answered, 'what' | 'sender' | 'environment_id'>,
    send: () => Promise<Reply>,
  ) {
    while (!is_over) {
      const began = performance.now()
      const reply = await send()
      answers.push({ what, sender, environment_id, began, took_ms: performance.now() - began, reply })
      if (!isServed(reply) && reply.status !== 503) return void stopped.add(sender)
      await pause(isServed(reply) ? pause_ms.served : pause_ms.refused)
    }
  }

  /** A refresh that was answered with 503 may have taken effect: the same token is sent again, within its retry window. */
  async function refreshNext(environment: Loaded, family: Loaded['families'][number]): Promise<Reply> {
    const reply = await refresh(w, environment, environment.client, family.token)
    if (reply.status === 200) family.token = reply.body.refresh_token
    return reply
  }

  async function create(list: string[], path: string, key: string, body: object): Promise<Reply> {
    const reply = await w.call('POST', path, { key, body })
    if (reply.status === 201) list.push(reply.body.id)
    return reply
  }
  const createUser = ({ key }: Loaded) => create(created.users, '/v1/auth/users', key, { email: `load-${++names}@example.com` })
  const createProject = () => create(created.projects, '/v1/platform/projects', w.key, { slug: `load-${++names}`, name: 'P' })

  const ofEnvironment = (environment: Loaded): Promise<void>[] => {
    const by = (what: Answered['what'], index = 0) => ({
      what,
      sender: `${what} ${environment.id} ${index}`,
      environment_id: environment.id,
    })
    return [
      ...environment.families.map((family, index) => sending(by('refresh', index), () => refreshNext(environment, family))),
      sending(by('whoami'), () => w.call('GET', '/v1/api-keys/whoami', { key: environment.key })),
      sending(by('user'), () => createUser(environment)),
    ]
  }
  const ofProjects = Array.from({ length: creators_of_projects }, (_, index) =>
    sending({ what: 'project', sender: `project ${index}`, environment_id: null }, createProject),
  )
  const senders = environments.length * (families_of_each + 2) + creators_of_projects
  const ended = Promise.all([...environments.flatMap(ofEnvironment), ...ofProjects])
  ended.catch(() => {}) // `end` throws it

  return {
    answers,
    created,
    /** Reports whether every sender has had a request since this time that was served. One that stopped has to be judged instead. */
    isServedSince(time: number): boolean {
      const served = answers.filter(({ began, reply }) => began > time && isServed(reply)).map(({ sender }) => sender)
      return new Set([...served, ...stopped]).size === senders
    },
    async end(): Promise<void> {
      is_over = true
      await ended
    },
  }
}

export const isServed = ({ status }: Reply): boolean => status === 200 || status === 201

/**
 * Asserts that each refusal is a 503 as the API or OAuth describe it: without its issuer an OAuth endpoint answers like the API.
 * @param log of the service, for the message
 */
export function assertWellRefused(answers: readonly Answered[], log: readonly string[] = []): void {
  for (const { sender, reply } of answers) {
    if (isServed(reply)) continue
    const { status, headers, body } = reply
    const found = [status, body.error ?? body.code, headers.get('retry-after')]
    const expected = [503, sender.startsWith('refresh') && body.error ? 'temporarily_unavailable' : 'unavailable', '2']
    if (isDeepStrictEqual(found, expected)) continue
    const logged = log.filter((line) => line.includes(headers.get('x-request-id') ?? 'none'))
    assert.fail([`${sender} was answered ${status} ${JSON.stringify(body)}`, ...logged].join('\n'))
  }
}

/** One line for each kind of request: how many were served, and the longest time until an answer. */
export function summaryOf(answers: readonly Answered[]): string {
  const lines = [...Map.groupBy(answers, ({ what }) => what)].map(([what, all]) => {
    const served = all.filter(({ reply }) => isServed(reply)).length
    const longest_ms = Math.max(...all.map(({ took_ms }) => took_ms))
    return `${what}: ${served} of ${all.length} served, each within ${Math.round(longest_ms)} ms`
  })
  return lines.join('\n')
}
