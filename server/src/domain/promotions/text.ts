// pure
/** A promotion as JSON, step by step: its plan can have a thousand objects, and is written for the answer, for its row and for repeats. */
import { Promotion, PromotionWithSecrets, RevertPreview } from '@ostiary/contract/promotion.ts'
import { flatMapSteps, type Steps } from '../../base/steps.ts'

/** The texts of the members, by their names. A list takes a step for each entry. */
type Texts = ReadonlyMap<string, string>

export function* textsOf(value: object): Steps<Texts> {
  const texts = new Map<string, string>()
  for (const [name, member] of Object.entries(value)) {
    const text = Array.isArray(member)
      ? `[${(yield* flatMapSteps(member, (entry) => [JSON.stringify(entry)])).join(',')}]`
      : JSON.stringify(member)
    if (text !== undefined) texts.set(name, text)
  }
  return texts
}

const schemas = { promotion: Promotion, step: PromotionWithSecrets, preview: RevertPreview }

/** An answer, with its members in the order of its schema. */
export const answerText = (which: keyof typeof schemas, texts: Texts): string =>
  objectText(Object.keys(schemas[which].shape).flatMap((name) => (texts.has(name) ? [[name, texts.get(name) ?? '']] : [])))

export const objectText = (texts: Iterable<readonly [name: string, text: string] | string[]>): string =>
  `{${Array.from(texts, ([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`
