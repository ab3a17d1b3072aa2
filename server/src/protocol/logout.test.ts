import assert from 'node:assert/strict'
import { test } from 'node:test'
import { web } from '../../test/support/example-clients.ts'
import { judgeLogout, type LogoutHint, logoutClientId } from './logout.ts'
import { readParameters } from './parameters.ts'

const client_id = web.client_id
const bye = 'https://app.example.com/bye'
const begun = new Date('2026-11-20T16:31:00.900Z')
const iat = Date.parse('2026-11-20T16:31:00Z') / 1_000
const hint = { sub: 'usr_anna', sid: 'ses_anna', aud: client_id, iat }
const sessionOf = (session_id: string, user_id: string) => ({
  session_id,
  user_id,
  sub: user_id,
  user_created_at: begun,
  is_expired: false,
})
const anna = sessionOf('ses_anna', 'usr_anna')
const bert = sessionOf('ses_bert', 'usr_bert')
const anna_expired = { ...sessionOf('ses_expired', 'usr_anna'), is_expired: true }
const bert_expired = { ...bert, is_expired: true }

const parameters = (query: Record<string, string> | string) => readParameters(new URLSearchParams(query))
const judge = (query: Record<string, string> | string, by: LogoutHint, client: typeof web | null = web, sessions = [bert, anna]) =>
  judgeLogout(parameters(query), by, client, sessions)

const now = (redirect_to: string | null, session_ids = ['ses_anna']) => ({ kind: 'sign_out_now', session_ids, redirect_to })
const ask = (link_to: string | null) => ({ kind: 'ask', link_to })

// biome-ignore format: this table is read by line
const cases: { rule: string; query: Record<string, string>; hint: LogoutHint; client?: typeof web | null; sessions?: (typeof anna)[]; verdict: object }[] = [
  { rule: 'a hint for a session of this browser ends that session only', query: {}, hint, verdict: now(null) },
  { rule: 'after the sign-out the person is redirected to the registered URI', query: { post_logout_redirect_uri: bye }, hint, verdict: now(bye) },
  { rule: 'state is returned unchanged', query: { post_logout_redirect_uri: bye, state: 'a b&ü' }, hint, verdict: now(`${bye}?state=a%20b%26%C3%BC`) },
  { rule: 'state is added to an existing query', query: { post_logout_redirect_uri: `${bye}?from=1`, state: 's' }, hint, verdict: now(`${bye}?from=1&state=s`) },
  { rule: 'state without a URI causes no redirect', query: { state: 's' }, hint, verdict: now(null) },
  { rule: 'a client_id that agrees with the hint changes nothing', query: { post_logout_redirect_uri: bye, client_id }, hint, verdict: now(bye) },
  { rule: 'a browser without session is redirected', query: { post_logout_redirect_uri: bye }, hint, sessions: [], verdict: now(bye, []) },
  { rule: 'a hint for an earlier session of the same user signs this user out', query: {}, hint: { ...hint, sid: 'ses_old' }, verdict: now(null) },
  { rule: 'a hint from before the user, who has the sub of an earlier one, makes the page ask', query: {}, hint: { ...hint, sub: 'auth0|1', iat: iat - 1 }, sessions: [{ ...anna, sub: 'auth0|1' }], verdict: ask(null) },
  { rule: 'a hint with a chosen sub signs its user out', query: {}, hint: { ...hint, sub: 'auth0|1' }, sessions: [{ ...anna, sub: 'auth0|1' }], verdict: now(null) },
  { rule: 'a hint without sid signs its user out', query: {}, hint: { ...hint, sid: null }, verdict: now(null) },
  { rule: 'a hint for another user makes the page ask', query: { post_logout_redirect_uri: bye }, hint, sessions: [bert], verdict: ask(bye) },
  { rule: 'a hint for an expired session ends it', query: { post_logout_redirect_uri: bye }, hint: { ...hint, sid: 'ses_expired' }, sessions: [anna_expired], verdict: now(bye, ['ses_expired']) },
  { rule: 'expired sessions of the user end with the active one', query: {}, hint, sessions: [bert, anna, anna_expired], verdict: now(null, ['ses_anna', 'ses_expired']) },
  { rule: 'a hint for an expired session signs its user out, who signed in again', query: {}, hint: { ...hint, sid: 'ses_expired' }, sessions: [anna, anna_expired], verdict: now(null, ['ses_anna', 'ses_expired']) },
  { rule: 'an expired session of another user stays, and asks no question', query: { post_logout_redirect_uri: bye }, hint, sessions: [bert_expired], verdict: now(bye, []) },
  { rule: 'without a hint the page asks', query: {}, hint: null, client: null, verdict: ask(null) },
  { rule: 'without a hint there is no redirect, even without a session', query: { post_logout_redirect_uri: bye, client_id }, hint: null, sessions: [], verdict: ask(bye) },
  { rule: 'without a hint the page offers the registered URI of the client_id as a link', query: { post_logout_redirect_uri: bye, client_id, state: 's' }, hint: null, verdict: ask(`${bye}?state=s`) },
  { rule: 'without a hint and client_id no URI is known', query: { post_logout_redirect_uri: bye }, hint: null, client: null, verdict: ask(null) },
  { rule: 'a hint of another issuer counts as none', query: { post_logout_redirect_uri: bye }, hint: 'invalid', client: null, verdict: ask(null) },
  { rule: 'a hint of another issuer does not remove the link of the client_id', query: { post_logout_redirect_uri: bye, client_id }, hint: 'invalid', verdict: ask(bye) },
  { rule: 'a client_id and a hint that disagree are both ignored', query: { post_logout_redirect_uri: bye, client_id: 'app_other' }, hint, client: { ...web, client_id: 'app_other' }, verdict: ask(null) },
  { rule: 'a client other than the requested one is ignored', query: { post_logout_redirect_uri: bye }, hint, client: { ...web, client_id: 'app_other' }, verdict: now(null) },
  { rule: 'a deleted client has no URIs', query: { post_logout_redirect_uri: bye }, hint, client: null, verdict: now(null) },
  { rule: 'a disabled application has no URIs', query: { post_logout_redirect_uri: bye }, hint, client: { ...web, disabled: true }, verdict: now(null) },
]

for (const { rule, query, hint, client = web, sessions, verdict } of cases) {
  test(rule, () => assert.deepEqual(judge(query, hint, client, sessions), verdict))
}

// biome-ignore format: a list to skim
const mutations = [
  `${bye}/`, `${bye}?`, `${bye}#`, `${bye}#x`, `${bye}%20`, ` ${bye}`, `${bye}x`, 'https://app.example.com/by', 'https://app.example.com/Bye', 'https://APP.example.com/bye',
  'http://app.example.com/bye', 'https://app.example.com:443/bye', 'https://app.example.com./bye', 'https://app.example.com//bye', 'https://app.example.com/./bye',
  'https://app.example.com/x/../bye', 'https://app.example.com/bye/..;/evil', 'https://app.example.com@evil.test/bye', 'https://evil.test/bye', '//app.example.com/bye',
  '/bye', 'https:\\\\app.example.com\\bye', 'javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'data:text/html,x', 'https://app.example.com/b%79e', web.redirect_uris[0] ?? '',
]
for (const uri of mutations) {
  test(`the unregistered ${JSON.stringify(uri)} is neither a redirect nor a link`, () => {
    assert.deepEqual(judge({ post_logout_redirect_uri: uri, client_id, state: 's' }, hint), now(null))
    assert.deepEqual(judge({ post_logout_redirect_uri: uri, client_id, state: 's' }, null), ask(null))
  })
}

test('a repeated parameter is an error page', () => {
  for (const query of [
    'state=a&state=b',
    `post_logout_redirect_uri=${bye}&post_logout_redirect_uri=${bye}`,
    'client_id=a&client_id=b',
    'id_token_hint=a&id_token_hint=b',
  ]) {
    const verdict = judge(query, hint)
    assert.equal(verdict.kind === 'show_error' && verdict.error.code, 'invalid_request')
  }
})

test('client_id names the client of a sign-out; without it, the hint does', () => {
  assert.equal(logoutClientId(parameters({ client_id: 'app_2' }), hint), 'app_2')
  assert.equal(logoutClientId(parameters({}), hint), client_id)
  assert.equal(logoutClientId(parameters({}), 'invalid'), null)
})
