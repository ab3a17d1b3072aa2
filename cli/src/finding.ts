/** What `ostiary doctor` says of one thing it looked at. */
export interface Finding {
  level: 'ok' | 'warning' | 'problem'
  text: string
}
