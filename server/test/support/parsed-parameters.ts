/**
 * Records how many characters this process parses as parameters, at once and in all, so that a test sees that a limit on length holds before
 * the parser runs.
 */
export const parsed = { longest: 0, total: 0 }

const Original = globalThis.URLSearchParams
globalThis.URLSearchParams = class extends Original {
  constructor(init?: ConstructorParameters<typeof Original>[0]) {
    super(init)
    if (typeof init !== 'string') return
    parsed.longest = Math.max(parsed.longest, init.length)
    parsed.total += init.length
  }
}

/** The longest query that a GET can carry is 24 KiB; percent-encoding takes three bytes for one. */
export const longest_form = 3 * 24_576
