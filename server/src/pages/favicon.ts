// pure
/** The icon of a page in the tab of the browser. A data URL, so that an issuer with a host of its own needs no route for it. */
import { type Html, html, markupOf } from '../base/html.ts'
import { brandColours } from './brand.ts'
import { imageOrigin } from './csp.ts'
import { mark_path } from './icons.ts'
import type { PageContext } from './layout.ts'
import { initials } from './tiles.ts'

const { fill, on_fill } = brandColours(null, 'light')

/** The mark on a tile, readable on light and dark tabs. Also served at `/favicon.ico`. */
export const mark_icon = markupOf(tile(fill, html`<path fill="${on_fill}" transform="translate(3.6 3.6) scale(.7)" d="${mark_path}"/>`))

/**
 * The mark of the service on its own pages and in Test. A Live page shows nothing of the service: its icon is the tenant's logo, or the
 * initial of the tenant's name.
 */
export function iconOf({
  environment_type,
  branding,
  is_own = false,
}: Pick<PageContext, 'environment_type' | 'branding' | 'is_own'>): string {
  if (environment_type !== 'live' || is_own) return dataUrl(mark_icon)
  if (branding.logo_url !== null && imageOrigin(branding.logo_url) !== null) return branding.logo_url
  const { tile: ground, on_tile } = brandColours(branding.primary_color, 'light')
  const letter = html`<text x="12" y="17" text-anchor="middle" font-family="system-ui,sans-serif" font-weight="700" font-size="14" fill="${on_tile}">${initials(branding.display_name, 1)}</text>`
  return dataUrl(markupOf(tile(ground, letter)))
}

function tile(ground: string, drawing: Html): Html {
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="5" fill="${ground}"/>${drawing}</svg>`
}

const dataUrl = (svg: string) => `data:image/svg+xml,${encodeURIComponent(svg)}`
