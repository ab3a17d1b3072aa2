/** A small file system that a test fills, where the test may mount one. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { temporary_folder } from './postgres-package.ts'

interface SmallDisk {
  folder: string
  /** Leaves so many bytes. */
  fill(left: number): void
  makeRoom(): void
}

/** A file system of this size, or why there is none. It is unmounted with the test file. */
export function smallDisk(megabytes: number): { disk: SmallDisk; skip: false } | { disk: null; skip: string } {
  const folder = mkdtempSync(join(temporary_folder, 'ostiary-small-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'pipe' })
  } catch {
    rmSync(folder, { recursive: true })
    return { disk: null, skip: 'needs the right to mount a small file system' }
  }
  after(() => {
    execFileSync('umount', ['--lazy', folder])
    rmSync(folder, { recursive: true, force: true })
  })
  const filler = join(folder, 'filler')
  return {
    skip: false,
    disk: {
      folder,
      fill(left) {
        try {
          for (;;) writeFileSync(filler, Buffer.alloc(16_384), { flag: 'a' })
        } catch {} // no room is left
        truncateSync(filler, Math.max(0, statSync(filler).size - left))
      },
      makeRoom: () => rmSync(filler),
    },
  }
}
