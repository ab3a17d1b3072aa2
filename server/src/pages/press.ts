// pure
/** The page of a press: a signed-in person goes on to an app that proves its identity by nothing (decision 0153). It asks for no consent. */
import { html } from '../base/html.ts'
import { type DecisionView, decisionPage } from './decision.ts'
import type { Page, PageContext } from './layout.ts'

export function pressPage(context: PageContext, view: DecisionView): Page {
  const { application, person } = view
  const texts = context.texts.press
  return decisionPage(context, view, {
    title: texts.title(application.name),
    question: texts.question(person.name ?? person.email, application.name),
    why: html`<p class="sub">${texts.why(html`<b>${application.name}</b>`)}</p>
`,
    deny: texts.cancel,
    allow: texts.go_on,
    allow_action: 'continue',
  })
}
