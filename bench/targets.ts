/** The performance targets and whether they are met. */
import type { Surveys } from './main.ts'
import { aligned, ratio, rounded } from './report.ts'
import type { Measurement } from './rounds.ts'
import { demandsOn } from './strangers.ts'

interface Target {
  readonly what: string
  readonly unit: string
  readonly at_least?: number
  readonly at_most?: number
  /** The measured value; `NaN` if this run did not measure it. */
  readonly is: number
  /** The ratio by processor time, which other processes disturb less. */
  readonly by_processor?: number
}

/** The lists and pages of the survey "organizations" that have a target of their own. */
const has_target = /^(choice|organizations|members|member page)/

/** Of the requests a second without roles. */
const least_with_roles = { refresh: 0.97, validate: 0.93, userinfo: 0.93 }

export function targetsOf(
  measurements: readonly Measurement[],
  {
    start,
    memory,
    environments,
    busy,
    silent,
    strangers,
    refused,
    documents,
    timing,
    guessing,
    foreign_hashes,
    one_person,
    promotion,
    roles,
    organizations,
    users,
    distant,
  }: Surveys,
  in_flight: number,
): Target[] {
  type Who = Parameters<typeof ratio>[1]
  const times = (what: string, a: Who, b: Who, at_least: number): Target => ({
    what,
    unit: 'x',
    at_least,
    is: ratio(measurements, a, b, { in_flight }),
    by_processor: ratio(measurements, a, b, { in_flight, by: 'processor' }),
  })
  const none = Number.NaN
  // biome-ignore format: this table is read by column
  return [
    times('refresh, of the peer in memory',            ['ostiary', 'refresh'],   ['peer', 'refresh'],             1.2),
    times('refresh, of the peer on PostgreSQL',        ['ostiary', 'refresh'],   ['peer, PostgreSQL', 'refresh'], 2),
    times('refresh, of the ceiling (0.6 is the goal)', ['ostiary', 'refresh'],   ['ceiling', 'refresh'],          0.45),
    times('refresh with an ES256 access token, of one with two RSA signatures', ['ostiary', 'refresh-es256'], ['ostiary', 'refresh-rs256'], 1.3),
    times('the same without openid',                    ['ostiary', 'refresh-without-openid'], ['ostiary', 'refresh-rs256'], 2),
    times('code flow, of the peer in memory',          ['ostiary', 'code'],      ['peer', 'code'],                1.5),
    times('code flow, of the peer on PostgreSQL',      ['ostiary', 'code'],      ['peer, PostgreSQL', 'code'],    2.5),
    times('code flow at the bound of grants, of one below it', ['ostiary', 'bound'], ['below the bound', 'bound'], 0.95),
    times('the same on PostgreSQL', ['ostiary, PostgreSQL', 'bound'], ['below the bound, PostgreSQL', 'bound'], 0.95),
    times('userinfo, of the peer\'s',                  ['ostiary', 'userinfo'],  ['peer', 'userinfo'],            3),
    times('tokens/validate, of the peer\'s userinfo',  ['ostiary', 'validate'],  ['peer', 'validate'],            3),
    times('whoami, of a trivial handler',              ['ostiary', 'whoami'],    ['trivial handler', 'whoami'],   0.5),
    times('discovery, of the peer\'s',                 ['ostiary', 'discovery'], ['peer', 'discovery'],           1.8),
    times('JWKS, of the peer\'s',                      ['ostiary', 'jwks'],      ['peer', 'jwks'],                1.8),
    times('password sign-in, of the argon2id rate',    ['ostiary', 'sign-in'],   ['ceiling', 'sign-in'],          0.8),
    times('refresh on PostgreSQL, of the peer there',   ['ostiary, PostgreSQL', 'refresh'], ['peer, PostgreSQL', 'refresh'], 1.5),
    times('code flow on PostgreSQL, of the peer there', ['ostiary, PostgreSQL', 'code'],    ['peer, PostgreSQL', 'code'],    1.5),
    { what: 'resident when idle',                      unit: 'MiB', at_most: 105, is: start?.contestants.find(({ name }) => name === 'ostiary')?.idle_mib ?? none },
    { what: 'resident after load',                     unit: 'MiB', at_most: 190, is: memory?.after_mib ?? none },
    { what: 'resident after load, of what it was half way', unit: 'x', at_most: 1.1, is: memory ? growth(memory.samples) : none },
    { what: 'heap per idle environment',               unit: 'B',   at_most: 5_000, is: environments?.heap_each_bytes ?? none },
    { what: 'making an environment, p50',              unit: 'ms',  at_most: 20,  is: environments?.make_p50_ms ?? none },
    { what: 'first request to a cold environment, p50', unit: 'ms', at_most: 10,  is: environments?.cold_p50_ms ?? none },
    { what: 'first request that needs a key pair, most', unit: 'ms', at_most: 500, is: environments?.first_key_most_ms ?? none },
    { what: 'JWKS p99 while 100 sign in',              unit: 'ms',  at_most: 250, is: busy?.jwks_p99_ms ?? none },
    { what: 'delivery beside 300 silent receivers of another tenant, most',             unit: 'ms', at_most: 2_000, is: silent?.embedded.arrival_most_ms ?? none },
    { what: 'delivery beside 300 silent receivers of another tenant, most, PostgreSQL', unit: 'ms', at_most: 2_000, is: silent?.postgres?.arrival_most_ms ?? none },
    { what: 'resident under refused calls, most, of the same load of others', unit: 'x', at_most: 1.1, is: refused ? refused.refused.most_mib / refused.accepted.most_mib : none },
    { what: 'p99 of another client under refused calls, of the same load of others', unit: 'x', at_most: 1.5, is: refused ? refused.refused.p99_ms / refused.accepted.p99_ms : none },
    { what: 'refused calls of another client that are found after them', unit: 'x', at_least: 1, is: refused ? refused.of_other_found / refused.of_other : none },
    ...Object.entries(documents ?? {}).flatMap(([engine, kinds]) => Object.entries(kinds ?? {}).flatMap(([kind, { calls, discovery_p99_ms }]) => [
      { what: `calls for 1,000 documents of strangers on ${kind}, ${engine}`, unit: '', at_most: 30, is: calls },
      { what: `discovery beside them, p99, ${engine}`, unit: 'ms', at_most: 250, is: discovery_p99_ms },
    ])),
    { what: 'round trips to a distant database: refresh',   unit: '', at_most: 2, is: distant?.refresh.trips ?? none },
    { what: 'round trips to a distant database: code flow', unit: '', at_most: 4, is: distant?.code.trips ?? none },
    { what: 'round trips to a distant database: UserInfo',  unit: '', at_most: 1, is: distant?.userinfo.trips ?? none },
    ...(strangers ? demandsOn(strangers) : []),
    ...Object.entries(one_person ?? {}).flatMap(([engine, measured]) => [
      { what: `one person with very many rows: slowest ending, p99 (${engine})`,                  unit: 'ms', at_most: 250,  is: measured.ways_most_ms },
      { what: `one person with very many rows: accepted after an ending (${engine})`,             unit: '',   at_most: 0,    is: measured.late },
      { what: `one person with very many rows: rise of p99 at a neighbour (${engine})`,           unit: 'ms', at_most: 10,   is: measured.neighbour_of_worker.rise_ms },
      { what: `memory after ten times as many authorization requests (${engine})`,                unit: 'x',  at_most: 1.05, is: measured.growth.memory },
      { what: `disk after ten times as many authorization requests, packed (${engine})`,          unit: 'x',  at_most: 1.05, is: measured.growth.disk },
    ]),
    ...Object.entries(promotion ?? {}).flatMap(([engine, measured]) => measured === null ? [] : [
      { what: `a plan of 200 objects beside traffic, ${engine}`,                unit: 'ms', at_most: 300,   is: measured.few.plan_ms },
      { what: `an apply of 200 objects beside traffic, ${engine}`,              unit: 'ms', at_most: 500,   is: measured.few.apply_ms },
      { what: `an apply of 1,000 objects beside traffic, most, ${engine}`,      unit: 'ms', at_most: 2_000, is: measured.most.apply_most_ms },
      { what: `sign-ins and refreshes that fail beside promotions, ${engine}`,  unit: '',   at_most: 0,     is: measured.beside.sign_ins.failed + measured.beside.refreshes.failed },
    ]),
    ...Object.entries(roles ?? {}).flatMap(([engine, measured]) => measured === null ? [] : [
      ...measured.ratios.map(({ column, scenario, ratio, by_processor }) => ({ what: `${scenario} with ${column}, of the same without, ${engine}`, unit: 'x', at_least: least_with_roles[scenario], is: ratio, by_processor })),
      ...Object.entries(measured.crowd.most_ms).map(([change, is]) => ({ what: `${change} a role of ${measured.crowd.holders} people, most, ${engine}`, unit: 'ms', at_most: 100, is })),
      { what: `calls after such a change that gave other rights, ${engine}`, unit: '', at_most: 0, is: measured.crowd.late },
    ]),
    ...Object.entries(organizations ?? {}).flatMap(([engine, measured]) => measured === null ? [] : [
      ...Object.entries(measured.asked).filter(([what]) => has_target.test(what)).map(([what, { p99_ms }]) => ({ what: `${what}, p99, ${engine}`, unit: 'ms', at_most: 100, is: p99_ms })),
      { what: `rise of the p99 of sign-ins beside them, ${engine}`, unit: 'x', at_most: 0.2, is: measured.sign_ins.rise },
      { what: `page of a member who administers, with ${measured.sizes.roles} roles instead of 3, ${engine}`, unit: 'ms', at_most: 5, is: measured.page_ms.rise },
      { what: `rise of p99 at a neighbour beside that page in a loop, ${engine}`, unit: 'ms', at_most: 10, is: measured.loop.rise_ms },
      ...Object.entries(measured.endings.most_ms).map(([change, is]) => ({ what: `${change}, with ${measured.sizes.members} members, most, ${engine}`, unit: 'ms', at_most: 100, is })),
      { what: `calls after such a change that gave other rights, in an organization, ${engine}`, unit: '', at_most: 0, is: measured.endings.late },
    ]),
    ...Object.entries(users ?? {}).flatMap(([engine, measured]) => measured === null ? [] : (['large', 'small'] as const).flatMap((size) => [
      { what: `searches of ${measured.sizes[size]} users, p99, ${engine}`, unit: 'ms', at_most: 100, is: measured[size].searches.p99_ms },
      { what: `rise of the p99 of sign-ins beside them, ${engine}`,        unit: 'x',  at_most: 0.2, is: measured[size].sign_ins.rise },
    ])),
    ...Object.entries(guessing ?? {}).flatMap(([engine, measured]) => measured === null ? [] : [
      { what: `sign-ins beside 200 wrong passwords of another source, p99 of the quiet one, ${engine}`, unit: 'x', at_most: 3, is: measured.on_all_cores.p99_ratio },
      { what: `the same on one core, ${engine}`, unit: 'x', at_most: 3, is: measured.on_one_core.p99_ratio },
      { what: `people of a rush of 64 who sign in, from 64 sources, ${engine}`,  unit: '', at_least: 64, is: measured.rush_of_many.signed_in },
      { what: `people of a rush of 64 who sign in, from one source, ${engine}`,  unit: '', at_least: 64, is: measured.rush_of_one.signed_in },
    ]),
    { what: 'refusal of a hash of another system, the longest', unit: 'ms', at_most: 50, is: foreign_hashes?.longest_judging_ms ?? none },
    ...Object.entries(foreign_hashes?.beside ?? {}).flatMap(([engine, measured]) => measured === null ? [] : [
      { what: `sign-ins beside foreign hashes at the bounds of their costs, p50 of the quiet one, ${engine}`, unit: 'x', at_most: 1.25, is: measured.p50_ratio },
    ]),
    ...Object.entries(timing ?? {}).flatMap(([engine, kinds]) =>
      Object.entries(typeof kinds === 'object' ? (kinds ?? {}) : {}).map(([kind, { auc }]) => ({ what: `AUC of known and unknown accounts: ${kind}, ${engine}`, unit: '', at_least: 0.45, at_most: 0.55, is: auc }))),
  ]
}

/** Resident memory at the end divided by that at half time: 1 means no growth. */
function growth(samples: readonly { resident_mib: number }[]): number {
  return (samples.at(-1)?.resident_mib ?? Number.NaN) / (samples[Math.floor(samples.length / 2)]?.resident_mib ?? Number.NaN)
}

export function targetTable(targets: readonly Target[]): string {
  const measured = targets.filter(({ is }) => !Number.isNaN(is))
  const rows = measured.map(({ what, unit, at_least, at_most, is, by_processor }) => [
    isMet({ at_least, at_most, is }) ? '✔' : '✖',
    what,
    `${rounded(is)} ${unit}`,
    by_processor === undefined ? '' : `${rounded(by_processor)} ${unit} by CPU`,
    at_least === undefined ? `at most ${at_most} ${unit}` : `at least ${at_least} ${unit}`,
  ])
  return aligned(rows)
}

function isMet({
  at_least = Number.NEGATIVE_INFINITY,
  at_most = Number.POSITIVE_INFINITY,
  is,
}: {
  at_least?: number | undefined
  at_most?: number | undefined
  is: number
}): boolean {
  return is >= at_least && is <= at_most
}
