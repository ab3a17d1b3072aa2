// pure
/** The form of the subject of a commit: an imperative of at most 72 characters; the reason is in the body. */

const longest = 72
/** First words that look like another form and are imperatives. */
const imperatives = new Set(['bring', 'embed', 'feed', 'need', 'proceed', 'seed', 'shed', 'speed', 'string', 'swing'])

/** Returns the fault of a subject in words; `null` if it has none. */
export function subjectProblem(subject: string): string | null {
  if (subject.length > longest) return `has ${subject.length} characters, of at most ${longest}`
  const [first = ''] = subject.split(' ')
  if (!/^[A-Z][a-z]+(-[a-z]+)*,?$/.test(first)) return 'begins with no word in the imperative, such as "Add"'
  if (/(ed|ing),?$/.test(first) && !imperatives.has(first.toLowerCase().replace(',', '')))
    return `begins with "${first}", not with an imperative`
  return subject.endsWith('.') ? 'ends with a full stop' : null
}
