/** Values as the text of their controls, by their look. Pure functions. */
import type { Look } from '../generated/objects.ts'

interface Scope {
  name: string
  description: string | null
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** `orders:read Read your orders` */
function scopeOf(line: string): Scope {
  const [name = '', ...words] = line.split(/\s+/)
  return { name, description: words.length === 0 ? null : words.join(' ') }
}
const scopeText = ({ name, description }: Scope) => [name, description].filter(Boolean).join(' ')

export function textOf(look: Look, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (look === 'list') return (value as string[]).join('\n') // as: by the look
  if (look === 'scopes') return (value as Scope[]).map(scopeText).join('\n') // as: by the look
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

/** The value of a text; `null` for an empty one. Text that is not a number or JSON is sent as it is, and the service says what it expects. */
export function valueIn(look: Look, text: string): unknown {
  if (look === 'list') return linesOf(text)
  if (look === 'scopes') return linesOf(text).map(scopeOf)
  if (text.trim() === '') return null
  if (look === 'number') return Number.isNaN(Number(text)) ? text : Number(text)
  if (look !== 'json') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
