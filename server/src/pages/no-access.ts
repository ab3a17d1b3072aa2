// pure
/** The page of a person whose roles leave nothing of what an app asks for, or who is not a member: another account, or back to the app. */
import { html } from '../base/html.ts'
import { breakable } from './address.ts'
import type { DecisionView } from './decision.ts'
import { formSummary, hidden, refusedForm } from './form.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { appTile, avatar, brandTile } from './tiles.ts'

export interface NoAccessView extends Omit<DecisionView, 'not_you_url'> {
  /** `null` where the app asks for this account. */
  other_account_url: string | null
  /** The person can act for another organization. */
  has_organizations: boolean
  /** `false` where the person lacks the organization that the app asks for or needs. */
  is_member: boolean
}

export function noAccessPage(context: PageContext, view: NoAccessView): Page {
  const { csrf, request, session_id, application, person, other_account_url, has_organizations, is_member, problem } = view
  const texts = context.texts.no_access
  const title = texts.title(application.name)
  const body = html`<div class="pair">${appTile(application)}<i aria-hidden="true"></i>${brandTile(context)}</div>
<h1>${title}</h1>
<p class="sub">${(is_member ? texts.text : texts.not_a_member)(html`<b>${application.name}</b>`)}</p>
${formSummary(context, problem)}
<div class="who">${avatar(person)}<span class="name">${breakable(person.email)}</span></div>
<form method="post" action="${context.issuer}/consent">${hidden({ csrf, request, session: session_id })}
${has_organizations && html`<button class="b" name="decision" value="organizations" data-action="choose-organization">${texts.other_organization}</button>`}
<div class="two">${other_account_url && html`<a class="b" href="${other_account_url}" data-action="use-other-account">${texts.other_account}</a>`}<button class="b p" name="decision" value="back" data-action="cancel">${texts.back(application.name)}</button></div></form>`
  return layout(context, {
    title,
    body,
    step: 'no-access',
    width: 'medium',
    images: [application.logo_url],
    status: 403,
    ...refusedForm(problem),
  })
}
