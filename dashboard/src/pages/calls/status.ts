/** The statuses of answers in words, for display beside the number. */

// biome-ignore format: this table is read by column
const words: Record<number, string> = {
  200: 'Asked again',
  303: 'Sent back',
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  410: 'Gone',
  412: 'Changed meanwhile',
  413: 'Too large',
  415: 'Wrong type',
  421: 'Wrong host',
  422: 'Not accepted',
  429: 'Too many',
  500: 'Error',
  503: 'Unavailable',
}

/** `403 Forbidden`. A page that asks again has 200, an error that goes back to the application 303. */
export const statusWords = (status: number): string => `${status} ${words[status] ?? 'Refused'}`
