/** Compares passwords with the hashes of other systems, on the thread pool. `foreign-hashes.ts` judges before how much a hash may cost. */
import { createCipheriv, createHash, pbkdf2, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { type Algorithm, hashRaw } from '@node-rs/argon2'
import { verify } from '@node-rs/bcrypt'
import type { ForeignHash } from './foreign-hashes.ts'

/** Whether the password is that of the hash. bcrypt reads its first 72 bytes. */
export async function matchesForeignHash(hash: ForeignHash, password: string): Promise<boolean> {
  if (hash.algorithm === 'bcrypt') return verify(hash.of_digest ? sha256(password) : password, hash.text)
  if (hash.algorithm === 'argon2id') return equal(await argon2idOf(hash, password), hash.hash)
  if (hash.algorithm === 'scrypt') return equal(await scryptOf(hash, password, hash.hash.length), hash.hash)
  if (hash.algorithm === 'firebase-scrypt') return equal(await firebaseOf(hash, password), hash.hash)
  return matchesPbkdf2(hash, password)
}

type Of<A extends ForeignHash['algorithm']> = Extract<ForeignHash, { algorithm: A }>

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const equal = (one: Buffer, other: Buffer): boolean => one.length === other.length && timingSafeEqual(one, other)

const argon2idOf = ({ memory_kib, passes, lanes, salt, hash }: Of<'argon2id'>, password: string) =>
  hashRaw(password, {
    algorithm: 2 as Algorithm, // as: Algorithm is a const enum; 2 is Argon2id
    memoryCost: memory_kib,
    timeCost: passes,
    parallelism: lanes,
    salt,
    outputLen: hash.length,
  })

const pbkdf2Of = promisify(pbkdf2)
const bytes_of_sha = { sha1: 20, sha256: 32, sha512: 64 }

/** PBKDF2 computes each block of a long hash by itself (RFC 8018 §5.2), so the first one decides whether the others are computed. */
async function matchesPbkdf2({ sha, rounds, salt, hash }: Of<`pbkdf2-${keyof typeof bytes_of_sha}`>, password: string): Promise<boolean> {
  const first = hash.subarray(0, bytes_of_sha[sha])
  if (!equal(await pbkdf2Of(password, salt, rounds, first.length, sha), first)) return false
  return first.length === hash.length || equal(await pbkdf2Of(password, salt, rounds, hash.length, sha), hash)
}

/** OpenSSL refuses to use more memory: 128·N·r for the blocks, 128·r·p for what they are made of, and a little more. */
const memoryOf = ({ n, r, p }: Of<'scrypt' | 'firebase-scrypt'>) => 128 * r * (n + p + 2) + 2 ** 20

const scryptOf = (hash: Of<'scrypt' | 'firebase-scrypt'>, password: string, length: number) =>
  new Promise<Buffer>((resolve, reject) => {
    const { n: N, r, p } = hash
    scrypt(password, hash.salt, length, { N, r, p, maxmem: memoryOf(hash) }, (error, key) => (error ? reject(error) : resolve(key)))
  })

/** https://github.com/firebase/scrypt: AES-256 in counter mode, from zero, of the key of the project. */
async function firebaseOf(hash: Of<'firebase-scrypt'>, password: string): Promise<Buffer> {
  const cipher = createCipheriv('aes-256-ctr', await scryptOf(hash, password, 32), Buffer.alloc(16))
  return Buffer.concat([cipher.update(hash.signer_key), cipher.final()])
}
