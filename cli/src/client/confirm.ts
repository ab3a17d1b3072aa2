/**
 * Asks before something ends. In Test a yes is enough. Elsewhere the word of what ends is typed, or given as `--confirm`. Where nobody can
 * be asked, nothing happens. Decision 0162.
 */
import type { Option } from '../arguments.ts'
import { UsageError } from '../usage.ts'
import type { Io } from './io.ts'
import { readLines } from './loopback.ts'
import { Refused } from './refused.ts'
import { visible } from './show.ts'

export const confirm_options: readonly Option[] = [
  {
    name: 'confirm',
    kind: 'text',
    value: 'WORD',
    help: 'go on without a question, in Live too: the slug of what ends, else its email address, else its id',
  },
  { name: 'yes', kind: 'switch', help: 'go on without a question, in Test alone' },
]

/** Describes a call that ends something. */
export interface Ending {
  /** The consequences, in sentences. */
  readonly what: string
  /** The object in words, such as `application storefront (app_…) in Live`. */
  readonly object: string
  /** The word that a person types: the slug, the email address or the id. */
  readonly word: string
  readonly is_in_test: boolean
}

/** The confirmation in the options of the caller. */
export interface Given {
  readonly word: string | null
  readonly yes: boolean
}

/**
 * Returns if the caller agrees.
 * @throws UsageError where nobody can be asked, or the given word differs
 * @throws Refused where a person declines
 */
export async function confirm(io: Io, ending: Ending, { word, yes }: Given): Promise<void> {
  if (word !== null) {
    if (word !== ending.word) throw refusal(ending, '--confirm has another word.')
    return
  }
  if (yes) {
    if (!ending.is_in_test) throw refusal(ending, 'In Live --yes does not answer this.')
    return
  }
  if (!io.is_interactive) throw refusal(ending, 'This has to be confirmed, and there is no terminal to ask at.')
  const { what, object, is_in_test } = ending
  const question = is_in_test ? 'Go on? [y/N] ' : `Type ${visible(ending.word)} to go on: `
  io.err(`This is about the ${visible(object)}. ${visible(what)}\n${question}`)
  const isAgreed = (line: string) => (is_in_test ? /^(y|yes)$/i.test(line) : line === ending.word)
  const answer = await readLines(io.input, io.signal, (line) => (isAgreed(line) ? 'yes' : 'no'))
  if (answer !== 'yes') throw new Refused('Nothing was changed.')
}

function refusal({ what, object, word, is_in_test }: Ending, why: string): UsageError {
  const way = `--confirm ${wordOfShell(word)}`
  return new UsageError(
    `${why} This is about the ${visible(object)}. ${visible(what)}\nRepeat the command with ${is_in_test ? `--yes or ${way}` : way} to do it. Nothing was changed.`,
  )
}

/** A word as a shell reads it back. */
const wordOfShell = (word: string) => (/^[\w@.+-]+$/.test(word) ? word : `'${visible(word).replaceAll("'", "'\\''")}'`)
