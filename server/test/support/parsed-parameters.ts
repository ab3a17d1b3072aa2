/** Records the longest text that this process parses as parameters, so that a test sees that a limit on length holds before the parser runs. */
export const parsed = { longest: 0 }

const Original = globalThis.URLSearchParams
globalThis.URLSearchParams = class extends Original {
  constructor(init?: ConstructorParameters<typeof Original>[0]) {
    super(init)
    if (typeof init === 'string') parsed.longest = Math.max(parsed.longest, init.length)
  }
}

/** The longest query that a GET can carry is 24 KiB; percent-encoding takes three bytes for one. */
export const longest_form = 3 * 24_576
