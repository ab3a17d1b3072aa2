import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prefers, wantsPage } from './accept.ts'

// biome-ignore format: this table is read by column
const headers: [accept: string | undefined, is_preferred: boolean][] = [
  [undefined,                                              false],
  ['',                                                     false],
  ['*/*',                                                  false],
  ['application/json',                                     false],
  ['application/jsonl',                                    true],
  ['Application/JSONL; charset=utf-8',                     true],
  ['application/jsonl, application/json',                  true],
  ['application/json, application/jsonl;q=0.9',            false],
  ['application/json;q=0.5, application/jsonl;q=0.9',      true],
  ['application/jsonl;q=0',                                false],
  ['text/html, application/jsonl;q=0.001, */*;q=0.8',      true],
  [`application/jsonl, ${'a/b;q=0.1, '.repeat(100)}`,      false],
]
for (const [accept, is_preferred] of headers) {
  test(`Accept: ${accept} ${is_preferred ? 'asks for lines' : 'does not ask for lines'}`, () =>
    assert.equal(prefers(accept, 'application/jsonl'), is_preferred))
}

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'
// biome-ignore format: this table is read by column
const clients: [who: string, headers: Record<string, string>, gets_a_page: boolean][] = [
  ['a browser',                           { accept: browser },                                                        true],
  ['a script in a page, curl',            { accept: '*/*' },                                                          false],
  ['a client without Accept',             {},                                                                         false],
  ['a client that prefers JSON',          { accept: 'application/json, text/html;q=0.9' },                            false],
  ['a client of problems',                { accept: 'application/problem+json' },                                     false],
  ['a program with an API key',           { accept: 'text/html, image/gif, *; q=.2, */*; q=.2', 'x-api-key': 'key' }, false],
  ['a program with a token',              { accept: browser, authorization: 'Bearer token' },                         false],
]
for (const [who, headers, gets_a_page] of clients) {
  test(`${who} gets ${gets_a_page ? 'a page' : 'no page'}`, () => assert.equal(wantsPage(headers), gets_a_page))
}
