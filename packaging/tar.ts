// pure
/** Archives in the format ustar (POSIX.1-1988): written with fixed owners and times, so that the same files make the same archive. */

export interface ArchivedFile {
  path: string
  /** `0o755` for programs. */
  mode: number
  content: Uint8Array
}

const block = 512

export function writeTar(files: readonly ArchivedFile[], modified_at: Date): Uint8Array {
  const parts = files.flatMap((file) => [headerOf(file, modified_at), file.content, new Uint8Array(padding(file.content.length))])
  return Buffer.concat([...parts, new Uint8Array(2 * block)])
}

const padding = (length: number) => (block - (length % block)) % block

function headerOf({ path, mode, content }: ArchivedFile, modified_at: Date): Uint8Array {
  const header = Buffer.alloc(block)
  const [prefix, name] = splitPath(path)
  const octal = (value: number, at: number, digits: number) => header.write(`${value.toString(8).padStart(digits, '0')}\0`, at)
  header.write(name, 0)
  octal(mode, 100, 7)
  octal(0, 108, 7) // owner
  octal(0, 116, 7) // group
  octal(content.length, 124, 11)
  octal(Math.floor(modified_at.getTime() / 1000), 136, 11)
  header.write('        0', 148) // the checksum counts as spaces; then the type: a file
  header.write('ustar\x0000', 257)
  header.write(prefix, 345)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

/** The name has room for 100 bytes, and the folders before it for 155. */
function splitPath(path: string): [prefix: string, name: string] {
  if (Buffer.byteLength(path) <= 100) return ['', path]
  const slashes = [...path.matchAll(/\//g)].map(({ index }) => index)
  const at = slashes.find((index) => Buffer.byteLength(path.slice(index + 1)) <= 100)
  if (at === undefined || at > 155) throw new Error(`The path is too long for the archive: ${path}`)
  return [path.slice(0, at), path.slice(at + 1)]
}

/** Reads the regular files of an archive that npm made. */
export function readTar(archive: Uint8Array): ArchivedFile[] {
  const bytes = Buffer.from(archive)
  const files: ArchivedFile[] = []
  for (let at = 0; at + block <= bytes.length && bytes[at] !== 0; ) {
    const text = (from: number, length: number) => bytes.toString('utf8', at + from, at + from + length).replace(/\0.*$/s, '')
    const length = Number.parseInt(text(124, 12), 8)
    const [prefix, name, type] = [text(345, 155), text(0, 100), text(156, 1)]
    const content = bytes.subarray(at + block, at + block + length)
    if (type === '0' || type === '')
      files.push({ path: prefix === '' ? name : `${prefix}/${name}`, mode: Number.parseInt(text(100, 8), 8), content })
    at += block + length + padding(length)
  }
  return files
}
