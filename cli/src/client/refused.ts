/** A command cannot do its work. The message says why and what to do; the process exits with 1. */
export class Refused extends Error {
  override readonly name: string = 'Refused'
}

/** The service did not answer. A command that follows tries again. */
export class Unreachable extends Refused {
  override readonly name = 'Unreachable'
}
