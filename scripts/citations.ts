/**
 * Finds citations of documents that the repository does not have: a Markdown file, a decision, or a paragraph (§) of a text that is not a
 * published standard. A line with the comment `citation-check: reason` may have them, for input of tests.
 */

export type Citation = { line: number; cited: string }

const marked_line = /^.*\bcitation-check: *[^\s-].*$/gm
/** A space, or the start of the next line of a comment. */
const between = String.raw`\s+(?:(?:\*|//|--|>)\s+)?`

/** A name, not a pattern or a placeholder such as `{name}.md`. */
const markdown_file = /(?<![\w.{}*/-])(?:[\w.-]+\/)*([\w-]+(?:\.[\w-]+)*\.md)\b(?!\.?\w)/g
/** `decision 0012`, `decisions 0012 and 0013`, `docs/decisions/0012`. */
const decision = new RegExp(String.raw`\bdecisions?(?:/|${between})\d{4}\b(?:(?:,|,? and|,? or)${between}\d{4}\b)*(?!-)`, 'gi')
/**
 * A common word precedes the paragraph. Standards are cited by a number or a proper name: `RFC 6749 §4`,
 * `OIDC Core §9`. A paragraph with a colon at the start of a line is an entry of a list of rules.
 */
const paragraph =
  /\b(?!(?:and|or|by|in|to|of|from|see)\b)(?:[a-z][a-z-]*(?:\.md)?|Contract|Specification)\b,?(?: |\s+(?:(?:\*|\/\/|--|>)\s+)?(?!§[\d.]+:))§ ?\d(?:[\d.]*\d)?/g

/** `names` are the names of the Markdown files of the repository, `decisions` the numbers of its decisions. */
export function missingCitations(
  source: string,
  { names, decisions }: { names: ReadonlySet<string>; decisions: ReadonlySet<string> },
): Citation[] {
  const text = source.replace(marked_line, (line) => ' '.repeat(line.length))
  const files = [...text.matchAll(markdown_file)].filter(([, name = '']) => !names.has(name))
  const missing_decisions = [...text.matchAll(decision)].filter(([numbers]) =>
    numbers.match(/\d{4}/g)?.some((number) => !decisions.has(number)),
  )
  return [...files, ...missing_decisions, ...text.matchAll(paragraph)]
    .sort((a, b) => a.index - b.index)
    .map(({ index, 0: cited }) => ({
      line: text.slice(0, index).split('\n').length,
      cited: cited.replace(/\s+(?:(?:\*|\/\/|--|>)\s+)?/g, ' '),
    }))
}
