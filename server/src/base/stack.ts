/** Maps stack traces of the build to the sources. The service runs from a bundle with a source map beside it (docs/decisions/0024). */
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

/** Returns the stack of an error. A position in a file without a map stays as it is. */
export function stackOf(error: Error): string {
  return (error.stack ?? error.message).replace(
    /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/g,
    (position, url: string, line: string, column: string) => {
      const entry = mapOf(url)?.findEntry(Number(line) - 1, Number(column) - 1)
      if (!entry || !('originalSource' in entry)) return position
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
    return null // the map is missing or broken; the stack is still shown
  }
}
