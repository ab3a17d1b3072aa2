/** The list of common passwords. It is read when the first password is judged: 20 ms once, and 4 MB. */
import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import { assetUrl } from '../assets.ts'
import { type GuessModel, guessModel } from './guessing.ts'

let loaded: GuessModel | undefined

export const commonPasswords = (): GuessModel => {
  loaded ??= guessModel(commonPasswordLines())
  return loaded
}

/** The lines of the list, as `scripts/common-passwords.ts` writes them. */
export function commonPasswordLines(): string[] {
  return brotliDecompressSync(readFileSync(assetUrl('src/users/common-passwords/list.txt.br')))
    .toString()
    .split('\n')
}
