// pure
/** The consent page: the application, the signed-in account, each scope with its actual value, and the destination. */
import { isLoopback } from '../base/addresses.ts'
import { type Html, html } from '../base/html.ts'
import type { ConsentLine } from '../protocol/consent.ts'
import { breakable } from './address.ts'
import { type FormProblem, formSummary, hidden, refusedForm } from './form.ts'
import { clock, envelope, list, person, phone } from './icons.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { appTile, avatar, brandTile } from './tiles.ts'

export interface ConsentView {
  csrf: string
  request: string
  /** The session that the page was shown to. Only it can consent. */
  session_id: string
  application: { name: string; logo_url: string | null }
  redirect_uri: string
  not_you_url: string
  account_url: string
  person: {
    email: string
    name: string | null
    picture: string | null
    locale: string | null
    zoneinfo: string | null
    phone_number: string | null
  }
  /** Description and resource server are null for the standard scopes of OpenID Connect, which have texts of their own. */
  scopes: readonly ConsentLine[]
  problem: FormProblem | null
}

export function consentPage(context: PageContext, view: ConsentView): Page {
  const { branding, issuer } = context
  const texts = context.texts.consent
  const { application, csrf, request, session_id } = view
  const body = html`<div class="pair">${appTile(application)}<i aria-hidden="true"></i>${brandTile(context)}</div>
<h1>${texts.question(application.name, branding.display_name)}</h1>
${formSummary(context, view.problem)}
<div class="who">${avatar(view.person)}<span class="name">${breakable(view.person.email)}</span><a href="${view.not_you_url}" data-action="use-other-account">${texts.not_you}</a></div>
<h2>${texts.will_be_able(application.name)}</h2>
<ul class="gets">${shownScopes(view.scopes).map((scope) => gain(context, view, scope))}</ul>
<p class="fine">${landing(context, view)} ${texts.removable(html`<a href="${view.account_url}" data-action="account">${texts.your_account}</a>`)}</p>
<form method="post" action="${issuer}/consent">${hidden({ csrf, request, session: session_id })}
<div class="two"><button class="b" name="decision" value="deny" data-action="cancel">${texts.deny}</button><button class="b p" name="decision" value="allow" data-action="confirm">${texts.allow}</button></div></form>`
  return layout(context, {
    title: texts.title(application.name),
    body,
    step: 'consent',
    width: 'medium',
    images: [application.logo_url],
    ...refusedForm(view.problem),
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
    html`<li data-id="${one.scope ?? one.resource_server_name}">${icon}<b>${what}</b><span>${detail}</span></li>`
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

/** RFC 8252 §7: private-use schemes and loopback addresses lead to an app on the same device. */
function landing({ texts: { consent: texts }, branding }: PageContext, { redirect_uri, application }: ConsentView): Html {
  const url = new URL(redirect_uri)
  const { protocol, host } = url
  const is_web = protocol === 'https:' || protocol === 'http:'
  if (is_web && !isLoopback(url)) return texts.lands_on_host(html`<b>${breakable(host)}</b>`, branding.display_name)
  return texts.lands_on_device(html`<b>${application.name}</b>`)
}
