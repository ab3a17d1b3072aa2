/**
 * Rebuilds the list of common passwords from its source: `node scripts/common-passwords.ts`. Needs npm and its registry. The package
 * is pinned, so the result is the same for everyone. See docs/decisions/0039.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { z } from 'zod'

const source = '@zxcvbn-ts/language-common@4.1.3'
const target = join(import.meta.dirname, '../server/src/users/common-passwords')

const folder = mkdtempSync(join(tmpdir(), 'ostiary-common-passwords-'))
try {
  const archive = execFileSync('npm', ['pack', '--silent', source], { cwd: folder, encoding: 'utf8' }).trim()
  execFileSync('tar', ['-xzf', archive], { cwd: folder })
  const passwords = z.array(z.string()).parse(JSON.parse(readFileSync(join(folder, 'package/src/passwords.json'), 'utf8')))
  const text = listOf(passwords)
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 22 }
  writeFileSync(join(target, 'list.txt.br'), brotliCompressSync(text, { params }))
  copyFileSync(join(folder, 'package/LICENSE.txt'), join(target, 'LICENSE.txt'))
} finally {
  rmSync(folder, { recursive: true })
}

/**
 * Returns one password a line, sorted by code unit. The digit (base 36) before it is the number of bits of its rank: `0` is the most
 * common, `g` one of the last.
 */
function listOf(passwords: readonly string[]): string {
  const bits = new Map<string, number>()
  passwords.forEach((password, index) => {
    const entry = password.toLowerCase()
    if (!bits.has(entry)) bits.set(entry, Math.ceil(Math.log2(index + 1)))
  })
  const entries = [...bits].sort(([a], [b]) => (a < b ? -1 : 1))
  return entries.map(([entry, rank_bits]) => `${rank_bits.toString(36)}${entry}`).join('\n')
}
