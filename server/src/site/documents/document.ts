// pure
/** A document that the service serves, and all of them together. `library.ts` reads them. */
import type { Rendered } from './markdown.ts'

export interface Document {
  readonly name: string
  readonly url: string
  /** As `llms.txt` calls it; that of a decision is its first heading. */
  readonly title: string
  /** The summary in `llms.txt`; empty for a decision. */
  readonly summary: string
  /** Takes a few milliseconds, so each caller keeps what it needs. */
  readonly render: () => Rendered
  /** The Markdown, with links to the Markdown of other documents. */
  readonly source: string
}

export interface Library {
  readonly documents: ReadonlyMap<string, Document>
  /** The examples for operators, by the names of their files. */
  readonly examples: ReadonlyMap<string, string>
  /** `/llms.txt`: the list of documents for programs. */
  readonly for_programs: string
}
