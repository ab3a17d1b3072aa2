// pure
/**
 * The demo: a small browser application that signs a person in like any other application and shows every step and token. It
 * exists on deployments whose first start was `npm start`. `browser/` runs in the browser; `serve.ts` answers the requests. The
 * texts are here and in `browser/words.js`, in English only, since developers read them.
 */
import { applicationUrl } from '../../base/dashboard-links.ts'
import { type Html, html } from '../../base/html.ts'
import { check, cross, mark } from '../../pages/icons.ts'
import { layout, type Page } from '../../pages/layout.ts'
import { languageFor } from '../../pages/locale.ts'
import { demoStyles } from './styles.ts'

export interface DemoView {
  /** The current address of the service. */
  base_url: string
  issuer: string
  client_id: string
  email: string
  project_name: string
  application_name: string
  addresses: { start: string; callback: string; script: string }
}

export function demoPage(view: DemoView): Page {
  const { issuer, project_name, application_name } = view
  const context = {
    issuer,
    environment_type: 'test' as const,
    branding: { display_name: project_name, logo_url: null, primary_color: null },
    links: { terms_url: null, privacy_url: null, support_url: null },
    ...languageFor(undefined, undefined),
  }
  const is_here = issuer.startsWith(`${view.base_url}/`)
  return layout(context, {
    title: application_name,
    body: is_here ? application(view) : moved(view),
    width: 'wide',
    align: 'top',
    ...(is_here && { application: { module: view.addresses.script, styles: demoStyles, calls: `${view.issuer}/` } }),
  })
}

const brand = html`<div class="org">${mark}<span>Ostiary demo</span></div>`

function application({ base_url, issuer, client_id, email, project_name, application_name, addresses }: DemoView): Html {
  const lead = {
    start: `${application_name} is an application in the browser that uses ${project_name}’s issuer, as yours would. Sign in, and it shows every step and every token.`,
    done: 'These are the steps your application takes, and what it gets. The tokens are only in the memory of this page and are gone when you leave it.',
    lost: 'The tokens were only in the memory of this page, so reloading it discarded them. Sign in again: while the session lasts, no password is needed.',
    left: 'The session has ended, and so have its tokens. The next sign-in asks for the password again.',
  }
  return html`${brand}<div class="demo" id="demo" data-issuer="${issuer}" data-client-id="${client_id}" data-redirect-uri="${addresses.callback}" data-start-uri="${addresses.start}" data-login-hint="${email}">
<section>
<h1 id="title">See a sign-in from the inside</h1>
<p class="sub" id="lead" data-done="${lead.done}" data-lost="${lead.lost}" data-lost-title="The tokens are gone" data-left="${lead.left}" data-left-title="You are signed out">${lead.start}</p>
<noscript><p class="hint">This browser application needs JavaScript. The sign-in pages do not.</p></noscript>
<div id="before" hidden><div class="acts"><button class="b p" id="begin">Sign in</button></div>
<p class="fine">As <b>${email}</b>. The password is in the terminal where you started the service.</p></div>
<div class="acts presses" id="presses" hidden>${buttons.map(([id, name]) => html`<button class="b" id="${id}">${name}</button>`)}</div>
<ol class="steps" id="steps" aria-label="What happened" hidden></ol>
<p class="vh" id="said" role="status"></p>
</section>
<div>
<section class="card" id="tokens" aria-label="What the application got" hidden>${tabs()}</section>
${facts(view_facts(issuer, client_id, addresses))}
<p class="acts"><a class="b" href="${applicationUrl(base_url, client_id)}">Put this in your application</a><a class="b" href="${base_url}/dashboard">Open the dashboard</a></p>
</div></div>
${stepTemplate('done', check)}${stepTemplate('failed', cross)}`
}

const buttons = [
  ['refresh', 'Refresh'],
  ['userinfo', 'UserInfo'],
  ['revoke', 'Revoke'],
  ['leave', 'Sign out'],
] as const

const panels = [
  ['id', 'ID token'],
  ['access', 'Access token'],
  ['userinfo', 'UserInfo'],
  ['raw', 'Raw'],
] as const

const tabs =
  () => html`<div class="tabs" role="tablist" aria-label="Tokens">${panels.map(([id, name], index) => html`<button role="tab" id="tab-${id}" aria-controls="panel-${id}" aria-selected="${index === 0 ? 'true' : 'false'}" tabindex="${index === 0 ? '0' : '-1'}">${name}</button>`)}</div>
${panels.map(([id], index) => html`<div role="tabpanel" id="panel-${id}" aria-labelledby="tab-${id}" tabindex="0"${index > 0 && html` hidden`}>${id === 'userinfo' && html`<p class="fine">Not read yet. Press UserInfo to read it with the access token.</p>`}</div>`)}`

const view_facts = (issuer: string, client_id: string, { callback }: DemoView['addresses']): [string, string][] => [
  ['Issuer', issuer],
  ['Discovery', `${issuer}/.well-known/openid-configuration`],
  ['Client id', client_id],
  ['Redirect URI', callback],
]

const facts = (all: [string, string][]) =>
  html`<section class="card"><h2>What the application knows</h2><dl class="claims facts">${all.map(([name, value]) => html`<dt>${name}</dt><dd><code>${value}</code></dd>`)}</dl></section>`

/** The script clones this for each step. The element `said` announces the step to screen readers. */
const stepTemplate = (kind: string, icon: Html) =>
  html`<template id="step-${kind}"><li class="${kind}"><span class="dot">${icon}</span><b></b><span class="aside"></span><p></p></li></template>`

/** An issuer never changes, so an application that was created for one address does not work at another. */
const moved = ({ base_url, issuer }: DemoView) => html`${brand}<h1>The demo was created for another address</h1>
<p class="sub">The service runs at ${base_url}, but the first start created the demo for ${new URL(issuer).origin}. The issuer is part of every token and never changes.</p>
<p class="hint">Start the service at that address (<code>OSTIARY_PORT</code>, <code>OSTIARY_BASE_URL</code>), or set <code>OSTIARY_DATA_DIR</code> to another folder for a new demo.</p>`
