/** The consent page of a client whose client id is the URL of a document (decision 0183): it says what nobody has checked. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { exampleConsent, exampleContext } from '../../test/support/example-pages.ts'
import { type ConsentView, consentPage } from './consent.ts'
import { locales } from './locale.ts'

const page = (view: Partial<ConsentView>, locale = 'en') =>
  consentPage(exampleContext('live', undefined, locale), {
    ...exampleConsent(),
    application: { name: 'Claude', logo_url: null },
    redirect_uri: 'https://agent.example.com/cb',
    metadata: { host: 'agent.example.com', listed: false },
    ...view,
  }).html

const textOf = (html: string) => html.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ')
const marksOf = (html: string) =>
  Object.fromEntries(
    [...(/<main[^>]*>/.exec(html)?.[0] ?? '').matchAll(/data-(client-host|redirect-host|warning)="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]),
  )

// biome-ignore format: this table is read by column
const cases: [rule: string, view: Partial<ConsentView>, marks: Record<string, string>, says: string[]][] = [
  ['of the same host',               {},                                                    { 'client-host': 'agent.example.com', 'redirect-host': 'agent.example.com', warning: 'unchecked' }, ['has not checked it.', 'The answer goes to agent.example.com.']],
  ['of another host',                { redirect_uri: 'https://else.example.com/cb' },       { 'client-host': 'agent.example.com', 'redirect-host': 'else.example.com', warning: 'unchecked other-host' }, ['The answer goes to else.example.com. This is not the address of the program.']],
  ['of another port',                { redirect_uri: 'https://agent.example.com:8443/cb' }, { 'client-host': 'agent.example.com', 'redirect-host': 'agent.example.com:8443', warning: 'unchecked other-host' }, ['The answer goes to agent.example.com:8443. This is not']],
  ['on this device',                 { redirect_uri: 'http://127.0.0.1:49152/cb' },         { 'client-host': 'agent.example.com', 'redirect-host': '127.0.0.1:49152', warning: 'unchecked loopback' }, ['The answer goes to a program on this device.', 'continue only if you have just started Claude yourself.']],
  ['on this device, by its name',    { redirect_uri: 'http://localhost/cb' },               { 'client-host': 'agent.example.com', 'redirect-host': 'localhost', warning: 'unchecked loopback' }, ['on this device']],
  ['that an administrator approved', { metadata: { host: 'agent.example.com', listed: true } }, { 'client-host': 'agent.example.com', 'redirect-host': 'agent.example.com' }, ['has approved this address.']],
]
for (const [rule, view, marks, says] of cases)
  test(`the page of a client ${rule}`, () => {
    const html = page(view)
    assert.deepEqual(marksOf(html), marks)
    const text = textOf(html)
    assert.ok(text.includes('Claude is the name this program gives itself. Its address is agent.example.com.'), text)
    for (const words of says) assert.ok(text.includes(words), `${words} in ${text}`)
    assert.ok(!html.includes('autofocus'))
  })

test('a name cannot look like a part of the page, or turn its direction', () => {
  const html = page({ application: { name: '<b>Acme</b> שלום', logo_url: null } })
  assert.ok(!html.includes('<b>Acme</b>'))
  assert.match(html, /<bdi>&lt;b&gt;Acme&lt;\/b&gt; שלום<\/bdi> is the name/)
})

test('a host is shown whole, and from left to right', () => {
  const host = `${'a'.repeat(60)}.xn--bcher-kva.example:8443`
  assert.match(page({ metadata: { host, listed: false } }).replaceAll('<wbr>', ''), new RegExp(`<bdi dir="ltr">${host}</bdi>`))
})

for (const locale of locales)
  test(`every sentence has its words in ${locale}`, () => {
    const html = textOf(page({ redirect_uri: 'https://else.example.com/cb' }, locale))
    for (const host of ['agent.example.com', 'else.example.com']) assert.ok(html.includes(host))
  })

test('an application has none of these words and marks', () => {
  const html = consentPage(exampleContext('live'), exampleConsent()).html
  assert.deepEqual([marksOf(html), /gives itself/.test(html)], [{}, false])
})
