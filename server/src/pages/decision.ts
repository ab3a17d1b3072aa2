// pure
/** A page on which the signed-in person allows something to an application, or denies it. Its form is that of consent. */
import { type Html, html } from '../base/html.ts'
import { breakable } from './address.ts'
import { type FormProblem, formSummary, hidden, refusedForm } from './form.ts'
import { layout, type Page, type PageContext, type PageMarks } from './layout.ts'
import { appTile, avatar, brandTile, type Person } from './tiles.ts'

export interface DecisionView {
  csrf: string
  request: string
  /** The session that the page was shown to. Only it can decide. */
  session_id: string
  application: { name: string; logo_url: string | null }
  person: Person
  not_you_url: string
  problem: FormProblem | null
  /** Comes back with the form: what the page showed of a client that can change at any time. */
  shown?: string
}

interface DecisionParts {
  title: string
  question: string
  why?: Html
  /** The scopes or other content below the person. */
  asked?: Html
  deny: string
  allow: string
  allow_action: 'confirm' | 'continue'
  marks?: PageMarks
}

export function decisionPage(context: PageContext, view: DecisionView, parts: DecisionParts): Page {
  const { csrf, request, session_id, application, person, not_you_url, problem, shown } = view
  const { title, question, why, asked, deny, allow, allow_action, marks } = parts
  const body = html`<div class="pair">${appTile(application)}<i aria-hidden="true"></i>${brandTile(context)}</div>
<h1>${question}</h1>
${why}${formSummary(context, problem)}
<div class="who">${avatar(person)}<span class="name">${breakable(person.email)}</span><a href="${not_you_url}" data-action="use-other-account">${context.texts.consent.not_you}</a></div>
${asked}<form method="post" action="${context.issuer}/consent">${hidden({ csrf, request, session: session_id, ...(shown !== undefined && { shown }) })}
<div class="two"><button class="b" name="decision" value="deny" data-action="cancel">${deny}</button><button class="b p" name="decision" value="allow" data-action="${allow_action}">${allow}</button></div></form>`
  return layout(context, {
    title,
    body,
    step: 'consent',
    width: 'medium',
    images: [application.logo_url],
    ...(marks && { marks }),
    ...refusedForm(problem),
  })
}
