/** Code that a page shows: a piece, or a whole program with what runs it. */
import type { Language } from './highlight.ts'

export interface Snippet {
  name: string
  code: string
  /** The language, where the name does not tell it. */
  language?: Language
  /** Of a program: where it is, and how it is run. */
  program?: Program
  /** Whether no test of this service runs the code. */
  is_not_run?: boolean
}

export interface Program {
  /** The file that the code goes into. */
  file: string
  /** The commands before the first run, one a line. */
  install: string
  /** The file `.env`: its lines, without the made secret. */
  env: readonly string[]
  /** The variable whose value is made here: a secret that nobody else knows. */
  made_secret?: string
  /** The command that runs it; `null` for a module of another program. */
  run: string | null
  /** The address to open then; `null` where the program is not at this machine, or asks by itself. */
  opens: string | null
  /** Another step that has to come first. */
  first?: string
}
