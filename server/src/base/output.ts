/**
 * Standard output and standard error of a process that runs until it is stopped. A reader that ends or does not read never ends or blocks
 * the process. Lines that find no reader are dropped and counted.
 */
import type { Writable } from 'node:stream'

/** The most bytes that wait for a slow reader. The pipe itself buffers some more. */
const most_waiting = 262_144

export type OutputName = 'stdout' | 'stderr'

export interface Output {
  write(text: string): void
  /** How many lines were dropped. */
  dropped(): number
}

/** A stream that is a pipe is not written at once, and keeps what its reader does not take. */
export function createOutput(stream: Writable): Output {
  let dropped = 0
  // Without a listener the error of a write ends the process. The write itself counts what it lost.
  stream.on('error', () => {})
  return {
    write(text) {
      const lines = linesOf(text)
      if (stream.writableLength + text.length > most_waiting) dropped += lines
      else
        stream.write(text, (error) => {
          if (error) dropped += lines
        })
    },
    dropped: () => dropped,
  }
}

const linesOf = (text: string): number => text.split('\n').length - (text.endsWith('\n') ? 1 : 0)

const outputs: Partial<Record<OutputName, Output>> = {}

/** Returns the only output of this process with that name. */
export function outputTo(name: OutputName): Output {
  outputs[name] ??= createOutput(process[name])
  return outputs[name]
}

/** The lines of this process that were dropped since its start. */
export const droppedLines = (): Readonly<Record<OutputName, number>> => ({
  stdout: outputs.stdout?.dropped() ?? 0,
  stderr: outputs.stderr?.dropped() ?? 0,
})
