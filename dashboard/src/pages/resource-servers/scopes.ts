/** Scopes as text, one per line: the name, then what it allows. */

interface Scope {
  name: string
  description: string | null
}

export function readScopes(text: string): Scope[] {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter(Boolean).map((line) => {
    const [name = '', ...words] = line.split(/\s+/)
    return { name, description: words.length === 0 ? null : words.join(' ') }
  })
}

export const writeScopes = (scopes: readonly Scope[]): string =>
  scopes.map(({ name, description }) => [name, description].filter(Boolean).join(' ')).join('\n')
