/**
 * `npm run bench` compares Ostiary with its peer, `oidc-provider`, in the same run on the same core. `npm run bench -- --help` lists
 * the options. docs/decisions/0014-performance.md explains the figures.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noPostgres, startPostgres } from '../server/test/support/postgres.ts'
import { surveyBeside } from './beside.ts'
import { breakdownTable, surveyBreakdown } from './breakdown.ts'
import { surveyCitus } from './citus.ts'
import { type Ground, startContestants } from './contestants.ts'
import { surveyDisk } from './disk.ts'
import { surveyDistant } from './distant.ts'
import { surveyDocuments } from './documents.ts'
import { surveyEnvironments } from './environments.ts'
import { surveyForeignHashes } from './foreign-hashes.ts'
import { surveyGuessing } from './guessing.ts'
import { chooseCores, describeMachine, moveTo } from './machine.ts'
import { surveyOnePerson } from './one-person.ts'
import { type Options, readOptions, type SurveyName } from './options.ts'
import { surveyOrganizations } from './organizations.ts'
import { surveyPromotion } from './promotion.ts'
import { surveyRefused } from './refused.ts'
import { tableOf } from './report.ts'
import { surveyRoles } from './roles.ts'
import { type Measurement, runRounds } from './rounds.ts'
import { surveySilent } from './silent.ts'
import { surveyStrangers } from './strangers.ts'
import { surveyBusy, surveyMemory, surveyStart } from './surveys.ts'
import { targetsOf, targetTable } from './targets.ts'
import { surveyTiming } from './timing.ts'
import { surveyUsers } from './users.ts'

export interface Surveys {
  start?: Awaited<ReturnType<typeof surveyStart>>
  memory?: Awaited<ReturnType<typeof surveyMemory>>
  environments?: Awaited<ReturnType<typeof surveyEnvironments>>
  silent?: Awaited<ReturnType<typeof surveySilent>>
  strangers?: Awaited<ReturnType<typeof surveyStrangers>>
  refused?: Awaited<ReturnType<typeof surveyRefused>>
  documents?: Awaited<ReturnType<typeof surveyDocuments>>
  timing?: Awaited<ReturnType<typeof surveyTiming>>
  guessing?: Awaited<ReturnType<typeof surveyGuessing>>
  foreign_hashes?: Awaited<ReturnType<typeof surveyForeignHashes>>
  one_person?: Awaited<ReturnType<typeof surveyOnePerson>>
  promotion?: Awaited<ReturnType<typeof surveyPromotion>>
  roles?: Awaited<ReturnType<typeof surveyRoles>>
  organizations?: Awaited<ReturnType<typeof surveyOrganizations>>
  users?: Awaited<ReturnType<typeof surveyUsers>>
  citus?: Awaited<ReturnType<typeof surveyCitus>>
  beside?: Awaited<ReturnType<typeof surveyBeside>>
  distant?: Awaited<ReturnType<typeof surveyDistant>>
  disk?: Awaited<ReturnType<typeof surveyDisk>>
  breakdown?: Awaited<ReturnType<typeof surveyBreakdown>>
  busy?: Awaited<ReturnType<typeof surveyBusy>>
}

const options = readOptions(process.argv.slice(2))
if ('usage' in options) {
  console.log(options.usage)
  process.exitCode = process.argv.includes('--help') ? 0 : 2
} else await run(options)

async function run(options: Options): Promise<void> {
  const placed = chooseCores()
  const machine = describeMachine(placed)
  for (const [name, value] of Object.entries(machine)) console.log(`${name.padEnd(10)} ${value}`)
  if ('cores' in placed) moveTo(placed.cores.loader)
  const has_postgres = options.postgres && noPostgres === false
  if (options.postgres && noPostgres !== false) console.log(`no PostgreSQL: ${noPostgres}`)
  if (options.profile) mkdirSync(options.profile, { recursive: true })

  const folder = mkdtempSync(join(tmpdir(), 'ostiary-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const postgres = has_postgres ? await startPostgres({ is_durable: true }) : null
  const ground = {
    folder,
    core: 'cores' in placed ? placed.cores.server : null,
    freshDatabase: postgres?.freshDatabase ?? null,
  }
  const { measurements, busy } = await compare(options, ground)
  const surveys: Surveys = { ...(await survey(options, ground)), ...(busy ? { busy } : {}) }
  await postgres?.stop()

  const headline = options.in_flight.includes(16) ? 16 : (options.in_flight.at(-1) ?? 16)
  const targets = targetsOf(measurements, surveys, headline)
  console.log(`\n${tableOf(measurements)}\n`)
  console.log(`${JSON.stringify(surveys, null, 1)}\n`)
  if (surveys.breakdown) console.log(`${breakdownTable(surveys.breakdown)}\n`)
  console.log(`At ${headline} in flight:\n${targetTable(targets)}`)
  if (options.output) writeFileSync(options.output, JSON.stringify({ machine, options, measurements, surveys, targets }, null, 1))
}

function progress(text: string): void {
  process.stderr.write(`… ${text}\n`)
}

async function compare(options: Options, ground: Ground) {
  const wants_busy = options.surveys.includes('busy')
  if (options.scenarios.length === 0 && !wants_busy) return { measurements: [] }
  const measurements: Measurement[] = []
  let busy: Surveys['busy']
  for (let start = 0; start < options.starts; start++) {
    progress(`starting the contestants, ${start + 1} of ${options.starts}`)
    const own = { ...ground, folder: join(ground.folder, `start-${start}`) }
    mkdirSync(own.folder)
    const { all, ostiary } = await startContestants(options, own)
    measurements.push(...(await runRounds(options, all, { core: ground.core, first_round: start * options.rounds, progress })))
    if (wants_busy && start === 0) busy = await surveyBusy(ostiary)
    for (const { process: running } of all) await running.stop()
  }
  return { measurements, busy }
}

async function survey(options: Options, ground: Ground): Promise<Surveys> {
  const wants = (name: SurveyName) => options.surveys.includes(name)
  if (wants('start')) progress('starting repeatedly')
  return {
    ...(wants('start') ? { start: await surveyStart(ground, options) } : {}),
    ...(wants('environments') ? { environments: await surveyEnvironments(ground, options.environments, progress) } : {}),
    ...(wants('silent') ? { silent: await surveySilent(ground, progress) } : {}),
    ...(wants('strangers') ? { strangers: await surveyStrangers(ground, options, progress) } : {}),
    ...(wants('refused') ? { refused: await surveyRefused(ground, options.refused, progress) } : {}),
    ...(wants('documents') ? { documents: await surveyDocuments(ground, progress) } : {}),
    ...(wants('timing') ? { timing: await surveyTiming(ground, options.pairs, progress) } : {}),
    ...(wants('guessing') ? { guessing: await surveyGuessing(ground, options.guesses, progress) } : {}),
    ...(wants('foreign-hashes') ? { foreign_hashes: await surveyForeignHashes(ground, options.guesses, progress) } : {}),
    ...(wants('one-person') ? { one_person: await surveyOnePerson(ground, options.grants, progress) } : {}),
    ...(wants('promotion') ? { promotion: await surveyPromotion(ground, options.rounds, progress) } : {}),
    ...(wants('roles') ? { roles: await surveyRoles(ground, options, progress) } : {}),
    ...(wants('organizations') ? { organizations: await surveyOrganizations(ground, options, progress) } : {}),
    ...(wants('users') ? { users: await surveyUsers(ground, options, progress) } : {}),
    ...(wants('beside') ? { beside: await surveyBeside(ground, options, progress) } : {}),
    ...(wants('distant') ? { distant: await surveyDistant(ground, options, progress) } : {}),
    ...(wants('citus') ? { citus: await surveyCitus(ground, options, progress) } : {}),
    ...(wants('disk') ? { disk: await surveyDisk(ground, options, progress) } : {}),
    ...(wants('breakdown') ? { breakdown: await surveyBreakdown(ground, 8 * options.seconds, progress) } : {}),
    ...(wants('memory') ? { memory: await surveyMemory(ground, options.soak, progress) } : {}),
  }
}
