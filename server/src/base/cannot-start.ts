// pure
/** A start failed for a reason outside the program. The message says what to change. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart'
}
