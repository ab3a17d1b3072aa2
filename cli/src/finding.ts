/** The result of one check of `ostiary doctor`. */
export interface Finding {
  level: 'ok' | 'warning' | 'problem'
  text: string
}
