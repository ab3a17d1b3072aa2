/**
 * Promotions beside the traffic of an environment: 10 sign-ins and 50 refreshes a second, none of which may fail. Plans, applies and reverts 200
 * objects, and as many as one promotion can have. Each round has a project of its own.
 */
import { join } from 'node:path'
import { expectStatus, openConnection, request } from './connection.ts'
import { type Ground, root } from './contestants.ts'
import { median } from './load.ts'
import { onAllCores } from './machine.ts'
import { newMasterKey, type Seeded, seedOstiary, signInRequests, startOstiary } from './ostiary.ts'
import { atPace, createPool } from './pace.ts'
import { codeFlow, refresh } from './provider.ts'

const sizes = { few: 200, most: 1_000 }
const sign_ins_a_second = 10
const refreshes_a_second = 50
const people = 20
/** A resource server for each so many applications. */
const applications_of_server = 4
/** Of the objects that one document of 1 MiB has room for. */
const objects_of_document = 500

type Progress = (text: string) => void

export async function surveyPromotion({ folder, freshDatabase }: Ground, rounds: number, progress: Progress) {
  const on = async (name: string, database_url: string | null) => {
    const env = { OSTIARY_LIMITS: '{"applications":2000}' }
    const started = await startOstiary({ root, folder: join(folder, `promotion-${name}`), database_url, core: null, env }, newMasterKey())
    const seeded = await seedOstiary(root, started, people)
    const traffic = await startTraffic(seeded)
    const measured: Record<keyof typeof sizes, Awaited<ReturnType<typeof promote>>[]> = { few: [], most: [] }
    for (let round = 0; round < rounds; round++)
      for (const size of ['few', 'most'] as const) {
        progress(`promotion, ${name}, ${sizes[size]} objects, round ${round + 1} of ${rounds}`)
        measured[size].push(await promote(seeded, `${size}-${round}`, sizes[size]))
      }
    const beside = await traffic.stop()
    await started.process.stop()
    const figures = (size: keyof typeof sizes) => {
      const of = (step: 'plan_ms' | 'apply_ms' | 'revert_ms') => measured[size].map((each) => each[step])
      return {
        objects: sizes[size],
        plan_ms: median(of('plan_ms')),
        apply_ms: median(of('apply_ms')),
        revert_ms: median(of('revert_ms')),
        apply_most_ms: Math.max(...of('apply_ms')),
        plan_bytes: Math.max(...measured[size].map(({ plan_bytes }) => plan_bytes)),
      }
    }
    return { few: figures('few'), most: figures('most'), beside }
  }
  return onAllCores(async () => ({
    embedded: await on('embedded', null),
    postgres: freshDatabase ? await on('postgres', await freshDatabase()) : null,
  }))
}

async function startTraffic(seeded: Seeded) {
  const { within } = createPool(seeded.address)
  const asked = await Promise.all(seeded.people.map((person) => signInRequests(seeded, person)))
  const chains: string[] = []
  for (let n = 0; n < refreshes_a_second; n++)
    chains.push((await within((connection) => codeFlow(seeded, connection, seeded.cookies[n % people] ?? ''))).tokens.refresh_token)
  const sign_ins = atPace(sign_ins_a_second, (n) =>
    within(async (connection) => void expectStatus(303, await connection.send(asked[n % asked.length]?.() ?? ''))),
  )
  // A chain is spent by one request at a time.
  const turns = chains.map(() => Promise.resolve())
  const refreshes = atPace(refreshes_a_second, (n) => {
    const slot = n % chains.length
    const turn = (turns[slot] ?? Promise.resolve()).then(() =>
      within(async (connection) => {
        chains[slot] = (await refresh(seeded, connection, chains[slot] ?? '')).refresh_token
      }),
    )
    turns[slot] = turn.catch(() => {})
    return turn
  })
  const figures = ({ ms: _, ...rest }: Awaited<ReturnType<typeof sign_ins>>) => rest
  return { stop: async () => ({ sign_ins: figures(await sign_ins()), refreshes: figures(await refreshes()) }) }
}

/** An application with a value in every field but keys, which belong to Live. */
const applicationOf = (n: number, at: string) => ({
  application_type: 'web',
  name: `Storefront of customer ${n}`,
  redirect_uris: [`https://customer-${n}.${at}/auth/callback`, `https://customer-${n}.${at}/auth/silent`],
  post_logout_redirect_uris: [`https://customer-${n}.${at}/`],
  allowed_scopes: ['openid', 'profile', 'email', 'offline_access'],
  consent: 'ask',
  backchannel_logout_uri: `https://customer-${n}.${at}/backchannel-logout`,
  initiate_login_uri: `https://customer-${n}.${at}/sign-in`,
  logo_uri: `https://customer-${n}.${at}/logo.svg`,
})
const serverOf = (n: number, at: string) => ({
  identifier: `https://api-${n}.${at}`,
  name: `API ${n}`,
  scopes: ['read', 'write'].map((name) => ({ name: `${name}-${n}`, description: `To ${name} what customer ${n} has` })),
})

/** Brings so many new objects from Test to Live, and takes them back. */
async function promote({ address, platform_key }: Seeded, slug: string, objects: number) {
  const connection = await openConnection(address)
  const headers = { 'x-api-key': platform_key, 'content-type': 'application/json' }
  const call = async (status: number, method: 'GET' | 'POST', path: string, body?: object) => {
    const began = performance.now()
    const answer = expectStatus(
      status,
      await connection.send(request(address, method, path, { headers, body: body ? JSON.stringify(body) : '' })),
    )
    const ms = performance.now() - began
    return { ms, bytes: Buffer.byteLength(answer.body), body: JSON.parse(answer.body) }
  }
  const { body: project } = await call(201, 'POST', '/v1/platform/projects', { slug, name: slug })
  const base = `/v1/platform/projects/${project.id}`
  const { body: environments } = await call(200, 'GET', `${base}/environments`)
  const idOf = (type: string) => environments.data.find((each: { type: string }) => each.type === type).id
  const [test, live] = [idOf('test'), idOf('live')]

  const servers = Math.floor(objects / (applications_of_server + 1))
  const entries = [
    ...Array.from({ length: servers }, (_, n) => ['resource_servers', `api-${n}`, serverOf(n, 'test.example.com')] as const),
    ...Array.from(
      { length: objects - servers },
      (_, n) => ['applications', `customer-${n}`, applicationOf(n, 'test.example.com')] as const,
    ),
  ]
  for (let begin = 0; begin < entries.length; begin += objects_of_document) {
    const document: Record<string, unknown> = { version: 1 }
    for (const [section, name, fields] of entries.slice(begin, begin + objects_of_document))
      document[section] = { ...(document[section] as object | undefined), [name]: fields } // as: a section of objects
    const { body } = await call(201, 'POST', `${base}/promotions`, { document, to_environment_id: test })
    await call(200, 'POST', `${base}/promotions/${body.id}/apply`, {})
  }

  const values = entries.map(([section, slug, fields]) =>
    section === 'applications'
      ? { object: 'application', slug, pointer: '/redirect_uris', value: [`https://${slug}.live.example.com/auth/callback`] }
      : { object: 'resource_server', slug, pointer: '/identifier', value: fields.identifier.replace('test', 'live') },
  )
  const planned = await call(201, 'POST', `${base}/promotions`, { from_environment_id: test, to_environment_id: live, values })
  const errors = planned.body.checks.filter(({ level }: { level: string }) => level === 'error')
  if (errors.length > 0) throw new Error(`The plan has errors: ${JSON.stringify(errors[0])}`)
  // A step that takes longer than the database may is refused (503) and changes nothing.
  const take = async (step: 'apply' | 'revert') => {
    const began = performance.now()
    const asked = request(address, 'POST', `${base}/promotions/${planned.body.id}/${step}`, { headers, body: '{}' })
    const answer = await connection.send(asked)
    if (answer.status === 503) return Number.POSITIVE_INFINITY
    expectStatus(200, answer)
    return performance.now() - began
  }
  const apply_ms = await take('apply')
  const revert_ms = apply_ms === Number.POSITIVE_INFINITY ? apply_ms : await take('revert')
  connection.close()
  return { plan_ms: planned.ms, apply_ms, revert_ms, plan_bytes: planned.bytes }
}
