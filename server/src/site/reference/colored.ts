// pure
/**
 * Colours code: finds comments, strings, numbers, keywords and names by one regular expression for each language, without a parser. A wrong guess
 * costs a colour and never a character: the pieces joined are the text, and each is escaped (docs/decisions/0204).
 */
import { type Html, html } from '../../base/html.ts'

/** The kinds of pieces with their class in the style sheet. */
const classes = { comment: 'cc', text: 'cs', number: 'cn', keyword: 'ck', name: 'cp' } as const
type Kind = keyof typeof classes

type Rule = readonly [Kind, RegExp]

const words = (list: string): RegExp => new RegExp(String.raw`(?<![\w$.-])(?:${list.trim().split(/\s+/).join('|')})(?![\w$-])`)

/** Each letter in both cases: Node forgets the `i` of `(?i:…)` in a process that has compiled much (`findings/v8-modifier-group.sh`). */
const anyCase = (list: string): string => list.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)

const double = /"(?:[^"\\\n]|\\.)*"/
const single = /'(?:[^'\\\n]|\\.)*'/
const numbers: Rule = ['number', /(?<![\w$.-])-?\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?(?![\w$])/]
const hash: Rule = ['comment', /(?<![^\s])#.*/]
const slashes: Rule = ['comment', /\/\/.*|\/\*[\s\S]*?\*\//]

const curly = (keywords: string, ...more: Rule[]): Rule[] => [
  slashes,
  ...more,
  ['text', double],
  ['text', single],
  ['keyword', words(keywords)],
  numbers,
]

const script = curly(
  `as async await break case catch class const continue default delete do else export extends false finally for from function if import in
  instanceof interface let new null of readonly return satisfies switch this throw true try type typeof undefined var void while yield`,
  ['text', /`(?:[^`\\]|\\[\s\S])*`/],
  ['text', /(?<=(?:[=(,:?]|=>)\s*)\/(?![/*])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/], // a regular expression, which can have quotes
)

const markup: Rule[] = [
  ['comment', /<!--[\s\S]*?-->/],
  ['keyword', /<\/?[A-Za-z][\w.:-]*|\/?>|<[!?][^>]*>/],
  ['name', /(?<=\s)[@:#\w.-]+(?==["'{])/],
  ['text', /(?<==)(?:"[^"]*"|'[^']*')/],
]

const settings: Rule[] = [
  ['comment', /(?<=^|[ \t])[#;].*/],
  ['keyword', /^\s*\[.+\]/],
  ['name', /^[ \t]*[\w.$-]+(?=\s*[=:])/],
  ['text', double],
  ['text', /'[^'\n]*'/],
  ['keyword', words('true false on off yes no null')],
  numbers,
]

const shell: Rule[] = [
  hash,
  ['text', /'[^']*'|"(?:[^"\\]|\\[\s\S])*"/],
  ['keyword', words('case do done elif else esac export fi for function if in set source then unset until while')],
  ['name', /\$(?:\{\w+|\w+)|(?<=^|\s)--?[A-Za-z][\w.-]*/],
]

// biome-ignore format: this table is read by column
const languages: Readonly<Record<string, readonly Rule[]>> = {
  sh:     shell,
  js:     script,
  json:   [['name', /"(?:[^"\\\n]|\\.)*"(?=\s*:)/], ['text', double], ['keyword', words('true false null')], numbers],
  yaml:   [hash, ['name', /(?<=^[ \t]*(?:- +)*|\{ *|, +)(?:[\w.$/-]+|"[^"\n]*")(?=:(?:\s|$))/], ['text', double], ['text', /'[^'\n]*'/], ['keyword', words('true false null on off yes no')], numbers],
  python: [hash, ['text', /"""[\s\S]*?"""|'''[\s\S]*?'''/], ['text', double], ['text', single], ['name', /(?<=^[ \t]*)@[\w.]+/], ['keyword', words('and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while with yield')], numbers],
  ruby:   [hash, ['text', double], ['text', single], ['name', /(?<![\w:]):\w+|(?<![\w:])\w+:(?=\s)|@\w+/], ['keyword', words('and begin break case class def do else elsif end ensure false for if in module next nil not or raise require rescue return self then true unless until when while yield')], numbers],
  php:    curly('abstract array as break case catch class const continue echo else elseif extends false final fn for foreach function if implements instanceof match namespace new null private protected public readonly return self static switch this throw true try use while', ['comment', /(?<!\S)#(?!\[).*/], ['name', /\$\w+/], ['keyword', /<\?php|\?>/]),
  java:   curly('abstract assert boolean break case catch class const continue default do else enum extends false final finally for if implements import instanceof int interface long new null package private protected public record return static super switch this throw throws true try var void while', ['name', /@\w+/]),
  csharp: curly('abstract as async await base bool break case catch class const continue default do else false finally for foreach get if in int interface internal is namespace new null out override private protected public readonly record ref return sealed set static string switch this throw true try using var virtual void while', ['text', /\$?@"[^"]*"/]),
  go:     curly('break case chan const continue default defer else fallthrough false for func go goto if import interface map nil package range return select struct switch true type var', ['text', /`[^`]*`/]),
  sql:    [['comment', /--.*/], ['text', /'(?:[^']|'')*'/], ['keyword', words(anyCase('add alter and as asc begin by check commit conflict constraint create database default delete desc distinct do drop exists for foreign from grant group having in index insert into is join key left limit login not null on or order owner password primary references returning role select set table to union unique update user using values where with'))], numbers],
  xml:    markup,
  ini:    settings,
  nginx:  [hash, ['text', double], ['text', /'[^'\n]*'/], ['keyword', /(?<=^[ \t]*)[A-Za-z_]+(?=[\s;{])/], ['name', /\$\w+/], numbers],
}

const same: Readonly<Record<string, string>> = {
  bash: 'sh',
  javascript: 'js',
  mjs: 'js',
  jsx: 'js',
  ts: 'js',
  tsx: 'js',
  yml: 'yaml',
  py: 'python',
  rb: 'ruby',
  erb: 'xml',
  html: 'xml',
  svelte: 'xml',
  vue: 'xml',
  toml: 'ini',
  env: 'ini',
  properties: 'ini',
  service: 'ini',
  example: 'ini',
  apache: 'nginx',
  conf: 'nginx',
  Caddyfile: 'nginx',
  Dockerfile: 'nginx',
}

/** A file that a shell writes, and the script of a page: their content is in a language of its own, by the name of the file. */
const inner: Readonly<Record<string, readonly [block: RegExp, languageOf: (found: RegExpExecArray) => string]>> = {
  sh: [
    /(?<=^cat >{1,2} ?[^\n]*<<'?(\w+)'?\n)[\s\S]*?(?=\n\1$)/m,
    ({ input, index }) => endingOf(/^cat >{1,2} ?(\S+)/.exec(lineBefore(input, index))?.[1] ?? ''),
  ],
  xml: [/(?<=<script[^>]*>)[^<][\s\S]*?(?=<\/script>)/, () => 'js'],
}

const lineBefore = (text: string, at: number): string => text.slice(text.lastIndexOf('\n', at - 2) + 1, at)

/** The language of a file: what its name ends with, or the name. */
export const endingOf = (file: string): string => /(?:^|[./])([^./]+)$/.exec(file)?.[1] ?? ''

/** One expression of all rules of a language, made at its first use. A group has the number of its rule. */
const compiled = new Map<string, RegExp>()
function expressionOf(language: string, rules: readonly Rule[]): RegExp {
  const known = compiled.get(language)
  if (known) return known
  const made = new RegExp(rules.map(([, { source }], i) => `(?<r${i}>${source})`).join('|'), 'gmu')
  compiled.set(language, made)
  return made
}

/** @param language that of a block of Markdown, or the ending of a file; without one that is known the text stays plain */
export function colored(text: string, language: string): Html {
  const name = same[language] ?? language
  const rules = languages[name]
  if (!rules) return html`${text}`
  const [block, languageOf] = inner[name] ?? []
  const found = block?.exec(text)
  if (!found || !languageOf) return html`${piecesOf(text, name, rules)}`
  const end = found.index + found[0].length
  return html`${piecesOf(text.slice(0, found.index), name, rules)}${colored(found[0], languageOf(found))}${colored(text.slice(end), name)}`
}

function piecesOf(text: string, name: string, rules: readonly Rule[]): Html[] {
  const pieces: Html[] = []
  let at = 0
  for (const { index, 0: piece, groups = {} } of text.matchAll(expressionOf(name, rules))) {
    const rule = rules.find((_, i) => groups[`r${i}`] !== undefined)
    if (!rule || piece === '') continue
    pieces.push(html`${text.slice(at, index)}<span class="${classes[rule[0]]}">${piece}</span>`)
    at = index + piece.length
  }
  return [...pieces, html`${text.slice(at)}`]
}
