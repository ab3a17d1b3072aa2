// pure
/** The page of a press: a signed-in person goes on to an app that proves its identity by nothing (decision 0153). It asks for no consent. */
import { html } from '../base/html.ts'
import { breakable } from './address.ts'
import { type FormProblem, formSummary, hidden, refusedForm } from './form.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { appTile, avatar, brandTile } from './tiles.ts'

export interface PressView {
  csrf: string
  request: string
  /** The session that the page was shown to. */
  session_id: string
  application: { name: string; logo_url: string | null }
  person: { email: string; name: string | null }
  not_you_url: string
  problem: FormProblem | null
}

export function pressPage(context: PageContext, view: PressView): Page {
  const { csrf, request, session_id, application, person, not_you_url, problem } = view
  const texts = context.texts.press
  const body = html`<div class="pair">${appTile(application)}<i aria-hidden="true"></i>${brandTile(context)}</div>
<h1>${texts.question(person.name ?? person.email, application.name)}</h1>
<p class="sub">${texts.why(html`<b>${application.name}</b>`)}</p>
${formSummary(context, problem)}
<div class="who">${avatar(person)}<span class="name">${breakable(person.email)}</span><a href="${not_you_url}" data-action="use-other-account">${context.texts.consent.not_you}</a></div>
<form method="post" action="${context.issuer}/consent">${hidden({ csrf, request, session: session_id })}
<div class="two"><button class="b" name="decision" value="deny" data-action="cancel">${texts.cancel}</button><button class="b p" name="decision" value="allow" data-action="continue">${texts.go_on}</button></div></form>`
  return layout(context, {
    title: texts.title(application.name),
    body,
    step: 'consent',
    width: 'medium',
    images: [application.logo_url],
    ...refusedForm(problem),
  })
}
