/** The rules of all mails: every kind in every language. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MailKind } from '@ostiary/contract/mail.ts'
import { notices } from '../../../test/support/example-notices.ts'
import { compose, mail_languages } from './compose.ts'
import { lifeOf, type Notice, notice_ms } from './texts/notice.ts'

const at = new Date('2026-11-20T16:31:00Z')
const envelope = { to: 'ada@example.org', brand: 'Tom & <b>Jerry</b>', support_url: 'https://help.example.com/?a=1&b=2', at }
const look = { is_test: false, locales: 'en', primary_color: '#0a7755' }
const in_language = (notice: Notice, locales: string) => compose(notice, envelope, { ...look, locales })
const textOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")

for (const kind of MailKind.options)
  for (const language of mail_languages) {
    const notice = notices[kind]
    const mail = in_language(notice, language)

    test(`${kind} in ${language} has what its kind carries, in text and in HTML, the code first`, () => {
      const [code, link] = ['code' in notice ? notice.code : null, 'link' in notice ? notice.link : null]
      assert.deepEqual([mail.code, mail.link, mail.language], [code, link, language])
      for (const body of [mail.text, textOf(mail.html)]) {
        if (code !== null) assert.ok(body.includes(code))
        if (link !== null) assert.ok(body.includes(link))
        if ('expires_at' in notice && kind !== 'existing_account' && kind !== 'sign_up_refused') assert.match(body, /16:41/, 'the expiry')
        if ('device' in notice) assert.match(body, /Firefox on Windows, 203\.0\.113\.7/, 'the device')
      }
      if (code !== null) assert.ok(mail.text.startsWith(`${code} `))
      if (code !== null) assert.match(mail.html, new RegExp(`<body[^>]*>\\s*<p[^>]*>${code}</p>`))
    })

    test(`${kind} in ${language} tells a person who did not ask what to do`, () => {
      assert.match(mail.text, /Not you\?|ignore|need not|Das waren nicht Sie\?|löschen|müssen nichts tun/)
    })

    test(`${kind} in ${language} loads nothing, runs nothing and links only to its page`, () => {
      assert.doesNotMatch(mail.html, /<(img|script|link|iframe|object|form|video|audio)\b|\bsrc=|url\(|@import|javascript:/i)
      const links = [...mail.html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href?.replaceAll('&amp;', '&'))
      assert.deepEqual(links, mail.link === null ? [] : [mail.link])
      assert.match(mail.html, new RegExp(`^<!doctype html>\\n<html lang="${language}">`))
    })

    test(`${kind} in ${language} escapes names, and marks a mail from Test`, () => {
      assert.doesNotMatch(mail.html, /<b>/)
      assert.match(mail.subject + mail.text, /Tom & <b>Jerry<\/b>/)
      assert.ok(!mail.subject.startsWith('[Test]'))
      assert.ok(compose(notice, envelope, { ...look, locales: language, is_test: true }).subject.startsWith('[Test] '))
    })
  }

test('every kind has its own subject in every language, and no text is the same in two languages', () => {
  const subjects = Object.values(notices).flatMap((notice) => mail_languages.map((language) => in_language(notice, language)))
  assert.equal(new Set(subjects.map(({ subject }) => subject)).size, subjects.length)
  assert.equal(new Set(subjects.map(({ text }) => text)).size, subjects.length)
})

// biome-ignore format: this table is read by column
const languages: [locales: string | undefined, language: string][] = [
  [undefined, 'en'], ['', 'en'], ['fr', 'en'], ['de', 'de'], ['de-AT', 'de'], ['fr de', 'de'], ['en de', 'en'], ['<script>', 'en'], ['x'.repeat(10_000), 'en'],
]
for (const [locales, language] of languages)
  test(`for ${String(locales).slice(0, 20)} a mail is in ${language}`, () =>
    assert.equal(compose(notices.test, envelope, { ...look, locales }).language, language))

test('a name never becomes a link, a header or markup', () => {
  const tenant_name = 'evil.example/login "<a href=//evil.example>"'
  const mail = in_language({ ...notices.invitation, tenant_name, inviter: 'Eve http://evil.example (eve@evil.example)' }, 'en')
  for (const body of [mail.text, mail.html, mail.subject]) assert.doesNotMatch(body, /evil\.example|http:\/\/evil|@evil/)
  assert.doesNotMatch(mail.html, /<a href=\/\//)
  const subject = compose(notices.test, { ...envelope, brand: 'A\r\nBcc: eve@example.com\u2028B' }, look).subject
  assert.equal(subject, 'Test mail from A Bcc: eve@example.com B')
})

test('the life of a mail is that of what it carries, and three days for a notice', () => {
  assert.deepEqual(lifeOf(notices.sign_in_code, at), notices.sign_in_code.expires_at)
  assert.deepEqual(lifeOf(notices.password_changed, at), new Date(at.getTime() + notice_ms))
})
