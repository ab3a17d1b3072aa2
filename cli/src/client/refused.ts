/** A command cannot do its work. The message says why and what to do; the process exits with 1. */
export class Refused extends Error {
  override readonly name = 'Refused'
}
