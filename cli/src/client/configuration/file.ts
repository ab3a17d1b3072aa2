/**
 * Reads and replaces the files of `ostiary pull`, `diff`, `apply` and `promote`. A file is read up to its limit, whatever it is, and
 * replaced as a whole: a reader, and a crash at any moment, finds the old or the new text.
 */
import {
  accessSync,
  closeSync,
  constants,
  createReadStream,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { thousands } from '@ostiary/contract/thousands.ts'
import { UsageError } from '../../usage.ts'
import { reasonOf } from '../file-reason.ts'
import type { Io } from '../io.ts'
import { Refused } from '../refused.ts'
import { visible } from '../show.ts'
import { mistakeText, placeText } from './places.ts'
import { readYaml, type YamlFile } from './yaml-read.ts'

/** 4 MiB, as the service takes (`POST J/promotions`). */
export const most_bytes = 4_194_304

export interface FileOnDisk extends YamlFile {
  /** The byte order mark that editors on Windows write, or nothing. It is not part of the text, and a file keeps it. */
  readonly mark: string
}

const byte_order_mark = '\ufeff'

/** Reads a file as YAML; `-` is standard input. @throws UsageError with the place of each mistake */
export async function readYamlFile(io: Io, path: string): Promise<FileOnDisk> {
  const bytes = await readBytes(io, path)
  const text = textOf(path, bytes)
  const read = readYaml(text)
  if ('mistakes' in read) throw new UsageError(mistakeText(path, text, read.mistakes).trimEnd())
  const marked = Buffer.from(byte_order_mark)
  return { ...read.file, mark: bytes.subarray(0, marked.length).equals(marked) ? byte_order_mark : '' }
}

async function readBytes(io: Io, path: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    // One byte more than is allowed shows that there is more.
    for await (const chunk of path === '-' ? io.input : createReadStream(path, { end: most_bytes })) {
      const bytes = Buffer.from(chunk)
      chunks.push(bytes)
      size += bytes.length
      if (size > most_bytes) break
    }
  } catch (error) {
    throw new UsageError(`${visible(path)} cannot be read: ${reasonOf(error)}.`)
  }
  const bytes = Buffer.concat(chunks)
  if (size <= most_bytes) return bytes
  const before = bytes.subarray(0, most_bytes).toString()
  throw new UsageError(`${placeText(path, before, before.length)}: ${tooManyBytes(path === '-' ? null : sizeOf(path))}`)
}

/** @param found in bytes; `null` where it is not known */
export function tooManyBytes(found: number | null, what = 'The file'): string {
  const size = found === null ? `more than ${thousands(most_bytes)}` : thousands(found)
  return `${what} has ${size} bytes. The limit is 4 MiB (${thousands(most_bytes)}).`
}

/** The size of a file; `null` for what has none, such as a pipe. */
function sizeOf(path: string): number | null {
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.isFile() && found.size > most_bytes ? found.size : null
}

/** RFC 3629: nothing but UTF-8. A byte order mark is not part of the text. */
function textOf(path: string, bytes: Buffer): string {
  const decoded = (end: number, stream: boolean) => {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, end), { stream })
    } catch {
      return null
    }
  }
  const text = decoded(bytes.length, false)
  if (text !== null) return text
  let [good, bad] = [0, bytes.length]
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2)
    if (decoded(middle, true) === null) bad = middle
    else good = middle
  }
  const before = decoded(good, true) ?? ''
  throw new UsageError(`${placeText(path, before, before.length)}: This is not UTF-8.`)
}

/**
 * Writes a file, with the mode of the one that it replaces. A link stays, and the file behind it is replaced.
 * @throws Refused if it cannot be written
 */
export function replaceFile(io: Io, path: string, text: string): void {
  try {
    const existing = statSync(path, { throwIfNoEntry: false })
    if (existing && !existing.isFile()) throw new Refused(`${visible(path)} is not a file.`)
    if (!existing && lstatSync(path, { throwIfNoEntry: false })) throw new Refused(`${visible(path)} is a link to nothing.`)
    if (existing) accessSync(path, constants.W_OK)
    const target = existing ? realpathSync(path) : path
    const temporary = join(dirname(target), `.${io.random(8).toString('hex')}.tmp`)
    try {
      writeNew(temporary, text, existing ? existing.mode & 0o777 : null)
      renameSync(temporary, target)
    } catch (error) {
      rmSync(temporary, { force: true })
      throw error
    }
  } catch (error) {
    throw error instanceof Refused ? error : new Refused(`${visible(path)} cannot be written: ${reasonOf(error)}.`)
  }
}

function writeNew(path: string, text: string, mode: number | null): void {
  const file = openSync(path, 'wx')
  try {
    if (mode !== null) fchmodSync(file, mode)
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Also for a path that cannot be looked at: reading it says why. */
export function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return true
  }
}
