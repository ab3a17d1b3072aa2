/** The options of `npm run bench`. */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

const scenarios = [
  'refresh',
  'refresh-rs256',
  'refresh-es256',
  'refresh-without-openid',
  'code',
  'bound',
  'userinfo',
  'validate',
  'whoami',
  'jwks',
  'discovery',
  'sign-in',
] as const
const surveys = [
  'busy',
  'start',
  'memory',
  'environments',
  'silent',
  'strangers',
  'refused',
  'documents',
  'timing',
  'guessing',
  'foreign-hashes',
  'one-person',
  'promotion',
  'roles',
  'organizations',
  'users',
  'citus',
  'beside',
  'distant',
  'disk',
  'breakdown',
] as const
const parts = ['processor', 'memory', 'latency'] as const
export type ScenarioName = (typeof scenarios)[number]
export type SurveyName = (typeof surveys)[number]

export interface Options {
  readonly scenarios: readonly ScenarioName[]
  readonly surveys: readonly SurveyName[]
  readonly rounds: number
  /** How often all contestants are started, each time for all rounds. */
  readonly starts: number
  readonly seconds: number
  /** The longest warm-up of a contestant, in seconds. */
  readonly longest_warm_up: number
  readonly in_flight: readonly number[]
  readonly environments: number
  /** Requests in the survey "memory". */
  readonly soak: number
  /** The survey "strangers": connections of each kind, routes that are tried, and its parts. */
  readonly strangers: { readonly connections: number; readonly routes: number; readonly parts: readonly (typeof parts)[number][] }
  /** Requests of each kind in the survey "refused". */
  readonly refused: number
  /** Pairs of requests of each kind in the survey "timing". */
  readonly pairs: number
  /** Rounds of the surveys "guessing" and "foreign-hashes". */
  readonly guesses: number
  /** Grants in the survey "one-person". */
  readonly grants: number
  /** People with one role in the survey "roles". */
  readonly holders: number
  /** Organizations in the survey of that name; everything else there is in proportion. */
  readonly organizations: number
  /** Users in the survey of that name, with a tenth as many in another environment. */
  readonly users: number
  readonly postgres: boolean
  /** Another checkout of Ostiary, measured beside this one. */
  readonly against: string | null
  /** The folder for CPU profiles of all contestants. */
  readonly profile: string | null
  /** The file for the results as JSON. */
  readonly output: string | null
}

const usage = `npm run bench -- [options]

  --quick                 everything in a few minutes, less exactly: warm-ups take at most 2 s
  --only NAME,NAME        any of ${[...scenarios, ...surveys].join(', ')}
  --rounds N              how often each contestant is measured (5; quick: 3)
  --starts N              how often all contestants are started, each time for all rounds (1): two processes of one version differ
                          by up to 9 %
  --seconds N             how long each measurement takes (1.5; quick: 0.7)
  --in-flight N,N         requests at once (1,16,64; quick: 16)
  --environments N        for the survey of that name (10000; quick: 500)
  --soak N                requests of the survey "memory" (1000000; quick: 20000)
  --strangers N           connections of each kind in the survey of that name (1500; quick: 300)
  --routes N              routes in the survey "strangers", from the first on (all; quick: all)
  --parts NAME,NAME       parts of the survey "strangers": ${parts.join(', ')} (all)
  --refused N             calls of the survey of that name (100000; quick: 10000)
  --pairs N               pairs of each kind in the survey "timing" (500; quick: 100)
  --guesses N             rounds of the surveys "guessing" and "foreign-hashes" (8; quick: 3)
  --grants N              grants of the survey "one-person", with a fifth as many sessions (1000000; quick: 20000)
  --holders N             people with one role in the survey "roles" (10000; quick: 1000)
  --organizations N       organizations of the survey of that name, with a tenth as many members of one (100000; quick: 2000)
  --users N               users of the survey of that name, with a tenth as many in another environment (1000000; quick: 20000)
  --no-postgres           leave PostgreSQL out
  --against FOLDER        measure another checkout of Ostiary in the same run
  --profile FOLDER        write a CPU profile of each scenario and contestant there, which disturbs the figures
  --output FILE           write all results there as JSON
`

/** Returns the options, or the usage text to print instead. */
export function readOptions(args: readonly string[]): Options | { usage: string } {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        quick: flag,
        help: flag,
        'no-postgres': flag,
        only: text,
        rounds: text,
        starts: text,
        seconds: text,
        'in-flight': text,
        environments: text,
        soak: text,
        strangers: text,
        routes: text,
        parts: text,
        refused: text,
        pairs: text,
        guesses: text,
        grants: text,
        holders: text,
        organizations: text,
        users: text,
        against: text,
        profile: text,
        output: text,
      },
    })
    if (values.help) return { usage }
    const { quick } = values
    const wanted = values.only?.split(',') ?? [...scenarios, ...surveys]
    const unknown = wanted.filter((name) => ![...scenarios, ...surveys].some((known) => known === name))
    if (unknown.length > 0) throw new Error(`Unknown name: ${unknown.join(', ')}.`)
    return {
      scenarios: scenarios.filter((name) => wanted.includes(name)),
      surveys: surveys.filter((name) => wanted.includes(name)),
      rounds: numberOf(values.rounds, quick ? 3 : 5),
      starts: numberOf(values.starts, 1),
      seconds: numberOf(values.seconds, quick ? 0.7 : 1.5),
      longest_warm_up: quick ? 2 : Number.POSITIVE_INFINITY,
      in_flight: values['in-flight']?.split(',').map((number) => numberOf(number, 1)) ?? (quick ? [16] : [1, 16, 64]),
      environments: numberOf(values.environments, quick ? 500 : 10_000),
      soak: numberOf(values.soak, quick ? 20_000 : 1_000_000),
      strangers: {
        connections: numberOf(values.strangers, quick ? 300 : 1_500),
        routes: numberOf(values.routes, 1_000),
        parts: parts.filter((name) => values.parts?.split(',').includes(name) ?? true),
      },
      refused: numberOf(values.refused, quick ? 10_000 : 100_000),
      pairs: numberOf(values.pairs, quick ? 100 : 500),
      guesses: numberOf(values.guesses, quick ? 3 : 8),
      grants: numberOf(values.grants, quick ? 20_000 : 1_000_000),
      holders: numberOf(values.holders, quick ? 1_000 : 10_000),
      organizations: numberOf(values.organizations, quick ? 2_000 : 100_000),
      users: numberOf(values.users, quick ? 20_000 : 1_000_000),
      postgres: !values['no-postgres'],
      against: values.against === undefined ? null : resolve(values.against),
      profile: values.profile === undefined ? null : resolve(values.profile),
      output: values.output === undefined ? null : resolve(values.output),
    }
  } catch (error) {
    return { usage: `${error instanceof Error ? error.message : error}\n\n${usage}` }
  }
}

function numberOf(text: string | undefined, fallback: number): number {
  const number = Number(text ?? fallback)
  if (!(number > 0)) throw new Error(`"${text}" is not a number above 0.`)
  return number
}
