/** Rows of a file with comma-separated values (RFC 4180). */

/**
 * A cell that no spreadsheet runs as a formula: text that begins with = + - @, a tab or a line break gets an apostrophe in front, which
 * spreadsheets show as text. Quotes are doubled.
 */
export function cell(value: string): string {
  const safe = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value
  return `"${safe.replaceAll('"', '""')}"`
}

export const line = (values: readonly string[]): string => `${values.map(cell).join(',')}\r\n`
