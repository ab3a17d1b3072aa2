/**
 * Cuts code into comments, texts, keywords and numbers, for their colours. It knows what the snippets of the dashboard have and no more of a
 * language: what it does not recognise keeps the colour of text. Pure functions.
 */
export type Language = 'js' | 'python' | 'go' | 'csharp' | 'java' | 'ruby' | 'sh' | 'json' | 'env'
export type Kind = 'comment' | 'text' | 'keyword' | 'number' | null

const line = String.raw`(?<![:\w])\/\/[^\n]*|\/\*[\s\S]*?\*\/`
const hash = String.raw`(?<=^|\s)#[^\n]*`
const quoted = String.raw`'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"`
const in_backticks = '`(?:\\\\.|[^`\\\\])*`'

const js =
  'async await break case catch class const continue default else export extends false finally for from function if import in instanceof let new null of return throw true try typeof undefined while'

// biome-ignore format: this table is read by column
const grammars: Record<Language, { comment: string; text: string; keywords: string }> = {
  js:     { comment: line, text: `${quoted}|${in_backticks}`, keywords: js },
  go:     { comment: line, text: `${quoted}|${in_backticks}`, keywords: 'break case chan const continue default defer else false for func go if import interface map nil package range return select struct switch true type var' },
  csharp: { comment: line, text: quoted, keywords: 'async await class else false foreach if is new null private public return static string true try using var void' },
  java:   { comment: line, text: quoted, keywords: 'boolean byte catch class else false final for if import int long new null package private public return static throw throws true try var void while' },
  python: { comment: hash, text: `[bf]?(?:${quoted})`, keywords: 'and as assert class def elif else except False for from if import in is lambda None not or raise return True try while with yield' },
  ruby:   { comment: hash, text: quoted, keywords: 'begin class def do else elsif end false if module nil require rescue return self then true unless while' },
  sh:     { comment: hash, text: String.raw`'[^']*'|"(?:\\.|[^"\\])*"`, keywords: 'do done echo else exit export fi for if in then while' },
  env:    { comment: hash, text: String.raw`(?<==)[^\n]+`, keywords: '' },
  json:   { comment: '(?!)', text: quoted, keywords: 'true false null' },
}

/** The name of a tab tells the language of most snippets. */
const named: Readonly<Record<string, Language>> = {
  curl: 'sh',
  '.env': 'env',
  Python: 'python',
  Go: 'go',
  Java: 'java',
  Ruby: 'ruby',
  '.NET': 'csharp',
}
export const languageNamed = (name: string): Language => named[name] ?? 'js'

/** The parts of the code in their order. Together they are the code. */
export function highlighted(code: string, language: Language): [kind: Kind, text: string][] {
  const { comment, text, keywords } = grammars[language]
  const words = keywords === '' ? '(?!)' : `\\b(?:${keywords.replaceAll(' ', '|')})\\b(?!['":])`
  const pattern = new RegExp(`(${comment})|(${text})|(${words})|(\\b\\d[\\d_.]*\\b)`, 'gm')
  const parts: [Kind, string][] = []
  let end = 0
  for (const match of code.matchAll(pattern)) {
    if (match.index > end) parts.push([null, code.slice(end, match.index)])
    const [whole, of_comment, of_text, of_word] = match
    parts.push([
      of_comment !== undefined ? 'comment' : of_text !== undefined ? 'text' : of_word !== undefined ? 'keyword' : 'number',
      whole,
    ])
    end = match.index + whole.length
  }
  return end < code.length ? [...parts, [null, code.slice(end)]] : parts
}
