// pure
/** Decides which passwords an environment accepts: long enough and not common, without composition rules (NIST SP 800-63B §3.1.1.2). */
import { longest_normalised, normalised, withoutMarks } from '../../base/normalisation.ts'
import { type GuessModel, isGuessable } from './guessing.ts'

/**
 * A password is refused that withstands fewer guesses than two to this power. The limit lies between the variations of common passwords
 * and random passwords of 12 characters; docs/decisions/0039 has the figures.
 */
const most_guess_bits = 37
/** The part of a password that is beside the names of the account. An attacker combines them with common passwords. */
const most_guess_bits_beside_names = 24
/** Well known, though its words are not. */
const famous = new Set(['correcthorsebatterystaple'])

export interface PasswordPolicy {
  min_length: number
  reject_common: boolean
}

export type PasswordProblem = 'too_short' | 'too_long' | 'common'

/** The limit for the password as sent and for its normalised form. */
export const longest_password = longest_normalised

/**
 * Returns why a password is refused, or `null` if it is accepted. Counts code points of the normalised password. `own` contains the
 * texts that an attacker tries first for this account: names and emails of the user, names of the project and the tenant. `common`
 * is called only if the policy refuses common passwords.
 */
export function passwordProblem(
  password: string,
  own: readonly (string | null | undefined)[],
  policy: PasswordPolicy,
  common: () => GuessModel,
): PasswordProblem | null {
  if (password.length > longest_password) return 'too_long'
  const normal = normalised(password)
  if ([...normal].length < policy.min_length) return 'too_short'
  if (normal.length > longest_password) return 'too_long'
  if (!policy.reject_common) return null
  const plain = normal.toLowerCase()
  if (isMonotonous(plain) || famous.has(plain)) return 'common'
  const model = common()
  const bare = withoutMarks(plain)
  return isGuessable(model, bare, most_guess_bits - bitsOfCapitals(normal)) || consistsOf(bare, own, model) ? 'common' : null
}

/**
 * Returns the bits of choosing which letters are capitals, as zxcvbn counts them. They are 0 where an attacker tries them in
 * any case: no capital, only capitals, or a first one.
 */
function bitsOfCapitals(normal: string): number {
  const capitals = normal.match(/\p{Lu}/gu)?.length ?? 0
  const small = normal.match(/\p{Ll}/gu)?.length ?? 0
  if (small === 0 || !/.\p{Lu}/su.test(normal)) return 0
  const chosen = Math.min(capitals, small)
  const ways = Array.from({ length: chosen }, (_, i) => Math.log2((capitals + small - i) / (i + 1)))
  return ways.reduce((sum, bits) => sum + bits, 0)
}

/** Reports whether a password repeats one to three characters: `aaaaaaaaaaaa`, `abcabcabcabc`. */
function isMonotonous(plain: string): boolean {
  return /^(.{1,3})\1+.{0,2}$/su.test(plain)
}

const shortest_word = 3
const longest_own_text = 320
const most_words = 100

/**
 * Reports whether a password without the words of `own` is easy to guess, or has fewer than four letters and at most eight
 * digits. Digits and signs that resemble letters are read as these letters, so `4cm3-Sh0p!2026` consists of "Acme" and "Shop".
 */
function consistsOf(bare: string, own: readonly (string | null | undefined)[], model: GuessModel): boolean {
  const words = wordsOf(own)
  if (words.length === 0) return false
  return [bare, bare.replaceAll(/[^\p{L}\p{N}]/gu, '')].some((text) => leavesLittle(text, words, model))
}

function leavesLittle(text: string, words: readonly string[], model: GuessModel): boolean {
  const characters = [...text]
  const folded = characters.map(foldCharacter)
  const covered = folded.map(() => false)
  const cover = (word: string) => {
    const letters = [...word].map(foldCharacter)
    let found = false
    for (let at = 0; at + letters.length <= folded.length; at++) {
      if (!letters.every((letter, i) => folded[at + i] === letter && !covered[at + i])) continue
      covered.fill(true, at, at + letters.length)
      found = true
    }
    return found
  }
  if (words.filter(cover).length === 0) return false
  const rest = characters.filter((_, i) => !covered[i]).join('')
  if (isGuessable(model, rest, most_guess_bits_beside_names)) return true
  return (rest.match(/\p{L}/gu)?.length ?? 0) < 4 && (rest.match(/\p{N}/gu)?.length ?? 0) <= 8
}

/**
 * Returns the words of these texts with and without their digits, and each text as one word, longest first. Leaves out the top-level
 * domain of an email, because it is not specific to a user.
 */
function wordsOf(own: readonly (string | null | undefined)[]): string[] {
  const texts = own.flatMap((text) => (text ? [withoutMarks(normalised(text.slice(0, longest_own_text)).toLowerCase())] : []))
  const words = texts.flatMap((text) => {
    const named = text.replace(/(@.*)\.[^.]*$/, '$1')
    const parts = named.split(/[^\p{L}\p{N}]+/u)
    return [parts.join(''), ...parts, ...named.split(/\P{L}+/u)]
  })
  return [...new Set(words)]
    .filter((word) => [...word].length >= shortest_word)
    .sort((a, b) => b.length - a.length)
    .slice(0, most_words)
}

/** Groups of characters that people substitute for one another. Each is folded to the second of its group. */
const alike = ['0o', '1il!|', '2z', '3e', '4a@', '5s$', '69g', '7t+', '8b']
const fold = new Map(alike.flatMap((group) => [...group].map((character) => [character, group.charAt(1)] as const)))
const foldCharacter = (character: string) => fold.get(character) ?? character
