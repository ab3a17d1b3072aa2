import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keptForm, of_client, of_page } from './form.ts'

const mebibyte = 1_048_576

/** Returns the text kept of a form that arrives in such pieces, or the code of its refusal; with the most memory that it took. */
function kept(form: string, limits: typeof of_client, piece_bytes: number) {
  const body = keptForm(limits)
  const bytes = Buffer.from(form)
  let most = 0
  for (let at = 0; at < bytes.length; at += piece_bytes) {
    const problem = body.add(bytes.subarray(at, at + piece_bytes))
    most = Math.max(most, body.capacity())
    if (problem) return { refused: problem.code, most }
  }
  return { form: body.bytes().toString(), most, left: body.capacity() }
}

const long = (bytes: number) => 'x'.repeat(bytes)
const fits = long(of_client.longest - 'token='.length)

// biome-ignore format: this table is read by column
const of_clients: [what: string, form: string, left: string][] = [
  ['an ordinary form',                             'grant_type=x&code=a%20b',                             'grant_type=x&code=a%20b'],
  ['an empty form',                                '',                                                    ''],
  ['empty parameters',                             '&&a=&=b&',                                            '&&a=&=b&'],
  ['the longest value',                            `token=${fits}&a=b`,                                   `token=${fits}&a=b`],
  ['a value that is one byte longer',              `token=${fits}x&a=b`,                                  'token=(too_long)&a=b'],
  ['a token of almost 1 MiB before the credentials', `token=${long(1_000_000)}&client_id=a&client_secret=b`, 'token=(too_long)&client_id=a&client_secret=b'],
  ['a token of almost 1 MiB behind them',          `client_id=a&client_secret=b&token=${long(1_000_000)}`, 'client_id=a&client_secret=b&token=(too_long)'],
  ['two long values',                              `token=${long(500_000)}&a=${long(500_000)}&b=c`,       'token=(too_long)&a=(too_long)&b=c'],
  ['a long name',                                  `${long(500_000)}&b=c`,                                '&b=c'],
]
for (const [what, form, left] of of_clients)
  test(`at the endpoints of clients ${what}: values that are too long are replaced, and take no memory`, () => {
    for (const piece_bytes of [1_000, 65_536, mebibyte]) {
      const { form: got, refused, most } = kept(form, of_client, piece_bytes)
      assert.deepEqual([got, refused], [left, undefined], `pieces of ${piece_bytes}`)
      assert.ok(most <= of_client.most_bytes, `${most} bytes`)
    }
  })

// biome-ignore format: this table is read by column
const stalled: [what: string, form: string][] = [
  ['a token of almost 1 MiB',                   `token=${long(1_000_000)}`],
  ['two of them',                               `token=${long(500_000)}&a=${long(500_000)}`],
  ['credentials and a token of almost 1 MiB',   `client_id=a&client_secret=b&token=${long(1_000_000)}`],
  ['a long name',                               long(500_000)],
]
for (const [what, form] of stalled)
  test(`at the endpoints of clients ${what}: takes at most 4 KiB while the rest of the form does not come`, () => {
    for (const piece_bytes of [1_000, 16_384, 65_536]) {
      const { left = Number.NaN } = kept(form, of_client, piece_bytes)
      assert.ok(left <= 4_096, `${left} bytes, pieces of ${piece_bytes}`)
    }
  })

// biome-ignore format: this table is read by column
const refused: [what: string, form: string, limits: typeof of_client, code: string][] = [
  ['a form over 1 MiB, at the endpoints of clients',       `token=${long(mebibyte)}`,              of_client, 'body_too_large'],
  ['201 parameters, at the endpoints of clients',          'a=b&'.repeat(200),                     of_client, 'malformed_request'],
  ['more than any valid form, at the endpoints of clients', `${`a=${long(8_000)}&`.repeat(100)}`,  of_client, 'malformed_request'],
  ['a long parameter of a page',                           `a=${long(of_page.longest)}`,           of_page,   'malformed_request'],
  ['201 parameters of a page',                             'a=b&'.repeat(200),                     of_page,   'malformed_request'],
  ['more than any valid form of a page',                   `${`a=${long(60_000)}&`.repeat(3)}`,    of_page,   'malformed_request'],
]
for (const [what, form, limits, code] of refused)
  test(`${what}: refused while it arrives, with little memory`, () => {
    for (const piece_bytes of [1_000, 65_536]) {
      const got = kept(form, limits, piece_bytes)
      assert.equal(got.refused, code)
      assert.ok(got.most <= limits.most_bytes, `${got.most} bytes`)
    }
  })
