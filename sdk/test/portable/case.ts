/** Tests that need nothing of Node. They run in Node 20, in the Node of this repository and in Chromium (runtimes.test.ts). */
export interface Case {
  /** The rule. */
  title: string
  run: () => Promise<void>
}

/** Throws unless two values are the same JSON. */
export function same(actual: unknown, expected: unknown, what = ''): void {
  const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (found !== wanted) throw new Error(`${what} Found ${found} in place of ${wanted}.`.trim())
}

/** `accepted`, or the code of the error. */
export const outcomeOf = (calling: Promise<unknown>): Promise<string> =>
  calling.then(
    () => 'accepted',
    (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : String(error)),
  )
