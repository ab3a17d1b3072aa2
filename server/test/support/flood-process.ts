/**
 * A process in which twelve passwords are hashed on four lanes, for as long as nobody writes to a pipe, and a file is synced meanwhile:
 * `fork(…, [path of the pipe, path of the file])`. Sends what ended, in order.
 */
import { closeSync, fdatasync, open, openSync } from 'node:fs'
import { widenThreadPool } from '../../src/base/config/config.ts'
import { createPasswords, threadsFor } from '../../src/domain/users/password.ts'

const [pipe = '', file = ''] = process.argv.slice(2)
const lanes = 4
const longest_wait_ms = 5_000

/** Like a hash, it takes a thread of the pool. */
const holdThread = () => new Promise<string>((resolve) => open(pipe, 'r', () => resolve('hash')))

widenThreadPool(threadsFor(lanes))
const passwords = createPasswords(lanes, { hash: holdThread, verify: async () => true })
const ended: string[] = []
const hashes = Array.from({ length: 3 * lanes }, async () => void ended.push(await passwords.hash('a password of the flood')))
await new Promise(setImmediate) // four hashes run

let writer: number | null = null
const letGo = () => {
  writer ??= openSync(pipe, 'w')
}
setTimeout(letGo, longest_wait_ms).unref()
await new Promise<void>((resolve) => fdatasync(openSync(file, 'w'), () => resolve()))
ended.push('sync')
letGo()
await Promise.all(hashes)
if (writer !== null) closeSync(writer)
process.send?.(ended)
