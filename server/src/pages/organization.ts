// pure
/** The page of an organization for its members: their own roles, and for those who administer it the members and invitations. */
import { type Html, html } from '../base/html.ts'
import { account_form_styles, account_styles, role_styles } from './account-styles.ts'
import { breakable } from './address.ts'
import { type FormProblem, field, formSentence, hidden, problemSummary } from './form.ts'
import * as icons from './icons.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { avatar, brandLine, type Person } from './tiles.ts'

/** Why a form of the page did nothing. `limit`: of invitations. `too_many_mails`: to the address. */
export type OrganizationProblem =
  | Exclude<FormProblem, 'expired_form'>
  | 'changed'
  | 'not_allowed'
  | 'last_administrator'
  | 'bad_email'
  | 'limit'
  | 'too_many_mails'
  | 'too_many_roles'

/** The changes that the page has a notice for. */
export const organization_notices = ['invite', 'change-roles', 'remove-member'] as const
export type OrganizationNotice = (typeof organization_notices)[number]

/** A role that can be chosen, or one that the person may not give and take. */
export interface RoleChoice {
  slug: string
  name: string
  is_held: boolean
  may_change: boolean
}

interface Common {
  csrf: string
  user_id: string
  organization: { id: string; name: string }
  /** The address of the page, and of its forms. */
  page_url: string
  account_url: string
  problem: OrganizationProblem | null
}

export interface OrganizationView extends Common {
  /** The names of the roles of the person. */
  own_roles: readonly string[]
  leave_url: string
  notice: OrganizationNotice | null
  /** `null` for a member who does not administer it. */
  managed: {
    /** The words that the person looks for; empty: all. */
    words: string
    members: readonly { user_id: string; person: Person; roles: readonly string[]; url: string }[]
    more_url: string | null
    invitations: readonly { id: string; email: string; roles: readonly string[] }[]
    /** `null` where the environment sends no mail. */
    invite: { email: string; roles: readonly RoleChoice[] } | null
  } | null
}

export function organizationPage(context: PageContext, view: OrganizationView): Page {
  const texts = context.texts.organization_page
  const { organization, own_roles, leave_url, managed, notice, problem } = view
  const summary = problem && problemSummary(problemText(context, problem))
  const sections = [
    section(
      'own',
      texts.own,
      html`<div class="it">${icons.person}<div><b>${own_roles.length === 0 ? texts.no_roles : named(own_roles)}</b></div><a class="b" href="${leave_url}" data-action="leave-organization">${context.texts.account.leave}</a></div>`,
    ),
    ...(managed ? managedSections(context, view, managed) : []),
  ]
  const body = html`<div class="wc"><div><h1><bdi>${organization.name}</bdi></h1><a href="${view.account_url}" data-action="account">${context.texts.message.account}</a></div></div>
${notice && html`<p class="said" role="status">${icons.check}<span>${texts.notices[notice]}</span></p>`}${summary}
${sections}`
  return layout(context, {
    title: organization.name,
    body,
    step: 'organization',
    has_problem: summary !== null,
    styles: account_styles + role_styles,
    frame: { header: brandLine(context), sections: null },
    ...(problem && { status: statusOf(problem) }),
  })
}

/** Names in a line, each in the direction of its own letters. `.it b` is a row, so they share one element. */
const named = (names: readonly string[]): Html => html`<span>${names.map((name, i) => html`${i > 0 && ', '}<bdi>${name}</bdi>`)}</span>`

const statusOf = (problem: OrganizationProblem): number => (problem === 'changed' || problem === 'last_administrator' ? 409 : 400)

function problemText(context: PageContext, problem: OrganizationProblem): string {
  const { problems } = context.texts.organization_page
  return problem in problems ? problems[problem as keyof typeof problems] : formSentence(context, problem as FormProblem) // as: the rest
}

const section = (id: string, title: string, body: Html): Html =>
  html`<section class="cd" id="${id}" aria-labelledby="${id}-title"><header><h2 id="${id}-title">${title}</h2></header>${body}</section>
`

function managedSections(context: PageContext, view: OrganizationView, managed: NonNullable<OrganizationView['managed']>): Html[] {
  const texts = context.texts.organization_page
  const { members, invitations, invite, words, more_url } = managed
  const rolesOf = (roles: readonly string[]) => roles.length > 0 && html`<span class="d">${named(roles)}</span>`
  const search = html`<form method="get" action="${view.page_url}" class="find">${hidden({ user: view.user_id })}
${field({ name: 'q', label: texts.search, type: 'text', autocomplete: 'off', value: words, optional: '' })}
<button class="b" data-action="search">${texts.find}</button></form>`
  const rows = members.map(
    ({ user_id, person, roles, url }) =>
      html`<div class="it" data-id="${user_id}">${avatar(person)}<div><b><bdi>${person.name || breakable(person.email)}</bdi></b>${person.name !== null && html`<span class="d">${breakable(person.email)}</span>`}${rolesOf(roles)}</div><a class="b" href="${url}" data-action="change-roles">${texts.change}<span class="vh">: ${person.email}</span></a></div>`,
  )
  const none = members.length === 0 && html`<p class="it" role="status">${texts.none_found}</p>`
  const more = more_url !== null && html`<footer><a class="b" href="${more_url}" data-action="more">${texts.more}</a></footer>`
  const pending = invitations.map(
    ({ id, email, roles }) =>
      html`<div class="it" data-id="${id}">${icons.envelope}<div><b>${breakable(email)}</b>${rolesOf(roles)}</div></div>`,
  )
  return [
    section('members', texts.members, html`${search}${none}${rows}${more}`),
    ...(invitations.length > 0 ? [section('invitations', texts.invitations, html`${pending}`)] : []),
    ...(invite ? [section('invite', texts.invite_title, inviteForm(context, view, invite))] : []),
  ]
}

const inviteForm = (
  context: PageContext,
  view: OrganizationView,
  { email, roles }: { email: string; roles: readonly RoleChoice[] },
): Html =>
  html`<form method="post" action="${view.page_url}" novalidate>${hidden({ csrf: view.csrf, user: view.user_id })}
${field({ name: 'email', label: context.texts.form.email, type: 'email', autocomplete: 'off', value: email })}
${roleBoxes(context, roles)}
<button class="b p" name="action" value="invite" data-action="invite">${context.texts.organization_page.invite}</button></form>`

/** Roles that the person may not give are shown, and cannot be changed. */
const roleBoxes = ({ texts }: PageContext, roles: readonly RoleChoice[]): Html =>
  html`${
    roles.length > 0 &&
    html`<fieldset><legend>${texts.organization_page.roles}</legend>${roles.map(
      ({ slug, name, is_held, may_change }) =>
        html`<div class="box"><input type="checkbox" id="role-${slug}" name="roles" value="${slug}" autocomplete="off"${is_held && html` checked`}${!may_change && html` disabled`}><label for="role-${slug}"><bdi>${name}</bdi></label></div>`,
    )}</fieldset>`
  }`

export interface MemberView extends Common {
  member: { user_id: string; person: Person }
  roles: readonly RoleChoice[]
  may_change: boolean
  may_remove: boolean
}

/** One member, whose roles are changed, and who is removed. */
export function organizationMemberPage(context: PageContext, view: MemberView): Page {
  const texts = context.texts.organization_page
  const { csrf, user_id, member, roles, may_change, may_remove, page_url, organization, problem } = view
  const values = hidden({ csrf, user: user_id, member: member.user_id })
  const summary = problem && problemSummary(problemText(context, problem))
  const body = html`${brandLine(context)}<h1><bdi>${member.person.name || breakable(member.person.email)}</bdi></h1><p class="sub">${texts.member_of(organization.name)}</p>
<div class="who">${avatar(member.person)}<span class="name">${breakable(member.person.email)}</span></div>
${summary}
<form method="post" action="${page_url}" data-id="${member.user_id}">${values}${roleBoxes(context, roles)}
${may_change && html`<button class="b p" name="action" value="change-roles" data-action="change-roles">${texts.save}</button>`}</form>
${!may_change && html`<p class="fine">${texts.more_than_you}</p>`}
${may_remove && html`<form method="post" action="${page_url}" data-id="${member.user_id}">${values}<button class="b danger" name="action" value="remove-member" data-action="remove-member">${texts.remove(organization.name)}</button></form>`}
<p class="after"><a href="${page_url}?user=${user_id}" data-action="cancel">${texts.back}</a></p>`
  return layout(context, {
    title: member.person.name || member.person.email,
    body,
    step: 'organization',
    has_problem: summary !== null,
    styles: account_form_styles + role_styles,
    ...(problem && { status: statusOf(problem) }),
  })
}
