/** Hashes that other programs made. The first password is plain, the second has characters that NFKC changes, the third is over 72 bytes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { password_algorithms } from '@ostiary/contract/password-algorithms.ts'
import { z } from 'zod'

const Vectors = z.strictObject({
  made_with: z.string(),
  passwords: z.tuple([z.string(), z.string(), z.string()]),
  /** Each has one hash of each password. */
  forms: z.array(
    z.strictObject({ made_by: z.string(), algorithm: z.enum(password_algorithms), hashes: z.tuple([z.string(), z.string(), z.string()]) }),
  ),
})

export const { passwords, forms } = Vectors.parse(JSON.parse(readFileSync(join(import.meta.dirname, 'foreign-hashes.json'), 'utf8')))

/** The example of https://github.com/firebase/scrypt, whose password is `user1password`. */
export const published_firebase = {
  password: 'user1password',
  hash: '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
}

const [salt, digest] = ['c2FsdHNhbHRzYWx0', 'aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g']
const hex = '00112233445566778899aabbccddeeff'
const after_cost = `$${'.'.repeat(22)}${'A'.repeat(30)}C`

/** Hashes whose cost is at the bound, or beyond it: `null` where a sentence does not matter. */
// biome-ignore format: this table is read by column
export const costs: readonly [within: string, beyond: string, problem: RegExp][] = [
  [`$2b$14${after_cost}`,                                      `$2b$15${after_cost}`,                                        /^The cost is too high: at most 14 is taken\.$/],
  [`$2a$04${after_cost}`,                                      `$2a$03${after_cost}`,                                        /^The cost is too low: at least 4 is taken\.$/],
  [`bcrypt$$2b$14${after_cost}`,                               `bcrypt$$2b$31${after_cost}`,                                 /cost is too high/],
  [`bcrypt_sha256$$2b$14${after_cost}`,                        `bcrypt_sha256$$2b$15${after_cost}`,                          /cost is too high/],
  [`$argon2id$v=19$m=131072,t=5,p=1$${salt}$${digest}`,        `$argon2id$v=19$m=131073,t=5,p=1$${salt}$${digest}`,          /memory in KiB is too high: at most 131,072/],
  [`$argon2id$v=19$m=65536,t=10,p=8$${salt}$${digest}`,        `$argon2id$v=19$m=65537,t=10,p=8$${salt}$${digest}`,          /memory in KiB times the passes is too high: at most 655,360/],
  [`$argon2id$v=19$m=64,t=10,p=8$${salt}$${digest}`,           `$argon2id$v=19$m=63,t=10,p=8$${salt}$${digest}`,             /memory in KiB is too low: at least 64/],
  [`$argon2id$v=19$m=1024,t=10,p=1$${salt}$${digest}`,         `$argon2id$v=19$m=1024,t=11,p=1$${salt}$${digest}`,           /passes is too high: at most 10/],
  [`argon2$argon2id$v=19$m=1024,t=1,p=8$${salt}$${digest}`,    `argon2$argon2id$v=19$m=1024,t=1,p=9$${salt}$${digest}`,      /lanes is too high: at most 8/],
  [`$pbkdf2-sha256$i=2000000$${salt}$${digest}`,               `$pbkdf2-sha256$i=2000001$${salt}$${digest}`,                 /rounds is too high: at most 2,000,000/],
  [`$pbkdf2-sha512$i=1000,l=32$${salt}$${digest}`,             `$pbkdf2-sha512$i=999,l=32$${salt}$${digest}`,                /rounds is too low: at least 1,000/],
  [`$pbkdf2$2000000$${salt}$${digest}`,                        `$pbkdf2$2000001$${salt}$${digest}`,                          /rounds is too high/],
  [`pbkdf2_sha256$2000000$saltsalt$${digest}=`,                `pbkdf2_sha256$9999999999$saltsalt$${digest}=`,               /rounds is too high/],
  [`pbkdf2:sha1:1000$saltsalt$${hex}`,                         `pbkdf2:sha1:2000001$saltsalt$${hex}`,                        /rounds is too high/],
  [`$scrypt$ln=16,r=8,p=4$${salt}$${digest}`,                  `$scrypt$ln=17,r=8,p=1$${salt}$${digest}`,                    /memory \(128·N·r\) is too high: at most 67,108,864/],
  [`$scrypt$ln=14,r=8,p=8$${salt}$${digest}`,                  `$scrypt$ln=14,r=8,p=9$${salt}$${digest}`,                    /lanes \(p\) is too high: at most 8/],
  [`scrypt$65536$saltsalt$8$4$${digest}=`,                     `scrypt$65536$saltsalt$8$5$${digest}=`,                       /128·N·r·p\) is too high: at most 268,435,456/],
  [`scrypt:32768:8:8$saltsalt$${hex}`,                         `scrypt:32768:17:1$saltsalt$${hex}`,                          /128·N·r\) is too high/],
  [`$scrypt$ln=1,r=1,p=1$${salt}$${digest}`,                   `$scrypt$ln=9999999999,r=1,p=1$${salt}$${digest}`,            /128·N·r\) is too high/],
  [firebase(16, 8),                                            firebase(17, 8),                                              /memory cost \(n\) is too high: at most 16/],
  [firebase(16, 2),                                            firebase(14, 9),                                              /rounds \(r\) is too high: at most 8/],
]

function firebase(n: number, r: number): string {
  return `$fbscrypt$v=1,n=${n},r=${r},p=1,ss=Bw==,sk=${digest}=$${salt}$${digest}=`
}

/** Strings that no kind takes, or that are not written as their kind is. */
// biome-ignore format: this table is read by column
export const malformed: readonly [what: string, hash: string][] = [
  ['MD5',                                   '5f4dcc3b5aa765d61d8327deb882cf99'],
  ['SHA-1',                                 '5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8'],
  ['SHA-256 of Django',                     `sha256$salt$${hex}`],
  ['MD5-crypt',                             '$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/'],
  ['SHA-256-crypt',                         '$5$saltsalt$iVT6qxhf7qoYQVtFk7nR6R.4zW5P8nZ4N9Qq2oJ0yF8'],
  ['SHA-512-crypt',                         '$6$saltsalt$IxDD3jeSOb5eB1CX5LBsqZFVkJdido3OUILO5Ifz5iwMuTS4XMS130MTSuDDl3aCI6WouIL9AjRbLCelDCy.g.'],
  ['phpass',                                '$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0'],
  ['phpBB',                                 '$H$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0'],
  ['Drupal',                                '$S$D5z1Wm0eTLLPgqNHqyJGV5mKzL9hz1uZuZ4XNPzcm3kxvJr0NTnA'],
  ['crypt',                                 'rl0uTz7kqUpGM'],
  ['LDAP',                                  '{SSHA}yvNWLd3nPJcN5mX8yYqyRKfv3dFzYWx0'],
  ['an unusable password of Django',        '!QzXkP1nZbCe0vWl8'],
  ['an unusable password of Unix',          '*'],
  ['a word',                                'correct horse battery'],
  ['$2x$',                                  `$2x$10${after_cost}`],
  ['$2$',                                   `$2$10${after_cost}`],
  ['argon2i',                               `$argon2i$v=19$m=1024,t=2,p=1$${salt}$${digest}`],
  ['argon2d',                               `$argon2d$v=19$m=1024,t=2,p=1$${salt}$${digest}`],
  ['argon2i of Django',                     `argon2$argon2i$v=19$m=1024,t=2,p=1$${salt}$${digest}`],
  ['bcrypt-sha256 of passlib',              '$bcrypt-sha256$v=2,t=2b,r=12$n79VH.0Q2TMWmt3Oqt9uku$Kq4Noyk3094Y2QlB8NdRT8SvGiI4ft2'],
  ['a blank before it',                     ` $2b$10${after_cost}`],
  ['a line feed behind it',                 `$2b$10${after_cost}\n`],
  ['bcrypt with one character more',        `$2b$10${after_cost}.`],
  ['bcrypt with one character less',        `$2b$10${after_cost}`.slice(0, -1)],
  ['bcrypt with a cost of one digit',       `$2b$4${after_cost}`],
  ['bcrypt with bits that no byte needs',   `$2b$10${after_cost}`.replace(/.$/, 'v')],
  ['bcrypt of Django without its first $',  `bcrypt$2b$10${after_cost}`],
  ['argon2id of an earlier version',        `$argon2id$v=16$m=1024,t=2,p=1$${salt}$${digest}`],
  ['argon2id without a version',            `$argon2id$m=1024,t=2,p=1$${salt}$${digest}`],
  ['argon2id in another order',             `$argon2id$v=19$t=2,m=1024,p=1$${salt}$${digest}`],
  ['argon2id without memory',               `$argon2id$v=19$m=0,t=2,p=1$${salt}$${digest}`],
  ['argon2id with a leading zero',          `$argon2id$v=19$m=01024,t=2,p=1$${salt}$${digest}`],
  ['argon2id with padding',                 `$argon2id$v=19$m=1024,t=2,p=1$${salt}$${digest}=`],
  ['argon2id with a salt of 7 bytes',       `$argon2id$v=19$m=1024,t=2,p=1$c2FsdHNhbA$${digest}`],
  ['argon2id with a hash of 15 bytes',      `$argon2id$v=19$m=1024,t=2,p=1$${salt}$aGFzaGhhc2hoYXNoaGFz`],
  ['argon2id with a hash of 65 bytes',      `$argon2id$v=19$m=1024,t=2,p=1$${salt}$${'aGFz'.repeat(21)}aGE`],
  ['argon2id with a salt of 129 bytes',     `$argon2id$v=19$m=1024,t=2,p=1$${'c2Fs'.repeat(43)}$${digest}`],
  ['argon2id whose salt ends amid a byte',  `$argon2id$v=19$m=1024,t=2,p=1$${salt}B$${digest}`],
  ['PBKDF2 with another length',            `$pbkdf2-sha256$i=1000,l=31$${salt}$${digest}`],
  ['PBKDF2 of MD5',                         `$pbkdf2-md5$i=1000$${salt}$${digest}`],
  ['PBKDF2 of Werkzeug without rounds',     `pbkdf2:sha256$saltsalt$${hex}`],
  ['PBKDF2 of Werkzeug in capitals',        `pbkdf2:sha256:1000$saltsalt$${hex.toUpperCase()}`],
  ['PBKDF2 of Werkzeug with half a byte',   `pbkdf2:sha256:1000$saltsalt$${hex}0`],
  ['scrypt whose N is not a power of two',  `scrypt:1000:8:1$saltsalt$${hex}`],
  ['scrypt whose N is one',                 `scrypt:1:8:1$saltsalt$${hex}`],
  ['scrypt whose N is too high for r',      `scrypt:65536:1:1$saltsalt$${hex}`],
  ['scrypt of crypt',                       '$7$C6..../....SodiumChloride$kBGj9fHznVYFQMEn/qDCfrDevf9YDtcDdKvEqHJLV8D'],
  ['Firebase with p=2',                     firebase(14, 8).replace('p=1', 'p=2')],
  ['Firebase with another key length',      firebase(14, 8).replace('sk=', 'sk=AAAA')],
  ['Firebase without a key',                firebase(14, 8).replace(/sk=[^$]*/, 'sk=')],
  ['1,001 characters',                      `$pbkdf2-sha256$i=1000$${'A'.repeat(979)}`],
]
