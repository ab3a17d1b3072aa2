// pure
/** The organizations of a person, who chooses the one to act for: one page of the list, a search, and where it is possible none. */
import { html } from '../base/html.ts'
import { breakable } from './address.ts'
import { type FormProblem, field, formSummary, hidden, refusedForm } from './form.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { avatar, brandLine, type Person } from './tiles.ts'

export interface SelectOrganizationView {
  application_name: string
  csrf: string
  request: string
  /** The session that the page was shown to. Only it can choose. */
  session_id: string
  person: Person
  organizations: readonly { id: string; name: string; slug: string }[]
  /** The words that the person looks for; empty: all. */
  words: string
  /** Where the next page begins; `null`: this is the last one. */
  next: number | null
  /** The list is long enough for a search. */
  has_search: boolean
  /** The person can go on without an organization. */
  may_have_none: boolean
  not_you_url: string
  problem: FormProblem | null
}

export function selectOrganizationPage(context: PageContext, view: SelectOrganizationView): Page {
  const { issuer } = context
  const texts = context.texts.select_organization
  const { csrf, request, session_id, person, organizations, words, next, has_search, may_have_none } = view
  const form = (kind: 'find' | null) =>
    html`<form method="post" action="${issuer}/select-organization"${kind && html` class="${kind}"`}>${hidden({ csrf, request, session: session_id })}`
  const one = ({ id, name, slug }: SelectOrganizationView['organizations'][number]) => html`<li data-id="${id}">
<button class="b" name="organization" value="${id}" data-action="choose-organization"><span class="name" dir="auto">${breakable(name)}</span><span class="vh"> ${slug}</span></button></li>`
  const body = html`${brandLine(context)}<h1>${texts.title}</h1><p class="sub">${texts.to_continue(view.application_name)}</p>
${formSummary(context, view.problem)}
<div class="who">${avatar(person)}<span class="name">${breakable(person.email)}</span><a href="${view.not_you_url}" data-action="use-other-account">${context.texts.consent.not_you}</a></div>
${
  has_search &&
  html`${form('find')}
${field({ name: 'q', label: texts.search, type: 'text', autocomplete: 'off', value: words, optional: '' })}
<button class="b" name="search" value="1" data-action="search">${texts.find}</button></form>`
}
${organizations.length === 0 && html`<p class="fine hint" role="status">${texts.none_found}</p>`}
${form(null)}${words !== '' && hidden({ q: words })}
${organizations.length > 0 && html`<ul class="people">${organizations.map(one)}</ul>`}
${next !== null && html`<button class="b" name="more" value="${String(next)}" data-action="more">${texts.more}</button>`}
${may_have_none && html`<button class="b" name="organization" value="none" data-action="no-organization">${texts.none}</button>`}</form>`
  return layout(context, { title: texts.title, body, step: 'select-organization', ...refusedForm(view.problem) })
}
