import assert from 'node:assert/strict'
import test from 'node:test'
import { exampleConsent, exampleContext } from '../../test/support/example-pages.ts'
import { consentPage } from './consent.ts'

const consent = (view: Partial<ReturnType<typeof exampleConsent>> = {}) =>
  consentPage(exampleContext('live'), { ...exampleConsent(), ...view }).html.replaceAll('<wbr>', '')
const gains = (...scopes: string[]) => {
  const html = consent({ scopes: scopes.map((scope) => ({ scope, description: null, resource_server_name: null, given: true })) })
  return [...html.matchAll(/<\/svg><b>(.*?)<\/b><span>(.*?)<\/span>/g)].map(([, what, detail]) => `${what}: ${detail}`)
}

const scope_lines: [string[], string[]][] = [
  [['openid'], ['Recognise you when you come back: With an identifier for your account']],
  [['openid', 'email'], ['See your email address: ada.lovelace@example.com']],
  [['profile'], ['See your name and picture: Ada Lovelace, language and time zone']],
  [['phone'], ['See your phone number: Nothing yet. The app sees what you add later.']],
  [['offline_access'], ['Keep this access while you are away: Until you or the app ends it']],
  [['new:scope'], ['new:scope: <code>new:scope</code>']],
]
for (const [scopes, lines] of scope_lines) {
  test(`the scope ${scopes.join(' ')} is shown as "${lines[0]}"`, () => assert.deepEqual(gains(...scopes), lines))
}

test('a scope of a resource server shows its description and resource server, also with the name of a standard scope', () => {
  const html = consent({ scopes: [{ scope: 'email', description: 'Send mail for you', resource_server_name: 'Post', given: true }] })
  assert.match(html, /<b>Send mail for you<\/b><span>Post, <code>email<\/code><\/span>/)
})

test('a resource server without scopes is shown by its name', () => {
  const html = consent({ scopes: [{ scope: null, description: null, resource_server_name: 'Post & Mail', given: true }] })
  assert.match(html, /<b>Use Post &amp; Mail<\/b><span>On your behalf<\/span>/)
})

const landings: [string, RegExp][] = [
  ['https://planner.example.com:8443/cb', /you go to <b>planner\.example\.com:8443<\/b>, which is not part of Acme Shop/],
  ['https://bücher.example/cb', /you go to <b>xn--bcher-kva\.example<\/b>/],
  ['com.example.planner:/cb', /you go back to <b>Meal Planner<\/b>, the app on this device/],
  ['http://127.0.0.1:49152/cb', /the app on this device/],
  ['http://[::1]:49152/cb', /the app on this device/],
  ['http://localhost.example.com/cb', /you go to <b>localhost\.example\.com<\/b>/],
]
for (const [redirect_uri, words] of landings) {
  test(`the page says where ${redirect_uri} leads`, () => assert.match(consent({ redirect_uri }), words))
}

test('Allow and Do not allow are two buttons in one row', () => {
  assert.match(
    consent(),
    /<div class="two"><button class="b" name="decision" value="deny" data-action="cancel">.*<button class="b p" name="decision" value="allow" data-action="confirm">/,
  )
})
