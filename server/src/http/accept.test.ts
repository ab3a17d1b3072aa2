import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prefers } from './accept.ts'

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
]
for (const [accept, is_preferred] of headers) {
  test(`Accept: ${accept} ${is_preferred ? 'asks for lines' : 'does not ask for lines'}`, () =>
    assert.equal(prefers(accept, 'application/jsonl'), is_preferred))
}
