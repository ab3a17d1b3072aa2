/** Cuts the power of the disk at many moments of a load, and looks for facts that are lost. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '../cli-process.ts'
import { memory_folder } from '../memory-folder.ts'
import { choiceOf, createDisk } from './cuts.ts'
import { openStored } from './facts.ts'
import type { Noted } from './power-load.ts'
import type { Operation } from './trace.ts'

const images = memory_folder ?? tmpdir()
const asked_of_each = 8

export interface Power {
  /** The files before the trace. */
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly operations: readonly Operation[]
  readonly noted: readonly Noted[]
  /** The length of the trace from which on the power is cut. */
  readonly from: number
  readonly cuts: number
  /** After how many of the cuts a service is started, and its variables. */
  readonly services: number
  readonly env: Record<string, string>
}

export interface Outcome {
  cuts: number
  /** How many facts were looked for, in all cuts. */
  checked: number
  /** How many facts a service was asked for. */
  asked: number
  /** One line each. */
  lost: Record<Noted['how'], string[]>
  /** Of the files. */
  problems: string[]
}

export async function cutPower({ files, operations, noted, from, cuts, env, services }: Power): Promise<Outcome> {
  const disk = createDisk(files)
  const outcome: Outcome = { cuts, checked: 0, asked: 0, lost: { acknowledged: [], shown: [] }, problems: [] }
  const every = Math.ceil(cuts / Math.max(1, services))
  let taken = 0
  for (const [number, length] of momentsOf(operations, noted, { from, cuts }).entries()) {
    for (let next = operations[taken]; next && next.end <= length; next = operations[++taken]) disk.take(next)
    const image = disk.image(choiceOf(number))
    const cut: Cut = { name: `cut ${number} at ${length}`, noted: noted.filter((fact) => fact.length <= length), outcome }
    await withImage(image, (folder) => judge(folder, cut))
    if (services > 0 && number % every === every - 1) await withImage(image, (folder) => ask(folder, env, cut))
  }
  return outcome
}

interface Cut {
  readonly name: string
  /** The facts that are true by then. */
  readonly noted: readonly Noted[]
  readonly outcome: Outcome
}

/** Moments in order: half of them when a fact was noted, when the sync that it needs has just ended, and the others at any operation. */
function momentsOf(operations: readonly Operation[], noted: readonly Noted[], { from, cuts }: Pick<Power, 'from' | 'cuts'>): number[] {
  const of_facts = noted.map(({ length }) => length).filter((length) => length >= from)
  const of_operations = operations.map(({ end }) => end).filter((end) => end >= from)
  const drawn = (moments: readonly number[]) => moments[Math.floor(Math.random() * moments.length)] ?? from
  return Array.from({ length: cuts }, (_, number) => drawn(number % 2 === 0 ? of_facts : of_operations)).sort((a, b) => a - b)
}

async function withImage(image: ReadonlyMap<string, Buffer>, work: (folder: string) => unknown): Promise<void> {
  const folder = mkdtempSync(join(images, 'ostiary-image-'))
  try {
    for (const [name, bytes] of image) writeFileSync(join(folder, name), bytes, { mode: 0o600 })
    await work(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function judge(folder: string, { name, noted, outcome }: Cut): void {
  try {
    const stored = openStored(join(folder, 'ostiary.db'))
    outcome.problems.push(...stored.problems().map((problem) => `${name}: ${problem}`))
    outcome.checked += noted.length
    for (const fact of noted) if (!fact.isStored(stored)) outcome.lost[fact.how].push(`${name}: ${fact.what}`)
    stored.close()
  } catch (error) {
    outcome.problems.push(`${name}: ${error}`)
  }
}

/** Asks a service on the image for the latest facts of each kind of answer. */
async function ask(folder: string, env: Record<string, string>, { name, noted, outcome }: Cut): Promise<void> {
  const child = await serve({ ...env, OSTIARY_DATA_DIR: folder })
  const latest = (how: Noted['how']) => noted.filter((fact) => fact.how === how).slice(-asked_of_each)
  for (const fact of [...latest('shown'), ...latest('acknowledged')]) {
    outcome.asked++
    if (!(await fact.isAnswered())) outcome.lost[fact.how].push(`${name}, by the service: ${fact.what}`)
  }
  child.process.kill('SIGKILL')
  await child.ended
}
