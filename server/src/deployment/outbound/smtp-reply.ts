// pure
/** Which reply of a mail server may be shown to the tenant that chose the server. */

const longest_reply = 500
/** Codes and passwords may be short, but a shorter text would match by chance. */
const shortest_secret = 4

/**
 * Returns a reply as one line of printable characters, or `null`. RFC 5321 §4.2: each line is a code of three digits, and text after a
 * space or, except in the last line, a hyphen. Anything else does not come from a mail server and is not shown.
 */
export function shownReply(reply: string, secrets: readonly string[]): string | null {
  const lines = reply.split(/\r?\n/).filter((line) => line !== '')
  const code = /^[2-5][0-5][0-9](?=[ -]|$)/.exec(lines[0] ?? '')?.[0]
  const is_well_formed =
    code !== undefined && lines.every((line, i) => line.startsWith(code) && marks(i, lines.length).includes(line[3] ?? ''))
  if (!is_well_formed || secrets.some((secret) => secret.length >= shortest_secret && reply.includes(secret))) return null
  const text = lines.join(' ').replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]+/gu, ' ')
  return [...text].slice(0, longest_reply).join('')
}

const marks = (i: number, count: number): string[] => (i < count - 1 ? ['-'] : [' ', ''])
