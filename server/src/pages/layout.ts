// pure
/** The frame of every hosted page: head, Test ribbon, panel, footer and content security policy. */
import { type Html, html, markupOf, raw } from '../base/html.ts'
import { brandStyle, type Theme, themes } from './brand.ts'
import { contentSecurityPolicy } from './csp.ts'
import { iconOf } from './favicon.ts'
import { flask } from './icons.ts'
import { styles } from './styles.ts'
import type { Texts } from './texts/en.ts'

/** The environment and the language of a page. */
export interface PageContext {
  issuer: string
  /** `null` for a page of the service itself, which belongs to no environment. */
  environment_type: 'test' | 'live' | null
  /** The page belongs to the administrators of the service, who have set no logo: it has the mark of the service. */
  is_own?: boolean
  /** `display_name` is resolved: it is never empty. */
  branding: { display_name: string; logo_url: string | null; primary_color: string | null }
  links: { terms_url: string | null; privacy_url: string | null; support_url: string | null }
  texts: Texts
  locale: string
  direction: 'ltr' | 'rtl'
  /** The language that the person chose, which links and forms of the account page keep; absent where the browser chose it. */
  chosen_locale?: string
  /** This page in every language; absent where the page has no address that could be opened again. */
  languages?: readonly { locale: string; name: string; url: string }[]
  /** The page only shows settings: in a frame of the dashboard, without scripts, in this theme. */
  preview?: { theme: Theme }
}

export interface Page {
  html: string
  /** The language of the page: its Content-Language. */
  locale: string
  /** The Content-Security-Policy of this page. */
  csp: string
  /** Default 200. */
  status?: number
}

/** Automated tests of our users rely on these names, so they never change. */
export type Step =
  | 'sign-in'
  | 'sign-up'
  | 'code'
  | 'forgot-password'
  | 'new-password'
  | 'link'
  | 'second-factor'
  | 'enrol-totp'
  | 'recovery-codes'
  | 'offer-passkey'
  | 'profile'
  | 'consent'
  | 'no-access'
  | 'waiting'
  | 'select-account'
  | 'select-organization'
  | 'sign-out'
  | 'signed-out'
  | 'invitation'
  | 'organization'
  | 'account'
  | 'error'

/** Facts in attributes of `<main>`, for automated tests of tenants. */
export interface PageMarks {
  /** The id of the organization that the person acts for. */
  organization?: string
  /** The hosts of a client that nobody registered, and of the redirect URI. */
  client_host?: string
  redirect_host?: string
  /** Words: `unchecked`, `loopback`, `other-host`. */
  warning?: string
}

interface Content {
  title: string
  body: Html
  /** Identifies the step of the flow, for automated tests of tenants. A page that is not a step has none. */
  step?: Step
  marks?: PageMarks
  /** The form has errors. The title then begins with "Error", which screen readers read first. */
  has_problem?: boolean
  status?: number
  width?: 'narrow' | 'medium' | 'wide'
  /** The vertical position of the panel. Pages with text only start at the top. */
  align?: 'middle' | 'top'
  /** The browser loads the page again after this time. */
  refresh_seconds?: number
  /** Logos other than the environment's. */
  images?: readonly (string | null)[]
  /** The only script of the page, a constant in this code. */
  script?: string
  /** Styles of this page, beside those of all pages. */
  styles?: string
  /** Replaces the panel: a header above the page, and a list of its sections beside it, if there is one. */
  frame?: { header: Html; sections: Html | null }
}

export function layout(context: PageContext, content: Content): Page {
  const { branding, texts, locale, direction, environment_type } = context
  const title = content.has_problem ? texts.error_title(content.title) : content.title
  const colours = brandStyle(branding.primary_color)
  const script = context.preview ? undefined : content.script
  const forced = context.preview && `:root{color-scheme:${context.preview.theme}}`
  const page = html`<!doctype html>
<html lang="${locale}"${direction === 'rtl' && html` dir="rtl"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${content.refresh_seconds !== undefined && html`<meta http-equiv="refresh" content="${String(content.refresh_seconds)}">`}
${themeColours(context)}
<title>${title} · ${branding.display_name}</title>
<link rel="icon" href="${iconOf(context)}">
<style>${raw(styles)}</style>
<style>${raw(colours)}</style>
${forced !== undefined && html`<style>${raw(forced)}</style>`}
${content.styles !== undefined && html`<style>${raw(content.styles)}</style>`}
</head>
<body${content.frame && html` class="wide"`}${context.preview && html` inert`}>
${
  content.frame
    ? framed(context, content, content.frame)
    : html`${environment_type === 'test' && html`<header>${testRibbon(context)}</header>`}
${panel(content)}`
}
${footer(context)}
${script !== undefined && html`<script>${raw(script)}</script>`}
</body>
</html>
`
  return {
    html: markupOf(page),
    locale,
    csp: contentSecurityPolicy({
      styles: [styles, colours, ...(forced !== undefined ? [forced] : []), ...(content.styles !== undefined ? [content.styles] : [])],
      script,
      is_preview: context.preview !== undefined,
      images: [branding.logo_url, ...(content.images ?? [])],
    }),
    ...(content.status !== undefined && { status: content.status }),
  }
}

const stepAttribute = ({ step, marks: { organization, client_host, redirect_host, warning } = {} }: Content) =>
  html`${step && html` data-step="${step}"`}${organization !== undefined && html` data-organization="${organization}"`}${
    client_host !== undefined && html` data-client-host="${client_host}"`
  }${redirect_host !== undefined && html` data-redirect-host="${redirect_host}"`}${warning !== undefined && html` data-warning="${warning}"`}`

const panel = (content: Content): Html =>
  html`<main class="mid ${content.align ?? 'middle'}"${stepAttribute(content)}><div class="panel ${content.width ?? 'narrow'}">
${content.body}
</div></main>`

const framed = (context: PageContext, content: Content, { header, sections }: NonNullable<Content['frame']>): Html =>
  html`<header>${context.environment_type === 'test' && testRibbon(context)}<div class="top"><div>${header}</div></div></header>
<div class="lay${sections === null && ' alone'}">${sections}<main${stepAttribute(content)}>
${content.body}
</main></div>`

/** The colour of the browser's bars: that of the top of the page on a phone. */
function themeColours({ environment_type }: PageContext): Html[] {
  return (['light', 'dark'] as const).map((theme) => {
    const { band, surface } = themes[theme]
    return html`<meta name="theme-color" media="(prefers-color-scheme: ${theme})" content="${environment_type === 'test' ? band : surface}">`
  })
}

/** Marks every page of a Test environment. Live pages show only the tenant's brand. */
const testRibbon = ({ texts, branding }: PageContext) =>
  html`<div class="ribbon">${flask}<span><b>${texts.test_ribbon.word}</b> ${texts.test_ribbon.sentence(branding.display_name)}</span></div>`

function footer({ links, texts, languages = [], locale: shown }: PageContext): Html | null {
  const all: [string, string | null][] = [
    [texts.footer.terms, links.terms_url],
    [texts.footer.privacy, links.privacy_url],
    [texts.footer.help, links.support_url],
  ]
  const set = all.filter(([, url]) => url !== null)
  if (set.length === 0 && languages.length === 0) return null
  const named = set.map(([name, url]) => html`<li><a href="${url}">${name}</a></li>`)
  const spoken = languages.map(({ locale, name, url }) =>
    locale === shown
      ? html`<li><a lang="${locale}" aria-current="true">${name}</a></li>`
      : html`<li><a lang="${locale}" hreflang="${locale}" href="${url}">${name}</a></li>`,
  )
  return html`<footer class="legal">${named.length > 0 && html`<ul>${named}</ul>`}${spoken.length > 0 && html`<nav aria-label="${texts.language.menu}"><ul>${spoken}</ul></nav>`}</footer>`
}
