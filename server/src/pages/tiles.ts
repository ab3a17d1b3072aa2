// pure
/** Logos and avatars: the environment's brand, an application, a person. */
import { type Html, html } from '../base/html.ts'
import { breakable } from './address.ts'
import { imageOrigin } from './csp.ts'
import { mark } from './icons.ts'
import type { PageContext } from './layout.ts'

export interface Person {
  email: string
  name: string | null
}

/** The tile of the tenant's brand, or the mark on a page of the service itself. */
export const brandTile = ({ branding, environment_type, is_own = false }: PageContext): Html =>
  environment_type === null || is_own ? mark : tile(branding.display_name, branding.logo_url, 'brand')

export const brandLine = (context: PageContext): Html =>
  html`<div class="org">${brandTile(context)}<span>${context.branding.display_name}</span></div>`

export const appTile = (application: { name: string; logo_url: string | null }): Html => tile(application.name, application.logo_url, 'app')

/** The avatar, name and email address of a person. The address is always shown, since two people may share a name. */
export const personLine = ({ email, name }: Person): Html =>
  html`${avatar({ email, name })}<span class="name">${name ? html`<b>${name}</b><span>${breakable(email)}</span>` : breakable(email)}</span>`

export const avatar = ({ email, name }: Person): Html =>
  html`<span class="avatar" aria-hidden="true">${name ? initials(name, 2) : initials(email, 1)}</span>`

/**
 * The name is beside the logo, so the logo has no alternative text. A browser shows an image that it cannot load, and that has none,
 * with no width; then the style sheet shows the tile behind it.
 */
function tile(name: string, logo_url: string | null, kind: 'brand' | 'app'): Html {
  const initial = html`<span class="tile ${kind}" aria-hidden="true">${initials(name, 1)}</span>`
  if (imageOrigin(logo_url) === null) return initial
  return html`<span class="logo"><span><img src="${logo_url}" alt="">${initial}</span></span>`
}

/** The first letter or digit of the first word, and of the last word if `most` is 2. */
export function initials(name: string, most: 1 | 2): string {
  const letters = name.split(/\s+/u).flatMap((word) => /[\p{L}\p{N}]/u.exec(word)?.[0].toUpperCase() ?? [])
  return most === 1 || letters.length < 2 ? (letters[0] ?? '') : `${letters[0]}${letters.at(-1)}`
}
