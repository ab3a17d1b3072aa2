/** The forms of the account page that export the data of the person, and delete the account. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Event } from '@ostiary/contract/event.ts'
import type { Grant, SignInMethod } from '@ostiary/contract/method.ts'
import type { UserOrganization } from '@ostiary/contract/organization.ts'
import type { Session } from '@ostiary/contract/session.ts'
import { restartLimit } from '../../../base/database-time.ts'
import { emailKey } from '../../../base/email.ts'
import { sendsMail } from '../../../base/mail-settings.ts'
import { longest_email } from '../../../base/normalisation.ts'
import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import { type Statement, sql } from '../../../db/db.ts'
import { closeUser, deletionEvent, eraseUser } from '../../../domain/accounts/erase.ts'
import { listMethods } from '../../../domain/accounts/methods.ts'
import { describeChange } from '../../../domain/audit/entry.ts'
import { insertAuditEntry } from '../../../domain/audit/store.ts'
import { byUser } from '../../../domain/events/origin.ts'
import { insertEvent, listEvents } from '../../../domain/events/store.ts'
import { endInvitationsOf } from '../../../domain/members/invitations.ts'
import { deleteMemberships, findMember, findMemberships, findSoleOwnerships, type MemberRow } from '../../../domain/members/store.ts'
import { listOrganizationsOf } from '../../../domain/organizations/members.ts'
import { type Consent, listConsents } from '../../../domain/sessions/consents.ts'
import { listGrants } from '../../../domain/sessions/grants.ts'
import { listSessionRecords } from '../../../domain/sessions/session-records.ts'
import { holdTenant } from '../../../domain/tenancy/store.ts'
import { endCodesOf } from '../../../domain/users/mailed-codes.ts'
import { findRolesShown } from '../../../domain/users/permissions.ts'
import { holdUser } from '../../../domain/users/store.ts'
import { listTrusted } from '../../../domain/users/trusted-browsers.ts'
import { deletedPage } from '../../../pages/account-forms.ts'
import { wordIn } from '../../../protocol/consent.ts'
import { sessionCookie } from '../../browser.ts'
import { json, type OidcCall, type OidcEndpoint, type OidcServices, refused, typedOf } from '../../call.ts'
import { withCookies } from '../../cookies.ts'
import { deviceOf } from '../../device.ts'
import { html, pageContext } from '../../hosted-page.ts'
import { trustRule } from '../../trusted-browser.ts'
import { holdFreshSession } from '../shared/fresh-sign-in.ts'
import { commitWithNotice } from '../shared/notice.ts'
import { beginCountedChange, changedMeanwhile, type OwnAccount, ownOrigin, tooManyChanges } from './gate.ts'
import { deletionAt, showDeletion } from './screens.ts'

/** Bounds an export. The newest come first. */
const most_of_a_kind = 1_000
const most_events = 10_000
/** Rows of one read, after which other requests have their turn. */
const rows_at_once = 100
/** How often a deletion is tried while the memberships of the administrator change. */
const most_tries = 3

/** Answers with one JSON attachment, and mails the person. The limit of changes includes it, since each reads much. */
export const exportOwnData: OidcEndpoint = async (services, call) => {
  const own = await beginCountedChange(services, call, 'export')
  if ('answer' in own) return own.answer
  const { now } = call
  const { version: _, ...user } = own.user
  const taken = await commitWithNotice(services, call, own.user, {
    notice: { kind: 'data_exported', device: deviceOf(call) },
    statements: [],
  })
  if (!taken) return tooManyChanges(services, call, own, { action: 'export' })
  const parts = {
    roles: rolesOf,
    organizations: organizationsOf,
    sessions: sessionsOf,
    trusted_browsers: trustedBrowsersOf,
    methods: methodsOf,
    grants: grantsOf,
    consents: consentsOf,
    events: eventsOf,
  }
  const texts: string[] = []
  for (const [part, read] of Object.entries(parts)) texts.push(`"${part}":[${await read(services, call, own)}]`)
  const answer = json(null)
  const body = `{"user":${JSON.stringify(user)},${texts.join(',')}}`
  const name = `account-${now.toISOString().slice(0, 10)}.json`
  return {
    ...answer,
    body,
    headers: { ...answer.headers, 'content-disposition': `attachment; filename="${name}"`, 'x-content-type-options': 'nosniff' },
  }
}

type Part = (services: OidcServices, call: OidcCall, own: OwnAccount) => Promise<string>

/**
 * Reads the newest rows in pages, and returns them as JSON, joined by commas. Each page ends a turn of the event loop, since the reads of
 * the embedded database hold it.
 */
async function inPages<T>(most: number, read: (last: T | undefined, limit: number) => Promise<readonly T[]>): Promise<string> {
  const texts: string[] = []
  for (let [last, count]: [T | undefined, number] = [undefined, 0]; ; ) {
    restartLimit()
    const rows = await read(last, Math.min(rows_at_once, most - count))
    if (rows.length > 0) texts.push(rows.map((row) => JSON.stringify(row)).join(','))
    count += rows.length
    last = rows.at(-1)
    if (rows.length < rows_at_once || count >= most) return texts.join(',')
    await nextTurn()
  }
}

/** The page after the row with this id. */
const olderThan = (last: { id: string } | undefined, limit: number) =>
  sql`${last ? sql`and id < ${last.id}` : sql``} order by id desc limit ${limit}`

/** Those that were given, and those that everyone has. Of few roles there are no pages. */
const rolesOf: Part = async ({ db }, _call, { user }) => (await findRolesShown(db, user)).map((role) => JSON.stringify(role)).join(',')

const organizationsOf: Part = ({ db }, _call, { user }) =>
  inPages<UserOrganization>(most_of_a_kind, (last, limit) =>
    listOrganizationsOf(db, user.environment_id, user.id, { last: last?.organization_id ?? null, limit }),
  )

const sessionsOf: Part = ({ db }, { now }, { user }) =>
  inPages<Session>(most_of_a_kind, (last, limit) => listSessionRecords(db, user, now, olderThan(last, limit)))

/** A person has few. */
const trustedBrowsersOf: Part = async ({ db }, call, { user }) =>
  (await listTrusted(db, user, trustRule(call), sql`order by id desc`)).map((browser) => JSON.stringify(browser)).join(',')

const methodsOf: Part = ({ db }, _call, { user }) =>
  inPages<SignInMethod>(most_of_a_kind, (last, limit) => listMethods(db, user.environment_id, user.id, olderThan(last, limit)))

const grantsOf: Part = ({ db }, { now }, { user }) =>
  inPages<Grant>(most_of_a_kind, (last, limit) => listGrants(db, user, now, olderThan(last, limit)))

const consentsOf: Part = ({ db }, _call, { user }) =>
  inPages<Consent>(most_of_a_kind, (last, limit) =>
    listConsents(db, user.environment_id, user.id, { after: last?.application_id ?? '', limit }).then((rows) =>
      rows.map((row) => ({ ...row, scope: wordsIn(row.scope) })),
    ),
  )

/** Without the marks that words of metadata clients are stored with. */
const wordsIn = (scope: string): string => [...new Set(scope.split(' ').map(wordIn))].join(' ')

const eventsOf: Part = ({ db }, _call, { user }) =>
  inPages<Event>(most_events, (last, limit) => {
    const before = last === undefined ? sql`` : sql`and v.sequence < ${last.sequence}`
    return listEvents(db, user.environment_id, { user_id: user.id }, sql`${before} order by v.sequence desc limit ${limit}`)
  })

/**
 * The account ends at once, and its address is free; or it is closed, and ends later (decision 0196). Events and audit keep the id alone
 * (decision 0045).
 */
export const deleteOwnAccount: OidcEndpoint = async (services, call) => {
  const own = await beginCountedChange(services, call, 'delete-account')
  if ('answer' in own) return own.answer
  const { now, issuer } = call
  const { environment_id, settings } = issuer
  const { user, session, browser } = own
  const typed = typedOf(call, 'email', longest_email)
  if (typed.length > longest_email || emailKey(typed) !== emailKey(user.email))
    return refused(await showDeletion(services, call, own, 'wrong_address'), wrong_address)

  const is_root = environment_id === services.root_environment_id
  const deletes_at = deletionAt(call)
  const event = deletes_at
    ? ({ type: 'user.closed', user_id: user.id, data: { deletes_at: deletes_at.toISOString() } } as const)
    : deletionEvent(user)
  const device = deviceOf(call)
  for (let tries = 0; tries < most_tries; tries++) {
    if (is_root && (await findSoleOwnerships(services.db, user.id)).length > 0) return showDeletion(services, call, own, null)
    const { held, first, rest } = is_root ? await leaveTenants(services, call, own) : { held: [], first: [], rest: [] }
    const deleted = await commitWithNotice(services, call, user, {
      notice: deletes_at ? { kind: 'account_closed', deletes_at, device } : { kind: 'account_deleted', device },
      first: held,
      statements: [
        holdUser(environment_id, user.id),
        ...endCodesOf(environment_id, user.id, now),
        ...first,
        holdFreshSession(call, session),
        ...(deletes_at ? closeUser(user, deletes_at, now) : eraseUser(user, now)),
        insertEvent(environment_id, ownOrigin(services, call, own), event, now),
        ...rest,
      ],
    })
    if (deleted) {
      const kept = [...browser.sessions, ...browser.expired].filter(({ user_id }) => user_id !== user.id)
      return withCookies(html(deletedPage(pageContext(call), { is_mailed: sendsMail(settings.email), deletes_at })), [
        sessionCookie(call, kept),
      ])
    }
    if (!is_root) break // otherwise the memberships may have changed after they were read
  }
  return changedMeanwhile(services, call, own, { action: 'delete-account', id: null })
}

const wrong_address = refusal('validation_failed', reason`The typed address is not the one of the account.`)

/** An administrator leaves every tenant: the tenants, which the batch of the deletion holds, what it writes first, and what it records at its end. */
async function leaveTenants(
  services: OidcServices,
  call: OidcCall,
  { user }: OwnAccount,
): Promise<Record<'held' | 'first' | 'rest', Statement[]>> {
  const { db, root_environment_id } = services
  const { now, request_id, ip } = call
  const tenant_ids = (await findMemberships(db, user.id)).map(({ tenant_id }) => tenant_id).sort()
  const members = await Promise.all(tenant_ids.map((tenant_id) => findMember(db, root_environment_id, tenant_id, user.id)))
  const origin = { action: 'deleteOwnAccount', actor: byUser(user.id), actor_label: null, request_id, ip }
  return {
    held: tenant_ids.map(holdTenant),
    first: [...deleteMemberships(user.id, tenant_ids), ...tenant_ids.map((tenant_id) => endInvitationsOf(tenant_id, user.id, now))],
    rest: members.flatMap((member) =>
      member
        ? [insertAuditEntry(member.tenant_id, { id: services.newId('aud'), ...origin }, describeChange(idsOf(member), null), now)]
        : [],
    ),
  }
}

/** Returns the fields that the log keeps of a member whose account is deleted. */
const idsOf = ({ id, tenant_id, role }: MemberRow) => ({ id, tenant_id, role })
