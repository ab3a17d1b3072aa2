/**
 * The built application: `index.html`, files whose names contain their hash in `assets/`, and a few others. It may be built while the
 * service runs, or built again. Files are read when they are first asked for and then kept, with their compressed forms.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { sha256 } from '../../base/digest.ts'
import { type Coded, codedForms } from '../../http/coded.ts'

export interface ServedFile {
  readonly type: string
  /** A weak comparison of forms is not needed: each form has its own. */
  readonly etag: string
  readonly body: Buffer
  readonly coded: Coded
}

// biome-ignore format: this table is read by column
const types: Readonly<Record<string, string>> = {
  '.js':    'text/javascript; charset=utf-8',
  '.css':   'text/css; charset=utf-8',
  '.html':  'text/html; charset=utf-8',
  '.svg':   'image/svg+xml',
  '.png':   'image/png',
  '.ico':   'image/x-icon',
  '.json':  'application/json; charset=utf-8',
  '.txt':   'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
}

/** These are compressed already. */
const is_compressed = /\.(?:woff2|png)$/

/** @param folder may be missing, as long as nothing is built */
export function createFiles(folder: string) {
  let built: number | null = null
  let names: ReadonlySet<string> = new Set()
  let index: string | null = null
  const files = new Map<string, Promise<ServedFile>>()

  /** Looks whether there is another build, by the entry page, which a build writes last. */
  function look(): void {
    const at = statSync(join(folder, 'index.html'), { throwIfNoEntry: false })?.mtimeMs ?? null
    if (at === built) return
    built = at
    index = at === null ? null : readFileSync(join(folder, 'index.html'), 'utf8')
    names = new Set(at === null ? [] : listFiles(folder))
    files.clear()
  }

  return {
    /** The entry page; `null` as long as nothing is built. */
    index(): string | null {
      look()
      return index
    },

    /** Only names that were listed are read, so no name leads out of the folder. `null` if the build has no such file. */
    async find(name: string): Promise<ServedFile | null> {
      look()
      if (!names.has(name)) return null
      let file = files.get(name)
      if (!file) {
        file = readServed(folder, name)
        files.set(name, file)
        file.catch(() => files.delete(name))
      }
      return file
    },
  }
}

/** The paths of all files with a known type below a folder, with `/` between their parts. */
function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => extname(name) in types && name !== 'index.html')
}

/** Compressed once for each build. */
async function readServed(folder: string, name: string): Promise<ServedFile> {
  const body = readFileSync(join(folder, name))
  const coded = is_compressed.test(name) ? {} : await codedForms(body)
  return { type: types[extname(name)] ?? '', etag: sha256(body, 'base64url'), body, coded }
}
