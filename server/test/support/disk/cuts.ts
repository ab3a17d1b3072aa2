// pure
/**
 * What a disk may hold after its power failed at some moment, by the trace of a program (`trace.ts`).
 *
 * A sync that ended well covers what was done to its file before the sync began; that of a directory covers its names. Of everything else
 * any part may be there: each sector of 512 bytes has its content as it was after any of the writes since the last one that is covered,
 * since the system writes the pages of its cache at any time and in any order. A file may be shorter, and a name that was not synced may be
 * missing, or still there.
 *
 * A failed sync covers nothing, and what it should have written is covered by no later one: Linux marks the pages as written when it
 * reports the error (https://wiki.postgresql.org/wiki/Fsync_Errors). Writing them again helps.
 */
import type { Operation } from './trace.ts'

const sector_bytes = 512

/** How much of an operation that no sync covers is on the disk: all, nothing, or each of its sectors by itself. */
export interface Choice {
  kept(operation: number): 'all' | 'none' | 'part'
  keepsSector(operation: number, sector: number): boolean
}

/** A write or a truncation, within one sector. `null` is zeros to the end of the sector. */
interface Piece {
  readonly operation: number
  readonly offset: number
  readonly bytes: Uint8Array | null
}

interface SizeChange {
  readonly operation: number
  /** Where a write begins; `null` for a truncation. */
  readonly from: number | null
  readonly to: number
}

interface File {
  /** What is certainly on the disk. */
  durable: Buffer
  size: number
  /** By sector, in order. */
  pieces: Map<number, Piece[]>
  sizes: SizeChange[]
  /** The size as the program sees it. */
  size_seen: number
  /** Operations that a failed sync should have covered. */
  forgotten: Set<number>
}

type Names = Map<string, File>
interface NameChange {
  readonly operation: number
  readonly directories: readonly string[]
  apply(names: Names): unknown
}

interface Sync {
  readonly begun: number
  /** It is of a file or of a directory. */
  readonly file: File | null
  readonly directory: string | null
}

/** A disk that holds these files. */
export function createDisk(files: ReadonlyMap<string, Uint8Array> = new Map()) {
  const durable_names: Names = new Map()
  for (const [name, bytes] of files)
    durable_names.set(name, { ...newFile(), durable: Buffer.from(bytes), size: bytes.length, size_seen: bytes.length })
  const names: Names = new Map(durable_names)
  const by_inode = new Map<bigint, File>()
  const syncs = new Map<bigint, Sync>()
  let name_changes: NameChange[] = []
  let taken = 0

  function changeNames(operation: number, involved: readonly string[], apply: NameChange['apply']): void {
    apply(names)
    name_changes.push({ operation, directories: involved.map(directoryOf), apply })
  }

  function create(operation: number, name: string, inode: bigint): void {
    const file = newFile()
    by_inode.set(inode, file)
    changeNames(operation, [name], (each) => each.set(name, file))
  }

  function unlink(operation: number, name: string): void {
    const file = names.get(name)
    changeNames(operation, [name], (each) => each.get(name) === file && each.delete(name))
  }

  function rename(operation: number, name: string, to: string): void {
    const file = names.get(name)
    if (!file) throw new Error(`The trace renames ${name}, which does not exist.`)
    changeNames(operation, [name, to], (each) => {
      if (each.get(name) === file) each.delete(name)
      each.set(to, file)
    })
  }

  function open(operation: number, name: string, inode: bigint): void {
    const known = names.get(name)
    if (known && ![...by_inode.values()].includes(known)) by_inode.set(inode, known)
    // Without its creation: a process was killed before it traced that.
    else if (!known || by_inode.get(inode) !== known) create(operation, name, inode)
  }

  function fileOf(inode: bigint): File {
    const file = by_inode.get(inode)
    if (!file) throw new Error(`The trace changes the file ${inode}, which was not opened.`)
    return file
  }

  function endSync(id: bigint, succeeded: boolean): void {
    const sync = syncs.get(id)
    if (!sync) return
    syncs.delete(id)
    const { begun, file, directory } = sync
    if (file) succeeded ? cover(file, begun) : forget(file, begun)
    if (directory === null || !succeeded) return
    const isCovered = ({ operation, directories }: NameChange) => operation < begun && directories.includes(directory)
    for (const change of name_changes) if (isCovered(change)) change.apply(durable_names)
    name_changes = name_changes.filter((change) => !isCovered(change))
  }

  return {
    /** Does the next operation. */
    take(next: Operation): void {
      const operation = taken++
      if (next.kind === 'create') create(operation, next.name, next.inode)
      else if (next.kind === 'open') open(operation, next.name, next.inode)
      else if (next.kind === 'write') write(fileOf(next.inode), operation, next)
      else if (next.kind === 'truncate') truncate(fileOf(next.inode), operation, next.size)
      else if (next.kind === 'unlink') unlink(operation, next.name)
      else if (next.kind === 'rename') rename(operation, next.name, next.to)
      else if (next.kind === 'sync begin') {
        const { directory } = next
        syncs.set(next.sync, { begun: operation, file: directory === null ? fileOf(next.inode) : null, directory })
      } else if (next.kind === 'sync end') endSync(next.sync, next.succeeded)
    },

    /** The files after a power cut now. */
    image(choice: Choice): Map<string, Buffer> {
      const found: Names = new Map(durable_names)
      for (const { operation, apply } of name_changes) {
        const kept = choice.kept(operation)
        if (kept === 'all' || (kept === 'part' && choice.keepsSector(operation, 0))) apply(found)
      }
      return new Map([...found].map(([name, file]) => [name, contentOf(file, choice)]))
    },
  }
}

const newFile = (): File => ({ durable: Buffer.alloc(0), size: 0, pieces: new Map(), sizes: [], size_seen: 0, forgotten: new Set() })

const directoryOf = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf('/')))

function addPiece({ pieces }: File, sector: number, piece: Piece): void {
  const of_sector = pieces.get(sector)
  if (of_sector) of_sector.push(piece)
  else pieces.set(sector, [piece])
}

function write(file: File, operation: number, { offset, bytes }: { offset: number; bytes: Uint8Array }): void {
  const end = offset + bytes.length
  for (let at = offset; at < end; ) {
    const sector = Math.floor(at / sector_bytes)
    const to = Math.min(end, (sector + 1) * sector_bytes)
    addPiece(file, sector, { operation, offset: at, bytes: bytes.subarray(at - offset, to - offset) })
    at = to
  }
  file.sizes.push({ operation, from: offset, to: end })
  file.size_seen = Math.max(file.size_seen, end)
}

function truncate(file: File, operation: number, size: number): void {
  const longest = Math.max(file.size_seen, file.size)
  for (let sector = Math.floor(size / sector_bytes); sector * sector_bytes < longest; sector++)
    addPiece(file, sector, { operation, offset: Math.max(size, sector * sector_bytes), bytes: null })
  file.sizes.push({ operation, from: null, to: size })
  file.size_seen = size
}

/** Everything that began before a sync is on the disk. */
function cover(file: File, begun: number): void {
  const isCovered = ({ operation }: { operation: number }) => operation < begun && !file.forgotten.has(operation)
  for (const [sector, pieces] of file.pieces) {
    const count = pieces.findLastIndex(isCovered) + 1
    if (count === 0) continue
    file.durable = patched(file.durable, pieces.slice(0, count), sector)
    if (count === pieces.length) file.pieces.delete(sector)
    else file.pieces.set(sector, pieces.slice(count))
  }
  const count = file.sizes.findLastIndex(isCovered) + 1
  for (const { from, to } of file.sizes.slice(0, count)) file.size = from === null ? to : Math.max(file.size, to)
  file.sizes = file.sizes.slice(count)
}

function forget(file: File, begun: number): void {
  for (const { operation } of file.sizes) if (operation < begun) file.forgotten.add(operation)
}

/** Applies pieces of a sector. Returns the same buffer, or a longer one. */
function patched(content: Buffer, pieces: readonly Piece[], sector: number): Buffer {
  const end = (sector + 1) * sector_bytes
  const long = content.length >= end ? content : Buffer.concat([content], Math.max(end, content.length * 2))
  for (const { offset, bytes } of pieces) {
    if (bytes === null) long.fill(0, offset, end)
    else long.set(bytes, offset)
  }
  return long
}

function contentOf(file: File, choice: Choice): Buffer {
  let content: Buffer = Buffer.from(file.durable)
  const isKept = (operation: number, sector: number, is_truncation: boolean) => {
    const kept = choice.kept(operation)
    return kept === 'all' || (kept === 'part' && (is_truncation || choice.keepsSector(operation, sector)))
  }
  for (const [sector, pieces] of file.pieces) {
    const count = pieces.findLastIndex(({ operation, bytes }) => isKept(operation, sector, bytes === null)) + 1
    if (count > 0) content = patched(content, pieces.slice(0, count), sector)
  }
  let { size } = file
  for (const { operation, from, to } of file.sizes) {
    if (from === null) {
      if (isKept(operation, 0, true)) size = to
      continue
    }
    // A write reaches as far as the last of its sectors that is kept.
    let end = to
    while (end > from && !isKept(operation, Math.floor((end - 1) / sector_bytes), false))
      end = Math.floor((end - 1) / sector_bytes) * sector_bytes
    if (end > from) size = Math.max(size, end)
  }
  return content.length >= size ? content.subarray(0, size) : Buffer.concat([content], size)
}

/** Only what was synced is on the disk. */
export const least: Choice = { kept: () => 'none', keepsSector: () => false }

/** The files that are certainly on the disk when the program prints a text. */
export function onDiskAt(
  files: ReadonlyMap<string, Uint8Array>,
  operations: readonly Operation[],
  isPrinted: (text: string) => boolean,
): Map<string, Buffer> {
  const disk = createDisk(files)
  for (const operation of operations) {
    if (operation.kind === 'output' && isPrinted(operation.text)) return disk.image(least)
    disk.take(operation)
  }
  throw new Error('The text was not printed.')
}

const moods = ['none', 'all', 'whole', 'sectors', 'mixed'] as const

/** A choice by a seed. Of five seeds in a row one keeps nothing, one all, one whole operations, one sectors of each, and one a mixture. */
export function choiceOf(seed: number): Choice {
  const mood = moods[seed % moods.length]
  const share = chance(seed, -1, -1)
  return {
    kept(operation) {
      if (mood === 'none' || mood === 'all') return mood
      if (mood === 'sectors') return 'part'
      const drawn = chance(seed, operation, -3)
      if (mood === 'whole') return drawn < share ? 'all' : 'none'
      return drawn < 1 / 3 ? 'all' : drawn < 2 / 3 ? 'none' : 'part'
    },
    keepsSector: (operation, sector) => chance(seed, operation, sector) < share,
  }
}

/** A number from 0 to 1 that these decide, by the finalizer of MurmurHash3. */
function chance(seed: number, a: number, b: number): number {
  let bits = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(a + 0x165667b1, 0xc2b2ae35) ^ Math.imul(b + 0x27d4eb2f, 0x165667b1)
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32
}
