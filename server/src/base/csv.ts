// pure
/** Comma-separated values (RFC 4180). */

/** A spreadsheet takes a cell that begins so for a formula. */
const formula = /^[=+\-@\t\r\n]/

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(' ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function cellOf(value: unknown): string {
  const text = textOf(value)
  const shown = formula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown
}

/** One line. A list of words is one cell, and any other object is JSON. A cell that a spreadsheet would compute begins with an apostrophe. */
export const csvLine = (values: readonly unknown[]): string => `${values.map(cellOf).join(',')}\r\n`
