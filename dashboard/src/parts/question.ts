/** A question before a change is saved, about what it ends. */
export interface Question {
  title: string
  /** Says who can do no longer what. */
  consequence: string
  /** The buttons: the harmless one, and the one that goes on. */
  keep: string
  act: string
}
