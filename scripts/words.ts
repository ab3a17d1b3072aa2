/**
 * Finds words that the project's plain English avoids. Quotations may have them: text inside “…” anywhere, text inside backticks in
 * Markdown, and a line with the comment `word-check: reason`, for input of tests and lists of data.
 */

export type BannedWord = { line: number; word: string }

const words = ['whoever', 'whomever', 'somebody', 'anew', 'told', 'worth', 'e-mail'] // word-check: this is the list
const phrases = ['is what'] // word-check: this is the list
const between = String.raw`\s+(?:(?:\*|//|--|>)\s+)?` // a phrase may continue on the next line of a comment
const alternatives = [...phrases.map((phrase) => phrase.replaceAll(' ', between)), ...words]
const pattern = new RegExp(String.raw`(?<![\w-])(?:${alternatives.join('|')})(?![\w-])`, 'gi')

const quotation = /“[^”]*”/g
const code_in_markdown = /```[\s\S]*?```|`[^`]*`/g
const marked_line = /^.*\bword-check: *[^\s-].*$/gm

export function bannedWords(path: string, source: string): BannedWord[] {
  const quotations = path.endsWith('.md') ? [marked_line, code_in_markdown, quotation] : [marked_line, quotation]
  const text = quotations.reduce((rest, quoted) => rest.replace(quoted, blank), source)
  return [...text.matchAll(pattern)].map(({ index, 0: word }) => ({
    line: text.slice(0, index).split('\n').length,
    word: word.replace(/\s.*\s/s, ' '),
  }))
}

/** As many characters and lines, without words. */
const blank = (text: string): string => text.replace(/[^\n]/g, ' ')
