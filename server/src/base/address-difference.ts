// pure
/**
 * Finds where a received return address differs from a registered one, part by part and character by character. The result
 * only explains the difference: whether an address is registered is decided elsewhere, by comparing exact strings. The cost is
 * bounded for addresses of any length, since an unauthenticated client can send one.
 *
 * RFC 3986 appendix B: splits an address into parts that join to the same string
 */
import { align } from './alignment.ts'

const parts = ['scheme', 'separator', 'host', 'port', 'path', 'query', 'fragment'] as const
type Part = (typeof parts)[number]

/** A run of characters. An empty run with `differs` marks the place of `missing`, the characters that only the other address has. */
interface Run {
  text: string
  differs: boolean
  missing: string
}

export interface Change {
  part: Part
  /** The received characters of one difference. Scheme and port are always whole. */
  received: string
  registered: string
  /** The position of the first differing character in the received address, from 1. */
  position: number
  /** Whether both addresses end with the difference. */
  at_end: boolean
  only_case: boolean
}

interface Difference {
  received: Run[]
  registered: Run[]
  changes: Change[]
  /** The number of differing characters. The nearest address has the smallest distance. */
  distance: number
}

export function differenceOf(received: string, registered: string): Difference {
  const ours = partsOf(registered)
  const theirs = partsOf(received)
  const last = parts.findLastIndex((part) => theirs[part] !== '' || ours[part] !== '')
  const difference: Difference = { received: [], registered: [], changes: [], distance: 0 }
  let position = 1
  for (const [index, part] of parts.entries()) {
    const { before, one, other, after } = compare(part, theirs[part], ours[part])
    addRuns(difference, { one: before, other: before, differs: false })
    position += lengthOf(before)
    if (one !== '' || other !== '') {
      const steps = isWord(part) ? [{ one, other, differs: true }] : align(one, other)
      for (const [at, step] of steps.entries()) {
        addRuns(difference, step)
        if (step.differs) {
          const only_case = step.one !== '' && step.one.toLowerCase() === step.other.toLowerCase()
          const at_end = index === last && after === '' && at === steps.length - 1
          difference.changes.push({ part, received: step.one, registered: step.other, position, at_end, only_case })
        }
        position += lengthOf(step.one)
      }
      difference.distance += Math.max(lengthOf(one), lengthOf(other))
    }
    addRuns(difference, { one: after, other: after, differs: false })
    position += lengthOf(after)
  }
  return difference
}

function partsOf(address: string): Record<Part, string> {
  const split = /^(?:([^:/?#]*)(:))?(?:(\/\/)([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(address) ?? []
  const [, scheme = '', colon = '', slashes = '', authority = '', path = '', query = '', fragment = ''] = split
  const [, host = '', port = ''] = /^(.*?)(:\d*)?$/s.exec(authority) ?? []
  return { scheme, separator: colon + slashes, host, port, path, query, fragment }
}

/** Splits off the common beginning and the common end of two texts. */
function compare(part: Part, received: string, registered: string) {
  if (received === registered) return { before: received, one: '', other: '', after: '' }
  if (isWord(part)) return { before: '', one: received, other: registered, after: '' }
  const one = [...received]
  const other = [...registered]
  const shorter = Math.min(one.length, other.length)
  let start = 0
  while (start < shorter && one[start] === other[start]) start++
  let end = 0
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++
  return {
    before: one.slice(0, start).join(''),
    one: one.slice(start, one.length - end).join(''),
    other: other.slice(start, other.length - end).join(''),
    after: one.slice(one.length - end).join(''),
  }
}

/** A word is compared as a whole: "http" differs from "https", not only in its last letter. */
const isWord = (part: Part) => part === 'scheme' || part === 'port'

function addRuns({ received, registered }: Difference, { one, other, differs }: { one: string; other: string; differs: boolean }): void {
  addRun(received, { text: one, differs, missing: one === '' ? other : '' })
  addRun(registered, { text: other, differs, missing: other === '' ? one : '' })
}

function addRun(runs: Run[], run: Run): void {
  const previous = runs.at(-1)
  if (previous && !previous.differs && !run.differs) previous.text += run.text
  else if (run.text !== '' || run.differs) runs.push(run)
}

const lengthOf = (text: string) => [...text].length
