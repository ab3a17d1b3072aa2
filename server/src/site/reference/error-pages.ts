// pure
/** The documentation of error codes: an index, and a page for each code. The `type` of every problem is the address of such a page. */
import { type ErrorCode, errors, generalErrors } from '@ostiary/contract/errors.ts'
import { type OAuthErrorName, oauthErrors } from '@ostiary/contract/oidc.ts'
import { isCommon } from '@ostiary/contract/openapi-answers.ts'
import {
  checkExplanations,
  conflictExplanations,
  deliveryExplanations,
  mailExplanations,
  planExplanations,
  providerExplanations,
} from '@ostiary/contract/outcome-words.ts'
import { pageExplanations } from '@ostiary/contract/refused-call.ts'
import { inactiveExplanations } from '@ostiary/contract/session.ts'
import { type Html, html } from '../../base/html.ts'
import type { Document } from './document.ts'
import { code as block, type DocumentPage, documentPage, inline } from './layout.ts'

export interface ErrorTexts {
  code: string
  /** `null` for a page, which can have several. */
  status: number | null
  title: string
  explanation: string
  example: unknown
  of: { what: string; label: string; note: string }
}

/** Where a code appears, and which parts of it are stable. */
const kinds = {
  api: {
    what: 'An error of the management and runtime API.',
    label: 'Problem',
    note: '`code` is stable. `detail` says more about the request and can change. The operator finds the call by `request_id`.',
  },
  oauth: {
    what: 'An error of the OAuth and OpenID Connect endpoints.',
    label: 'OAuth error',
    note: '`error` is stable. The description is for people and can change.',
  },
  token: {
    what: 'Why `POST /v1/auth/tokens/validate` calls an access token inactive.',
    label: 'Verdict',
    note: '`reason` is stable. The refused call says more, at most once a minute for each key and reason.',
  },
  page: {
    what: 'A refusal that a person meets on a hosted page.',
    label: 'Refused call',
    note: '`code` is stable. The page shows the person a reference, which is the request id: the refused call with this id says more in `reason`.',
  },
} as const

interface Outcome {
  texts: Readonly<Record<string, string>>
  what: string
  label: string
  note: string
  heading: string
  /** Where the word appears in an answer. */
  exampleOf: (code: string, detail: string) => unknown
}

/** Failures other than errors of the API, by the words of answers and events. */
const outcomes: Readonly<Record<'provider' | 'delivery' | 'mail' | 'check' | 'plan' | 'conflict', Outcome>> = {
  provider: {
    texts: providerExplanations,
    heading: 'Identity providers',
    what: 'Why a sign-in at an identity provider, or its check, failed: `last_failure` of the provider, and the reason of the refused call.',
    label: 'Cause at a provider',
    note: '`cause` is stable. `detail` says more and can change.',
    exampleOf: (cause, detail) => ({ last_failure: { cause, detail } }),
  },
  delivery: {
    texts: deliveryExplanations,
    heading: 'Webhooks and back-channel logouts',
    what: 'Why a receiver got nothing: `error` of an attempt, or `disabled_reason` of a webhook.',
    label: 'Delivery',
    note: 'The word is stable. Nothing of what answered is shown.',
    exampleOf: (code) => (code === 'gone' || code === 'failing' ? { disabled_reason: code } : { status: null, error: code }),
  },
  mail: {
    texts: mailExplanations,
    heading: 'Mail',
    what: 'Why a mail was not delivered: `reason` of the event `mail.failed`.',
    label: 'Mail',
    note: '`reason` is stable. `stage` and `reply` of the event say more.',
    exampleOf: (reason) => ({ type: 'mail.failed', data: { reason, final: true } }),
  },
  check: {
    texts: checkExplanations,
    heading: 'Readiness',
    what: 'A check of `GET E/readiness`, which the overview of the dashboard shows too.',
    label: 'Check',
    note: '`code` is stable. `detail` says what was found, and can change.',
    exampleOf: (code) => ({ code, ok: false, applies: true }),
  },
  plan: {
    texts: planExplanations,
    heading: 'Plans of promotions',
    what: 'What a plan of a promotion finds: an entry of its `checks`.',
    label: 'Check of a plan',
    note: '`code` is stable. `level` says whether it is an error, and `detail` what to do.',
    exampleOf: (code, detail) => ({ checks: [{ code, detail }] }),
  },
  conflict: {
    texts: conflictExplanations,
    heading: 'Promotions that moved',
    what: 'What keeps a promotion from being applied or reverted: an entry of `errors`, or of `conflicts` in a dry run.',
    label: 'Conflict',
    note: '`code` is stable. `pointer` says where it is.',
    exampleOf: (code, detail) => ({ errors: [{ code, detail }] }),
  },
}

/** The codes of several kinds, such as `insufficient_scope` of the API and of OAuth, have one page with all of them. */
export function described(document: Described, code: string): ErrorTexts[] {
  const found: ErrorTexts[] = []
  if (Object.hasOwn(errors, code)) {
    const { status, title, explanation } = errors[code as ErrorCode] // as: just checked
    found.push({ code, status, title, explanation, example: document.components.examples[code]?.value, of: kinds.api })
  }
  if (Object.hasOwn(oauthErrors, code)) {
    const { status, explanation } = oauthErrors[code as OAuthErrorName] // as: just checked
    const example = { error: code, error_description: firstSentence(explanation) }
    found.push({ code, status, title: titleOf(code), explanation, example, of: kinds.oauth })
  }
  if (Object.hasOwn(inactiveExplanations, code)) {
    const explanation = inactiveExplanations[code as keyof typeof inactiveExplanations] // as: just checked
    found.push({ code, status: 200, title: titleOf(code), explanation, example: { active: false, reason: code }, of: kinds.token })
  }
  if (Object.hasOwn(pageExplanations, code)) {
    const explanation = pageExplanations[code as keyof typeof pageExplanations] // as: just checked
    found.push({ code, status: null, title: titleOf(code), explanation, example: { code }, of: kinds.page })
  }
  for (const of of Object.values(outcomes)) {
    const explanation = Object.hasOwn(of.texts, code) ? of.texts[code] : undefined
    if (explanation === undefined) continue
    const title = firstSentence(explanation).replace(/\.$/, '').replaceAll('`', '')
    found.push({ code, status: null, title, explanation, example: of.exampleOf(code, firstSentence(explanation)), of })
  }
  return found
}

const firstSentence = (text: string) => text.replace(/(?<=[.?]) .*$/, '')

/** The OpenAPI document with the examples of its errors. */
export type Described = Document & { components: { examples: Readonly<Record<string, { value: unknown }>> } }

const titleOf = (code: string): string => `${code.charAt(0).toUpperCase()}${code.slice(1).replaceAll('_', ' ')}`

/** All codes with their explanations. A code of several kinds has the explanation of the API. */
export const errorsOf = (): { code: string; explanation: string }[] =>
  Object.entries({ ...of_outcomes, ...explained(pageExplanations), ...explained(inactiveExplanations), ...oauthErrors, ...errors }).map(
    ([code, { explanation }]) => ({ code, explanation }),
  )

const explained = (table: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(table).map(([code, explanation]) => [code, { explanation }]))

const words = new Set(Object.values(outcomes).flatMap(({ texts }) => Object.keys(texts)))
const of_outcomes = explained(
  Object.fromEntries(
    [...words].map((word) => [
      word,
      Object.values(outcomes)
        .flatMap(({ texts }) => texts[word] ?? [])
        .join(' '),
    ]),
  ),
)

const known = new Set(errorsOf().map(({ code }) => code))
export const hasErrorPage = (code: string): boolean => known.has(code)

/** `null` for an unknown code. */
export function errorPage(document: Described, code: string, nav: Html): DocumentPage | null {
  const all = described(document, code)
  if (all.length === 0) return null
  const body = html`<p><a href="/docs/errors">All errors</a></p>
${all.map(
  ({ status, title, explanation, example, of }, i) => html`${i === 0 ? html`<h1>${title}</h1>` : html`<h2>${title} (${of.label})</h2>`}
<p class="call">${status !== null && html`<span class="verb">${status}</span> `}<code>${code}</code></p>
<p>${inline(of.what)}</p>
<h2 class="small">What it means and how to fix it</h2><p>${inline(explanation)}</p>
<h2 class="small">Example</h2>${block(JSON.stringify(example, null, 2), `${of.label} ${code}`, 'json')}
<p class="fine">${inline(of.note)}</p>`,
)}`
  return documentPage({ title: `${code}: ${all[0]?.title}`, body, nav })
}

export function errorIndex(nav: Html): DocumentPage {
  const row = (code: string, status: number | string, text: string) =>
    html`<tr><td><a href="/docs/errors/${code}"><code>${code}</code></a></td><td>${status}</td><td>${inline(text)}</td></tr>`
  const table = (label: string, rows: readonly ReturnType<typeof row>[]) =>
    html`<table class="codes" aria-label="${label}"><thead><tr><th>Code</th><th>Status</th><th>Meaning</th></tr></thead><tbody>${rows}</tbody></table>`
  const body = html`<h1>Errors</h1>
<p>Programs decide by the code, which never changes. The texts are for people.</p>
<h2 id="api">Management and runtime API</h2>
<p>Problem details (RFC 9457) as <code>application/problem+json</code>.</p>
${table(
  'Errors of the API',
  Object.entries(errors).map(([code, { status, explanation }]) => row(code, status, explanation)),
)}
<h2 id="common">Errors of every operation</h2>
<p>Any operation of the API can answer these, besides those that its description lists.</p>
<ul class="names">${generalErrors.filter(isCommon).map((code) => html`<li><a href="/docs/errors/${code}">${code}</a></li>`)}</ul>
<h2 id="oauth">OAuth and OpenID Connect</h2>
<p>JSON with <code>error</code> and <code>error_description</code>, or the same parameters at the redirect URI.</p>
${table(
  'Errors of OAuth',
  Object.entries(oauthErrors).map(([code, { status, explanation }]) => row(code, status, explanation)),
)}
<h2 id="tokens">Access tokens that are not valid</h2>
<p>The <code>reason</code> of an inactive token at <code>POST /v1/auth/tokens/validate</code>, which answers 200.</p>
${table(
  'Reasons of inactive tokens',
  Object.entries(inactiveExplanations).map(([code, explanation]) => row(code, 200, explanation)),
)}
<h2 id="pages">Hosted pages</h2>
<p>A person sees a page with a reference. The refused call with this id has the code and the reason.</p>
${table(
  'Refusals of hosted pages',
  Object.entries(pageExplanations).map(([code, explanation]) => row(code, 'page', explanation)),
)}
<h2 id="outcomes">What failed beside a call</h2>
<p>Words of answers and events about providers, deliveries, mail and readiness.</p>
${Object.values(outcomes).map(
  ({ heading, what, label, texts }) => html`<h3>${heading}</h3><p>${inline(what)}</p>
${table(
  heading,
  Object.entries(texts).map(([code, explanation]) => row(code, label, explanation)),
)}`,
)}`
  return documentPage({ title: 'Errors', body, nav })
}
