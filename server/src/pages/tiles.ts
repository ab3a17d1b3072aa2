// pure
/** The small pictures of who is who: the environment's brand, an application, a person. */
import { imageOrigin } from './csp.ts'
import { type Html, html } from './html.ts'
import type { PageContext } from './layout.ts'

export interface Person {
  email: string
  name: string | null
}

export const brandTile = ({ branding }: PageContext): Html => tile(branding.display_name, branding.logo_url, 'brand')

export const brandLine = (context: PageContext): Html =>
  html`<div class="org">${brandTile(context)}<span>${context.branding.display_name}</span></div>`

export const appTile = (application: { name: string; logo_url: string | null }): Html => tile(application.name, application.logo_url, 'app')

/** Round picture and words of one person. The address is always there: two people may share a name. */
export const personLine = ({ email, name }: Person): Html =>
  html`${avatar({ email, name })}<span class="name">${name ? html`<b>${name}</b><span>${email}</span>` : email}</span>`

export const avatar = ({ email, name }: Person): Html =>
  html`<span class="avatar" aria-hidden="true">${name ? initials(name, 2) : initials(email, 1)}</span>`

/** A logo says nothing that the name beside it does not, so it has no text of its own. */
function tile(name: string, logo_url: string | null, kind: 'brand' | 'app'): Html {
  if (imageOrigin(logo_url) !== null) return html`<img class="logo" src="${logo_url}" alt="">`
  return html`<span class="tile ${kind}" aria-hidden="true">${initials(name, 1)}</span>`
}

/** Of the first word and the last: the first thing in them that is a letter or a digit. */
function initials(name: string, most: 1 | 2): string {
  const letters = name.split(/\s+/u).flatMap((word) => /[\p{L}\p{N}]/u.exec(word)?.[0].toUpperCase() ?? [])
  return most === 1 || letters.length < 2 ? (letters[0] ?? '') : `${letters[0]}${letters.at(-1)}`
}
