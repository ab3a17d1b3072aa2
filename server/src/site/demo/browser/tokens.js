/** The right half of the demo: tabs with the claims of the tokens and the raw tokens. */
import { claimsOf } from './client.js'
import { noteOf } from './words.js'

const at = (id) => document.getElementById(id)
const tabs = [...document.querySelectorAll('[role=tab]')]

for (const tab of tabs) {
  tab.addEventListener('click', () => select(tab))
  tab.addEventListener('keydown', moveFocus)
}
at('demo').addEventListener('click', ({ target }) => target.matches('.copy') && copy(target))

export function showTokens({ id_token, access_token, refresh_token }) {
  const named = { 'ID token': ['panel-id', id_token], 'Access token': ['panel-access', access_token] }
  for (const [name, [panel, token]] of Object.entries(named)) {
    const claims = claimsOf(token)
    at(panel).replaceChildren(claims ? claimList(name, claims) : element('p', 'Opaque: only the issuer can read it.', 'fine'))
  }
  const raw = Object.entries({ id_token, access_token, refresh_token })
  at('panel-raw').replaceChildren(...raw.map(([name, token]) => rawToken(name, token)))
}

export function showUserInfo(claims) {
  at('panel-userinfo').replaceChildren(claimList('UserInfo', claims))
  select(at('tab-userinfo'))
}

/** The most important claims come first; the others keep the order of the token. */
const first = ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time']
const rank = ([name]) => (first.includes(name) ? first.indexOf(name) : first.length)

function claimList(token, claims) {
  const now = new Date()
  const list = element('dl', '', 'claims')
  for (const [name, value] of Object.entries(claims).sort((a, b) => rank(a) - rank(b))) {
    const detail = document.createElement('dd')
    const note = noteOf(name, value, { token, now })
    detail.append(element('code', typeof value === 'string' ? value : JSON.stringify(value)), note && element('span', note))
    list.append(element('dt', name), detail)
  }
  return list
}

function rawToken(name, token) {
  const button = element('button', 'Copy', 'copy')
  button.setAttribute('aria-label', `Copy ${name}`)
  const part = element('div', '', 'raw')
  part.append(element('h2', name), button, element('code', token))
  return part
}

function element(tag, text, class_name = '') {
  const made = document.createElement(tag)
  made.textContent = text
  if (class_name) made.className = class_name
  return made
}

async function copy(button) {
  await navigator.clipboard.writeText(button.parentElement.querySelector('code').textContent)
  button.textContent = 'Copied'
  at('said').textContent = 'Copied'
  setTimeout(() => button.replaceChildren('Copy'), 2_000)
}

function select(chosen) {
  for (const tab of tabs) {
    const is_chosen = tab === chosen
    tab.setAttribute('aria-selected', String(is_chosen))
    tab.tabIndex = is_chosen ? 0 : -1
    at(tab.getAttribute('aria-controls')).hidden = !is_chosen
  }
}

/** WAI-ARIA, tabs: the arrow keys move between tabs and wrap around. */
function moveFocus(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
  if (step === undefined) return
  const next = tabs.at((tabs.indexOf(event.target) + step) % tabs.length)
  select(next)
  next.focus()
}
