// pure
/** The pages of the service itself, which belong to no environment: the start page, and errors outside of an issuer. */
import { type Html, html } from '../base/html.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { languageFor } from './locale.ts'
import { brandLine } from './tiles.ts'

export const service_name = 'Ostiary'

export function serviceContext(base_url: string, accept_language: string | undefined): PageContext {
  return {
    issuer: base_url,
    environment_type: null,
    branding: { display_name: service_name, logo_url: null, primary_color: null },
    links: { terms_url: null, privacy_url: null, support_url: null },
    ...languageFor(undefined, accept_language),
  }
}

export type StartLink = keyof PageContext['texts']['start']['links']

/** Returns the start page: it describes this service and links to its parts. */
export function startPage(context: PageContext, links: readonly { id: StartLink; url: string }[]): Page {
  const texts = context.texts.start
  const line = ({ id, url }: { id: StartLink; url: string }): Html =>
    html`<li data-id="${id}"><a href="${url}">${texts.links[id].name}</a><p>${texts.links[id].detail}</p></li>`
  const body = html`${brandLine(context)}<h1>${texts.title}</h1><p class="sub">${texts.text}</p>
<p class="hint">${texts.for_people}</p>
<ul class="links">${links.map(line)}</ul>`
  return layout(context, { title: texts.title, body, width: 'medium', align: 'top' })
}
