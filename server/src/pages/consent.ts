// pure
/** The consent page: the application, the signed-in account, each scope with its actual value, and the destination. */
import { isLoopback } from '../base/addresses.ts'
import { type Html, html } from '../base/html.ts'
import type { ConsentLine } from '../protocol/consent.ts'
import { breakable } from './address.ts'
import { type DecisionView, decisionPage } from './decision.ts'
import { clock, envelope, list, person, phone } from './icons.ts'
import type { Page, PageContext, PageMarks } from './layout.ts'
import type { Person } from './tiles.ts'

export interface ConsentView extends DecisionView {
  redirect_uri: string
  account_url: string
  person: Person & {
    picture: string | null
    locale: string | null
    zoneinfo: string | null
    phone_number: string | null
  }
  /** Description and resource server are null for the standard scopes of OpenID Connect, which have texts of their own. */
  scopes: readonly ConsentLine[]
  /** The organization that the person acts for. */
  organization: { id: string; name: string } | null
  /** A client that nobody registered; `null` or absent for an application. */
  metadata?: ByAddress | null
}

export function consentPage(context: PageContext, view: ConsentView): Page {
  const texts = context.texts.consent
  const { application } = view
  const shown = shownScopes(view.scopes)
  const lines = (are_given: boolean) => shown.filter(({ given }) => given === are_given).map((scope) => gain(context, view, scope))
  const [given, later] = [lines(true), lines(false)]
  const asked = html`<h2>${texts.will_be_able(application.name)}</h2>
<ul class="gets">${given}</ul>${
    later.length > 0 &&
    html`
<p class="apart" id="not-given">${texts.not_given(application.name)}</p>
<ul class="gets" aria-labelledby="not-given">${later}</ul>`
  }
<p class="fine">${landing(context, view)} ${texts.removable(html`<a href="${view.account_url}" data-action="account">${texts.your_account}</a>`)}</p>
`
  const { organization, metadata = null } = view
  const why = [
    metadata && originOf(context, application.name, metadata),
    organization && html`<p class="sub">${texts.for_organization(application.name, html`<b>${organization.name}</b>`)}</p>`,
  ].filter((part) => part !== null)
  return decisionPage(context, view, {
    title: texts.title(application.name),
    ...(why.length > 0 && { why: html`${why}` }),
    marks: { ...(organization && { organization: organization.id }), ...(metadata && clientMarks(view.redirect_uri, metadata)) },
    question: texts.question(application.name, context.branding.display_name),
    asked,
    deny: texts.deny,
    allow: texts.allow,
    allow_action: 'confirm',
  })
}

/** Leaves out `openid` if another scope already identifies the person. */
function shownScopes(scopes: readonly ConsentLine[]): readonly ConsentLine[] {
  const identifies = scopes.some(({ scope }) => scope === 'profile' || scope === 'email')
  return scopes.filter(({ scope }) => scope !== 'openid' || !identifies)
}

/** OIDC Core §5.4: describes a standard scope by its claims, any other scope by the description of its resource server. */
function gain({ texts: { consent: texts } }: PageContext, { person: who }: ConsentView, one: ConsentLine): Html {
  const line = (icon: Html, what: string, detail: Html | string) =>
    html`<li data-id="${one.scope ?? one.resource_server_name}"${one.scope !== null && html` data-scope="${one.scope}"`} data-given="${String(one.given)}">${icon}<b>${what}</b><span>${detail}</span></li>`
  if (one.resource_server_name === null) {
    if (one.scope === 'openid') return line(person, texts.openid, texts.openid_detail)
    if (one.scope === 'profile') {
      const known = [who.name, who.picture && texts.picture, who.locale && texts.language, who.zoneinfo && texts.time_zone]
      return line(person, texts.profile, texts.list(known.filter((part) => part !== null)) || texts.nothing_yet)
    }
    if (one.scope === 'email') return line(envelope, texts.email, breakable(who.email))
    if (one.scope === 'phone') return line(phone, texts.phone, who.phone_number ?? texts.nothing_yet)
    if (one.scope === 'offline_access') return line(clock, texts.offline_access, texts.offline_access_detail)
  }
  if (one.scope === null) return line(list, texts.use_api(one.resource_server_name ?? ''), texts.use_api_detail)
  const code = html`<code>${one.scope}</code>`
  return line(list, one.description ?? one.scope, one.resource_server_name === null ? code : html`${one.resource_server_name}, ${code}`)
}

interface ByAddress {
  host: string
  listed: boolean
}

/** Anybody can choose any name, so the page says where the client is from and who has checked it. */
function originOf({ texts: { consent: texts }, branding }: PageContext, name: string, { host, listed }: ByAddress): Html {
  const checked = listed ? texts.address_approved(branding.display_name) : texts.address_unchecked(branding.display_name)
  return html`<p class="sub">${texts.own_name(html`<bdi>${name}</bdi>`, shownHost(host))} ${checked}</p>
`
}

/** A host is ASCII. It is never shortened, and stays readable from left to right in every language. */
const shownHost = (host: string): Html => html`<b><bdi dir="ltr">${breakable(host)}</bdi></b>`

/** The host of a redirect URI, with a port that is not the one of its scheme. */
const hostOf = (redirect_uri: string): string => new URL(redirect_uri).host

const goesToDevice = (redirect_uri: string): boolean => isLoopback(new URL(redirect_uri))

function clientMarks(redirect_uri: string, { host, listed }: ByAddress): PageMarks {
  const is_on_device = goesToDevice(redirect_uri)
  const warnings = [
    ...(listed ? [] : ['unchecked']),
    ...(is_on_device ? ['loopback'] : []),
    ...(!is_on_device && hostOf(redirect_uri) !== host ? ['other-host'] : []),
  ]
  return { client_host: host, redirect_host: hostOf(redirect_uri), ...(warnings.length > 0 && { warning: warnings.join(' ') }) }
}

function landingByAddress(
  { texts: { consent: texts } }: PageContext,
  { redirect_uri, application }: ConsentView,
  { host }: ByAddress,
): Html {
  if (goesToDevice(redirect_uri)) return texts.answer_on_device(html`<bdi>${application.name}</bdi>`)
  const to = hostOf(redirect_uri)
  return html`${texts.answer_to(shownHost(to))}${to !== host && html` ${texts.other_address}`}`
}

/** RFC 8252 §7: private-use schemes and loopback addresses lead to an app on the same device. */
function landing(context: PageContext, view: ConsentView): Html {
  const { redirect_uri, application, metadata } = view
  const { branding } = context
  const texts = context.texts.consent
  if (metadata) return landingByAddress(context, view, metadata)
  const url = new URL(redirect_uri)
  const { protocol, host } = url
  const is_web = protocol === 'https:' || protocol === 'http:'
  if (is_web && !isLoopback(url)) return texts.lands_on_host(html`<b>${breakable(host)}</b>`, branding.display_name)
  return texts.lands_on_device(html`<b>${application.name}</b>`)
}
