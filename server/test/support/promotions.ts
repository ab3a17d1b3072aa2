/** Promotions of a test: a project with one object of each kind in Test, plans of it, and their steps. */
import { z } from 'zod'
import { type Db, type Statement, sql } from '../../src/db/db.ts'
import { replaceMethods } from './db-methods.ts'
import { expectStatus, type Reply, type TestEnvironment, type World } from './world.ts'

export interface Project {
  id: string
  path: string
  test: TestEnvironment
  live: TestEnvironment
}

/** The values of Live that the objects of a filled project need. */
export const values = [
  { object: 'resource_server', slug: 'orders', pointer: '/identifier', value: 'https://orders.example' },
  { object: 'application', slug: 'shop', pointer: '/redirect_uris', value: ['https://shop.example/cb'] },
  { object: 'provider', slug: 'google', pointer: '/client_id', value: 'live.apps' },
  { object: 'webhook', slug: 'hook', pointer: '/url', value: 'https://hooks.example/' },
]

export const upward = ({ test, live }: Project) => ({ from_environment_id: test.id, to_environment_id: live.id })
export const ownOf = ({ id }: TestEnvironment, document: object) => ({ document: { version: 1, ...document }, to_environment_id: id })
export const own = ({ live }: Project, document: object) => ownOf(live, document)

export const pointersOf = ({ status, body }: Reply): string[] => [
  `${status} ${body.code}`,
  ...(body.errors ?? []).map(({ pointer, code }: { pointer: string; code: string }) => `${code} ${pointer}`),
]

export function promoting(w: World) {
  let projects = 0
  const make = async ({ path }: TestEnvironment, collection: string, body: object) =>
    expectStatus(201, await w.call('POST', `${path}/${collection}`, { body }))
  const edit = async (path: string, body: object) => expectStatus(200, await w.call('PATCH', path, { body }))
  /** Again where too many plans are being computed at once: they take turns (decision 0159). */
  const plan = async (project: Project, body: object): Promise<Reply> => {
    for (;;) {
      const reply = await w.call('POST', `${project.path}/promotions`, { body })
      if (reply.status !== 429 || !/are being computed/.test(reply.body.detail)) return reply
    }
  }

  async function createProject(): Promise<Project> {
    const { id, test, live } = await w.createProject(`project-${projects++}`)
    return { id, path: `/v1/platform/projects/${id}`, test, live }
  }

  return {
    createProject,
    make,
    edit,
    plan,
    planned: async (project: Project, body: object) => expectStatus(201, await plan(project, body)),
    step: ([project, id]: [Project, string], name: 'apply' | 'revert' | 'approve', body: object = {}, more: object = {}): Promise<Reply> =>
      w.call('POST', `${project.path}/promotions/${id}/${name}`, { body, ...more }),
    documentOf: async ({ path }: TestEnvironment) => JSON.stringify(expectStatus(200, await w.call('GET', `${path}/configuration`))),
    versionOf: async ({ path }: TestEnvironment): Promise<number> => expectStatus(200, await w.call('GET', path)).config_version,
    eventsOf: ({ id }: TestEnvironment, kind: string) =>
      w.deployment.db.all(
        z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) }),
        sql`select type, data from events where environment_id = ${id} and type like ${kind} order by id`,
      ),

    /** Test has one object of each kind, and settings that travel. */
    async filled(): Promise<Project> {
      const project = await createProject()
      const { test } = project
      await make(test, 'resource-servers', {
        slug: 'orders',
        name: 'Orders',
        identifier: 'https://orders.test.example',
        scopes: [{ name: 'orders:read', description: 'Read orders' }],
      })
      await make(test, 'roles', {
        slug: 'support',
        name: 'Support',
        kind: 'user',
        permissions: [{ resource_server: 'orders', scopes: ['orders:read'] }],
      })
      await make(test, 'applications', {
        slug: 'shop',
        name: 'Shop',
        application_type: 'web',
        redirect_uris: ['https://test.example/cb'],
        allowed_scopes: ['openid', 'orders:read'],
      })
      await make(test, 'providers', { slug: 'google', type: 'google', client_id: 'test.apps', client_secret: 'of Test' })
      await make(test, 'webhooks', { slug: 'hook', url: 'https://hooks.test.example/' })
      await edit(`${test.path}/settings`, { password: { min_length: 14 } })
      return project
    },
  }
}

/** The public half of a key, under a name. */
export const public_keys = (kid: string) => ({
  keys: [
    {
      kty: 'RSA',
      n: 'sXchDaQebHnPiGvyDOAT4saGEUetSyo9MKLOoWFsueri23bOdgWp4Dy1WlUzewbgBHod5pcM9H95GQRV3JDXboIRROSBigeC5yjU1hGzHHyXss8UDprecbAYxknTcQkhslANGRUZmdTOQ5qTRsLAt6BTYuyvVRdhS8exSZEy_c4gs_7svlJJQ4H9_NxsiIoLwAEk7-Q3UXERGYw_75IDrGA84-lA_-Ct4eTlXHBIY2EaV7t7LjJaynVJCpkv4LKjTTAumiGUIuQhrNhZLuF_RJLqHpM2kgWFLU7-VTdL1VbC2tejvcI2BlMkEpk1BzBZI0KQB0GaDWFLN-aEAw3vRw',
      e: 'AQAB',
      kid,
    },
  ],
})

/** Lets something happen once, just before the first batch that has this text. */
export async function meanwhile<T>(db: Db, text: string, happens: () => Promise<unknown>, call: () => Promise<T>): Promise<T> {
  let has_happened = false
  const restore = replaceMethods(db, ({ batch }) => ({
    batch: async (statements: readonly Statement[]) => {
      if (!has_happened && statements.some(({ parts }) => parts.join('').includes(text))) {
        has_happened = true
        await happens()
      }
      return batch(statements)
    },
  }))
  try {
    const answer = await call()
    if (!has_happened) throw new Error(`No batch has the text: ${text}`)
    return answer
  } finally {
    restore()
  }
}
