/**
 * Carries a plan out: plans, shows the plan, asks, stores it and applies it. Where the environment changes in between, it plans again, and
 * goes on only with the changes that it showed. Decision 0135.
 */
import type { Promotion } from '@ostiary/contract/promotion.ts'
import { OstiaryError } from '@ostiary/sdk'
import { z } from 'zod'
import { UsageError } from '../../usage.ts'
import { confirm } from '../confirm.ts'
import type { Connection } from '../connection.ts'
import { rowOf } from '../derive.ts'
import { endingOfChanges } from '../endings.ts'
import type { Io } from '../io.ts'
import { readLines } from '../loopback.ts'
import { rowFor } from '../run-command.ts'
import { inScope, type Scope } from '../scope.ts'
import { jsonLine, visible } from '../show.ts'
import { environmentOf } from './document.ts'
import { most_bytes, tooManyBytes } from './file.ts'
import { placeText } from './places.ts'
import { objectWords, planText } from './plan-words.ts'
import { checkText, type Locate, mistakesOf, type NamedFile } from './problems.ts'
import { type FoundSecrets, findSecrets, pathOf } from './secrets.ts'

export interface Job {
  readonly io: Io
  readonly connection: Connection
  /** The project, and the environment that changes. */
  readonly scope: Scope
  /** The slug of the environment that changes. */
  readonly target: string
  /** The request, without `dry_run`. */
  readonly body: Readonly<Record<string, unknown>>
  readonly document: NamedFile | null
  readonly locate: Locate
  /** The options of the command line that name the scope and the sign-in of the promotion. */
  readonly scope_options: readonly string[]
  readonly is_json: boolean
}

export interface Consent {
  readonly yes: boolean
  /** The environment, which a plan that deletes in Live wants beside `yes`. */
  readonly word: string | null
  readonly overwrite: boolean
  /** The exit code without an answer: nobody is there to ask. */
  readonly unanswered: number
  /** The words before the errors of a plan are shown, such as the values to fill in. */
  readonly advise: (plan: Promotion) => string
}

export const differs = 3

/** Every answer of a promotion has these members. Others are as the contract says. */
const Answered = z.looseObject({ id: z.string().nullable(), changes: z.array(z.unknown()), checks: z.array(z.unknown()) })

type Step = 'createPromotion' | 'applyPromotion'

async function call(job: Job, step: Step, { body, id }: { body: unknown; id?: string }): Promise<Promotion & { secrets?: Made[] | null }> {
  const { connection, scope } = job
  const row = rowFor({ noun: 'promotions', verb: step, rows: [rowOf(step)] }, connection.kind)
  const { params, ...headers } = inScope(row, scope)
  const request = { ...headers, params: { ...params, ...(id === undefined ? {} : { promotion_id: id }) }, body }
  const { data } = await connection.call(row, request)
  Answered.parse(data)
  return data as Promotion // as: the service answers by the contract
}

interface Made {
  object: Promotion['changes'][number]['object']
  slug: string
  id: string
  client_secret?: string
  secret?: string
}

/** Plans, and stores the plan unless it is for showing. @throws UsageError for mistakes in a file, at their places */
export async function plan(job: Job, { is_stored }: { is_stored: boolean }): Promise<Promotion> {
  const body = is_stored ? job.body : { ...job.body, dry_run: true }
  const { document } = job
  const bytes = Buffer.byteLength(JSON.stringify(body))
  if (bytes > most_bytes)
    throw new UsageError(tooManyBytes(bytes, document ? `With its aliases, ${visible(document.path)} as JSON` : 'The request'))
  try {
    return await call(job, 'createPromotion', { body })
  } catch (error) {
    throw (error instanceof OstiaryError ? mistakesOf(error, job.locate) : null) ?? error
  }
}

export const isBlocked = ({ checks }: Promotion) => checks.some(({ level }) => level === 'error')

/** Shows a plan: its changes on standard output, what was found on standard error. */
export function show({ io, target, document, is_json }: Job, shown: Promotion): void {
  if (!is_json) io.out(planText(shown, target))
  for (const check of shown.checks) io.err(checkText(check, document))
}

/** Says first that a file of another environment is only a source here. The service knows that environment: it has planned from the file. */
export function announceSource({ io, target, document }: Job): void {
  const source = document === null ? null : environmentOf(document.file.value)
  if (document === null || source === null || source === target) return
  io.err(
    `${visible(document.path)} is a file of ${visible(source)}, and only a source for ${visible(target)}: what each environment has for itself, such as addresses, client ids and switches, stays in ${visible(target)} as it is.\n`,
  )
}

export async function carryOut(job: Job, consent: Consent): Promise<number> {
  const { io, is_json } = job
  const wanted = await plan(job, { is_stored: false })
  announceSource(job)
  const end = (code: number, record: Promotion = wanted) => {
    if (is_json) io.out(jsonLine(record))
    return code
  }
  show(job, wanted)
  io.err(consent.advise(wanted))
  if (isBlocked(wanted)) return end(1)
  const secrets = findSecrets(io, wanted.needed_secrets, job.document?.file ?? null)
  // Without `--yes` and a terminal the plan is only shown, which needs no secrets.
  if (consent.yes || io.is_interactive) refuseMissing(job, secrets)
  if (wanted.changes.length === 0) {
    if (Object.keys(secrets.values).length === 0) return end(0)
    // The service compares secrets when it applies a plan, so a plan without a change can still bring one.
    const compared = wanted.approval.required ? 'not compared where an approval is needed' : consent.yes ? null : 'compared with --yes only'
    if (compared !== null) {
      io.err(`Nothing was changed. Secrets are ${compared}.\n`)
      return end(0)
    }
  }
  if (!consent.overwrite && wanted.checks.some(({ code }) => code === 'edited_there')) {
    io.err('Nothing was changed. --overwrite replaces what was edited there.\n')
    return end(differs)
  }
  const ending = endingOfChanges(wanted.changes, { slug: job.target, type: job.scope.environment_type })
  // Where a plan deletes in Live, its word is the answer.
  if (ending !== null && (consent.yes || io.is_interactive)) {
    if (is_json && !consent.yes) io.err(planText(wanted, job.target))
    await confirm(io, ending, { word: consent.word, yes: consent.yes })
    return apply(job, wanted, secrets)
  }
  const answer = consent.yes ? 'yes' : await ask(job, wanted)
  if (answer !== 'yes') {
    io.err(answer === null ? 'Nothing was changed. --yes makes the changes without a question.\n' : 'Nothing was changed.\n')
    return end(answer === null ? consent.unanswered : differs)
  }
  return apply(job, wanted, secrets)
}

/** Each plan after the first follows a change that others made in between. */
const most_plans = 5

async function apply(job: Job, wanted: Promotion, { values, staying }: FoundSecrets): Promise<number> {
  const { io, target, is_json } = job
  for (const { name, ...place } of staying) io.err(`${placeOf(job, place)}${visible(name)} is not set, so the stored secret stays.\n`)
  for (let plans = 0; plans < most_plans; plans++) {
    // After a plan that went stale the next one is looked at before it is stored, so that none without a change is kept.
    const looked_at = plans === 0 ? null : await plan(job, { is_stored: false })
    const is_done = looked_at !== null && isReached(looked_at, wanted)
    const stored = is_done ? looked_at : await plan(job, { is_stored: true })
    if (is_done || isReached(stored, wanted)) {
      io.err(`${visible(target)} was changed by another run, and has what was planned: nothing to change.\n`)
      if (is_json) io.out(jsonLine(stored))
      return 0
    }
    if (JSON.stringify(stored.changes) !== JSON.stringify(wanted.changes) || isBlocked(stored)) {
      io.err('The environment has changed in between, and the plan with it. Nothing was changed. The plan now:\n')
      show(job, stored)
      if (is_json) io.out(jsonLine(stored))
      return differs
    }
    if (stored.approval.required) return awaitApproval(job, stored)
    try {
      const { names } = needed(stored)
      const secrets = Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)))
      return printApplied(job, await call(job, 'applyPromotion', { id: stored.id ?? '', body: { secrets } }))
    } catch (error) {
      if (!(error instanceof OstiaryError)) throw error
      if (error.code === 'approval_required') return awaitApproval(job, stored)
      if (error.code !== 'promotion_stale') throw error
    }
  }
  io.err(`The environment changed ${most_plans} times in between. Nothing was changed. Run the command again.\n`)
  return differs
}

/** Another run was faster: there were changes to make, and none is left. */
const isReached = (now: Promotion, wanted: Promotion) => wanted.changes.length > 0 && now.changes.length === 0 && !isBlocked(now)

const needed = ({ needed_secrets }: Promotion) => ({ names: new Set(needed_secrets.map(({ name }) => name)) })

function awaitApproval({ io, connection, scope_options, is_json }: Job, stored: Promotion): number {
  const command = ['ostiary', 'promotions', 'apply', stored.id, ...scope_options].join(' ')
  const page = `${connection.base_url}/dashboard/go/${stored.id}`
  io.err(`The plan needs the approval of another owner or admin: ${visible(page)}\nThen run: ${visible(command)}\n`)
  if (is_json) io.out(jsonLine(stored))
  return differs
}

function printApplied({ io, target, is_json }: Job, applied: Promotion & { secrets?: Made[] | null }): number {
  if (is_json) io.out(jsonLine(applied))
  else {
    // A plan without a change was applied for its secrets alone, and the answer does not say whether one of them was another.
    const what = applied.changes.length === 0 ? `${visible(target)} has the secrets that were given` : `${visible(target)} is changed`
    io.err(`${what}: ${visible(applied.id ?? '')}\n`)
    for (const { object, slug, client_secret, secret } of applied.secrets ?? [])
      io.out(
        `${objectWords(object, slug)}  ${client_secret === undefined ? 'secret' : 'client_secret'}  ${visible(client_secret ?? secret ?? '')}\n`,
      )
    if ((applied.secrets ?? []).length > 0) io.err('These secrets are shown once. Keep them now.\n')
  }
  const made = applied.checks.filter(({ code }) => code === 'secret_made')
  if (applied.secrets !== null || made.length === 0) return 0
  io.err(
    `The secrets are lost: the service did its work, but its answer did not arrive. Make others for: ${made.map(({ object, slug }) => objectWords(object, slug)).join(', ')}\n`,
  )
  return 1
}

function refuseMissing(job: Job, { missing }: FoundSecrets): void {
  if (missing.length === 0) return
  const lines = missing.map(
    ({ name, ...place }) => `${placeOf(job, place)}The variable ${visible(name)} is not set, and no such secret is stored.\n`,
  )
  throw new UsageError(lines.join('').trimEnd())
}

function placeOf(
  { document }: Job,
  { object, slug, pointer }: Pick<Promotion['needed_secrets'][number], 'object' | 'slug' | 'pointer'>,
): string {
  if (document === null) return `${objectWords(object, slug)}: `
  return `${placeText(document.path, document.file.text, document.file.placeOf(pathOf(object, slug, pointer)))}: `
}

/** `null` where nobody can answer. With `--json` the plan in words is part of the question. */
async function ask({ io, target, is_json }: Job, wanted: Promotion): Promise<'yes' | 'no' | null> {
  if (!io.is_interactive) return null
  io.err(`${is_json ? planText(wanted, target) : ''}Change ${visible(target)}? [y/N] `)
  return (await readLines(io.input, io.signal, (line) => (/^(y|yes)$/i.test(line) ? 'yes' : 'no'))) ?? 'no'
}
