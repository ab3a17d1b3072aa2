/** Services on folders that the layer watches. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { type Child, serve } from '../cli-process.ts'
import { memory_folder } from '../memory-folder.ts'
import { type World, world } from '../world.ts'
import type { Layer } from './layer.ts'

const emptyFolder = (): string => mkdtempSync(join(memory_folder ?? tmpdir(), 'ostiary-watched-'))

export interface SeededFolder {
  /** Calls a service on the port of the seeded one. */
  readonly w: World
  readonly files: ReadonlyMap<string, Buffer>
  /** The variables of a service on these files. */
  readonly env: Record<string, string>
}

/** Makes a data directory over HTTP. Returns its files, to put into a folder of each test, and what the seeding returns. */
export async function seedFolder<Known>(seed: (w: World) => Promise<Known>): Promise<SeededFolder & Known> {
  const data_dir = emptyFolder()
  const w = await world({ data_dir })
  const known = await seed(w)
  await w.close()
  const files = new Map(readdirSync(data_dir).map((name) => [name, readFileSync(join(data_dir, name))]))
  rmSync(data_dir, { recursive: true })
  return { ...known, w, files, env: { OSTIARY_PORT: new URL(w.base_url).port } }
}

/** Starts a service in a watched folder of its own with these files. */
export async function startWatched(layer: Layer, { files, env: own }: Pick<SeededFolder, 'files' | 'env'>) {
  const folder = emptyFolder()
  after(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes, { mode: 0o600 })
  const watched = layer.watch(folder)
  const env: Record<string, string> = { ...own, OSTIARY_DATA_DIR: folder, ...watched.env }
  const start = () => serve(env)
  return {
    folder,
    watched,
    env,
    child: await start(),
    /** Starts it again, after the end of the first. */
    start,
    async kill({ process, ended }: Child): Promise<void> {
      process.kill('SIGKILL')
      assert.equal((await ended).signal, 'SIGKILL')
      watched.mend()
    },
  }
}
