/**
 * Very many organizations, one with very many members, and people who are members of very many: the pages and lists about them beside a steady pace
 * of sign-ins, what those notice of it, what the roles with the most permissions cost the page of a member who administers, and every way to end
 * what very many members have.
 */
import { join } from 'node:path'
import { createDb } from '../server/src/db/db.ts'
import { openPostgres } from '../server/src/db/postgres/postgres.ts'
import { openSqlite } from '../server/src/db/sqlite/sqlite.ts'
import { openConnection, request } from './connection.ts'
import { type Ground, root } from './contestants.ts'
import { inRandomOrder, median, percentile } from './load.ts'
import { measureNeighbour } from './neighbour.ts'
import type { Options } from './options.ts'
import {
  administrator,
  type Crowd,
  createCrowd,
  createLargeRoles,
  few_roles,
  first_who_signs_in,
  plantCrowd,
  type Sizes,
  sizesOf,
} from './organization-place.ts'
import { type Asked, access_of_a_member, exportAccount, memberPage, requestsOf } from './organization-requests.ts'
import { caller, newMasterKey, seedOstiary, signInRequests, startOstiary } from './ostiary.ts'
import { atPace, createPool } from './pace.ts'
import { indexUsers, refreshStatistics } from './planting.ts'
import { codeFlow } from './provider.ts'
import { createPlace, measureRoleChanges, validation } from './roles.ts'

type Progress = (text: string) => void

const sign_ins_a_second = 20
const requests_a_second = 10
/** Seconds of each half of a round, for each second of the option. */
const longer = 20
const pages_alone = 40
/** Without those of resource servers, which roles give. */
const identity_scope = 'openid profile email offline_access'

export async function surveyOrganizations({ folder, core, freshDatabase }: Ground, options: Options, progress: Progress) {
  const sizes = sizesOf(options.organizations)
  const on = async (engine: 'embedded' | 'postgres', database_url: string | null) => {
    const say = (text: string) => progress(`organizations, ${engine}: ${text}`)
    const own = join(folder, `organizations-${engine}`)
    const env = { OSTIARY_LIMITS: JSON.stringify({ sign_ins_per_person: 1_000_000 }) }
    const checkout = { root, folder: own, database_url, core, env }
    const master_key = newMasterKey()
    let started = await startOstiary(checkout, master_key)
    const crowd = await createCrowd(await createPlace(await seedOstiary(root, started, 1), 'no roles', 'crowd'))
    const restart = { ...checkout, port: started.address.port }
    crowd.call.close()
    await started.process.stop()

    say('planting')
    const db = createDb(database_url === null ? openSqlite(join(own, 'ostiary.db')) : openPostgres(database_url))
    await plantCrowd(db, crowd, sizes)
    await indexUsers(db)
    await db.close()
    if (database_url !== null) await refreshStatistics(database_url)
    started = await startOstiary(restart, master_key)

    const first_call = await caller(crowd.seeded.address)
    const again = { ...crowd, call: first_call }
    const page_ms = await comparePages(again, sizes, say)
    first_call.close()
    const { within, close } = createPool(crowd.seeded.address)
    say('looking for the last pages')
    // At the limits its answer names 200,000 scopes: with it among the others, all would wait for it, and no page does so.
    const { [access_of_a_member]: access, ...asked } = await requestsOf(again, sizes, within)
    const beside = await measureBeside(again, asked, options, say)
    const access_ms = access ? median(await repeat(access, 5)) : Number.NaN
    close()
    say('a member who presses in a loop')
    const loop = await measureLoop(again, options)
    const exported = await exportAccount(again)
    say('ending')
    const call = await caller(crowd.seeded.address) // the server closes one that is idle for long
    const endings = await measureEndings({ ...again, call })
    call.close()
    const { resident_bytes } = await started.process.collect()
    await started.process.stop()
    return { sizes, page_ms, ...beside, access_ms, loop, exported, endings, resident_mib: resident_bytes / 1_048_576 }
  }
  return { embedded: await on('embedded', null), postgres: freshDatabase ? await on('postgres', await freshDatabase()) : null }
}

/** The page of the member who administers with a few roles, and with as many as there can be, each with the most permissions. */
async function comparePages(crowd: Crowd, sizes: Sizes, say: Progress) {
  const ask = memberPage(crowd)
  const measure = async () => {
    const [first = Number.NaN, ...later] = await repeat(ask, pages_alone)
    return { first, p50: median(later), most: Math.max(...later) }
  }
  say(`the page of a member who administers, with ${few_roles} large roles`)
  const few = await measure()
  say(`creating ${sizes.roles} roles`)
  await createLargeRoles(crowd, sizes.roles)
  say('the page with them')
  const many = await measure()
  return { few, many, rise: many.p50 - few.p50 }
}

async function repeat(ask: Asked, times: number): Promise<number[]> {
  const taken: number[] = []
  for (let n = 0; n < times; n++) taken.push(await ask())
  return taken
}

/** Asks for everything at a steady pace in every second half of a round, while people sign in all the time. */
async function measureBeside({ seeded }: Crowd, asked: Record<string, Asked>, { rounds, seconds }: Options, say: Progress) {
  const { within, close } = createPool(seeded.address)
  const sign_ins = await Promise.all(
    seeded.people.slice(first_who_signs_in).map((person) => signInRequests({ ...seeded, scope: identity_scope }, person)),
  )
  const signIn = (n: number) =>
    within(async (connection) => {
      const answer = await connection.send(sign_ins[n % sign_ins.length]?.() ?? '')
      if (answer.status !== 303) throw new Error(`Expected 303, got ${answer.status}.`)
    })
  const during = async (work: () => Promise<void>) => {
    const stop = atPace(sign_ins_a_second, signIn)
    await work()
    return stop()
  }
  const taken = new Map(Object.keys(asked).map((name) => [name, [] as number[]]))
  const kinds = Object.entries(asked)
  for (const [, ask] of kinds) await repeat(ask, 2) // warms up
  let failed: string | null = null
  const quiet: number[] = []
  const busy: number[] = []
  let calls = 0
  let order = inRandomOrder(kinds)
  for (let round = 0; round < rounds; round++) {
    say(`sign-ins alone, and beside requests, round ${round + 1} of ${rounds}`)
    const alone = await during(() => pause(longer * seconds))
    const with_others = await during(async () => {
      const stop = atPace(requests_a_second, async () => {
        const n = calls++ % kinds.length
        if (n === 0) order = inRandomOrder(kinds)
        const [name, ask] = order[n] ?? []
        if (name === undefined || ask === undefined) return
        const ms = await ask().catch((error) => {
          throw new Error(`${name}: ${error}`)
        })
        taken.get(name)?.push(ms)
      })
      await pause(longer * seconds)
      failed ??= (await stop()).why
    })
    failed ??= alone.why ?? with_others.why
    quiet.push(alone.p99_ms)
    busy.push(with_others.p99_ms)
  }
  close()
  if (failed !== null) throw new Error(failed)
  const figures = [...taken].map(([name, all]) => {
    const sorted = all.toSorted((a, b) => a - b)
    return [name, { times: all.length, p50_ms: percentile(sorted, 0.5), p99_ms: percentile(sorted, 0.99) }] as const
  })
  return {
    asked: Object.fromEntries(figures),
    sign_ins: {
      quiet_p99_ms: median(quiet),
      busy_p99_ms: median(busy),
      rise: median(busy.map((ms, n) => ms / (quiet[n] ?? Number.NaN))) - 1,
    },
  }
}

const pause = (seconds: number) => new Promise<void>((resolve) => void setTimeout(resolve, seconds * 1_000))

/** What another tenant notices of a member who asks for the page again and again. */
function measureLoop(crowd: Crowd, { seconds }: Options) {
  const ask = memberPage(crowd)
  const path = `${new URL(crowd.seeded.admin_issuer).pathname}/.well-known/openid-configuration`
  return measureNeighbour({ address: crowd.seeded.address, path, seconds: 2 * seconds }, async (over) => {
    while (!over.aborted) await ask()
  })
}

const disabled_times = 3

/** Edits and deletes roles of all members, and disables and deletes the organization. After each answer the token of a member gives what is left. */
async function measureEndings(crowd: Crowd) {
  const { call, path, platform, server_id, seeded, choosing, organization_id, shared_roles } = crowd
  const connection = await openConnection(seeded.address)
  const parameters = { ...choosing.jwt_access_token.parameters, organization: organization_id }
  const newToken = async () => (await codeFlow(choosing, connection, seeded.cookies[administrator] ?? '', parameters)).tokens.access_token
  // The token has every scope: it is from before the resource server required roles.
  const requireRoles = (require_roles: boolean) => call.change(`${path}/resource-servers/${server_id}`, platform, { require_roles })
  await requireRoles(false)
  const token = await newToken()
  await requireRoles(true)
  const roles = await measureRoleChanges(crowd, shared_roles, token)
  const organization = `/v1/auth/organizations/${organization_id}`
  const headers = { 'x-api-key': seeded.secret_key }
  const most_ms = { ...roles.most_ms, disabling: 0, 'deleting the organization': 0 }
  let { late } = roles
  // The scopes of the shared roles are gone, so the token asks for none of them.
  const identity = { ...choosing, scope: identity_scope }
  const tokenOfMember = async () =>
    (await codeFlow(identity, connection, seeded.cookies[administrator] ?? '', { organization: organization_id })).tokens.access_token
  const timed = async (what: keyof typeof most_ms, change: () => Promise<unknown>) => {
    const token = await tokenOfMember()
    if (!(await validation(seeded, connection, token)).active) throw new Error('The token of the member is not accepted.')
    const began = performance.now()
    await change()
    most_ms[what] = Math.max(most_ms[what], performance.now() - began)
    if ((await validation(seeded, connection, token)).active) late++
  }
  for (let n = 0; n < disabled_times; n++) {
    await timed('disabling', () => call.change(organization, headers, { disabled: true }))
    await call.change(organization, headers, { disabled: false })
  }
  await timed('deleting the organization', () => call.remove(organization, headers))
  const gone = await connection.send(request(seeded.address, 'GET', organization, { headers }))
  if (gone.status !== 404) late++
  connection.close()
  return { most_ms, next_ms: roles.next_ms, late }
}
