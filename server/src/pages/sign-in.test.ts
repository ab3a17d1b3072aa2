import assert from 'node:assert/strict'
import test from 'node:test'
import { exampleContext, exampleSignIn, exampleSignUp } from '../../test/support/example-pages.ts'
import { signInPage } from './sign-in.ts'
import { signUpPage } from './sign-up.ts'

const signIn = (view: Partial<ReturnType<typeof exampleSignIn>> = {}) => signInPage(exampleContext('live'), { ...exampleSignIn(), ...view })
const signUp = (problems: Partial<ReturnType<typeof exampleSignUp>['problems']>) =>
  signUpPage(exampleContext('live'), { ...exampleSignUp(), problems: { ...exampleSignUp().problems, ...problems } })

test('Enter submits the sign-in form with the password', () => {
  assert.match(signIn().html, /<form(?:(?!<button).)*<button class="b p" name="method" value="password" data-action="password">/s)
})

test('after a wrong password the form keeps the email address, not the password', () => {
  const { html } = signIn({ problem: 'wrong_credentials' })
  assert.match(html, /name="email" [^>]*value="ada.lovelace@example.com"/)
  assert.doesNotMatch(html, /name="password" [^>]*value=/)
})

test('a wrong password marks both fields, so the page does not reveal which one was wrong', () => {
  const { html } = signIn({ problem: 'wrong_credentials' })
  assert.equal(html.match(/aria-invalid="true" aria-describedby="problem"/g)?.length, 2)
})

test('links without a target are not rendered', () => {
  const none = signIn({ sign_up_url: null, other_accounts_url: null, cancel_url: null, application_name: null })
  assert.doesNotMatch(none.html, /class="after"|class="sub"/)
})

test('a locked account shows the waiting time, rounded up to minutes', () => {
  assert.match(signIn({ problem: 'locked', wait_seconds: 61 }).html, /Wait 2 minutes, then try again\./)
  assert.match(signIn({ problem: 'locked', wait_seconds: 5 }).html, /Wait a minute, then try again\./)
  assert.equal(signIn({ problem: 'locked' }).status, 429)
})

test('the sign-up form shows the password rule', () => {
  assert.match(signUp({}).html, /aria-describedby="password-hint"/)
  assert.match(signUp({}).html, /At least 12 characters/)
})

test('each sign-up error is shown beside its field, and the summary links to the fields', () => {
  const { html, status } = signUp({ email: 'missing', password: 'too_short' })
  assert.match(html, /2 things need a change:.*<a href="#email">Email address<\/a>.*<a href="#password">Password<\/a>/s)
  assert.match(html, /id="email" [^>]*aria-invalid="true" aria-describedby="email-problem"/)
  assert.match(html, /id="password" [^>]*aria-invalid="true" aria-describedby="password-problem password-hint"/)
  assert.doesNotMatch(html, /id="name" [^>]*aria-invalid/)
  assert.equal(status, 400)
})

test('a single sign-up error stands at its field, which takes focus', () => {
  const { html, status } = signUp({ password: 'too_short' })
  assert.match(html, /id="password" [^>]* autofocus [^>]*aria-invalid="true" aria-describedby="password-problem password-hint"/)
  assert.doesNotMatch(html, /role="alert"/)
  assert.equal(status, 400)
})
