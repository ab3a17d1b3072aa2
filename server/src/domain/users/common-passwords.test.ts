/** Tests the passwords that the list of common passwords refuses and accepts. The figures of decision 0039 come from here. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { commonPasswords, listLines } from './common-passwords.ts'
import { guessModel } from './guessing.ts'
import { passwordProblem } from './password-policy.ts'

const policy = { min_length: 8, reject_common: true }
const lines = listLines('passwords')
const entries = lines.map((line) => line.slice(1))
const problemOf = (password: string) => passwordProblem(password, [], policy, commonPasswords)

/** A generator of its own seed, so that every run judges the same passwords. */
function seeded(seed: string) {
  let counter = 0
  const below = (limit: number) => createHash('sha256').update(`${seed} ${counter++}`).digest().readUInt32BE() % limit
  const oneOf = <T>(values: ArrayLike<T>): T => values[below(values.length)] as T // as: below() is less than the length
  const text = (alphabet: string, length: number) => Array.from({ length }, () => oneOf(alphabet)).join('')
  return { below, oneOf, text }
}

const digits = '0123456789'
const lower = 'abcdefghijklmnopqrstuvwxyz'
const letters = lower + lower.toUpperCase()
const signs = '!#$%&()*+,-./:;<=>?@[]^_{|}~'

const look_alikes = new Map(Object.entries({ a: '@4', b: '8', e: '3', g: '9', i: '1!', l: '1', o: '0', s: '$5', t: '7+' }))

/** Changes case and letters and appends up to four digits, as a person does whose password was refused. */
function altered(entry: string, random: ReturnType<typeof seeded>): string {
  const capitals = random.oneOf([() => false, (at: number) => at === 0, () => true, () => random.below(2) === 0])
  const characters = [...entry].map((letter, at) => {
    const signs_like_it = look_alikes.get(letter)
    if (signs_like_it && random.below(2) === 0) return random.oneOf(signs_like_it)
    return capitals(at) ? letter.toUpperCase() : letter
  })
  return characters.join('') + random.text(digits, random.below(5))
}

// The tenth is chosen by hash, so it does not depend on the order of the list.
const isHeldOut = (entry: string) => (createHash('sha256').update(entry).digest()[0] ?? 0) % 10 === 0
const held_out = entries.filter(isHeldOut)
const nine_tenths = guessModel(
  lines.filter((line) => !isHeldOut(line.slice(1))),
  listLines('words'),
)

const share = (passwords: readonly string[], problem: (password: string) => string | null) =>
  passwords.filter((password) => problem(password) === 'common').length / passwords.length

const variations = (passwords: readonly string[], seed: string) => {
  const random = seeded(seed)
  return passwords.map((entry) => altered(entry, random)).filter((password) => password.length >= policy.min_length)
}

// biome-ignore format: this table is read by column
const unknown: [what: string, passwords: string[], least: number][] = [
  ['variations of the held-out tenth',                       variations(held_out, 'all'),                                         0.95],
  ['variations of its entries of eight characters or more',  variations(held_out.filter(({ length }) => length >= 8), 'long'),     0.93],
]
for (const [what, passwords, least] of unknown) {
  test(`a list of nine tenths refuses at least ${(100 * least).toFixed()} % of the ${what}`, (t) => {
    assert.ok(passwords.length > 1_500)
    const refused = share(passwords, (password) => passwordProblem(password, [], policy, () => nine_tenths))
    t.diagnostic(`${passwords.length} passwords, ${(100 * refused).toFixed(2)} % refused`)
    assert.ok(refused >= least, `${refused}`)
  })
}

test('every listed password of eight characters or more is refused, and its variations too', () => {
  const long = entries.filter(({ length }) => length >= 8)
  assert.deepEqual(long.filter((entry) => problemOf(entry) !== 'common').length, 0)
  assert.deepEqual(
    variations(long.slice(0, 3_000), 'listed').filter((password) => problemOf(password) !== 'common'),
    [],
  )
})

// biome-ignore format: this table is read by column
const refused: [password: string, why: string][] = [
  ['P@$$w0rd2027',       'a listed password with signs, a capital and a year'],
  ['!QAZ@WSX3edc',       'a walk over the keyboard with the shift key held for a part'],
  ['abcdefghijkl',       'the alphabet'],
  ['zyxwvutsrqpo',       'the alphabet backwards'],
  ['dragondragondragon', 'a listed password three times'],
  ['sunshinemonkey12',   'two listed passwords'],
  ['Wachtwoord2026',     'a word of another language'],
  ['pässwörd1234',       'a listed password with diacritics'],
  ['ｐａｓｓｗｏｒｄ１２',       'a listed password in full-width letters'],
  ['31121999',           'a date'],
  ['01765554433',        'a telephone number'],
  ['helloworld!!',       'two words with signs'],
  ['CorrectHorseBatteryStaple', 'the famous example'],
]
for (const [password, why] of refused)
  test(`the password "${password}" is refused: ${why}`, () => assert.equal(problemOf(password), 'common'))

// Words as the diceware lists have them; none is among the 1,000 most common passwords.
const words =
  `acorn blanket cactus dolphin ember fabric gravel harvest igloo jigsaw kernel lantern meadow napkin orbit pebble quarry ribbon saddle
  timber umbrella velvet walnut yonder zipper anchor bucket candle dagger elbow feather glacier hammer insect jungle kettle ladder magnet
  needle oyster parcel quiver rocket shovel tunnel uncle violin wagon yogurt zebra`.split(/\s+/)

const random = seeded('random')
/** Four different words: a generator has thousands and hardly repeats one. */
const fourWords = () => {
  const first = random.below(words.length)
  return [0, 11, 23, 37].map((step) => words[(first + step + random.below(10)) % words.length])
}
// biome-ignore format: this table is read by column
const random_passwords: [what: string, count: number, make: () => string][] = [
  ['12 letters and digits',                          10_000, () => random.text(letters + digits, 12)],
  ['16 letters and digits',                           1_000, () => random.text(letters + digits, 16)],
  ['20 letters, digits and signs',                    1_000, () => random.text(letters + digits + signs, 20)],
  ['12 letters, digits and signs',                    2_000, () => random.text(letters + digits + signs, 12)],
  ['three groups of six letters and digits',          1_000, () => [1, 2, 3].map(() => random.text(lower + digits, 6)).join('-')],
  ['four words with spaces',                          2_000, () => fourWords().join(' ')],
  ['four words in one',                               2_000, () => fourWords().join('')],
  ['32 hexadecimal digits',                           1_000, () => random.text('0123456789abcdef', 32)],
]
for (const [what, count, make] of random_passwords) {
  test(`none of ${count} random passwords of ${what} is refused`, () => {
    assert.deepEqual(
      Array.from({ length: count }, make).filter((password) => problemOf(password) !== null),
      [],
    )
  })
}

test('at most 1 % of random passwords of ten letters and digits are refused', (t) => {
  const refused = share(
    Array.from({ length: 2_000 }, () => random.text(letters + digits, 10)),
    problemOf,
  )
  t.diagnostic(`${(100 * refused).toFixed(2)} % refused`)
  assert.ok(refused <= 0.01)
})

test('a password in capitals, or with a first capital, is judged like one in lower case', () => {
  const password = fc.stringMatching(/^[a-z][a-z0-9 !@#]{7,19}$/)
  fc.assert(
    fc.property(password, (text) => {
      const problem = problemOf(text)
      assert.equal(problemOf(text.toUpperCase()), problem)
      assert.equal(problemOf(text.charAt(0).toUpperCase() + text.slice(1)), problem)
    }),
  )
})

test('a password that ends in a listed one is judged as a whole', () => {
  assert.equal(problemOf('dragonfly'), 'common')
  assert.equal(problemOf('k7Qzm2vX dragonfly'), null)
})
