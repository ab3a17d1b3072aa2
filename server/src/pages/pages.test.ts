import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import { examplePages } from './pages.example.ts'

const of = (expression: RegExp, page: { html: string }) => [...page.html.matchAll(expression)].map((match) => match[1] ?? match[0])
const posts_elsewhere = ['form post']

for (const [name, page] of Object.entries(examplePages('test'))) {
  test(`${name}: the page has a language, one title that ends with the brand, one main element and one h1`, () => {
    assert.match(page.html, /^<!doctype html>\n<html lang="en">/)
    assert.equal(of(/<title>.+ · Acme Shop<\/title>/g, page).length, 1)
    assert.equal(of(/<h1>/g, page).length, 1)
    assert.equal(of(/<main /g, page).length, 1)
  })

  test(`${name}: the policy allows exactly the styles, script and logos of the page, and has no form-action`, () => {
    const hashes = (texts: string[]) => texts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`).join(' ')
    const scripts = of(/<script>(.*?)<\/script>/gs, page)
    assert.ok(
      page.csp.startsWith(`default-src 'none'; style-src ${hashes(of(/<style>(.*?)<\/style>/gs, page))}; img-src https://cdn.example.com`),
      page.csp,
    )
    assert.ok(
      page.csp.endsWith(`${scripts.length > 0 ? `; script-src ${hashes(scripts)}` : ''}; frame-ancestors 'none'; base-uri 'none'`),
      page.csp,
    )
    assert.equal(scripts.length, posts_elsewhere.includes(name) ? 1 : 0)
    assert.doesNotMatch(page.csp, /form-action|unsafe/)
    assert.doesNotMatch(page.html, / style=| on[a-z]+=/)
  })

  test(`${name}: every field has a visible label, an autocomplete token and an existing description`, () => {
    const ids = of(/ id="([^"]+)"/g, page)
    assert.equal(new Set(ids).size, ids.length)
    for (const field of of(/<input (?!type="hidden")[^>]*>/g, page)) {
      const id = / id="([^"]+)"/.exec(field)?.[1]
      assert.ok(page.html.includes(`<label for="${id}">`))
      assert.match(field, / autocomplete="(username|current-password|new-password|name)"/)
      for (const described_by of (/ aria-describedby="([^"]+)"/.exec(field)?.[1] ?? '').split(' ').filter(Boolean))
        assert.ok(ids.includes(described_by))
    }
  })

  test(`${name}: every form posts the form token and the request to the issuer`, () => {
    for (const form of of(/<form .*?<\/form>/gs, page)) {
      if (posts_elsewhere.includes(name)) assert.match(form, /^<form method="post" action="https:\/\/shop\.example\.com\/cb">/)
      else
        assert.match(
          form,
          /^<form method="post" action="https:\/\/id\.example\.com\/e\/env_1\/[a-z-]+"><input type="hidden" name="csrf" value="token"><input type="hidden" name="request" value="client_id=app_1&amp;state=x">/,
        )
    }
  })

  test(`${name}: an error starts the title, takes focus and has an error status`, () => {
    const has_problem = page.html.includes('role="alert"')
    assert.equal(page.html.includes('<title>Error: '), has_problem)
    assert.equal(/ role="alert" tabindex="-1" autofocus>/.test(page.html), has_problem)
    if (has_problem) assert.ok((page.status ?? 200) >= 400)
  })

  test(`${name}: the page of a Test environment has the Test ribbon`, () =>
    assert.match(page.html, /<b>Test<\/b> This is not the real Acme Shop\./))
}

for (const [name, page] of Object.entries(examplePages('live'))) {
  test(`${name}: the page of a Live environment has no ribbon, no protocol error and no name of the product`, () => {
    const seen = page.html.replace(/<style>.*?<\/style>/gs, '')
    assert.doesNotMatch(seen, /<b>Test<\/b>|Ostiary|invalid_|not the real|localhost/)
  })
}

const attack = `<script>alert(1)</script>"onload='x' </title></style>&lt;`
const hostile = examplePages('test', { brand: attack, application: attack, person: attack, email: attack, request: attack })
for (const [name, page] of Object.entries(examplePages('test'))) {
  test(`${name}: markup in names and addresses is shown as text`, () => {
    const structure = (html: string) => [...html.matchAll(/<\/?[a-z0-9]+/g)].join(' ')
    assert.equal(structure(hostile[name]?.html ?? ''), structure(page.html))
    assert.doesNotMatch(hostile[name]?.html ?? '', /"onload=/)
  })
}
