// pure
/** The pages of an invitation to a tenant: accepting it, and the result. */
import { type Html, html } from '../base/html.ts'
import { breakable } from './address.ts'
import { type FormProblem, formSentence, hidden, problemSummary } from './form.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { avatar, brandLine, type Person } from './tiles.ts'

/** The facts of an invitation. A stranger may have chosen the name of the tenant. */
export interface InvitationFacts {
  tenant_name: string
  role: 'viewer' | 'developer' | 'admin' | 'owner'
  /** `null` if the system sent the invitation. */
  inviter: Person | null
}

interface Reader extends InvitationFacts {
  /** The signed-in account. */
  person: Person
  not_you_url: string
}

/** A page for a member, who can go on in the dashboard. */
interface Joined {
  dashboard_url: string
}

export interface InvitationView extends Reader {
  csrf: string
  request: string
  session_id: string
  problem: FormProblem | 'changed' | null
}

export function invitationPage(context: PageContext, view: InvitationView): Page {
  const { texts, issuer } = context
  const { csrf, request, session_id, role, problem } = view
  const summary = problem && problemSummary(problem === 'changed' ? texts.invitation.changed : formSentence(context, problem))
  const body = html`${invitationHeading(context, view)}${summary}
${reader(context, view)}
<form method="post" action="${issuer}/invitation">${hidden({ csrf, request, session: session_id, role })}
<button class="b p" data-action="accept-invitation">${texts.invitation.accept}</button></form>`
  const title = texts.invitation.title(view.tenant_name)
  return layout(context, { title, body, step: 'invitation', has_problem: summary !== null, ...(summary && { status: 400 }) })
}

/** Shown to a person who is already a member. Opening an invitation never changes the role of a member. */
export function memberPage(context: PageContext, view: Reader & Joined): Page {
  const texts = context.texts.invitation
  const title = texts.member(view.tenant_name)
  const body = html`${brandLine(context)}<h1>${title}</h1><p class="sub">${texts.member_text(texts.roles[view.role])}</p>
${reader(context, view)}
${wayOn(context, view)}`
  return layout(context, { title, body, step: 'invitation' })
}

export function acceptedPage(context: PageContext, view: InvitationFacts & Joined): Page {
  const { tenant_name, role } = view
  const texts = context.texts.invitation
  const title = texts.accepted(tenant_name)
  const body = html`${brandLine(context)}<h1>${title}</h1><p class="sub">${texts.accepted_text(texts.roles[role])}</p>
${wayOn(context, view)}`
  return layout(context, { title, body, step: 'invitation' })
}

/** The heading: the tenant, the inviter and the role. */
export function invitationHeading(context: PageContext, { tenant_name, role, inviter }: InvitationFacts): Html {
  const texts = context.texts.invitation
  const address = inviter && breakable(inviter.email)
  const who = inviter?.name ? html`${inviter.name} (${address})` : address
  const text = who ? texts.invited_by(who, tenant_name, texts.roles[role]) : texts.invited(tenant_name, texts.roles[role])
  return html`${brandLine(context)}<h1>${texts.title(tenant_name)}</h1><p class="sub">${text}</p>`
}

const reader = ({ texts }: PageContext, { person, not_you_url }: Reader): Html =>
  html`<p class="fine">${texts.invitation.signed_in_as}</p>
<div class="who">${avatar(person)}<span class="name">${breakable(person.email)}</span><a href="${not_you_url}" data-action="use-other-account">${texts.consent.not_you}</a></div>`

const wayOn = ({ texts }: PageContext, { dashboard_url }: Joined): Html =>
  html`<div class="acts"><a class="b p" href="${dashboard_url}" data-action="continue">${texts.invitation.dashboard}</a></div>`
