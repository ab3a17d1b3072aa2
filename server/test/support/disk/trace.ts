// pure
/** Reads the trace that `layer.c` writes: what a program did to the files of a folder, in order. */

interface At {
  /** The length of the trace once the operation is in it. */
  readonly end: number
}
export type Operation = At &
  (
    | { readonly kind: 'create'; readonly name: string; readonly inode: bigint }
    | { readonly kind: 'open'; readonly name: string; readonly inode: bigint }
    | { readonly kind: 'write'; readonly inode: bigint; readonly offset: number; readonly bytes: Uint8Array }
    | { readonly kind: 'truncate'; readonly inode: bigint; readonly size: number }
    | { readonly kind: 'unlink'; readonly name: string }
    | { readonly kind: 'rename'; readonly name: string; readonly to: string }
    /** `directory` is the name of a directory, `null` for a file. */
    | { readonly kind: 'sync begin'; readonly sync: bigint; readonly inode: bigint; readonly directory: string | null }
    /** Of a sync that lied there is no end. */
    | { readonly kind: 'sync end'; readonly sync: bigint; readonly succeeded: boolean }
    /** Is about to be printed, on standard output or error. */
    | { readonly kind: 'output'; readonly text: string }
  )

const magic = 0x4b534944
const head_bytes = 40
const directory = 8

// The numbers of `layer.c`.
const kinds = {
  create: 1,
  open: 2,
  write: 3,
  truncate: 4,
  unlink: 5,
  rename: 6,
  sync_begin: 7,
  sync_end: 8,
  shortened: 9,
  unsupported: 10,
  output: 11,
} as const

/** Returns the operations of a trace. A record that a killed process left half written is not one of them. */
export function readTrace(trace: Buffer): Operation[] {
  const operations: Operation[] = []
  const length = wholeLength(trace)
  for (let at = 0; at < length; at += trace.readUInt32LE(at + 4)) {
    const record = recordAt(trace, at)
    if (record.kind === kinds.unsupported) throw new Error(`The program did what the trace cannot describe: ${record.text}.`)
    if (record.kind === kinds.shortened) shorten(operations, record)
    else operations.push(operationOf(record))
  }
  return operations
}

/** The length of a trace without the record that a killed process left half written. */
export function wholeLength(trace: Buffer): number {
  let at = 0
  while (at + head_bytes <= trace.length) {
    if (trace.readUInt32LE(at) !== magic) throw new Error(`No record begins at byte ${at} of the trace.`)
    const length = trace.readUInt32LE(at + 4)
    if (at + length > trace.length) break
    at += length
  }
  return at
}

function recordAt(trace: Buffer, at: number) {
  const end = at + trace.readUInt32LE(at + 4)
  const payload = trace.subarray(at + head_bytes, end)
  return {
    end,
    kind: trace.readUInt32LE(at + 8),
    inode: trace.readBigUInt64LE(at + 16),
    a: trace.readBigInt64LE(at + 24),
    b: trace.readBigInt64LE(at + 32),
    payload,
    text: payload.toString(),
  }
}

function operationOf({ end, kind, inode, a, b, payload, text }: ReturnType<typeof recordAt>): Operation {
  switch (kind) {
    case kinds.create:
      return { end, kind: 'create', name: text, inode }
    case kinds.open:
      return { end, kind: 'open', name: text, inode }
    case kinds.write:
      return { end, kind: 'write', inode, offset: Number(a), bytes: payload }
    case kinds.truncate:
      return { end, kind: 'truncate', inode, size: Number(a) }
    case kinds.unlink:
      return { end, kind: 'unlink', name: text }
    case kinds.rename:
      return { end, kind: 'rename', name: payload.toString('utf8', 0, Number(a)), to: payload.toString('utf8', Number(a)) }
    case kinds.sync_begin:
      return { end, kind: 'sync begin', sync: a, inode, directory: Number(b) === directory ? text : null }
    case kinds.sync_end:
      return { end, kind: 'sync end', sync: a, succeeded: b === 0n }
    case kinds.output:
      return { end, kind: 'output', text }
    default:
      throw new Error(`The trace has a record of the kind ${kind}.`)
  }
}

/** The operation before failed, or wrote `b` of the `a` bytes that its records have. */
function shorten(operations: Operation[], { a, b }: ReturnType<typeof recordAt>): void {
  let surplus = Number(a - b)
  for (let last = operations.pop(); last !== undefined; last = operations.pop()) {
    if (last.kind !== 'write') return
    if (last.bytes.length > surplus) return void operations.push({ ...last, bytes: last.bytes.subarray(0, last.bytes.length - surplus) })
    surplus -= last.bytes.length
    if (surplus === 0) return
  }
}
