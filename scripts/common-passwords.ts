/**
 * Rebuilds the lists of common passwords and words from their sources: `node scripts/common-passwords.ts`. Needs npm and its registry.
 * The packages are pinned, so the result is always the same. See docs/decisions/0039.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { z } from 'zod'
import { normalised, withoutMarks } from '../server/src/base/normalisation.ts'

const target = join(import.meta.dirname, '../server/src/domain/users/common-passwords')

const folder = mkdtempSync(join(tmpdir(), 'ostiary-common-passwords-'))
try {
  const common = unpack('@zxcvbn-ts/language-common@4.1.3')
  const english = unpack('@zxcvbn-ts/language-en@4.1.1')
  const german = unpack('@zxcvbn-ts/language-de@3.0.2')
  write('passwords', ranked(common('passwords')))
  write(
    'words',
    [
      ...new Set(
        [
          ...english('commonWords').slice(0, 30_000),
          ...english('firstnames'),
          ...english('lastnames').slice(0, 30_000),
          ...english('wikipedia'),
          ...german('commonWords'),
          ...german('firstnames'),
          ...german('lastnames'),
        ].map(plain),
      ),
    ]
      .filter((word) => /^[a-z]{5,}$/.test(word))
      .sort(),
  )
  copyFileSync(join(folder, 'language-common/LICENSE.txt'), join(target, 'LICENSE.txt'))
} finally {
  rmSync(folder, { recursive: true })
}

/** Unpacks a package and returns a function that reads one of its lists. */
function unpack(source: string): (list: string) => string[] {
  const archive = execFileSync('npm', ['pack', '--silent', source], { cwd: folder, encoding: 'utf8' }).trim()
  execFileSync('tar', ['-xzf', archive], { cwd: folder })
  const [, name = ''] = /\/(.+)@/.exec(source) ?? []
  execFileSync('mv', ['package', name], { cwd: folder })
  return (list) => z.array(z.string()).parse(JSON.parse(readFileSync(join(folder, name, 'src', `${list}.json`), 'utf8')))
}

function plain(word: string): string {
  return withoutMarks(normalised(word).toLowerCase())
}

/** Puts before each password the bits of its rank as one digit (base 36): `0` is the most common, `g` one of the last. */
function ranked(passwords: readonly string[]): string[] {
  const bits = new Map<string, number>()
  passwords.forEach((password, index) => {
    const entry = password.toLowerCase()
    if (!bits.has(entry)) bits.set(entry, Math.ceil(Math.log2(index + 1)))
  })
  const entries = [...bits].sort(([a], [b]) => (a < b ? -1 : 1))
  return entries.map(([entry, rank_bits]) => `${rank_bits.toString(36)}${entry}`)
}

function write(list: string, lines: readonly string[]): void {
  writeFileSync(join(target, `${list}.txt.br`), brotliCompressSync(lines.join('\n')))
}
