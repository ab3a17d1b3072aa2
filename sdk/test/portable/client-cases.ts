/** The management client against a service: lists, versions, refusals and idempotency. */
import { createClient } from '../../src/client.ts'
import { OstiaryError } from '../../src/error.ts'
import { type Case, outcomeOf, same } from './case.ts'

export interface Service {
  base_url: string
  api_key: string
}

/** Each run creates a project of its own, whose slug begins with `prefix`. */
export function clientCases({ base_url, api_key }: Service, prefix: string): Case[] {
  const client = createClient({ base_url, api_key })
  const created = client.createProject({ slug: `${prefix}-lists`, name: 'Lists' }).then(async ({ id: project_id }) => {
    const { data } = await client.listEnvironments({ project_id }).page()
    const path = { project_id, environment_id: data[0]?.id ?? '' }
    for (let i = 0; i < 7; i++) await client.createResourceServer(path, { identifier: `https://api${i}.example.com`, name: `API ${i}` })
    return path
  })
  const newest_first = [6, 5, 4, 3, 2, 1, 0].map((i) => `API ${i}`)

  return [
    {
      title: 'a list yields every object once, whatever the size of its pages',
      async run() {
        const path = await created
        for (const limit of [1, 3, 7, 100]) {
          const seen: string[] = []
          for await (const { name } of client.listResourceServers({ ...path, limit })) seen.push(name)
          same(seen, newest_first, `${limit}`)
        }
      },
    },
    {
      title: 'pages are read when they are asked for, and a cursor continues a list',
      async run() {
        const path = await created
        let requests = 0
        const counted: typeof fetch = (...args) => {
          requests += 1
          return fetch(...args)
        }
        const counting = createClient({ base_url, api_key, fetch: counted })
        const list = counting.listResourceServers({ ...path, limit: 2 })
        same(requests, 0)
        for await (const _ of list) break
        same(requests, 1)
        const { next_cursor } = await list.page()
        const second = await counting.listResourceServers({ ...path, limit: 2, ...(next_cursor ? { cursor: next_cursor } : {}) }).page()
        same(
          second.data.map(({ name }) => name),
          ['API 4', 'API 3'],
        )
        const sizes: number[] = []
        for await (const { data } of counting.listResourceServers({ ...path, limit: 3 }).pages()) sizes.push(data.length)
        same(sizes, [3, 3, 1])
      },
    },
    {
      title: 'if_match changes the version that was read, and refuses any other',
      async run() {
        const { project_id } = await created
        const { data, etag } = await client.responses.getProject({ project_id })
        if (etag === null) throw new Error('The answer has no ETag.')
        await client.changeProject({ project_id }, { name: `${data.name} 2` }, { if_match: etag })
        same(await outcomeOf(client.changeProject({ project_id }, { name: 'Lost' }, { if_match: etag })), 'stale_version')
        same((await client.getProject({ project_id })).name, `${data.name} 2`)
      },
    },
    {
      title: 'a refusal has the members of the problem details',
      async run() {
        const error = await client.createProject({ slug: 'Not a slug', name: '' }).catch((thrown: unknown) => thrown)
        if (!(error instanceof OstiaryError)) throw new Error(`No OstiaryError: ${error}`)
        const { status, code, errors, request_id, message } = error
        same([status, code, errors.map(({ pointer }) => pointer)], [422, 'validation_failed', ['/slug', '/name']])
        same(message.startsWith('validation_failed: ') && request_id !== null && message.includes(request_id), true, message)
      },
    },
    {
      title: 'two calls with one idempotency_key create one object, and two calls without it have different keys',
      async run() {
        const body = { slug: `${prefix}-once`, name: 'Once' }
        const first = await client.responses.createProject(body, { idempotency_key: `${prefix}: the same key` })
        const again = await client.responses.createProject(body, { idempotency_key: `${prefix}: the same key` })
        same([first.replayed, again.replayed, again.data.id], [false, true, first.data.id])
        same(await outcomeOf(client.createProject(body)), 'slug_taken')
      },
    },
    {
      title: 'a signal ends a call, and a silent service ends it after timeout_ms',
      async run() {
        const silent: typeof fetch = (_, init) =>
          new Promise((_resolve, reject) => {
            const end = () => reject(init?.signal?.reason)
            if (init?.signal?.aborted) end()
            init?.signal?.addEventListener('abort', end)
          })
        const waiting = createClient({ base_url, api_key, fetch: silent, max_retries: 0, timeout_ms: 1 })
        same(await outcomeOf(waiting.whoami()), 'timed_out')
        const reason = new Error('The page was left.')
        same(await waiting.whoami({ signal: AbortSignal.abort(reason) }).catch((error) => error === reason), true)
      },
    },
    {
      title: 'an address where nothing answers is a network_error',
      run: async () =>
        same(await outcomeOf(createClient({ base_url: 'http://127.0.0.1:1', api_key, max_retries: 0 }).whoami()), 'network_error'),
    },
  ]
}
