import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asksForEveryFactor, trustLives } from './trusted-browser.ts'

const now = new Date('2026-11-20T16:31:00.000Z')
const inDays = (days: number, ms = 0) => new Date(now.getTime() + days * 86_400_000 + ms)

// biome-ignore format: this table is read by column
const lives: [what: string, begun: number, promised: number, remember_days: number, lives: boolean][] = [
  ['within its days',                     -29, 30, 30, true],
  ['after them',                          -31, 30, 30, false],
  ['at their very end',                   -30, 30, 30, false],
  ['after a lower setting',               -8,  30, 7,  false],
  ['within a lower setting',              -6,  30, 7,  true],
  ['after its promise, a higher setting', -31, 30, 90, false],
  ['with the setting at 0',               0,   30, 0,  false],
]
for (const [what, begun, promised, remember_days, expected] of lives)
  test(`a trusted browser ${what} ${expected ? 'counts' : 'does not count'}`, () =>
    assert.equal(trustLives({ created_at: inDays(begun), expires_at: inDays(begun + promised) }, remember_days, now), expected))

const plain = { prompt: [], max_age: undefined }
// biome-ignore format: this table is read by column
const requests: [what: string, request: Parameters<typeof asksForEveryFactor>[0], asks: boolean][] = [
  ['a plain request',            plain,                                                    false],
  ['prompt=none',                { ...plain, prompt: ['none'] },                           false],
  ['prompt=consent',             { ...plain, prompt: ['consent', 'select_account'] },      false],
  ['prompt=login',               { ...plain, prompt: ['consent', 'login'] },               true],
  ['max_age',                    { ...plain, max_age: 1_000_000 },                         true],
  ['max_age=0',                  { ...plain, max_age: 0 },                                 true],
  ['a fresh sign-in before',     { ...plain, signed_in_since: now },                       true],
  ['a level of one factor',      { ...plain, acr_values: ['urn:ostiary:1fa', 'phr'] },     false],
  ['a level of two factors',     { ...plain, acr_values: ['phr', 'urn:ostiary:2fa'] },     true],
  ['a level of a passkey',       { ...plain, acr_values: ['urn:ostiary:passkey'] },        true],
]
for (const [what, request, asks] of requests)
  test(`${what} ${asks ? 'asks for every factor' : 'is answered by a trusted browser'}`, () =>
    assert.equal(asksForEveryFactor(request), asks))
