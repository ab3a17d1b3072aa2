import assert from 'node:assert/strict'
import test from 'node:test'
import { duration, noteOf, refusalInWords, timeInWords } from './browser/words.js'

const durations: [number, string][] = [
  [0.34, '0.3 s'],
  [11.4, '11 s'],
  [119, '119 s'],
  [900, '15 min'],
  [3_600, '60 min'],
  [86_400, '24 h'],
  [1_209_600, '14 days'],
]
for (const [seconds, words] of durations) test(`${seconds} seconds are shown as "${words}"`, () => assert.equal(duration(seconds), words))

const now = new Date('2026-11-20T16:31:14.200Z')
const times: [number, string][] = [
  [1_795_195_874, '20 Nov 2026, 17:31:14 UTC, in 60 min'],
  [1_795_192_274, '20 Nov 2026, 16:31:14 UTC, just now'],
  [1_795_192_244, '20 Nov 2026, 16:30:44 UTC, 30 s ago'],
]
for (const [seconds, words] of times)
  test(`the time ${seconds} is shown as "${words}"`, () => assert.equal(timeInWords(seconds, now), words))

test('aud has a different note in each token, and a self-explanatory claim has none', () => {
  assert.match(noteOf('aud', 'app_1', { token: 'ID token', now }), /this application/)
  assert.match(noteOf('aud', 'https://a.test', { token: 'Access token', now }), /API/)
  assert.equal(noteOf('given_name', 'Ada', { token: 'ID token', now }), '')
})

test('a refusal shows a title and the error description of the service', () => {
  assert.deepEqual(refusalInWords('invalid_token', 'It has expired.'), { title: 'The access token is refused', text: 'It has expired.' })
  assert.equal(refusalInWords('something_new', 'No.').text, 'No.')
})
