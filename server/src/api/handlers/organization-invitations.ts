/** The endpoints of invitations to organizations (decision 0180). Their page is `oidc/flow/invitation/organization.ts`. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { OrganizationInvitation, OrganizationInvitationQuery } from '@ostiary/contract/organization.ts'
import type { z } from 'zod'
import { quotaDetail } from '../../base/config/limits.ts'
import { digestOf } from '../../base/digest.ts'
import { sendsMail } from '../../base/mail-settings.ts'
import { reason } from '../../base/reason.ts'
import { untilWritten } from '../../base/until-written.ts'
import type { Statement } from '../../db/db.ts'
import { newSecret } from '../../deployment/deployment.ts'
import { findOwner } from '../../domain/accounts/address-proof.ts'
import { findApplication } from '../../domain/applications/store.ts'
import { type PageCall, readPageBy } from '../../domain/lists/lists.ts'
import { changeVersioned } from '../../domain/lists/versions.ts'
import { too_many_mails, waitOfAddress } from '../../domain/mail/address-limit.ts'
import { mailStatements } from '../../domain/mail/send.ts'
import { invitationUrl } from '../../domain/members/invitation-url.ts'
import { findNoLongerGiven, presentOf } from '../../domain/organizations/giving.ts'
import type { InvitationRow } from '../../domain/organizations/invitations.ts'
import * as store from '../../domain/organizations/invitations.ts'
import { findOrganization, type OrganizationRow } from '../../domain/organizations/store.ts'
import { begun } from '../../domain/tenancy/objects.ts'
import { badField, found, notFound, rateLimited, tooBusy } from '../../http/problem.ts'
import type { Issuer } from '../../oidc/issuer.ts'
import { environmentOf } from '../environment.ts'
import { inOrder, roleIdsOf } from '../given-roles.ts'
import type { AnyCall, Call, Handler } from '../handler.ts'
import { placeOf } from '../new-members.ts'
import type { Services } from '../services.ts'

/** A try fails only when another change of the same organization, or another invitation to the same address, was first. */
const most_tries = 500
const default_seconds = 604_800

export const listAuthOrganizationInvitations: Handler<'listAuthOrganizationInvitations'> = (services, call) =>
  listOf(services, call.caller.environment.id, call)

export const listOrganizationInvitations: Handler<'listOrganizationInvitations'> = async (services, call) =>
  listOf(services, (await environmentOf(services, call)).id, call)

type ListCall = PageCall & Pick<AnyCall, 'params'> & { readonly query: z.output<typeof OrganizationInvitationQuery> }

async function listOf(services: Services, environment_id: EnvironmentId, call: ListCall) {
  const { id: organization_id } = await organizationOf(services, environment_id, call)
  const { status } = call.query
  const now = services.now()
  const page = await readPageBy(services, call, JSON.stringify(['invitations', environment_id, organization_id, status ?? null]), {
    keyOf: ({ id }: InvitationRow) => id,
    read: (last, limit) => store.listInvitations(services.db, environment_id, { organization_id, status }, { last, limit, now }),
  })
  const shown = await shownAs(services, environment_id, page.data)
  const data = shown.filter((each) => status === undefined || each.status === status)
  return { ...page, data: data.map(({ version: _, ...invitation }) => invitation) }
}

export const getAuthOrganizationInvitation: Handler<'getAuthOrganizationInvitation'> = (services, call) =>
  getOne(services, call.caller.environment.id, call)

export const getOrganizationInvitation: Handler<'getOrganizationInvitation'> = async (services, call) =>
  getOne(services, (await environmentOf(services, call)).id, call)

const getOne = async (services: Services, environment_id: EnvironmentId, call: Pick<AnyCall, 'params'>) =>
  shownOne(services, environment_id, await found(find(services, environment_id, call)))

const organizationOf = ({ db }: Services, environment_id: EnvironmentId, { params }: Pick<AnyCall, 'params'>) =>
  found(findOrganization(db, environment_id, params.organization_id ?? ''))

const find = ({ db, now }: Services, environment_id: EnvironmentId, { params }: Pick<AnyCall, 'params'>) =>
  store.findInvitation(db, environment_id, { organization_id: params.organization_id ?? '', id: params.invitation_id ?? '' }, now())

/** Finds an invitation that can be changed: one that is pending. */
async function findPending(
  services: Services,
  environment_id: EnvironmentId,
  call: Pick<AnyCall, 'params'>,
): Promise<InvitationRow | null> {
  const row = await find(services, environment_id, call)
  return row && (await shownOne(services, environment_id, row)).status === 'pending' ? row : null
}

type Shown = OrganizationInvitation & { version: number }

/** Invitations as the API shows them. One that a member sent has ended where the member may no longer give its roles. */
async function shownAs({ db, issuers }: Services, environment_id: EnvironmentId, rows: readonly InvitationRow[]): Promise<Shown[]> {
  const roles = await issuers.memberRoles(environment_id)
  const pending = rows.filter(({ status }) => status === 'pending')
  const over = await findNoLongerGiven(db, environment_id, pending, roles)
  return rows.map((row) => {
    const slugs = presentOf(roles, row.role_ids).map(({ slug }) => slug)
    return asShown({ ...row, status: over.has(row.id) ? 'ended' : row.status }, slugs)
  })
}

async function shownOne(services: Services, environment_id: EnvironmentId, row: InvitationRow): Promise<Shown> {
  const [shown] = await shownAs(services, environment_id, [row])
  if (!shown) throw notFound()
  return shown
}

function asShown(row: InvitationRow, roles: readonly string[], invitation_url: string | null = null): Shown {
  const { role_ids: _, inviter_type: type, inviter_id: id, inviter_membership: __, is_mailed: ___, lifetime_seconds: ____, ...rest } = row
  return { ...rest, roles: inOrder(roles), invited_by: { type, id }, invitation_url }
}

export const inviteToOrganization: Handler<'inviteToOrganization'> = async (services, call) => {
  const { db, config, now, newId } = services
  const { body, caller, commit } = call
  const { environment } = caller
  const environment_id = environment.id
  const { email, application_id = null, expires_in_seconds: lifetime_seconds = default_seconds, send_email: is_mailed = true } = body
  const [role_ids = []] = await roleIdsOf(db, environment_id, 'organization', [{ slugs: body.roles ?? [], path: ['roles'] }])
  if (application_id !== null && !(await findApplication(db, environment_id, application_id)))
    throw badField(['application_id'], 'The environment has no application with this id.')
  const token = newSecret(services)
  return untilWritten(
    most_tries,
    async () => {
      const organization = await organizationOf(services, environment_id, call)
      const issuer = await mailingIssuer(services, call)
      const at = now()
      const { type, id: inviter_id } = caller.actor
      const row: InvitationRow = {
        ...begun(placeOf(environment, at), { id: newId('oiv'), organization_id: organization.id }),
        ...{ email, role_ids, application_id, lifetime_seconds, is_mailed, inviter_id },
        status: 'pending',
        inviter_type: type === 'api_key' ? type : 'user',
        inviter_membership: null,
        expires_at: expiryOf(lifetime_seconds, at).toISOString(),
        user_id: null,
      }
      const replaced = await store.findOpenTo(db, environment_id, { organization_id: organization.id, email }, at)
      const { link, mail, url } = await linkOf(services, call, { row, organization, issuer, token, at })
      const answer = asShown(row, body.roles ?? [], url)
      const also = replaced ? [await ended(services, replaced, 'replaced')] : []
      const statements = [...store.insertInvitation(row, { replaced, link, limits: config.limits, now: at }), ...mail]
      if (await commit({ statements, before: null, answer, event: eventOf('created', answer), also }, at)) return answer
      return refuseOverLimit(services, call, { row, is_new: true, is_mailed: mail.length > 0, at })
    },
    tooBusy('organization'),
  )
}

/** The link is made again, for as long as the first one. It is mailed if that was. */
export const resendOrganizationInvitation: Handler<'resendOrganizationInvitation'> = (services, call) => {
  const { config, now } = services
  const { caller, if_match, commit } = call
  const environment_id = caller.environment.id
  const token = newSecret(services)
  return changeVersioned(
    if_match,
    () => findPending(services, environment_id, call),
    async (current) => {
      const organization = await organizationOf(services, environment_id, call)
      const issuer = await mailingIssuer(services, call)
      const at = now()
      const before = await shownOne(services, environment_id, current)
      const row = {
        ...current,
        expires_at: expiryOf(current.lifetime_seconds, at).toISOString(),
        version: current.version + 1,
        updated_at: at.toISOString(),
      }
      const { link, mail, url } = await linkOf(services, call, { row, organization, issuer, token, at })
      const answer = asShown(row, before.roles, url)
      const statements = [...store.replaceLink(current, link, config.limits, at), ...mail]
      if (await commit({ statements, before, answer }, at)) return answer
      return refuseOverLimit(services, call, { row, is_new: false, is_mailed: mail.length > 0, at })
    },
  )
}

export const deleteOrganizationInvitation: Handler<'deleteOrganizationInvitation'> = async (services, call) => {
  const environment_id = call.caller.environment.id
  await changeVersioned(
    call.if_match,
    () => findPending(services, environment_id, call),
    async (current) => {
      const at = services.now()
      const { before, event } = await ended(services, current, 'deleted')
      const deleted = await call.commit({ statements: store.endInvitation(current, 'deleted', at), before, answer: null, event }, at)
      return deleted || null
    },
  )
  return null
}

const expiryOf = (lifetime_seconds: number, at: Date) => new Date(at.getTime() + lifetime_seconds * 1000)

const eventOf = (what: 'created' | 'ended', { environment_id, organization_id, id, roles }: Shown, more: object = {}) => ({
  environment_id,
  type: `organization_invitation.${what}` as const,
  data: { organization_id, invitation_id: id, roles, ...more },
})

/** The end of an invitation, for the audit log and its event. */
async function ended(services: Services, row: InvitationRow, by: store.EndedBy) {
  const before = await shownOne(services, row.environment_id, row)
  const at = services.now().toISOString()
  const after: Shown = { ...before, status: 'ended', version: row.version + 1, updated_at: at }
  return { before, after, event: eventOf('ended', before, { reason: by }) }
}

type InviteCall = Pick<Call<'inviteToOrganization'>, 'caller' | 'fail' | 'request_id'>

/** An invitation needs mail: without it nobody could prove the address. */
async function mailingIssuer(services: Services, { caller, fail }: InviteCall): Promise<Issuer> {
  const issuer = await services.issuers.find(caller.environment.id)
  if (issuer && sendsMail(issuer.settings.email)) return issuer
  return fail(
    'mail_not_set_up',
    'The environment sends no mail, so nobody could prove the address. Set email.delivery first, or add the member.',
    {
      reason: reason`The environment sends no mail.`,
    },
  )
}

interface LinkOf {
  row: InvitationRow
  organization: OrganizationRow
  issuer: Issuer
  token: string
  at: Date
}

const no_mail: readonly Statement[] = []

/** A new link with the statements that mail it, or with its address where nothing is mailed. */
async function linkOf(services: Services, { request_id }: InviteCall, { row, organization, issuer, token, at }: LinkOf) {
  const expires_at = new Date(row.expires_at)
  const link = { token_hash: digestOf(token), expires_at }
  const url = invitationUrl({ issuer: issuer.url }, token)
  if (!row.is_mailed) return { link, mail: no_mail, url }
  const owner = await findOwner(services.db, row.environment_id, row.email)
  const notice = {
    kind: 'organization_invitation' as const,
    link: url,
    organization_name: organization.name,
    inviter: null,
    expires_at,
  }
  const request = { to: row.email, user_id: null, request_id, notice, locales: owner?.locale ?? null }
  return { link, mail: await mailStatements(services, row.environment_id, request, at), url: null }
}

interface Refused {
  row: InvitationRow
  is_new: boolean
  is_mailed: boolean
  at: Date
}

/** Throws the limit that refused the batch. Returns `null` where none does, so that it is tried again. */
async function refuseOverLimit(services: Services, { fail }: InviteCall, { row, is_new, is_mailed, at }: Refused): Promise<null> {
  const { db, config } = services
  const { environment_id, email } = row
  const reached = await store.findReached(db, row, { is_new, limits: config.limits, now: at })
  if (reached !== null) fail('quota_exceeded', quotaDetail(reached, config.limits))
  const wait_seconds = is_mailed ? await waitOfAddress(services, environment_id, { to: email }, at) : null
  if (wait_seconds !== null) throw rateLimited(too_many_mails, wait_seconds)
  return null
}
