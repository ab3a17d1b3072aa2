/** What runs write down: `tried` of the templates, and `results.json`, of which `npm run docs` makes the table of `docs/applications.md`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { templates } from '../contract/src/application-templates/index.ts'
import { Trials } from '../contract/src/templates-markdown.ts'

export type Tried = Trials[number]

const root = join(import.meta.dirname, '..')
const file = join(root, 'applications/results.json')

export const readResults = (): Trials => Trials.parse(JSON.parse(readFileSync(file, 'utf8')))

/** Replaces what is known of a product by its template. What is known without it stays. */
export function writeResult(tried: Omit<Tried, 'without_template'>): void {
  const before = readResults()
  const without_template = before.find(({ slug }) => slug === tried.slug)?.without_template ?? null
  write([...before.filter(({ slug }) => slug !== tried.slug), { ...tried, without_template }])
  writeTried(tried)
}

/** Adds to what is known of a product whether both people sign in without its template. */
export function writeWithoutTemplate(of: string, without_template: boolean): void {
  write(readResults().map((result) => (result.slug === of ? { ...result, without_template } : result)))
}

function write(results: Trials): void {
  const all = results.toSorted((a, b) => (a.slug < b.slug ? -1 : 1))
  writeFileSync(file, `${JSON.stringify(Trials.parse(all), null, 2)}\n`) // its members in the order of the schema
}

function writeTried({ slug, version, at }: Pick<Tried, 'slug' | 'version' | 'at'>): void {
  if (!templates.some((template) => template.slug === slug)) throw new Error(`There is no template ${slug}.`)
  const path = join(root, `contract/src/application-templates/${slug}.ts`)
  const text = readFileSync(path, 'utf8')
  const line = `  tried: { version: '${version.replaceAll(/[\\']/g, '\\$&')}', at: '${at}' },\n`
  const without = text.replace(/^ {2}tried: .*\n/m, '')
  writeFileSync(path, without.replace(/^ {2}source: /m, `${line}$&`))
}

/** A run on one screen. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>((known, row) => row.map((cell, index) => Math.max(cell.length, known[index] ?? 0)), [])
  return rows.map((row) => `${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ')}`.trimEnd()).join('\n')
}
