/** The configuration of a product: the lines that its template printed, and what the product needs to run at all. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ApplicationTemplate } from '../contract/src/application-template.ts'
import type { Part, Product } from './product.ts'

/** Finds the steps of the setup in what `ostiary applications create` printed. They stand below their titles, in the order of the template. */
export function stepsIn(printed: string, { setup, notes }: Pick<ApplicationTemplate, 'setup' | 'notes'>): string[] {
  const titles = setup.map(({ title }) => `\n# ${title}\n`)
  const [first_note] = notes
  const ends = [...titles.slice(1), first_note === undefined ? null : `\n- ${first_note}\n`]
  let from = 0
  return titles.map((title, index) => {
    const begin = printed.indexOf(title, from)
    if (begin < 0) throw new Error(`The command did not print "${title.trim()}":\n${printed}`)
    const end_mark = ends[index]
    const end = end_mark === null || end_mark === undefined ? printed.length : printed.indexOf(end_mark, begin + title.length)
    from = end
    return printed.slice(begin + title.length, end)
  })
}

export type Values = Readonly<Record<string, string | number>>

/** Replaces the places of values of the run. Other braces stay. */
export const filled = (text: string, values: Values) =>
  text.replaceAll(/\{(\w+)\}/g, (place, name: string) => (Object.hasOwn(values, name) ? String(values[name]) : place))

function textOf(parts: readonly Part[], steps: readonly string[], values: Values): string {
  return parts
    .map((part) => {
      if ('own' in part) return filled(part.own, values)
      const step = steps[part.setup]
      if (step === undefined) throw new Error(`The template has no step ${part.setup}.`)
      return step
    })
    .join('\n')
}

/** Writes the files of a product, and `product.env` with the lines of its environment. */
export function writeFiles({ files = {}, environment = [] }: Product, steps: readonly string[], values: Values): void {
  const folder = String(values.folder)
  for (const [name, parts] of Object.entries({ ...files, 'product.env': environment })) {
    const named = filled(name, values)
    const path = named.startsWith('/') ? named : join(folder, named)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, textOf(parts, steps, values))
  }
}
