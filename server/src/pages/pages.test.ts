import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { exampleContext, examplePages } from '../../test/support/example-pages.ts'
import { iconOf } from './favicon.ts'
import { locales } from './locale.ts'

const of = (expression: RegExp, page: { html: string }) => [...page.html.matchAll(expression)].map((match) => match[1] ?? match[0])
/** The names that automated tests of our users rely on, as the guide *Test your sign-in* lists them. */
const guide = readFileSync(new URL('../../../docs/guides/testing.md', import.meta.url), 'utf8')
const named = (attribute: string) =>
  [...guide.matchAll(new RegExp(`^\\| \`${attribute}\`.*?\\| (.*) \\|$`, 'gm'))].flatMap(([, words = '']) => words.match(/[a-z-]+/g) ?? [])
const steps = named('data-step')
const actions = named('data-action')
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
      else if (/^organization(,|$)/.test(state))
        assert.match(
          form,
          /^<form method="(?:get" action="[^"]*\/organizations\/org_1" class="find"><input type="hidden" name="user"|post" action="[^"]*\/organizations\/org_1"[^>]*><input type="hidden" name="csrf" value="token"><input type="hidden" name="user") value="usr_1">/,
        )
      else if (posts_elsewhere.includes(state)) assert.match(form, /^<form method="post" action="https:\/\/shop\.example\.com\/cb">/)
      else
        assert.match(
          form,
          /^<form (?:class="alts" )?method="post" action="https:\/\/id\.example\.com\/e\/env_1\/[a-z-]+(?:\?[^"]*)?"(?: novalidate| class="find")?><input type="hidden" name="csrf" value="token"><input type="hidden" name="(?:request" value="client_id=app_1&amp;state=x|token" value="token)">/,
        )
    }
  })

  test(`${name}: the service judges addresses, since browsers refuse letters beyond ASCII before the at sign`, () => {
    for (const form of of(/<form .*?<\/form>/gs, page))
      if (/<input (?![^>]* readonly)[^>]*type="email"/.test(form)) assert.match(form, /^<form [^>]* novalidate>/)
  })

  test(`${name}: an error starts the title, takes focus by itself or by its field, and has an error status`, () => {
    const wrong = of(/<(?:input|select) [^>]* aria-invalid="true"[^>]*>/g, page)
    const has_summary = page.html.includes('role="alert"')
    assert.equal(/<title>(Error|Fehler): /.test(page.html), has_summary || wrong.length > 0)
    assert.equal(/ role="alert" tabindex="-1" autofocus>/.test(page.html), has_summary)
    if (!has_summary)
      assert.deepEqual(
        wrong.filter((field) => !field.includes(' autofocus')),
        [],
      )
    if (has_summary || wrong.length > 0) assert.ok((page.status ?? 200) >= 400)
  })

  test(`${name}: an error is said once, and several fields have a list of links to their labels`, () => {
    const summary = of(/<div class="problem"[^>]*>.*?<\/svg><div>(.*?)<\/div><\/div>/gs, page)[0]
    const links = [...(summary ?? '').matchAll(/<a href="#([a-z_]+)">(.*?)<\/a>/g)].map(([, id, text]) => [id, text])
    const at_fields = [...page.html.matchAll(/<p class="wrong" id="([a-z_]+)-problem">.*?<span>(.*?)<\/span>/g)]
    const labels = at_fields.map(([, id = '']) => [id, new RegExp(`<label for="${id}">(.*?)(?: <span>.*?)?</label>`).exec(page.html)?.[1]])
    assert.deepEqual(links, at_fields.length > 1 ? labels : [])
    for (const [, id, text = ''] of at_fields) {
      assert.match(page.html, new RegExp(` id="${id}"[^>]* aria-describedby="[^"]*${id}-problem`))
      assert.ok(!summary?.includes(text), text)
    }
  })

  test(`${name}: what to do without passkeys stands behind the part that a script shows in its place`, () => {
    if (!page.html.includes('without-passkeys">')) return
    assert.match(page.html, /<div hidden data-passkey=.*<\/div>\s*<p class="hint without-passkeys">/s)
    assert.match(page.html, /\[data-passkey\]:not\(\[hidden\]\)~\.without-passkeys\{display:none\}/)
  })

  test(`${name}: a page without a form has a way on, a page that waits for a code a way back`, () => {
    const step = of(/<main [^>]*data-step="([^"]*)"/g, page)[0]
    const main = /<main .*<\/main>/s.exec(page.html)?.[0] ?? ''
    const links = [...main.matchAll(/<a [^>]*data-action="([a-z-]+)"/g)].map(([, action]) => action ?? '')
    const may_end = /^message, |^provider problem|^link|^redirect mismatch/.test(state) // a message says what to do instead
    if (!main.includes('<form') && !may_end) assert.ok(links.length > 0, 'it has no way on')
    if (step === 'code')
      assert.ok(
        links.some((action) => ['use-other-address', 'begin-again', 'cancel'].includes(action)),
        'no way back',
      )
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

  test(`${name}: an address in the text breaks before @ and before a dot of its host`, () => {
    const text = (page.html.split('</head>')[1] ?? '').replaceAll(/<[^w][^>]*>/g, '\n')
    assert.doesNotMatch(text.replaceAll(/^: .*$/gm, ''), /lovelace@example/)
    assert.doesNotMatch(text, /ada<wbr>\./, 'the part before @ stays whole')
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
const hostile = examplePages('test', {
  brand: attack,
  tenant: attack,
  application: attack,
  resource_server: attack,
  scope: attack,
  provider: attack,
  person: attack,
  email: attack,
  inviter: { email: attack, name: attack },
  device: attack,
  request: attack,
  detail: attack,
  provider_detail: attack,
})
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
  /^(?:Name|: Name|Code|Passkey|Test|In Live|Apps?|English|Deutsch|(?:: )?(?:Google|Microsoft)|light dark|#\w+|[A-Z]\d,?)$/

test('no text of a page is English in German', () => {
  const words = {
    brand: 'B1',
    tenant: 'T1',
    application: 'A1',
    resource_server: 'R1',
    scope: 'S1',
    provider: 'V1',
    person: 'P1',
    email: 'e1@example.com',
    inviter: { email: 'e2@example.com', name: 'I1' },
    device: 'D1',
    request: 'state=x',
    detail: 'E1',
    provider_detail: 'E2',
  }
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

test('a page that waits for a mail says in Test where the mail is kept, and otherwise when a new one can be sent', () => {
  const { code, 'code, kept in the inbox': kept_code, ...pages } = examplePages('test')
  const kept = [kept_code, pages['forgot password, kept in the inbox'], pages['mailed code before an enrolment, kept in the inbox']]
  for (const page of [...kept, pages['account, proof of the address']])
    assert.match(page?.html ?? '', /Test keeps mail and sends none: <a href="[^"]*page=inbox"[^>]*>open the inbox<\/a>\./)
  for (const page of [code, pages['mailed code before an enrolment'], pages['account, pending address']])
    assert.match(page?.html ?? '', /aria-describedby="resend-note".*<p class="fine" id="resend-note">No mail\?/s)
})

// biome-ignore format: this table is read by column
const sent_again: ['en' | 'de', state: string, words: RegExp][] = [
  ['en', 'account, pending address',            /can send the mails again\./],
  ['en', 'account, pending address, confirmed', /can send the mails again\./],
  ['de', 'account, pending address, confirmed', /können Sie die Mails noch einmal senden\./],
  ['en', 'account, proof of the address, wrong code', /can send a new code\./],
]
for (const [locale, state, words] of sent_again)
  test(`${state} (${locale}): the note says what its button sends again`, () =>
    assert.match(examplePages('test', undefined, locale)[state]?.html ?? '', new RegExp(`id="resend-note">[^<]*${words.source}`)))

test('a wrong code of an authenticator app asks for the code that the app shows now, since nothing sends one', () => {
  const [en, de] = (['en', 'de'] as const).map((locale) => examplePages('test', undefined, locale)['authenticator app, wrong']?.html ?? '')
  assert.match(en ?? '', /Enter the code that the app shows now\./)
  assert.match(de ?? '', /den die App gerade anzeigt\./)
  assert.doesNotMatch(`${en}${de}`, /get a new one|fordern Sie/)
})

test('a refused removal offers what the person can do instead, and not the same button', () => {
  const pages = examplePages('test')
  const offers = (name: string) =>
    [...(pages[name]?.html ?? '').matchAll(/ class="b(?: p)?"[^>]* data-action="([a-z-]+)"/g)].map((m) => m[1])
  assert.deepEqual(offers('account, removal of the last way in'), ['change-password', 'add-passkey', 'add-provider'])
  assert.deepEqual(offers('account, removal of the last app'), ['add-totp'])
  assert.deepEqual(offers('account, deletion of the last owner'), ['continue'])
  for (const name of ['account, removal of the last app, with nothing to add', 'account, new app, too many']) {
    assert.deepEqual(offers(name), [])
    assert.match(pages[name]?.html ?? '', /data-action="account">Back to your account</)
  }
  const stays = pages['account, with methods that stay']?.html ?? ''
  assert.doesNotMatch(stays, /data-action="remove-(?!trusted-browser")/)
  assert.match(stays, /Your only way to sign in, so it stays.*Your account needs a second step, so it stays/s)
})

test('the page of a sign-out ranks nothing above the way back', () => {
  const pages = examplePages('test')
  const acts = (name: string) => /<div class="acts">(.*?)<\/div>/s.exec(pages[name]?.html ?? '')?.[1] ?? ''
  assert.match(acts('signed out'), /^<a class="b p"[^>]*>Back to Meal Planner<\/a><a class="b"[^>]*>Sign in again<\/a>$/)
  assert.match(acts('still signed in'), /^<a class="b"[^>]*data-action="account">Go to your account<\/a>$/)
})

test('every name that the guide lists is on a page', () => {
  const all = pages.map(({ page }) => page.html).join('')
  const missing = [...steps.map((step) => `data-step="${step}"`), ...actions.map((action) => `data-action="${action}"`)].filter(
    (name) => !all.includes(name),
  )
  assert.deepEqual([steps.length > 15, actions.length > 30, missing], [true, true, []])
})
