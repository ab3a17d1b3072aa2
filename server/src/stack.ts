/** Where an error was thrown, told in our sources: what runs is a bundle of them (docs/decisions/0024), with a map beside it. */
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

/** The stack of an error. A place in a file without a map stays as it is. */
export function stackOf(error: Error): string {
  return (error.stack ?? error.message).replace(
    /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/g,
    (place, url: string, line: string, column: string) => {
      const entry = mapOf(url)?.findEntry(Number(line) - 1, Number(column) - 1)
      if (!entry || !('originalSource' in entry)) return place
      return `${new URL(entry.originalSource, url).href}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
    },
  )
}

const maps = new Map<string, SourceMap | null>()

function mapOf(url: string): SourceMap | null {
  const known = maps.get(url)
  if (known !== undefined) return known
  const map = readMap(`${url}.map`)
  maps.set(url, map)
  return map
}

function readMap(url: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(fileURLToPath(url), 'utf8')))
  } catch {
    return null // there is none, or it is broken: what went wrong must be told all the same
  }
}
