import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import { iconOf } from './favicon.ts'
import { locales } from './locale.ts'
import { exampleContext, examplePages } from './pages.example.ts'

const of = (expression: RegExp, page: { html: string }) => [...page.html.matchAll(expression)].map((match) => match[1] ?? match[0])
/** The names that automated tests of our users rely on. */
const steps =
  'sign-in sign-up code second-factor enrol-totp recovery-codes offer-passkey profile forgot-password new-password link consent select-account sign-out signed-out invitation account error'.split(
    ' ',
  )
const actions =
  'password email-code resend-code passkey provider create-account forgot-password use-password use-recovery-code use-totp continue not-now save-profile confirm cancel accept-invitation sign-out sign-in use-other-address use-other-account begin-again account stay-signed-in change-name change-email change-password add-passkey remove-passkey add-totp remove-totp new-recovery-codes add-provider remove-provider end-session end-other-sessions disconnect export delete-account copy-codes download-codes print-codes'.split(
    ' ',
  )
const posts_elsewhere = ['form post']

const pages = locales.flatMap((locale) =>
  Object.entries(examplePages('test', undefined, locale)).map(([name, page]) => ({
    name: `${name} (${locale})`,
    state: name,
    locale,
    page,
  })),
)

for (const { name, state, locale, page } of pages) {
  test(`${name}: the page has a language, one title that ends with the brand, one main element and one h1`, () => {
    assert.ok(page.html.startsWith(`<!doctype html>\n<html lang="${locale}">`))
    assert.equal(page.locale, locale)
    assert.equal(of(/<title>.+ · Acme Shop<\/title>/g, page).length, 1)
    assert.equal(of(/<h1>/g, page).length, 1)
    assert.equal(of(/<main /g, page).length, 1)
  })

  test(`${name}: the policy allows exactly the styles, script and logos of the page, and has no form-action`, () => {
    const hashes = (texts: string[]) => texts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`).join(' ')
    const scripts = of(/<script>(.*?)<\/script>/gs, page)
    assert.ok(
      page.csp.startsWith(
        `default-src 'none'; style-src ${hashes(of(/<style>(.*?)<\/style>/gs, page))}; img-src data: https://cdn.example.com`,
      ),
      page.csp,
    )
    assert.ok(
      page.csp.endsWith(`${scripts.length > 0 ? `; script-src ${hashes(scripts)}` : ''}; frame-ancestors 'none'; base-uri 'none'`),
      page.csp,
    )
    assert.equal(scripts.length, posts_elsewhere.includes(state) || /passkey|^recovery codes/.test(state) ? 1 : 0)
    assert.doesNotMatch(page.csp, /form-action|unsafe/)
    assert.doesNotMatch(page.html.replace(/<script>.*<\/script>/s, ''), / style=| on[a-z]+=/)
  })

  test(`${name}: every field has a visible label, an autocomplete token and an existing description`, () => {
    const ids = of(/ id="([^"]+)"/g, page)
    assert.equal(new Set(ids).size, ids.length)
    assert.ok(of(/ autofocus[> ]/g, page).length <= 1, 'at most one element takes focus')
    for (const field of of(/<input (?!type="hidden")[^>]*(?<! hidden)>/g, page)) {
      const id = / id="([^"]+)"/.exec(field)?.[1]
      assert.ok(page.html.includes(`<label for="${id}">`))
      assert.match(
        field,
        / autocomplete="(email|username|username webauthn|current-password|new-password|name|given-name|family-name|nickname|one-time-code|off)"/,
      )
      for (const described_by of (/ aria-describedby="([^"]+)"/.exec(field)?.[1] ?? '').split(' ').filter(Boolean))
        assert.ok(ids.includes(described_by))
    }
  })

  test(`${name}: every form posts the form token and the request to the issuer`, () => {
    for (const form of of(/<form .*?<\/form>/gs, page)) {
      if (form.includes('action="https://id.example.com/e/env_1/account/'))
        assert.match(
          form,
          /^<form method="post" action="[^"]*\/account\/[a-z-]+"(?: novalidate)?><input type="hidden" name="csrf" value="token"><input type="hidden" name="user" value="usr_1">/,
        )
      else if (state.startsWith('account,') || state === 'account')
        assert.match(
          form,
          /^<form method="post" action="[^"]*\/sign-out"><input type="hidden" name="csrf" value="token"><input type="hidden" name="request" value="">/,
        )
      else if (posts_elsewhere.includes(state)) assert.match(form, /^<form method="post" action="https:\/\/shop\.example\.com\/cb">/)
      else
        assert.match(
          form,
          /^<form (?:class="alts" )?method="post" action="https:\/\/id\.example\.com\/e\/env_1\/[a-z-]+(?:\?[^"]*)?"(?: novalidate)?><input type="hidden" name="csrf" value="token"><input type="hidden" name="(?:request" value="client_id=app_1&amp;state=x|token" value="token)">/,
        )
    }
  })

  test(`${name}: the service judges addresses, since browsers refuse letters beyond ASCII before the at sign`, () => {
    for (const form of of(/<form .*?<\/form>/gs, page))
      if (/<input (?![^>]* readonly)[^>]*type="email"/.test(form)) assert.match(form, /^<form [^>]* novalidate>/)
  })

  test(`${name}: an error starts the title, takes focus and has an error status`, () => {
    const has_problem = page.html.includes('role="alert"')
    assert.equal(/<title>(Error|Fehler): /.test(page.html), has_problem)
    assert.equal(/ role="alert" tabindex="-1" autofocus>/.test(page.html), has_problem)
    if (has_problem) assert.ok((page.status ?? 200) >= 400)
  })

  test(`${name}: the page of a Test environment has the Test ribbon`, () =>
    assert.match(page.html, /<b>Test<\/b> (This is not the real|Das ist nicht das echte) Acme Shop\./))

  test(`${name}: the main element names a step of the contract, and every button its action`, () => {
    const [step] = of(/<main [^>]*data-step="([^"]*)"/g, page)
    if (posts_elsewhere.includes(state)) assert.equal(step, undefined)
    else assert.ok(steps.includes(step ?? ''), step)
    for (const button of of(/<button [^>]*>/g, page)) assert.ok(actions.includes(/ data-action="([^"]*)"/.exec(button)?.[1] ?? ''), button)
    for (const action of of(/ data-action="([^"]*)"/g, page)) assert.ok(actions.includes(action), action)
    for (const row of of(/<ul class="(?:people|gets)">.*?<\/ul>/gs, page).flatMap((list) => list.match(/<li[^>]*>/g) ?? []))
      assert.match(row, / data-id="[^"]+"/)
    for (const row of page.html.split('<div class="it"').slice(1))
      if (/ data-action="(end-session|disconnect|remove-)/.test(row)) assert.match(row, /^ data-id="[^"]+">/)
  })

  test(`${name}: the page has an icon, and a colour for the bars of the browser in each theme`, () => {
    assert.equal(of(/<link rel="icon" href="data:image\/svg\+xml,[^"]+">/g, page).length, 1)
    assert.deepEqual(of(/<meta name="theme-color" media="\(prefers-color-scheme: (\w+)\)" content="#[0-9A-F]{6}">/g, page), [
      'light',
      'dark',
    ])
  })

  test(`${name}: an address in the text breaks before @ and before a dot`, () => {
    const text = (page.html.split('</head>')[1] ?? '').replaceAll(/<[^w][^>]*>/g, '\n')
    assert.doesNotMatch(text.replaceAll(/^: .*$/gm, ''), /demo@example/)
  })
}

for (const { name, page } of pages.filter(({ page }) => page.html.includes(' action="https://id.example.com/e/env_1/sign-up"')))
  test(`${name}: the link to the sign-in is named as such`, () => assert.equal(of(/<a [^>]*data-action="sign-in">/g, page).length, 1))

for (const [name, page] of Object.entries(examplePages('test', undefined, 'pseudo')))
  test(`${name}: the layout follows a language that is written from right to left`, () => {
    assert.ok(page.html.startsWith('<!doctype html>\n<html lang="ar" dir="rtl">'))
    for (const sheet of of(/<style>(.*?)<\/style>/gs, page))
      assert.doesNotMatch(sheet, /(?:margin|padding|border)-(?:left|right)|text-align:(?:left|right)|float:|[{;](?:left|right):/)
  })

for (const [name, page] of Object.entries(examplePages('test')))
  test(`${name}: its menu of languages marks the current one and links to the same request in the others`, () => {
    const menu = of(/<nav aria-label="Language">(.*?)<\/nav>/gs, page)[0]
    assert.ok(menu?.includes('<a lang="en" aria-current="true">English</a>'), menu)
    assert.ok(
      menu?.includes(
        '<a lang="de" hreflang="de" href="https://id.example.com/e/env_1/oauth/authorize?client_id=app_1&amp;ui_locales=de&amp;language=de">Deutsch</a>',
      ),
      menu,
    )
  })

for (const [name, page] of Object.entries(examplePages('live'))) {
  test(`${name}: the page of a Live environment has no ribbon, no protocol error and no name of the product`, () => {
    const seen = page.html.replace(/<style>.*?<\/style>/gs, '')
    assert.match(page.html, /<link rel="icon" href="https:\/\/cdn\.example\.com\/logo\.svg">/)
    assert.doesNotMatch(seen, /<b>Test<\/b>|Ostiary|invalid_|not the real|localhost/)
  })
}

const attack = `<script>alert(1)</script>"onload='x' </title></style>&lt;`
const hostile = examplePages('test', { brand: attack, application: attack, person: attack, email: attack, request: attack })
for (const [name, page] of Object.entries(examplePages('test'))) {
  test(`${name}: markup in names and addresses is shown as text`, () => {
    const structure = (html: string) => [...html.replaceAll('<wbr>', '').matchAll(/<\/?[a-z0-9]+/g)].join(' ')
    assert.equal(structure(hostile[name]?.html ?? ''), structure(page.html))
    assert.doesNotMatch(hostile[name]?.html ?? '', /"onload=/)
  })
}

test('the icon of a Live page without a logo is the initial of the tenant, with nothing of the service', () => {
  const context = exampleContext('live')
  const icon = decodeURIComponent(iconOf({ ...context, branding: { ...context.branding, logo_url: null, display_name: '<&"Ä' } }))
  assert.match(icon, /fill="#1F4FD8".*fill="#FFFFFF">Ä<\/text>/)
  const mark = iconOf(exampleContext('test'))
  assert.notEqual(icon, decodeURIComponent(mark))
  assert.match(decodeURIComponent(mark), /M12 1\.5c4\.7/)
})

test('a link that is set is not shown in German with an English text', () => {
  const [en, de] = ['en', 'de'].map((locale) => examplePages('test', undefined, locale))
  for (const [name, page] of Object.entries(en ?? {})) assert.notEqual(page.html, de?.[name]?.html, name)
})

/** Words that German has too, and what nothing translates: names, ids, secrets and settings of the page. */
const also_german =
  /^(?:Name|: Name|Code|Passkey|Test|In Live|Apps?|English|Deutsch|Orders API,?|(?:: )?(?:google|microsoft)|light dark|#\w+|[A-Z]\d)$/

test('no text of a page is English in German', () => {
  const words = { brand: 'B1', application: 'A1', person: 'P1', email: 'e1@example.com', request: 'state=x' }
  const [en, de] = ['en', 'de'].map((locale) => examplePages('test', words, locale))
  const textsOf = ({ html }: { html: string } = { html: '' }) => {
    const shown = html.replaceAll(/<(script|style)[^>]*>.*?<\/\1>|<wbr>/gs, '')
    const named = [...shown.matchAll(/ (?:aria-label|alt|title|placeholder|content)="([^"]*)"/g)].map(([, text = '']) => text)
    return [...named, ...shown.split(/<[^>]*>/)].map((text) => text.trim()).filter((text) => /[a-z]{3}/i.test(text))
  }
  const english = Object.entries(de ?? {}).flatMap(([name, page]) => {
    const known = new Set(textsOf(en?.[name]))
    return textsOf(page).filter((text) => known.has(text) && !also_german.test(text) && !/[@/=_]|\w[.:-]\w|^(?:\w{4} )+\w{4}$/.test(text))
  })
  assert.deepEqual([...new Set(english)], [])
})

test('the second step says whom to ask who has nothing at hand: the help of the tenant, or the tenant by its name', () => {
  const { 'second factor': with_help, 'second factor, without a help page': without } = examplePages('test')
  assert.match(with_help?.html ?? '', /Ask <a href="https:\/\/example\.com\/help">Acme Shop<\/a>\./)
  assert.match(without?.html ?? '', /Ask <b>Acme Shop<\/b>\./)
})
