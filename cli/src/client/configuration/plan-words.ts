// pure
/** A plan in words, for people. */
import type { ObjectOfConfiguration } from '@ostiary/contract/kept.ts'
import type { FieldChange, LeftAlone, PlannedChange, Promotion } from '@ostiary/contract/promotion.ts'
import type { PromotionCheck } from '@ostiary/contract/promotion-check.ts'
import { quoted, visible } from '../show.ts'

const signs = { create: '+', update: '~', delete: '-' } as const

/** `application shop`, `settings`. */
export const objectWords = (object: ObjectOfConfiguration, slug: string | null) =>
  visible(slug === null ? object : `${object.replaceAll('_', ' ')} ${slug}`)

/** `password.min_length` of `/password/min_length`. */
const fieldWords = (pointer: string) => visible(pointer.slice(1).replaceAll('/', '.'))

/** @param target the slug of the environment that changes */
export function planText(
  { changes, left_alone, needed_secrets }: Pick<Promotion, 'changes' | 'left_alone' | 'needed_secrets'>,
  target: string,
): string {
  const secrets = needed_secrets.filter(({ stored }) => !stored).map(({ name }) => name)
  return [
    `${visible(target)}: ${summaryOf(changes)}\n`,
    ...changes.map(changeText),
    ...(left_alone.length > 0 ? ['Stays as it is:\n', ...left_alone.map((entry) => `  ${leftWords(entry, target)}\n`)] : []),
    ...(secrets.length > 0 ? [`Secrets to give: ${secrets.map(visible).join(', ')}\n`] : []),
  ].join('')
}

function summaryOf(changes: readonly PlannedChange[]): string {
  const count = (action: PlannedChange['action']) => changes.filter((change) => change.action === action).length
  const parts = [
    [count('create'), 'to create'],
    [count('update'), 'to change'],
    [count('delete'), 'to delete'],
  ] as const
  const words = parts.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`)
  return words.length === 0 ? 'nothing to change' : words.join(', ')
}

function changeText({ object, slug, action, fields }: PlannedChange): string {
  const width = Math.max(0, ...fields.map(({ pointer }) => pointer.length - 1))
  const lines =
    action === 'delete' ? [] : fields.map((field) => `    ${fieldWords(field.pointer).padEnd(width)}  ${valuesText(field, action)}\n`)
  return `${signs[action]} ${objectWords(object, slug)}\n${lines.join('')}`
}

function valuesText({ from, to }: FieldChange, action: PlannedChange['action']): string {
  if (action === 'create') return valueText(to)
  if (!isTexts(from) || !isTexts(to)) return `${valueText(from)} → ${valueText(to)}`
  const added = to.filter((entry) => !from.includes(entry)).map((entry) => `+ ${valueText(entry)}`)
  const removed = from.filter((entry) => !to.includes(entry)).map((entry) => `- ${valueText(entry)}`)
  return [...added, ...removed].join('  ')
}

const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((entry) => typeof entry === 'string')

const valueText = (value: unknown) =>
  value === null || value === undefined ? '-' : typeof value === 'string' ? visible(value) : quoted(value)

function leftWords({ object, slug, pointer, why, reason }: LeftAlone, target: string): string {
  const what = pointer === null ? objectWords(object, slug) : `${objectWords(object, slug)} ${fieldWords(pointer)}`
  const cause = why === 'kept' ? `meant to differ${reason === null ? '' : `: ${visible(reason)}`}` : `only ${visible(target)} has it`
  return `${what} (${cause})`
}

/** A check without its place in a file. */
export function checkWords({ code, object, slug, pointer, detail }: PromotionCheck): string {
  const what = pointer === null ? objectWords(object, slug) : `${objectWords(object, slug)} ${fieldWords(pointer)}`
  return `${what}: ${visible(detail)} (${visible(code)})`
}
