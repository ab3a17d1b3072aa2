/** What a run writes down: `tried` of the templates, and `results.json`, of which `npm run docs` makes the table of `docs/applications.md`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { templates } from '../contract/src/application-templates/index.ts'
import { Trials } from '../contract/src/templates-markdown.ts'

export type Tried = Trials[number]

const root = join(import.meta.dirname, '..')
const file = join(root, 'applications/results.json')

export const readResults = (): Trials => Trials.parse(JSON.parse(readFileSync(file, 'utf8')))

/** Replaces what is known of a product. */
export function writeResult(tried: Tried): void {
  const others = readResults().filter(({ slug }) => slug !== tried.slug)
  const all = [...others, tried].toSorted((a, b) => (a.slug < b.slug ? -1 : 1))
  writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`)
  writeTried(tried)
}

function writeTried({ slug, version, at }: Tried): void {
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
