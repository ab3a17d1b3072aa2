// pure
/** Pages with one message and the next steps: in Live one sentence and a reference, in Test also the reason. */
import { type Html, html } from '../base/html.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { brandLine } from './tiles.ts'

const statuses = {
  unknown_app: 400,
  app_disabled: 400,
  metadata_client_unlisted: 400,
  metadata_client_unavailable: 400,
  metadata_client_invalid: 400,
  metadata_client_busy: 503,
  unregistered_address: 400,
  unusable_request: 400,
  unusable_sign_out: 400,
  session_lost: 400,
  form_incomplete: 400,
  session_ended: 400,
  callback_over: 400,
  answer_lost: 409,
  codes_gone: 410,
  no_attempt: 400,
  invitation_unknown: 404,
  invitation_used: 410,
  invitation_expired: 410,
  invitation_replaced: 410,
  invitation_withdrawn: 410,
  invitation_ended: 410,
  link_ended: 410,
  not_found: 404,
  form_only: 405,
  for_programs: 400,
  trouble: 500,
  unavailable: 503,
} as const

/** Failures of a flow that an app started, or of an address of an issuer. The person can start again in the app. */
const started_by_app: readonly string[] = [
  'unknown_app',
  'app_disabled',
  'metadata_client_unlisted',
  'metadata_client_unavailable',
  'metadata_client_invalid',
  'metadata_client_busy',
  'unregistered_address',
  'unusable_request',
  'unusable_sign_out',
  'session_lost',
  'form_incomplete',
  'callback_over',
  'answer_lost',
  'codes_gone',
  'no_attempt',
  'form_only',
  'link_ended',
  'not_found',
] satisfies MessageKind[]

export type MessageKind = keyof typeof statuses

/** For developers: the error code and an explanation. */
export interface Reason {
  error: string
  /** The page that explains the code. */
  error_url?: string
  detail: string
}

export interface MessageView {
  kind: MessageKind
  request_id: string
  /** Shown where a flow of the person cannot continue. `null` on a page of the service itself. */
  account_url: string | null
  /** The start page of the service, for people who came from no app. `null` on pages for the people of a tenant. */
  home_url: string | null
  /** Never shown in Live. */
  reason: Reason | null
  /** Default: the status of the kind. */
  status?: number
  /** Where the flow of the person goes on, where it can. */
  continue_url?: string | null
}

export function messagePage(context: PageContext, view: MessageView): Page {
  const { kind, request_id, account_url, home_url, reason, status, continue_url } = view
  const { branding, links, environment_type } = context
  const texts = context.texts.message
  const { title, text } = texts[kind]
  const ways_on = [
    continue_url && html`<a class="b p" href="${continue_url}" data-action="continue">${texts.continue}</a>`,
    account_url &&
      (started_by_app.includes(kind) || (kind.startsWith('invitation_') && home_url === null)) &&
      html`<a class="${continue_url ? 'b' : 'b p'}" href="${account_url}" data-action="account">${texts.account}</a>`,
    home_url && html`<a class="b" href="${home_url}">${texts.home}</a>`,
    links.support_url && html`<a class="b" href="${links.support_url}">${texts.help}</a>`,
  ].filter((way) => way !== null && way !== false)
  const body = html`${brandLine(context)}<h1>${title}</h1><p class="sub">${text(branding.display_name)}</p>
${ways_on.length > 0 && html`<div class="acts">${ways_on}</div>`}
${environment_type !== null && started_by_app.includes(kind) && html`<p class="fine hint">${texts.start_again(ways_on.length > 0)}</p>`}
<dl class="meta">${reasonLines(context, reason)}<dt>${texts.reference}</dt><dd><code>${request_id}</code></dd></dl>`
  return layout(context, { title, body, step: 'error', width: 'medium', align: 'top', status: status ?? statuses[kind] })
}

/** The lines for developers, in Test and on pages of the service itself. */
export function reasonLines({ texts: { message: texts }, environment_type }: PageContext, reason: Reason | null): Html | null {
  if (reason === null || environment_type === 'live') return null
  const { error, error_url, detail } = reason
  return html`<dt>${texts.error}</dt><dd><code>${error}</code>${error_url && html`, <a href="${error_url}">${texts.what_it_means}</a>`}</dd><dt>${texts.reason}</dt><dd>${detail}</dd>${environment_type === 'test' && html`<dt>${texts.test_only}</dt><dd>${texts.test_only_detail}</dd>`}`
}
