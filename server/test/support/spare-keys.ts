/**
 * RSA key pairs that are made once for a whole test run, because making one takes 75 ms of processor time and a world needs about five.
 * The stores of keys are as in production, and no world gets a key pair twice.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createKeyPool, type KeyPool, makeKeyPair, type SpareKey } from '../../src/oidc/key-pool.ts'

const most_pairs = 48

/** Writes key pairs for this number of test files. Returns the path. */
export async function writeKeyPairs(folder: string, files: number): Promise<string> {
  const path = join(folder, 'key-pairs.json')
  const pairs = await Promise.all(Array.from({ length: Math.min(most_pairs, 4 * files) }, () => makeKeyPair('RS256')))
  writeFileSync(path, JSON.stringify(pairs), { mode: 0o600 })
  return path
}

const written = process.env.OSTIARY_TEST_KEY_PAIRS
const pairs: readonly SpareKey[] = written ? JSON.parse(readFileSync(written, 'utf8')) : []
let taken = Math.floor(Math.random() * pairs.length)

/** The spare keys of one deployment: pairs of the run while there are others than it has had, then new ones. */
export function spareKeys(): KeyPool {
  if (pairs.length === 0) return createKeyPool(2)
  let left = pairs.length
  return {
    fill: async () => {},
    close() {},
    async take(alg) {
      if (alg === 'ES256') return makeKeyPair(alg)
      const pair = left > 0 ? pairs[taken++ % pairs.length] : undefined
      left -= 1
      return pair ?? makeKeyPair(alg)
    },
  }
}
