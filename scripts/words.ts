/**
 * Finds words that the project's plain English avoids, and sentences of comments that begin with "What". Quotations may have them: text
 * inside “…” anywhere, text inside backticks in Markdown, and a line with the comment `word-check: reason`, for input of tests and lists of
 * data.
 */

export type BannedWord = { line: number; word: string }

const words = ['whoever', 'whomever', 'somebody', 'anew', 'told', 'worth', 'e-mail'] // word-check: this is the list
/** Constructions of other languages. A space also stands for the start of the next line of a comment. The comment says the English. */
const phrases = [
  'is what', // word-check: a noun
  String.raw`(?<!\bthere (?:\w+ )?)(?:is|are|was|were|be) no(?! (?:longer|more|less|different|other than|better|worse))`, // is not a
  String.raw`(?<!\b(?:there|default) |[._]\w+ )(?:is|are) none`, // is not one; "email.delivery is none" names the value of a setting
  '(?<!there )(?:is|are|was|were|what) another one', // is wrong, differs
  'shall', // word-check: must, or another verb
  '(?:hears?|heard) of', // is notified of, gets
  'tells? of', // reports, describes, mentions
  'of before', // word-check: earlier
  'but for', // word-check: except
  'also (?:where|if|when|while|after)', // even
  String.raw`(?<=[.!] )who(?! [^.]*\?)`, // anyone who
]
const between = String.raw`\s+(?:(?:\*|//|--|>)\s+)?` // a phrase may continue on the next line of a comment
const alternatives = [...phrases, ...words].map((phrase) => phrase.replaceAll(' ', between))
const pattern = new RegExp(String.raw`(?<![\w-])(?:${alternatives.join('|')})(?![\w-])`, 'gi')

const quotation = /“[^”]*”/g
const code_in_markdown = /```[\s\S]*?```|`[^`]*`/g
const marked_line = /^.*\bword-check: *[^\s-].*$/gm

/** The sources whose comments begin each sentence with its subject or a verb. Generated ones repeat descriptions of the API. */
const sources = /^(?:server|contract|dashboard|cli|sdk)[\\/]src[\\/](?!generated[\\/])/
/** A relative clause at the beginning of a sentence in a comment. "Returns …" or "The fields that …" are direct. Questions are allowed. */
const relative_clause = /\bWhat(?:ever)?(?<=(?:\/\*\*?|(?<!:)\/\/|^[ \t]*\*)[ \t]+(?:[^\n]*[.!?] )?What(?:ever)?)(?=[ \n])(?![^.\n]*\?)/gm

export function bannedWords(path: string, source: string): BannedWord[] {
  const quotations = path.endsWith('.md') ? [marked_line, code_in_markdown, quotation] : [marked_line, quotation]
  const text = quotations.reduce((rest, quoted) => rest.replace(quoted, blank), source)
  const patterns = sources.test(path) ? [pattern, relative_clause] : [pattern]
  const found = patterns.flatMap((each) => [...text.matchAll(each)])
  return found.map(({ index, 0: word }) => ({
    line: text.slice(0, index).split('\n').length,
    word: word.replace(/\s+(?:(?:\*|\/\/|--|>)\s+)?/g, ' '),
  }))
}

/** As many characters and lines, without words. */
const blank = (text: string): string => text.replace(/[^\n]/g, ' ')
