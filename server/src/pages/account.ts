// pure
/**
 * The account page: what the service knows about a person, with the way to change it. A row of a list has the id of its object. The
 * pages with one form, to which its links lead, are in `account-forms.ts`.
 */
import type { ProviderType } from '@ostiary/contract/objects/provider.ts'
import { type MethodKind, second_kinds } from '@ostiary/contract/sign-in-methods.ts'
import type { DeviceName } from '../base/device-name.ts'
import { type Html, html } from '../base/html.ts'
import { type AccountAction, type AccountNotice, isRemovable, removals, type WhyMethodStays } from './account-actions.ts'
import { accountFields, accountHref, signOutRequest } from './account-links.ts'
import { account_styles } from './account-styles.ts'
import { breakable } from './address.ts'
import { type Dates, datesOf } from './dates.ts'
import { type FormProblem, formSentence, hidden, problemSummary } from './form.ts'
import * as icons from './icons.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { providerIcons } from './provider-icons.ts'
import type { AppGains } from './texts/en-account.ts'
import { appTile, avatar, brandLine } from './tiles.ts'

export interface AccountView {
  csrf: string
  user_id: string
  person: {
    email: string
    email_verified: boolean
    pending_email: { email: string } | null
    name: string | null
    locale: string | null
    zoneinfo: string | null
  }
  /** The change that was just made. */
  notice: AccountNotice | null
  problem: FormProblem | 'changed' | 'too_many_changes' | null
  other_account_url: string
  /** `null` where the environment has no passwords. */
  password: { is_set: boolean; set_at: Date | null } | null
  /** The other sign-in methods. */
  methods: readonly {
    id: string
    type: MethodKind
    /** Of a provider that the sign-in page offers. */
    provider_type: ProviderType | null
    name: string | null
    codes_left: number | null
    /** Why the person cannot remove it; `null` where they can. */
    stays: WhyMethodStays | null
    created_at: Date
    last_used_at: Date | null
  }[]
  /** The environment sends mail, so addresses can be proved. */
  has_mail: boolean
  /** For so many days the person can undo a deletion. */
  deletion_grace_days: number
  /** The methods that the person can add. */
  can_add: { passkey: boolean; totp: boolean; providers: readonly { id: string; type: ProviderType; display_name: string }[] }
  /** This session first. */
  sessions: readonly { id: string; is_this: boolean; device: DeviceName; ip: string | null; created_at: Date; last_seen_at: Date }[]
  /** Where the second factor is not asked for. */
  trusted_browsers: readonly { id: string; device: DeviceName; ip: string | null; last_used_at: Date; expires_at: Date }[]
  /** Applications with the consent of the person or with tokens. */
  applications: readonly {
    id: string
    name: string
    logo_url: string | null
    since: Date
    gets: readonly AppGain[]
    organization: { id: string; name: string } | null
  }[]
  /** Invitations to the address, where the account has proved it, the newest first. Roles are names. */
  invitations: readonly { id: string; organization_name: string; roles: readonly string[] }[]
  /** Those that the person is a member of. */
  organizations: readonly { id: string; name: string; roles: readonly string[] }[]
  /** The page with the next of them; `null`: these are the last. */
  more_organizations_url: string | null
}

/** A part of what an application gets: a standard scope, or a resource server by its name. */
export type AppGain = 'profile' | 'email' | 'phone' | 'offline_access' | { resource_server: string }

const method_icons: Record<MethodKind, Html> = {
  password: icons.padlock,
  passkey: icons.passkey,
  totp: icons.phone,
  recovery_codes: icons.key,
  provider: icons.globe,
}

interface Section {
  id: string
  title: string
  body: Html
}

/** The context of every section. */
type AccountContext = PageContext & { readonly dates: Dates }

export function accountPage(page: PageContext, view: AccountView): Page {
  const texts = page.texts.account
  const { person, notice, problem } = view
  const context = { ...page, dates: datesOf(texts.date_locale, person.zoneinfo) }
  const sections = [
    profile(context, view),
    signingIn(context, view),
    secondStep(context, view),
    devices(context, view),
    trustedBrowsers(context, view),
    apps(context, view),
    organizations(context, view),
    data(context, view),
  ].filter((section) => section !== null)
  const summary = problem && problemSummary(problemText(context, problem))
  const body = html`<div class="wc">${avatar(person)}<div><h1>${person.name || texts.title}</h1><p>${breakable(person.email)}</p><a href="${view.other_account_url}" data-action="use-other-account">${texts.other_account}</a></div></div>
${notice && html`<p class="said" role="status">${icons.check}<span>${texts.notices[notice]}</span></p>`}${summary}
${sections.map(
  ({
    id,
    title,
    body,
  }) => html`<section class="cd" id="${id}" aria-labelledby="${id}-title"><header><h2 id="${id}-title">${title}</h2>${intro(context, id)}</header>${body}</section>
`,
)}`
  const toc = html`<nav class="toc" aria-label="${texts.sections}"><ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>`
  return layout(context, {
    title: texts.title,
    body,
    step: 'account',
    has_problem: summary !== null,
    styles: account_styles,
    frame: { header: html`${brandLine(context)}${signOut(context, view)}`, sections: toc },
    images: view.applications.map(({ logo_url }) => logo_url),
    ...(problem && { status: problem === 'changed' ? 409 : 400 }),
  })
}

export function problemText(context: PageContext, problem: NonNullable<AccountView['problem']>): string {
  return problem === 'changed' || problem === 'too_many_changes' ? context.texts.account.problems[problem] : formSentence(context, problem)
}

function intro({ texts: { account } }: PageContext, id: string) {
  const text = {
    second: account.second_intro,
    devices: account.devices_intro,
    trusted: account.trusted_intro,
    apps: account.apps_intro,
    data: account.data_intro,
  }[id]
  return text !== undefined && html`<p>${text}</p>`
}

/** Signs out every account of the browser, as the sign-out page does. */
const signOut = (context: PageContext, { csrf }: AccountView): Html =>
  html`<form method="post" action="${context.issuer}/sign-out">${hidden({ csrf, request: signOutRequest(context) })}<button class="b" name="decision" value="sign_out" data-action="sign-out">${icons.leave}${context.texts.account.sign_out}</button></form>`

interface Row {
  id?: string
  icon: Html
  name: Html | string
  detail: Html | string | null
  action?: Html | false | null
}

const row = ({ id, icon, name, detail, action }: Row): Html =>
  html`<div class="it"${id !== undefined && html` data-id="${id}"`}>${icon}<div><b>${name}</b>${detail !== null && html`<span class="d">${detail}</span>`}</div>${action}</div>`

/** A link to the page of an action. `of` names the row for people who hear the page. */
function link(
  context: PageContext,
  { user_id }: AccountView,
  action: AccountAction,
  { text, of, id }: { text: string; of?: string; id?: string },
): Html {
  const url = accountHref(context, { action, ...(id === undefined ? {} : { id }), user: user_id })
  return html`<a class="b" href="${url}" data-action="${action}">${text}${of !== undefined && html`<span class="vh">: ${of}</span>`}</a>`
}

/** A button that acts at once. `named` is its name in the contract, where the path differs. */
function button(
  context: PageContext,
  view: AccountView,
  action: string,
  {
    content,
    fields = {},
    look = '',
    named = action,
  }: { content: Html | string; fields?: Record<string, string>; look?: string; named?: string },
): Html {
  return html`<form method="post" action="${context.issuer}/account/${action}">${accountFields(context, view, fields)}<button class="b${look}" data-action="${named}">${content}</button></form>`
}

/** The present address, the one that it is to become, and the proof of an unproven one. */
function addressRow(context: PageContext, view: AccountView): Html {
  const texts = context.texts.account
  const { email, email_verified, pending_email } = view.person
  const proved = email_verified
    ? html`<span class="tag ok">${icons.check}${texts.verified}</span>`
    : html`<span class="tag">${texts.unverified}</span>`
  const next = pending_email && html`<span class="d">${texts.to_become(breakable(pending_email.email))}</span>`
  const prove = !email_verified && button(context, view, 'confirm-email', { content: texts.verify, named: 'email-code' })
  const change = link(context, view, 'change-email', {
    text: pending_email ? texts.continue : texts.change,
    of: context.texts.form.email,
  })
  const action = view.has_mail && (prove ? html`<div class="acts">${prove}${change}</div>` : change)
  return row({
    icon: icons.envelope,
    name: html`${context.texts.form.email} ${proved}`,
    detail: html`${breakable(email)}${next}`,
    action,
  })
}

function profile(context: PageContext, view: AccountView): Section {
  const texts = context.texts.account
  const { name, locale, zoneinfo } = view.person
  const body = html`${row({ icon: icons.person, name: texts.name, detail: name || texts.not_set, action: link(context, view, 'change-name', { text: texts.change, of: texts.name }) })}
${addressRow(context, view)}
${row({ icon: icons.globe, name: texts.language_and_zone, detail: [locale && texts.languageName(locale), zoneinfo].filter(Boolean).join(', ') || texts.not_set, action: link(context, view, 'change-name', { text: texts.change, of: texts.language_and_zone }) })}`
  return { id: 'profile', title: texts.profile, body }
}

function signingIn(context: AccountContext, view: AccountView): Section | null {
  const texts = context.texts.account
  const { password, methods, can_add } = view
  const first = methods.filter(({ type }) => !second_kinds.includes(type))
  if (password === null && first.length === 0 && !can_add.passkey && can_add.providers.length === 0) return null
  const add = can_add.passkey && html`<footer>${link(context, view, 'add-passkey', { text: context.texts.passkey.add })}</footer>`
  const body = html`${password && passwordRow(context, view, password)}${first.map((method) => methodRow(context, view, method))}${can_add.providers.map((provider) => providerRow(context, view, provider))}${add}`
  return { id: 'signing-in', title: texts.signing_in, body }
}

function passwordRow(context: AccountContext, view: AccountView, { is_set, set_at }: NonNullable<AccountView['password']>): Html {
  const texts = context.texts.account
  const detail = is_set ? (set_at === null ? null : texts.password_set(context.dates.day(set_at))) : texts.no_password
  const action = link(context, view, 'change-password', {
    text: is_set ? texts.change : texts.set_password,
    of: context.texts.form.password,
  })
  return row({ icon: icons.padlock, name: context.texts.form.password, detail, action })
}

/** A provider that is not connected yet. */
function providerRow(
  context: AccountContext,
  view: AccountView,
  { id, type, display_name }: AccountView['can_add']['providers'][number],
): Html {
  const texts = context.texts.account
  const action = link(context, view, 'add-provider', { text: texts.connect, of: display_name, id })
  return row({ id, icon: providerIcons[type], name: display_name, detail: texts.not_connected, action })
}

function methodRow(context: AccountContext, view: AccountView, method: AccountView['methods'][number]): Html {
  const texts = context.texts.account
  const { id, type, provider_type, name, codes_left, stays, created_at, last_used_at } = method
  const title = name ?? texts.methods[type]
  const used = texts.added(context.dates.day(created_at), last_used_at && context.dates.day(last_used_at))
  return row({
    id,
    icon: provider_type === null ? method_icons[type] : providerIcons[provider_type],
    name: title,
    detail: codes_left === null ? html`${used}${stays && html`. ${texts.stays[stays]}`}` : texts.codes_left(codes_left),
    action: isRemovable(type)
      ? stays === null && link(context, view, removals[type], { text: texts.remove, of: title, id })
      : type === 'recovery_codes' && link(context, view, 'new-recovery-codes', { text: texts.new_codes, of: title }),
  })
}

/** Shown where the person has a second factor, or can add one. */
function secondStep(context: AccountContext, view: AccountView): Section | null {
  const second = view.methods.filter(({ type }) => second_kinds.includes(type))
  const { texts } = context
  if (second.length === 0 && !view.can_add.totp) return null
  const add = view.can_add.totp && html`<footer>${link(context, view, 'add-totp', { text: texts.account.add_totp })}</footer>`
  return { id: 'second', title: texts.account.second, body: html`${second.map((method) => methodRow(context, view, method))}${add}` }
}

function devices(context: AccountContext, view: AccountView): Section {
  const texts = context.texts.account
  const rows = view.sessions.map(({ id, is_this, device, ip, created_at, last_seen_at }) => {
    const name = texts.device(device)
    const when = is_this ? texts.signed_in_at(context.dates.moment(created_at)) : texts.active_at(context.dates.moment(last_seen_at))
    const where = ip === null ? when : html`${breakable(ip)}, ${when}`
    return row({
      id,
      icon: device.is_phone ? icons.phone : icons.computer,
      name: is_this ? html`${name} <span class="tag here">${texts.this_device}</span>` : name,
      detail: where,
      action: is_this
        ? null
        : button(context, view, 'end-session', { content: html`${texts.end}<span class="vh">: ${name}</span>`, fields: { id } }),
    })
  })
  const others = view.sessions.length > 1
  return {
    id: 'devices',
    title: texts.devices,
    body: html`${rows}${others && html`<footer>${button(context, view, 'end-other-sessions', { content: texts.end_others, look: ' bad' })}</footer>`}`,
  }
}

/** Shown where the person trusts a browser. */
function trustedBrowsers(context: AccountContext, view: AccountView): Section | null {
  const texts = context.texts.account
  if (view.trusted_browsers.length === 0) return null
  const rows = view.trusted_browsers.map(({ id, device, ip, last_used_at, expires_at }) => {
    const name = texts.device(device)
    const when = texts.trusted_when(context.dates.moment(last_used_at), context.dates.day(expires_at))
    return row({
      id,
      icon: device.is_phone ? icons.phone : icons.computer,
      name,
      detail: ip === null ? when : html`${breakable(ip)}, ${when}`,
      action: button(context, view, 'remove-trusted-browser', {
        content: html`${texts.remove}<span class="vh">: ${name}</span>`,
        fields: { id },
      }),
    })
  })
  return { id: 'trusted', title: texts.trusted, body: html`${rows}` }
}

function apps(context: AccountContext, view: AccountView): Section | null {
  const texts = context.texts.account
  if (view.applications.length === 0) return null
  const rows = view.applications.map(({ id, name, logo_url, since, gets, organization }) => {
    const said = organization === null ? name : texts.in_organization(name, organization.name)
    return row({
      id,
      icon: appTile({ name, logo_url }),
      name: said,
      detail: html`${texts.gets(partsOf(gets))} ${texts.since(context.dates.day(since))}`,
      action: button(context, view, 'disconnect', {
        content: html`${texts.remove}<span class="vh">: ${said}</span>`,
        fields: { id, ...(organization && { organization: organization.id }) },
      }),
    })
  })
  return { id: 'apps', title: texts.apps, body: html`${rows}` }
}

/** Shown where the person is a member of an organization, or invited to one. */
function organizations(context: PageContext, view: AccountView): Section | null {
  const texts = context.texts.account
  if (view.organizations.length === 0 && view.invitations.length === 0) return null
  const icon = icons.person
  const detailOf = (roles: readonly string[]) => (roles.length === 0 ? null : texts.roles(roles.join(', ')))
  const invitations = view.invitations.map(({ id, organization_name: name, roles }) => {
    const of = html`<span class="vh">: ${name}</span>`
    const decide = (decision: 'accept' | 'decline', text: string, look = '') =>
      button(context, view, 'invitation', { content: html`${text}${of}`, fields: { id, decision }, look, named: `${decision}-invitation` })
    const { accept, decline } = context.texts.organization_invitation
    const action = html`<div class="acts">${decide('accept', accept, ' p')}${decide('decline', decline)}</div>`
    return row({ id, icon, name: html`${name} <span class="tag">${texts.invited}</span>`, detail: detailOf(roles), action })
  })
  const memberships = view.organizations.map(({ id, name, roles }) =>
    row({
      id,
      icon,
      name: html`<a href="${context.issuer}/organizations/${id}?user=${view.user_id}" data-action="organization">${name}</a>`,
      detail: detailOf(roles),
      action: link(context, view, 'leave-organization', { text: texts.leave, of: name, id }),
    }),
  )
  const { more_organizations_url: next } = view
  const more =
    next !== null && html`<footer><a class="b" href="${next}" data-action="more">${context.texts.select_organization.more}</a></footer>`
  return { id: 'organizations', title: texts.organizations, body: html`${invitations}${memberships}${more}` }
}

function partsOf(gets: readonly AppGain[]): AppGains {
  return {
    profile: gets.includes('profile'),
    email: gets.includes('email'),
    phone: gets.includes('phone'),
    apis: gets.flatMap((gain) => (typeof gain === 'string' ? [] : gain.resource_server)),
    while_away: gets.includes('offline_access'),
  }
}

function data(context: PageContext, view: AccountView): Section {
  const texts = context.texts.account
  const body = html`${row({ icon: icons.download, name: texts.export_title, detail: texts.export_detail, action: button(context, view, 'export', { content: texts.export }) })}
${row({ icon: icons.bin, name: texts.delete_title, detail: view.deletion_grace_days === 0 ? texts.delete_detail : texts.delete_detail_later(view.deletion_grace_days), action: link(context, view, 'delete-account', { text: texts.delete, of: texts.delete_title }) })}`
  return { id: 'data', title: texts.data, body }
}
