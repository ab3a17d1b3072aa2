/** The page of an organization, and of one of its members, for members. */
import { UserId } from '@ostiary/contract/ids.ts'
import { sendsMail } from '../../../base/mail-settings.ts'
import { reason } from '../../../base/reason.ts'
import { type Refusal, refusal } from '../../../base/refusal.ts'
import { findNoLongerGiven, type MemberRole, presentOf } from '../../../domain/organizations/giving.ts'
import { listInvitations } from '../../../domain/organizations/invitations.ts'
import { findStanding } from '../../../domain/organizations/managing.ts'
import { findMember, type ListedMember, listMembers } from '../../../domain/organizations/members.ts'
import { searchMembers } from '../../../domain/organizations/search.ts'
import { readQuery } from '../../../http/query.ts'
import {
  type OrganizationNotice,
  type OrganizationProblem,
  type OrganizationView,
  organization_notices,
  organizationMemberPage,
  organizationPage,
  type RoleChoice,
} from '../../../pages/organization.ts'
import { mayChange, mayGive, mayRemove } from '../../../protocol/giving.ts'
import { accountUrl } from '../../account-url.ts'
import { type Answer, header, type OidcCall, type OidcServices, redirect, refused } from '../../call.ts'
import { withCookies } from '../../cookies.ts'
import { formRefusals, formToken } from '../../form-token.ts'
import { html, pageContext } from '../../hosted-page.ts'
import { showStep } from '../../refused-form.ts'
import { type OwnOrganization, organizationUrl } from './own-organization.ts'

const members_at_once = 50
const most_invitations = 50
const longest_words = 200

const problem_refusals: Readonly<Record<OrganizationProblem, Refusal>> = {
  ...formRefusals,
  changed: refusal('stale_version', reason`The organization or the member changed while the person was on the page, so nothing was done.`),
  not_allowed: refusal('validation_failed', reason`The person may not give or take these roles, or change this member.`),
  last_administrator: refusal('validation_failed', reason`The organization would have nobody who administers it.`),
  bad_email: refusal('validation_failed', reason`The email is missing or malformed.`),
  limit: refusal('locked_out', reason`The organization, or the address, has as many invitations as the limits allow.`),
  too_many_mails: refusal('locked_out', reason`The address got too many mails today.`),
  too_many_roles: refusal('validation_failed', reason`A member has at most 20 roles.`),
}

interface Shown {
  problem: OrganizationProblem | null
  email?: string
}

const addressOf = (call: OidcCall, { organization, session }: OwnOrganization, more: Record<string, string> = {}): string =>
  `${organizationUrl(call, organization.id)}?${new URLSearchParams({ user: session.user_id, ...more })}`

/** Shows the page. A form that was refused leads to it. */
export async function showOrganization(services: OidcServices, call: OidcCall, own: OwnOrganization, shown: Shown): Promise<Answer> {
  const place = { name: 'organization', query: `${own.organization.id} ${own.session.user_id}`, address: addressOf(call, own) }
  const answer = await showStep(services, call, own.browser, {
    place,
    view: shown,
    page: (view: Shown) => organizationAnswer(services, call, own, view),
  })
  return shown.problem === null ? answer : refused(answer, problem_refusals[shown.problem])
}

async function organizationAnswer(services: OidcServices, call: OidcCall, own: OwnOrganization, shown: Shown): Promise<Answer> {
  const { organization, session, standing, is_managing, browser } = own
  const { csrf, set_cookie } = formToken(services, call, browser)
  const view: OrganizationView = {
    ...{ csrf, user_id: session.user_id, organization, page_url: organizationUrl(call, organization.id), account_url: accountUrl(call) },
    own_roles: standing.held.map(({ name }) => name).sort(),
    leave_url: accountUrl(call, { action: 'leave-organization', id: organization.id, user: session.user_id }),
    notice: noticeOf(call),
    managed: is_managing ? await managedOf(services, call, own, shown.email ?? '') : null,
    problem: shown.problem,
  }

  return withCookies(html(organizationPage(pageContext(call, undefined, addressOf(call, own)), view)), set_cookie)
}

/** A link of another site shows no notice. */
function noticeOf(call: OidcCall): OrganizationNotice | null {
  if ((header(call, 'sec-fetch-site') ?? 'same-origin') !== 'same-origin') return null
  const said = readQuery(call.query).get('done')
  return organization_notices.find((notice) => notice === said) ?? null
}

async function managedOf(
  services: OidcServices,
  call: OidcCall,
  own: OwnOrganization,
  email: string,
): Promise<OrganizationView['managed']> {
  const { organization, roles, standing } = own
  const { environment_id, settings } = call.issuer
  const search = readQuery(call.query)
  const words = (search.get('q') ?? '').trim()
  const { members, more_url } = await membersOf(services, call, own, { words, cursor: search.get('after') ?? undefined })
  const namesBySlug = new Map([...roles.values()].map(({ slug, name }) => [slug, name]))
  const pending = await listInvitations(
    services.db,
    environment_id,
    { organization_id: organization.id, status: 'pending' },
    { last: null, limit: most_invitations, now: call.now },
  )
  const over = await findNoLongerGiven(services.db, environment_id, pending, roles)
  const invitations = pending.flatMap(({ id, email, role_ids }) =>
    over.has(id) ? [] : [{ id, email, roles: presentOf(roles, role_ids).map(({ name }) => name) }],
  )
  return {
    words,
    members: members.map(({ user_id, email, name, roles }) => ({
      user_id,
      person: { email: email ?? '', name },
      roles: roles.map((slug) => namesBySlug.get(slug) ?? slug),
      url: addressOf(call, own, { member: user_id }),
    })),
    more_url,
    invitations,
    invite: sendsMail(settings.email)
      ? { email, roles: choices(standing.held, roles, new Set()).filter(({ may_change }) => may_change) }
      : null,
  }
}

/** One page of the members, the last added first, or of those that match. */
async function membersOf(
  services: OidcServices,
  call: OidcCall,
  own: OwnOrganization,
  { words, cursor }: { words: string; cursor: string | undefined },
): Promise<{ members: ListedMember[]; more_url: string | null }> {
  const { db } = services
  const { environment_id } = call.issuer
  const filter = { organization_id: own.organization.id, role: undefined }
  const moreUrl = (after: string) => addressOf(call, own, { ...(words === '' ? {} : { q: words }), after })
  if (words === '') {
    const last = cursor !== undefined && /^[0-9]{1,15}$/.test(cursor) ? cursor : null
    const rows = await listMembers(db, environment_id, filter, { last, limit: members_at_once + 1 })
    const members = rows.slice(0, members_at_once)
    const end = members.at(-1)
    return { members, more_url: rows.length > members_at_once && end ? moreUrl(String(end.membership)) : null }
  }
  if (words.length > longest_words) return { members: [], more_url: null } // no name is as long
  const fail = (): never => {
    throw new RangeError('The cursor is of another list.')
  }
  const query = { limit: members_at_once, cursor }
  try {
    const { data, next_cursor } = await searchMembers(services, environment_id, { ...filter, query: words }, { query, fail })
    return { members: data, more_url: next_cursor === null ? null : moreUrl(next_cursor) }
  } catch (error) {
    if (error instanceof RangeError) return { members: [], more_url: null }
    throw error
  }
}

/** The roles that can be given, in order of name. Those that every member has are given to nobody. */
const choices = (held: readonly MemberRole[], roles: ReadonlyMap<string, MemberRole>, given: ReadonlySet<string>): RoleChoice[] =>
  [...roles.values()]
    .filter((role) => !role.default || given.has(role.id))
    .map((role) => ({ slug: role.slug, name: role.name, is_held: given.has(role.id), may_change: mayGive(held, role) }))
    .filter(({ is_held, may_change }) => is_held || may_change)
    .sort((a, b) => (a.name < b.name ? -1 : 1))

/** One member, for a member who administers. */
export async function showMember(
  services: OidcServices,
  call: OidcCall,
  own: OwnOrganization,
  { member_id, problem }: { member_id: string; problem: OrganizationProblem | null },
): Promise<Answer> {
  const { organization, session } = own
  const { environment_id } = call.issuer
  const back = addressOf(call, own)
  const user_id = UserId.safeParse(member_id).data
  if (user_id === undefined || !own.is_managing) return redirect(back)
  const place = { environment_id, organization_id: organization.id, user_id }
  const [member, has] = await Promise.all([findMember(services.db, place), findStanding(services.db, place, own.roles)])
  if (!member || !has) return redirect(back)
  const address = addressOf(call, own, { member: user_id })
  const page = (shown: { problem: OrganizationProblem | null }) => {
    const { csrf, set_cookie } = formToken(services, call, own.browser)
    const may_change = mayChange(own.standing.held, has.held, { before: has.given, after: has.given })
    const given = new Set(has.given.map(({ id }) => id))
    const answer = organizationMemberPage(pageContext(call, undefined, address), {
      ...{ csrf, user_id: session.user_id, organization, page_url: organizationUrl(call, organization.id), account_url: accountUrl(call) },
      member: { user_id, person: { email: member.email ?? '', name: member.name } },
      roles: choices(own.standing.held, own.roles, given).map((choice) => ({ ...choice, may_change: choice.may_change && may_change })),
      may_change,
      may_remove: user_id !== session.user_id && mayRemove(own.standing.held, has.held),
      problem: shown.problem,
    })
    return withCookies(html(answer), set_cookie)
  }
  const query = `${organization.id} ${session.user_id} ${user_id}`
  const answer = showStep(services, call, own.browser, { place: { name: 'organization member', query, address }, view: { problem }, page })
  return problem === null ? answer : refused(answer, problem_refusals[problem])
}
