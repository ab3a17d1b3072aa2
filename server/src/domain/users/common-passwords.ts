/** The lists of common passwords and of words. They are read when the first password is judged. */
import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import { assetUrl } from '../../base/assets.ts'
import { type GuessModel, guessModel } from './guessing.ts'

let loaded: GuessModel | undefined

export const commonPasswords = (): GuessModel => {
  loaded ??= guessModel(listLines('passwords'), listLines('words'))
  return loaded
}

/** The lines of a list, as `scripts/common-passwords.ts` writes them. */
export function listLines(list: 'passwords' | 'words'): string[] {
  return brotliDecompressSync(readFileSync(assetUrl(`src/domain/users/common-passwords/${list}.txt.br`)))
    .toString()
    .split('\n')
}
