// pure
/** The pages of an invitation to an organization: accepting or declining it, the code that proves its address, and what came of it. */
import { type Html, html } from '../base/html.ts'
import { breakable } from './address.ts'
import { type FormProblem, field, formSentence, hidden, problemSummary } from './form.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { type InboxUrl, resendNote } from './mail-note.ts'
import { avatar, brandLine, type Person } from './tiles.ts'

/** The facts of an invitation. A stranger may have chosen the names of the organization and of the inviter. */
export interface OfferFacts {
  organization_name: string
  /** By name. */
  roles: readonly string[]
  /** The member who invites; `null` where a backend or an administrator does. */
  inviter: Person | null
  /** The invited address. */
  email: string
}

export interface OfferView extends OfferFacts {
  csrf: string
  request: string
  /** The signed-in account; `null` where nobody is signed in. */
  reader: { session_id: string; person: Person; has_proved: boolean } | null
  /** Where another account is used: the chooser, or the sign-in. */
  other_account_url: string
  problem: FormProblem | 'changed' | 'full' | null
}

export function offerPage(context: PageContext, view: OfferView): Page {
  const { issuer } = context
  const texts = context.texts.organization_invitation
  const { csrf, request, reader, email, other_account_url, problem } = view
  const summary = problem && problemSummary(problem === 'changed' || problem === 'full' ? texts[problem] : formSentence(context, problem))
  const address = html`<b>${breakable(email)}</b>`
  const note = reader === null ? texts.code_makes_account(address) : reader.has_proved ? null : texts.code_proves(address)
  const body = html`${offerHeading(context, view)}${summary}
${reader && who(context, reader.person, other_account_url)}
${note && html`<p class="fine">${note}</p>`}
<form method="post" action="${issuer}/invitation">${hidden({ csrf, request, ...(reader && { session: reader.session_id }) })}
<button class="b p" name="action" value="accept" data-action="accept-invitation">${texts.accept}</button>${reader?.has_proved === true && html`<button class="b" name="action" value="decline" data-action="decline-invitation">${texts.decline}</button>`}</form>
${reader === null && html`<p class="after"><a href="${other_account_url}" data-action="sign-in">${texts.other_way}</a></p>`}`
  return layout(context, {
    title: texts.title(view.organization_name),
    body,
    step: 'invitation',
    has_problem: summary !== null,
    ...(summary && { status: 400 }),
  })
}

/** The heading: the organization, the inviter and the roles. */
export function offerHeading(context: PageContext, { organization_name, roles, inviter }: OfferFacts): Html {
  const texts = context.texts.organization_invitation
  const address = inviter && breakable(inviter.email)
  const who = inviter?.name ? html`${inviter.name} (${address})` : address
  const text = who ? texts.invited_by(who, organization_name) : texts.invited(organization_name)
  return html`${brandLine(context)}<h1>${texts.title(organization_name)}</h1><p class="sub">${text}</p>
${roles.length > 0 && html`<p class="fine">${texts.roles(roles.join(', '))}</p>`}`
}

/** Shown to a person who is already a member. Opening an invitation never changes the roles of a member. */
export function offerMemberPage(
  context: PageContext,
  { organization_name, person, other_account_url, way_on }: OfferFacts & { person: Person; other_account_url: string; way_on: string },
): Page {
  const texts = context.texts.organization_invitation
  const title = texts.member(organization_name)
  const body = html`${brandLine(context)}<h1>${title}</h1><p class="sub">${texts.member_text}</p>
${who(context, person, other_account_url)}
${wayOn(context, way_on)}`
  return layout(context, { title, body, step: 'invitation' })
}

export function offerDeclinedPage(context: PageContext, { organization_name, way_on }: OfferFacts & { way_on: string }): Page {
  const texts = context.texts.organization_invitation
  const title = texts.declined
  const body = html`${brandLine(context)}<h1>${title}</h1><p class="sub">${texts.declined_text(organization_name)}</p>
${wayOn(context, way_on)}`
  return layout(context, { title, body, step: 'invitation' })
}

export interface OfferCodeView extends OfferFacts {
  /** The address of the page. Its forms are sent there, so that the page that answers a wrong value can be opened again. */
  page_url: string
  csrf: string
  request: string
  problem: 'wrong' | 'too_many' | FormProblem | null
  wait_seconds: number | null
  inbox_url: InboxUrl
  back_url: string
}

/** Asks for the code that was mailed to the invited address. */
export function offerCodePage(context: PageContext, view: OfferCodeView): Page {
  const { texts } = context
  const { page_url, csrf, request, email, organization_name, problem, wait_seconds } = view
  const values = hidden({ csrf, request })
  const of_form =
    problem === null || problem === 'wrong'
      ? null
      : problem === 'too_many'
        ? texts.form.too_many(wait_seconds)
        : formSentence(context, problem)
  const body = html`${brandLine(context)}<h1>${texts.code.title}</h1><p class="sub">${texts.organization_invitation.code_sent(html`<b>${breakable(email)}</b>`, organization_name)}</p>
${of_form && problemSummary(of_form)}
<form method="post" action="${page_url}">${values}
${field({ name: 'code', label: texts.code.label, type: 'digits', autocomplete: 'one-time-code', problem: problem === 'wrong' ? texts.code.wrong : null, autofocus: of_form === null })}
<button class="b p" data-action="continue">${texts.code.submit}</button></form>
<form method="post" action="${page_url}">${values}
<button class="b" name="action" value="resend" data-action="resend-code" aria-describedby="resend-note">${texts.code.resend}</button>
${resendNote(context, view.inbox_url)}</form>
<p class="after"><a href="${view.back_url}" data-action="cancel">${texts.organization_invitation.back}</a></p>`
  return layout(context, {
    title: texts.code.title,
    body,
    step: 'code',
    has_problem: problem !== null,
    ...(problem && { status: problem === 'too_many' ? 429 : 400 }),
  })
}

const who = ({ texts }: PageContext, person: Person, other_account_url: string): Html =>
  html`<p class="fine">${texts.invitation.signed_in_as}</p>
<div class="who">${avatar(person)}<span class="name">${breakable(person.email)}</span><a href="${other_account_url}" data-action="use-other-account">${texts.consent.not_you}</a></div>`

const wayOn = ({ texts }: PageContext, url: string): Html =>
  html`<div class="acts"><a class="b p" href="${url}" data-action="continue">${texts.message.continue}</a></div>`
