import assert from 'node:assert/strict'
import test from 'node:test'
import { exampleContext, exampleSignIn, exampleSignUp } from './pages.example.ts'
import { signInPage } from './sign-in.ts'
import { signUpPage } from './sign-up.ts'

const signIn = (view: Partial<ReturnType<typeof exampleSignIn>> = {}) => signInPage(exampleContext('live'), { ...exampleSignIn(), ...view })
const signUp = (problems: Partial<ReturnType<typeof exampleSignUp>['problems']>) =>
  signUpPage(exampleContext('live'), { ...exampleSignUp(), problems: { ...exampleSignUp().problems, ...problems } })

test('the first button of the sign-in form is the one that Enter presses', () => {
  assert.match(signIn().html, /<form(?:(?!<button).)*<button class="b p" name="method" value="password">/s)
})

test('after a wrong password the address is kept, the password is not', () => {
  const { html } = signIn({ problem: 'wrong_credentials' })
  assert.match(html, /name="email" [^>]*value="demo@example.com"/)
  assert.doesNotMatch(html, /name="password" [^>]*value=/)
})

test('a wrong password marks both fields, since which of them was wrong is not told', () => {
  const { html } = signIn({ problem: 'wrong_credentials' })
  assert.equal(html.match(/aria-invalid="true" aria-describedby="problem"/g)?.length, 2)
})

test('a way on that does not exist leaves no trace', () => {
  const none = signIn({ sign_up_url: null, other_accounts_url: null, cancel_url: null, application_name: null })
  assert.doesNotMatch(none.html, /class="after"|class="sub"/)
})

test('a lock says how long it lasts, rounded up to minutes', () => {
  assert.match(signIn({ problem: 'locked', wait_seconds: 61 }).html, /Wait 2 minutes, then try again\./)
  assert.match(signIn({ problem: 'locked', wait_seconds: 5 }).html, /Wait a minute, then try again\./)
  assert.equal(signIn({ problem: 'locked' }).status, 429)
})

test('the rule for passwords stands there before anybody breaks it', () => {
  assert.match(signUp({}).html, /aria-describedby="password-hint"/)
  assert.match(signUp({}).html, /At least 12 characters/)
})

test('each problem of sign-up is told beside its field, and once more as a link to it', () => {
  const { html, status } = signUp({ email: 'missing', password: 'too_short' })
  assert.match(html, /2 things need a change:.*<a href="#email">Enter your e-mail address\.<\/a>.*<a href="#password">/s)
  assert.match(html, /id="email" [^>]*aria-invalid="true" aria-describedby="email-problem"/)
  assert.match(html, /id="password" [^>]*aria-invalid="true" aria-describedby="password-problem password-hint"/)
  assert.doesNotMatch(html, /id="name" [^>]*aria-invalid/)
  assert.equal(status, 400)
})
