import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isHinted } from './id-token-hint.ts'

const iat = Date.parse('2026-11-20T16:31:00Z') / 1_000
const anna = { user_id: 'usr_anna', sub: 'usr_anna', user_created_at: new Date('2026-11-20T16:31:00.900Z') }
const chosen = { ...anna, sub: 'auth0|1' }
const moved = { ...anna, sub: 'usr_gone' }

// biome-ignore format: this table is read by column
const cases: [rule: string, hint: { sub: string; iat: number }, person: typeof anna, is_about: boolean][] = [
  ['a hint with the id is about the user',                                   { sub: 'usr_anna', iat },            anna,   true],
  ['also one from before the creation, as after a change of a clock',        { sub: 'usr_anna', iat: iat - 60 },  anna,   true],
  ['a hint with another id is not',                                          { sub: 'usr_bert', iat },            anna,   false],
  ['a hint with the chosen sub is, from the second of the creation on',      { sub: 'auth0|1', iat },             chosen, true],
  ['a hint with the chosen sub from before is about an earlier user',        { sub: 'auth0|1', iat: iat - 1 },    chosen, false],
  ['a hint with the id of a user who has a chosen sub is about nobody',      { sub: 'usr_anna', iat },            chosen, false],
  ['case counts',                                                            { sub: 'Auth0|1', iat },             chosen, false],
  ['a chosen sub can be the id of a deleted user',                           { sub: 'usr_gone', iat },            moved,  true],
  ['a hint of that deleted user is about the deleted user',                  { sub: 'usr_gone', iat: iat - 100 }, moved,  false],
]
for (const [rule, hint, person, is_about] of cases) test(rule, () => assert.equal(isHinted(hint, person), is_about))
