// pure
/** Responds to a client that asked for response_mode=form_post: a form that posts the response to it. */
import { html } from '../base/html.ts'
import { hidden } from './form.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { brandLine } from './tiles.ts'

export interface FormPostView {
  application_name: string | null
  redirect_uri: string
  /** The response parameters: code, state, iss or error. */
  parameters: Readonly<Record<string, string>>
}

/** Calls the prototype's method, since a parameter named "submit" would hide the form's own. */
const submit = 'HTMLFormElement.prototype.submit.call(document.forms[0])'

/** OAuth 2.0 Form Post Response Mode 1.0 §2. The button is for browsers without scripts. */
export function formPostPage(context: PageContext, { application_name, redirect_uri, parameters }: FormPostView): Page {
  const texts = context.texts.form_post
  const body = html`${brandLine(context)}<h1>${texts.title}</h1><p class="sub">${texts.text(application_name)}</p>
<form method="post" action="${redirect_uri}">${hidden(parameters)}<button class="b p" data-action="continue">${texts.submit}</button></form>`
  return layout(context, { title: texts.title, body, script: submit })
}
