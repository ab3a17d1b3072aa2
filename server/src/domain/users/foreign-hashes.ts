// pure
/**
 * Judges the password hashes of other systems: the forms that are taken, and the bounds of their costs. A hash is judged whole before
 * anything is computed, in time that grows with its length alone. `foreign-check.ts` compares passwords with them. See docs/decisions/0207.
 */
import { longest_password_hash, type PasswordAlgorithm } from '@ostiary/contract/password-algorithms.ts'
import { thousands } from '@ostiary/contract/thousands.ts'

interface Digest {
  readonly salt: Buffer
  readonly hash: Buffer
}

interface Bcrypt {
  readonly algorithm: 'bcrypt'
  readonly cost: number
  /** `$2b$…`: what bcrypt itself reads. */
  readonly text: string
  /** Whether bcrypt gets the SHA-256 of the password as hexadecimal text, as in `bcrypt_sha256$` of Django. */
  readonly of_digest: boolean
}

interface Argon2id extends Digest {
  readonly algorithm: 'argon2id'
  readonly memory_kib: number
  readonly passes: number
  readonly lanes: number
}

type Sha = 'sha1' | 'sha256' | 'sha512'

interface Pbkdf2 extends Digest {
  readonly algorithm: `pbkdf2-${Sha}`
  readonly sha: Sha
  readonly rounds: number
}

/** RFC 7914 §2: `N`, `r` and `p`. */
interface ScryptCost {
  readonly n: number
  readonly r: number
  readonly p: number
}

interface Scrypt extends Digest, ScryptCost {
  readonly algorithm: 'scrypt'
}

/** Firebase encrypts the key of the project under what scrypt makes of the password. The salt ends with the separator of the project. */
interface FirebaseScrypt extends Digest, ScryptCost {
  readonly algorithm: 'firebase-scrypt'
  readonly signer_key: Buffer
}

export type ForeignHash = Bcrypt | Argon2id | Pbkdf2 | Scrypt | FirebaseScrypt

/** A hash, or a sentence that says why it is not taken. */
type Read = ForeignHash | string

/** A hash that is taken, with what is stored of it as the `password_hash` of a user, or a sentence that says why it is not. */
export type JudgedHash =
  | { readonly hash: ForeignHash; readonly stored: string; readonly problem?: never }
  | { readonly problem: string; readonly hash?: never; readonly stored?: never }

/** Judges a hash of another system. Never throws. */
export function judgeForeignHash(text: string): JudgedHash {
  const hash = read(text)
  if (typeof hash === 'string') return { problem: hash }
  return { hash, stored: is_like_ours.test(text) ? text : `${mark}${text}` }
}

/** Reads a stored hash. `null` for one of ours. */
export function readForeignHash(stored: string): ForeignHash | null {
  if (!stored.startsWith(mark)) return null
  const hash = read(stored.slice(mark.length))
  return typeof hash === 'string' ? null : hash
}

/** The kind of a stored hash, ours included. */
export function algorithmOf(stored: string): PasswordAlgorithm {
  return (stored.startsWith(mark) && formOf(stored.slice(mark.length))?.algorithm) || 'argon2id'
}

/** Every stored hash of another system begins with it. */
const mark = 'foreign:'
/** A hash that this service could have made is one of ours. */
const is_like_ours = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/

const formOf = (text: string): Form | undefined => forms.find(({ prefix }) => text.startsWith(prefix))

function read(text: string): Read {
  if (text.length > longest_password_hash) return `Use at most ${thousands(longest_password_hash)} characters.`
  const form = formOf(text)
  if (!form) return not_taken
  const { groups } = form.pattern.exec(text) ?? {}
  return groups ? form.read(groups) : malformed(form)
}

const not_taken =
  'This kind of hash is not taken. Taken are bcrypt, argon2id, PBKDF2 with SHA-1, SHA-256 or SHA-512, scrypt, and the scrypt of Firebase, each in the forms of the documents.'

interface Form {
  readonly prefix: string
  readonly algorithm: PasswordAlgorithm
  /** How a hash of this form is written. */
  readonly written: string
  /** Fits a whole hash. Neighbouring groups share no character, so a text is read once. */
  readonly pattern: RegExp
  readonly read: (groups: Groups) => Read
}
type Groups = Readonly<Record<string, string | undefined>>

const malformed = ({ written }: Form) => `The hash is malformed. Expected ${written}.`

const number = (name: string) => `(?<${name}>[1-9][0-9]{0,9})`
const base64 = (name: string) => `(?<${name}>[A-Za-z0-9+/]+)`
const padded_base64 = (name: string) => `(?<${name}>[A-Za-z0-9+/]+={0,2})`
/** passlib writes `.` for `+`. */
const passlib_base64 = (name: string) => `(?<${name}>[A-Za-z0-9./]+)`
const hexadecimal = (name: string) => `(?<${name}>(?:[0-9a-f]{2})+)`
/** The salts of Django and Werkzeug are text, and its bytes the salt. */
const text_salt = '(?<text_salt>[!-#%-~]+)'

/** @param rest what follows the prefix: how it is written, and its pattern */
const form = (algorithm: PasswordAlgorithm, prefix: string, rest: readonly [string, string], read: (groups: Groups) => Read): Form => ({
  algorithm,
  prefix,
  written: `${prefix}${rest[0]}`,
  pattern: new RegExp(`^${prefix.replaceAll('$', '\\$')}${rest[1]}$`),
  read,
})

/** The last digit of the salt and that of the hash have bits that no byte needs. Programs write them as zero. */
const after_bcrypt_prefix = String.raw`(?<cost>\d\d)\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26]`
const bcrypts = ['$2a$', '$2b$', '$2y$'].flatMap((version) =>
  ['', 'bcrypt$', 'bcrypt_sha256$'].map((django) =>
    form('bcrypt', `${django}${version}`, ['COST$ and 53 characters', `(?<rest>${after_bcrypt_prefix})`], ({ cost, rest }) =>
      within([['The cost', Number(cost), 4, 14]], () => ({
        algorithm: 'bcrypt',
        cost: Number(cost),
        text: `${version}${rest}`,
        of_digest: django === 'bcrypt_sha256$',
      })),
    ),
  ),
)

const argon2s = ['', 'argon2'].map((django) =>
  form(
    'argon2id',
    `${django}$argon2id$`,
    [
      'v=19$m=KIB,t=PASSES,p=LANES$SALT$HASH',
      String.raw`v=19\$m=${number('m')},t=${number('t')},p=${number('p')}\$${base64('salt')}\$${base64('hash')}`,
    ],
    (groups) => {
      const [memory_kib, passes, lanes] = [Number(groups.m), Number(groups.t), Number(groups.p)]
      const bounds: Bound[] = [
        ['The number of lanes', lanes, 1, 8],
        ['The number of passes', passes, 1, 10],
        ['The memory in KiB', memory_kib, 8 * lanes, 131_072],
        ['The memory in KiB times the passes', memory_kib * passes, 1, 655_360],
      ]
      return withDigest(groups, bounds, (digest) => ({ algorithm: 'argon2id', memory_kib, passes, lanes, ...digest }))
    },
  ),
)

const readPbkdf2 =
  (sha: Sha) =>
  (groups: Groups): Read => {
    const rounds = Number(groups.rounds)
    return withDigest(groups, [['The number of rounds', rounds, 1_000, 2_000_000]], (digest) =>
      groups.length !== undefined && Number(groups.length) !== digest.hash.length
        ? 'The hash has another length than it says.'
        : { algorithm: `pbkdf2-${sha}`, sha, rounds, ...digest },
    )
  }

const rounds_salt_hash = 'ROUNDS$SALT$HASH'
const pbkdf2_rests = {
  phc: ['ROUNDS,l=LENGTH$SALT$HASH', String.raw`${number('rounds')}(?:,l=${number('length')})?\$${base64('salt')}\$${base64('hash')}`],
  passlib: [rounds_salt_hash, String.raw`${number('rounds')}\$${passlib_base64('salt')}\$${passlib_base64('hash')}`],
  django: [rounds_salt_hash, String.raw`${number('rounds')}\$${text_salt}\$${padded_base64('hash')}`],
  werkzeug: [rounds_salt_hash, String.raw`${number('rounds')}\$${text_salt}\$${hexadecimal('hex_hash')}`],
} as const
const pbkdf2s = (['sha1', 'sha256', 'sha512'] as const).flatMap((sha) => {
  const [algorithm, read] = [`pbkdf2-${sha}` as const, readPbkdf2(sha)]
  return [
    ...(sha === 'sha1' ? ['$pbkdf2$', '$pbkdf2-sha1$'] : [`$${algorithm}$`]).flatMap((prefix) => [
      form(algorithm, `${prefix}i=`, pbkdf2_rests.phc, read),
      form(algorithm, prefix, pbkdf2_rests.passlib, read),
    ]),
    form(algorithm, `pbkdf2_${sha}$`, pbkdf2_rests.django, read),
    form(algorithm, `pbkdf2:${sha}:`, pbkdf2_rests.werkzeug, read),
  ]
})

const mib = 2 ** 20

const boundsOfScrypt = ({ n, r, p }: ScryptCost): Bound[] => [
  ['The number of lanes (p)', p, 1, 8],
  ['The memory (128·N·r)', 128 * n * r, 1, 64 * mib],
  ['The memory times the lanes (128·N·r·p)', 128 * n * r * p, 1, 256 * mib],
]

/** RFC 7914 §2: N is a power of two, above 1 and below 2^(16·r). */
const isCost = ({ n, r }: ScryptCost) => n > 1 && Number.isInteger(Math.log2(n)) && Math.log2(n) < 16 * r

function readScrypt(groups: Groups): Read {
  const n = groups.ln === undefined ? Number(groups.n) : 2 ** Number(groups.ln)
  const cost = { n, r: Number(groups.r), p: Number(groups.p) }
  return withDigest(groups, boundsOfScrypt(cost), (digest) =>
    isCost(cost) ? { algorithm: 'scrypt', ...cost, ...digest } : 'N must be a power of two between 2 and 2^(16·r) (RFC 7914).',
  )
}

const scrypts = [
  form(
    'scrypt',
    '$scrypt$',
    ['ln=LOG2_N,r=R,p=P$SALT$HASH', String.raw`ln=${number('ln')},r=${number('r')},p=${number('p')}\$${base64('salt')}\$${base64('hash')}`],
    readScrypt,
  ),
  form(
    'scrypt',
    'scrypt$',
    ['N$SALT$R$P$HASH', String.raw`${number('n')}\$${text_salt}\$${number('r')}\$${number('p')}\$${padded_base64('hash')}`],
    readScrypt,
  ),
  form(
    'scrypt',
    'scrypt:',
    ['N:R:P$SALT$HASH', String.raw`${number('n')}:${number('r')}:${number('p')}\$${text_salt}\$${hexadecimal('hex_hash')}`],
    readScrypt,
  ),
]

const firebase = form(
  'firebase-scrypt',
  '$fbscrypt$',
  [
    'v=1,n=MEMORY_COST,r=ROUNDS,p=1,ss=SEPARATOR,sk=SIGNER_KEY$SALT$HASH',
    String.raw`v=1,n=${number('n')},r=${number('r')},p=1,ss=${padded_base64('ss')},sk=${padded_base64('sk')}\$${padded_base64('salt')}\$${padded_base64('hash')}`,
  ],
  (groups) => {
    const [log2_n, r] = [Number(groups.n), Number(groups.r)]
    const cost = { n: 2 ** log2_n, r, p: 1 }
    const bounds: Bound[] = [
      ['The memory cost (n)', log2_n, 1, 16],
      ['The number of rounds (r)', r, 1, 8],
    ]
    return withDigest(groups, bounds, ({ salt, hash }) => {
      const [separator, signer_key] = [bytesOf(groups.ss), bytesOf(groups.sk)]
      if (!separator || !signer_key) return not_base64
      if (signer_key.length !== hash.length) return 'The hash and the signer key (sk) differ in length.'
      if (!isCost(cost)) return 'N must be below 2^(16·r) (RFC 7914).'
      return { algorithm: 'firebase-scrypt', ...cost, salt: Buffer.concat([salt, separator]), hash, signer_key }
    })
  },
)

/** In the order in which their prefixes are looked for. */
const forms: readonly Form[] = [...bcrypts, ...argon2s, ...pbkdf2s, ...scrypts, firebase]

type Bound = readonly [what: string, value: number, least: number, most: number]

function within(bounds: readonly Bound[], make: () => Read): Read {
  for (const [what, value, least, most] of bounds) {
    if (value < least) return `${what} is too low: at least ${thousands(least)} is taken.`
    if (value > most) return `${what} is too high: at most ${thousands(most)} is taken.`
  }
  return make()
}

const not_base64 = 'The salt, the hash or a key is not in base64 as programs write it.'

/** Judges salt and hash too. */
function withDigest(groups: Groups, bounds: readonly Bound[], make: (digest: Digest) => Read): Read {
  const salt = groups.text_salt === undefined ? bytesOf(groups.salt) : Buffer.from(groups.text_salt)
  const hash = groups.hex_hash === undefined ? bytesOf(groups.hash) : Buffer.from(groups.hex_hash, 'hex')
  if (!salt || !hash) return not_base64
  const lengths: Bound[] = [
    ['The length of the salt in bytes', salt.length, 8, 128],
    ['The length of the hash in bytes', hash.length, 16, 64],
  ]
  return within([...bounds, ...lengths], () => make({ salt, hash }))
}

/** Decodes base64. `null` where another text has the same bytes, which no program writes. */
function bytesOf(text = ''): Buffer | null {
  const digits = text.replace(/=+$/, '').replaceAll('.', '+')
  const bytes = Buffer.from(digits, 'base64')
  const [written = ''] = bytes.toString('base64').split('=', 1)
  const is_padded_well = text.length === digits.length || text.length % 4 === 0
  return written === digits && is_padded_well ? bytes : null
}
