// pure
/** Pages with one message and the next steps: in Live one sentence and a reference, in Test also the reason. */
import { html } from './html.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { brandLine } from './tiles.ts'

const statuses = {
  unknown_app: 400,
  unregistered_address: 400,
  unusable_request: 400,
  unusable_sign_out: 400,
  session_lost: 400,
  invitation_unknown: 404,
  invitation_ended: 410,
  not_found: 404,
  trouble: 500,
  unavailable: 503,
} as const

/** Failures of a flow that an app started. The person can start again in the app. */
const started_by_app: readonly string[] = [
  'unknown_app',
  'unregistered_address',
  'unusable_request',
  'unusable_sign_out',
  'session_lost',
] satisfies MessageKind[]

export type MessageKind = keyof typeof statuses

export interface MessageView {
  kind: MessageKind
  request_id: string
  /** `null` if there is no account page. */
  account_url: string | null
  /** For developers: the protocol's error code and an explanation. Shown in Test only. */
  reason: { error: string; detail: string } | null
}

export function messagePage(context: PageContext, { kind, request_id, account_url, reason }: MessageView): Page {
  const { branding, links, environment_type } = context
  const texts = context.texts.message
  const { title, text } = texts[kind]
  const shown = environment_type === 'test' ? reason : null
  const has_ways_on = account_url !== null || links.support_url !== null
  const body = html`${brandLine(context)}<h1>${title}</h1><p class="sub">${text(branding.display_name)}</p>
${has_ways_on && html`<div class="acts">${account_url && html`<a class="b p" href="${account_url}">${texts.account}</a>`}${links.support_url && html`<a class="b" href="${links.support_url}">${texts.help}</a>`}</div>`}
${started_by_app.includes(kind) && html`<p class="fine hint">${texts.start_again(has_ways_on)}</p>`}
<dl class="meta">${shown && html`<dt>${texts.error}</dt><dd><code>${shown.error}</code></dd><dt>${texts.reason}</dt><dd>${shown.detail}</dd><dt>${texts.test_only}</dt><dd>${texts.test_only_detail}</dd>`}<dt>${texts.reference}</dt><dd><code>${request_id}</code></dd></dl>`
  return layout(context, { title, body, step: 'error', width: 'medium', align: 'top', status: statuses[kind] })
}
