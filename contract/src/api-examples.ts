/**
 * A call of each operation and its answer, recorded from a service. `OSTIARY_RECORD_EXAMPLES=1 npm test api-examples` writes them again;
 * without it the same test sends every one. An operation without an example is the form of a page, or a page.
 */
import recorded from './api-examples.json' with { type: 'json' }

export interface Example {
  /** The parameters of the path. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body?: Readonly<Record<string, unknown>>
  /** Form-encoded. */
  readonly form?: Readonly<Record<string, string>>
  readonly status: number
  /** The media type of the answer; `null` where it has no content. */
  readonly type: string | null
  /** JSON only. */
  readonly answer?: unknown
  /** The same call on the command line; `null` where it has no such command. */
  readonly command: string | null
}

export const apiExamples = recorded as unknown as Readonly<Record<string, Example>> // as: the test that records it writes this shape
