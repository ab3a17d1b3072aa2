/** What a change ends, asked before it is saved. */
export interface Question {
  title: string
  consequence: string
  /** The buttons: the harmless one, and the one that goes on. */
  keep: string
  act: string
}
