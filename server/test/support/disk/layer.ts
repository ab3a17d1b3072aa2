/**
 * A layer below SQLite and Node: it traces what a program does to a folder, and makes its syncs slow, failing, hanging or false. `layer.c` is
 * compiled and preloaded into the program, which is the one that users run. It needs Linux with glibc and a C compiler.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memory_folder } from '../memory-folder.ts'
import { readTrace, wholeLength } from './trace.ts'

// The numbers of `layer.c`.
const roles = { log: 1, database: 2, other: 4, directory: 8 } as const
const words = { delay_us: 0, failing: 1, held: 2, lying: 3, begun: 4, ended: 5, waiting: 6 } as const
const bytes_of_control = 28

/** Which files: the log (`-wal`), the database (`.db`), the others, or directories. */
export type Role = keyof typeof roles

export interface Syncs {
  /** How long each sync takes more than it does. */
  delay_us: number
  /** Fail with EIO. */
  failing: readonly Role[]
  /** Do not end until this changes. */
  held: readonly Role[]
  /** Succeed and are traced as if they had not happened: what a disk does that lies about its cache. */
  lying: readonly Role[]
}

export type WatchedFolder = ReturnType<Layer['watch']>
export interface Layer {
  /** Watches the folder in all processes that get `env`. Without a trace it changes the syncs only. */
  watch(folder: string, options?: { traces: boolean }): ReturnType<typeof watch>
}

/** The layer, or why there is none. What it makes goes with this process. */
export function diskLayer(): { layer: Layer; skip: false } | { layer: null; skip: string } {
  if (process.platform !== 'linux') return { layer: null, skip: 'needs Linux' }
  const own = mkdtempSync(join(memory_folder ?? tmpdir(), 'ostiary-layer-'))
  process.once('exit', () => rmSync(own, { recursive: true, force: true }))
  const library = join(own, 'layer.so')
  const source = join(import.meta.dirname, 'layer.c')
  try {
    execFileSync('cc', ['-std=gnu11', '-O2', '-Wall', '-Werror', '-shared', '-fPIC', '-o', library, source, '-lpthread'], { stdio: 'pipe' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { layer: null, skip: 'needs a C compiler (cc)' } // as: node:child_process throws these
    throw error
  }
  const layer: Layer = { watch: (folder, { traces } = { traces: true }) => watch(folder, { own, library, traces }) }
  return hasEffect(layer, own)
    ? { layer, skip: false }
    : { layer: null, skip: 'needs a dynamically linked Node with glibc, which LD_PRELOAD changes' }
}

/** Writes a file through Node, and reads whether the trace has it. */
function hasEffect(layer: Layer, own: string): boolean {
  const probed = layer.watch(mkdtempSync(join(own, 'probe-')))
  const script = `const fs = require('fs'); const file = fs.openSync(process.argv[1], 'w'); fs.writeSync(file, 'x'); fs.fdatasyncSync(file)`
  const env = { PATH: process.env.PATH, ...probed.env }
  const ended = spawnSync(process.execPath, ['-e', script, join(probed.folder, 'file')], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const kinds =
    probed.length() === 0
      ? ''
      : probed
          .operations()
          .map(({ kind }) => kind)
          .join()
  return ended.status === 0 && kinds === 'create,write,sync begin,sync end'
}

function watch(folder_given: string, { own, library, traces }: { own: string; library: string; traces: boolean }) {
  const folder = realpathSync(folder_given)
  const kept = mkdtempSync(join(own, 'watched-'))
  const [control_path, trace_path] = [join(kept, 'control'), join(kept, 'trace')]
  writeFileSync(control_path, Buffer.alloc(bytes_of_control))
  writeFileSync(trace_path, '')
  const control = openSync(control_path, 'r+')
  const read = (word: keyof typeof words): number => {
    const bytes = Buffer.alloc(4)
    readSync(control, bytes, 0, 4, words[word] * 4)
    return bytes.readUInt32LE()
  }
  return {
    folder,
    /** The variables of the programs that are watched. */
    env: {
      LD_PRELOAD: library,
      DISK_LAYER_FOLDER: folder,
      DISK_LAYER_CONTROL: control_path,
      UV_USE_IO_URING: '0', // its operations call no function
      ...(traces ? { DISK_LAYER_TRACE: trace_path } : {}),
    },

    /** Changes the syncs from now on. */
    set(change: Partial<Syncs>): void {
      for (const [word, value] of Object.entries(change)) {
        const bytes = Buffer.alloc(4)
        bytes.writeUInt32LE(typeof value === 'number' ? value : maskOf(value))
        writeSync(control, bytes, 0, 4, words[word as keyof Syncs] * 4) // as: the names of the change
      }
    },

    /** How many syncs began, ended, and are held now. */
    syncs: () => ({ begun: read('begun'), ended: read('ended'), waiting: read('waiting') }),

    /** The bytes of the trace so far. A fact that is noted with it is true of every cut at it or later. */
    length: (): number => statSync(trace_path).size,

    operations: () => readTrace(readFileSync(trace_path)),

    /** Removes the record that a killed process left half written, before another process appends to it. */
    mend: (): void => truncateSync(trace_path, wholeLength(readFileSync(trace_path))),

    close: (): void => {
      closeSync(control)
      rmSync(kept, { recursive: true })
    },
  }
}

const maskOf = (of: readonly Role[]): number => of.reduce((mask, role) => mask | roles[role], 0)
