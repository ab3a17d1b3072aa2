// pure
/** Decides which passwords an environment accepts: long enough and not common, without composition rules (NIST SP 800-63B §3.1.1.2). */
import { longest_normalised, normalised, withoutMarks } from '../normalisation.ts'

/** The most common passwords of eight characters or more, in lower case, with usual variations. */
const common = new Set(
  `password passw0rd password1 password12 password123 password1234 passwordpassword 12345678 123456789 1234567890 12345678910 123456789012 0123456789 0987654321 9876543210
   11111111 111111111 1111111111 111111111111 00000000 000000000000 12341234 123412341234 123123123 123123123123 123321123321 11223344 112233445566 12121212
   qwertyui qwertyuiop qwertyuiop123 qwerty123 qwerty1234 qwerty12345 qwerty123456 qwertyqwerty 1qaz2wsx 1qaz2wsx3edc 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y q1w2e3r4 q1w2e3r4t5y6 qazwsxedc qazwsxedcrfv
   asdfghjkl asdfasdf asdfasdfasdf asdfghjkl123 zxcvbnm123 zxcvbnm123456 iloveyou iloveyou1 iloveyou123 iloveyou1234 iloveyouforever sunshine sunshine1 sunshine123 princess princess1 princess123
   football football1 football123 baseball baseball1 superman superman123 batman123 dragon123 monkey123 shadow123 master123 michael1 jordan23 computer computer1 internet
   welcome1 welcome12 welcome123 welcome1234 welcome12345 letmein1 letmein123 letmein12345 trustno1 abcd1234 abcd12345 abc12345 abc123456 abcdefgh abcdefghij abcdefghijkl a1b2c3d4 a1b2c3d4e5 a1b2c3d4e5f6
   admin123 admin1234 admin12345 administrator administrator1 changeme changeme1 changeme123 changemenow secret123 secret1234 default123 testtest testtesttest test1234 test12345 test123456 testing123 temp1234
   whatever whatever1 starwars starwars1 pokemon123 charlie1 charlie123 jennifer jennifer1 liverpool liverpool1 chelsea123 arsenal123 samsung123 hello123 hello1234 hello12345 hellohello helloworld helloworld1 helloworld123
   correcthorsebatterystaple p@ssw0rd p@ssword p@ssw0rd123 p@ssword123 pa55word pa$$w0rd pa$$word summer2024 summer2025 summer2026 winter2024 winter2025 winter2026 spring2026 autumn2026`.split(
    /\s+/,
  ),
)

export interface PasswordPolicy {
  min_length: number
  reject_common: boolean
}

export type PasswordProblem = 'too_short' | 'too_long' | 'common'

/** The limit for the password as sent and for its normalised form. */
export const longest_password = longest_normalised

/**
 * Returns why a password is refused, or `null` if it is accepted. Counts code points of the normalised password. `own` contains the
 * texts that an attacker tries first for this account: names and emails of the user, names of the project and the tenant.
 */
export function passwordProblem(
  password: string,
  own: readonly (string | null | undefined)[],
  policy: PasswordPolicy,
): PasswordProblem | null {
  if (password.length > longest_password) return 'too_long'
  const normal = normalised(password)
  if ([...normal].length < policy.min_length) return 'too_short'
  if (normal.length > longest_password) return 'too_long'
  if (!policy.reject_common) return null
  const plain = normal.toLowerCase()
  return isCommon(plain) || isMonotonous(plain) || consistsOf(plain, own) ? 'common' : null
}

const isCommon = (plain: string) => common.has(plain) || common.has(plain.replace(/[^a-z0-9]+$/, ''))

/** Reports whether a password repeats one to three characters: `aaaaaaaaaaaa`, `abcabcabcabc`. */
function isMonotonous(plain: string): boolean {
  return /^(.{1,3})\1+.{0,2}$/su.test(plain)
}

const shortest_word = 3
const longest_own_text = 320
const most_words = 100

/**
 * Reports whether a password without the words of `own` is a common password, or has fewer than four letters and at most eight
 * digits. Digits and signs that resemble letters count as these letters, so `4cm3-Sh0p!2026` consists of "Acme" and "Shop".
 */
function consistsOf(plain: string, own: readonly (string | null | undefined)[]): boolean {
  const words = wordsOf(own)
  if (words.length === 0) return false
  const bare = withoutMarks(plain)
  return [bare, bare.replaceAll(/[^\p{L}\p{N}]/gu, '')].some((text) => leavesLittle(text, words))
}

function leavesLittle(text: string, words: readonly string[]): boolean {
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
  if (isCommon(rest)) return true
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
