/**
 * Why a person did not get in, or how: what is stored of the last seven days about an address or a user, with the field that decided each step.
 * Nothing is written for it but a digest of the typed address in the record of a refused call (decision 0206).
 */

import { isInDomains } from '@ostiary/contract/domain-pattern.ts'
import type { Event } from '@ostiary/contract/event.ts'
import { idPattern } from '@ostiary/contract/ids.ts'
import { most_steps, type Obstacle, type SignInTrace, type TraceStep, traced_days } from '@ostiary/contract/sign-in-trace.ts'
import { VisibleAscii } from '@ostiary/contract/values.ts'
import { day_ms } from '../../base/durations.ts'
import { accountAddress } from '../../base/email.ts'
import { sql } from '../../db/db.ts'
import { callsAbout, type TracedCall } from '../../deployment/refused-calls/store.ts'
import { waysIn } from '../../domain/accounts/methods.ts'
import { findApplication } from '../../domain/applications/store.ts'
import { listEvents } from '../../domain/events/store.ts'
import { findProvider } from '../../domain/providers/store.ts'
import { effectiveSettings } from '../../domain/tenancy/settings.ts'
import { findSettings } from '../../domain/tenancy/store.ts'
import { type Concerned, decisionOfCode, decisionOfSuccess, obstacleOf } from '../../domain/usage/decided-by.ts'
import { accountOf, findLocks, type Lock } from '../../domain/users/attempts.ts'
import { listAsked } from '../../domain/users/mailed-codes.ts'
import { personKeyOf } from '../../domain/users/person-key.ts'
import { findCredential, findUser, type UserRow } from '../../domain/users/store.ts'
import { findBySub } from '../../domain/users/sub.ts'
import { found } from '../../http/problem.ts'
import { admitsDomain, letsSignUp } from '../../protocol/sign-up.ts'
import { environmentOf, type PlatformCall } from '../environment.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const traceSignIns: Handler<'traceSignIns'> = async (services, call): Promise<SignInTrace> => {
  const { db, now, refused_calls } = services
  const place = await readPlace(services, call)
  const { environment_id, settings } = place
  const to = now()
  const since = new Date(to.getTime() - traced_days * day_ms)
  const span = { from: since.toISOString(), to: to.toISOString(), settings_changed_at: place.settings_changed_at }
  const asked = call.query.person ?? ''
  const address = accountAddress(asked)
  const user = await readUser(services, environment_id, { asked, address })
  const email = user === null ? address : user.email
  if (user === null && email === null) return { user: null, ...span, obstacles: [], steps: [], has_more: false }

  await refused_calls.write()
  const [events, calls, codes, locks] = await Promise.all([
    user === null
      ? []
      : listEvents(db, environment_id, { user_id: user.id, from: span.from }, sql`order by sequence desc limit ${most_steps + 1}`),
    callsAbout(
      db,
      environment_id,
      { user_id: user?.id ?? null, person: email === null ? null : personKeyOf(services, environment_id, email) },
      { since, limit: most_steps + 1 },
    ),
    email === null ? [] : listAsked(db, environment_id, accountOf(email), to),
    email === null
      ? []
      : findLocks(db, { environment_id, account: accountOf(email), user_id: user?.id ?? null, now: to }, settings.lockout),
  ])
  const about = await readConcerned(services, place, { events, calls, user })
  const reported = new Set(events.map(({ id }) => id as string)) // as: an id is a text
  const by_event = new Map(calls.flatMap((one) => (one.event_id === null ? [] : [[one.event_id, one] as const])))
  const steps = [
    ...events.map((event) => stepOfEvent(event, by_event.get(event.id), about)),
    ...calls.filter(({ event_id }) => event_id === null || !reported.has(event_id)).map((one) => stepOfCall(one, about)),
    ...codes.map(({ kind, created_at, is_mailed }) => ({
      ...no_step,
      at: created_at.toISOString(),
      what: 'code_asked' as const,
      method: kind,
      code: is_mailed ? 'mailed' : 'not_mailed',
    })),
  ].sort((a, b) => (a.at > b.at ? -1 : a.at < b.at ? 1 : 0))
  return {
    user: user && shown(user),
    ...span,
    obstacles: await obstaclesOf(services, place, { user, email, locks, concerned: about(null, null) }),
    steps: steps.slice(0, most_steps),
    has_more: steps.length > most_steps,
  }
}

type Place = Awaited<ReturnType<typeof readPlace>>

async function readPlace(services: Services, call: PlatformCall) {
  const { tenant_id, project_id, id: environment_id } = await environmentOf(services, call)
  const { type, settings, updated_at } = await found(findSettings(services.db, tenant_id, project_id, environment_id))
  return { environment_id, settings: effectiveSettings(type, settings), settings_changed_at: updated_at }
}

/** The user of an id or an address; `null` without an account here. */
async function readUser(
  { db }: Services,
  environment_id: Place['environment_id'],
  { asked, address }: { asked: string; address: string | null },
): Promise<UserRow | null> {
  const id = idPattern('usr').test(asked) ? asked : address === null ? null : (await findCredential(db, environment_id, address))?.id
  const user = id ? await findUser(db, environment_id, id) : null
  if (user !== null || address !== null || !VisibleAscii.safeParse(asked).success) return user
  const owner = await findBySub(db, environment_id, asked)
  return owner && findUser(db, environment_id, owner)
}

const shown = ({ id, email, blocked_at, approval, deletes_at, last_sign_in_at }: UserRow): SignInTrace['user'] => ({
  id,
  email,
  blocked_at,
  approval: approval?.state ?? null,
  deletes_at,
  last_sign_in_at,
})

/** Applications and providers of one answer whose fields are read. A person signs in to a few. */
const most_read = 20

/** Reads what the steps are about once, and returns what one step is about. */
async function readConcerned(
  { db }: Services,
  { environment_id, settings }: Place,
  { events, calls, user }: { events: readonly Event[]; calls: readonly TracedCall[]; user: UserRow | null },
): Promise<(application_id: string | null, provider_id: string | null) => Concerned> {
  const distinct = (ids: readonly (string | null)[]) => [...new Set(ids.filter((id) => id !== null))].slice(0, most_read)
  const application_ids = distinct([...events.map(({ application_id }) => application_id), ...calls.map(({ client_id }) => client_id)])
  const provider_ids = distinct([...events.map(({ data }) => textOf(data.provider_id)), ...calls.map(({ provider_id }) => provider_id)])
  const [applications, providers] = await Promise.all([
    Promise.all(application_ids.map((id) => findApplication(db, environment_id, id))),
    Promise.all(provider_ids.map((id) => findProvider(db, environment_id, id))),
  ])
  const byId = <T extends { id: string }>(all: readonly (T | null)[], id: string | null): T | null =>
    all.find((one) => one?.id === id) ?? null
  return (application_id, provider_id) => ({
    settings,
    user,
    application: byId(applications, application_id),
    provider: byId(providers, provider_id),
  })
}

type ConcernedBy = Awaited<ReturnType<typeof readConcerned>>

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const no_step = {
  second_factor: null,
  provider_id: null,
  application_id: null,
  reason: null,
  decided_by: null,
  event_id: null,
  request_id: null,
  ip: null,
  user_agent: null,
} satisfies Partial<TraceStep>

/** A refused call that reports the same says more. */
function stepOfEvent(event: Event, refused: TracedCall | undefined, about: ConcernedBy): TraceStep {
  const { id, type, timestamp, application_id, request_id, data } = event
  const provider_id = textOf(data.provider_id) ?? refused?.provider_id ?? null
  const code = textOf(data.reason)
  const concerned = about(application_id, provider_id)
  const decided_by =
    type === 'sign_in.succeeded'
      ? decisionOfSuccess(data, concerned)
      : type === 'sign_in.failed' && code !== null
        ? decisionOfCode(code, concerned)
        : null
  return {
    at: timestamp,
    what: type,
    method: textOf(data.method),
    second_factor: textOf(data.second_factor),
    provider_id,
    application_id,
    code,
    reason: refused?.reason ?? null,
    decided_by,
    event_id: id,
    request_id,
    ip: textOf(data.ip) ?? refused?.ip ?? null,
    user_agent: refused?.user_agent ?? null,
  }
}

function stepOfCall({ id, at, code, reason, client_id, provider_id, event_id, ip, user_agent }: TracedCall, about: ConcernedBy): TraceStep {
  return {
    ...no_step,
    at,
    what: 'refused_call',
    method: null,
    provider_id,
    application_id: client_id,
    code,
    reason,
    decided_by: decisionOfCode(code, about(client_id, provider_id)),
    event_id,
    request_id: id,
    ip,
    user_agent,
  }
}

interface Standing {
  user: UserRow | null
  email: string | null
  locks: readonly Lock[]
  concerned: Concerned
}

const lock_codes: Record<Lock['of'], Obstacle['what']> = {
  everywhere: 'locked_everywhere',
  known_browsers: 'locked_in_known_browsers',
  one_place: 'locked_from_one_place',
  second_factor: 'locked_second_factor',
}

async function obstaclesOf({ db }: Services, { environment_id, settings }: Place, standing: Standing): Promise<Obstacle[]> {
  const { user, locks, concerned } = standing
  const of_account = user === null ? withoutAccount(settings, standing) : ofUser(user, concerned)
  const words = { password: 'password', email_code: 'email_code', passkey: 'passkey' }
  const has_way = user === null || (await waysIn(db, { environment_id, id: user.id }, settings.sign_in, words)).length > 0
  return [
    ...of_account,
    ...(has_way ? [] : [obstacleOf('no_way_in', concerned)]),
    ...locks.map(({ of, until }) => obstacleOf(lock_codes[of], concerned, { until })),
  ]
}

function ofUser({ blocked_at, deletes_at, approval }: UserRow, concerned: Concerned): Obstacle[] {
  return [
    ...(blocked_at === null ? [] : [obstacleOf('blocked', concerned)]),
    ...(deletes_at === null ? [] : [obstacleOf('deleted', concerned)]),
    ...(approval?.state === 'waiting' ? [obstacleOf('waits_for_approval', concerned)] : []),
    ...(approval?.state === 'refused' ? [obstacleOf('refused', concerned)] : []),
  ]
}

/** An address without an account can sign up, or not. */
function withoutAccount({ sign_up }: Place['settings'], { email, concerned }: Standing): Obstacle[] {
  if (email === null) return []
  const is_blocked = isInDomains(email, sign_up.blocked_domains)
  return [
    obstacleOf('no_account', concerned),
    ...(letsSignUp({ sign_up }) ? [] : [obstacleOf('sign_up_closed', concerned)]),
    ...(admitsDomain(sign_up, email) ? [] : [obstacleOf('sign_up_domain', concerned, { is_blocked })]),
  ]
}
