// pure
/**
 * Chooses the test files that run again on the second engine, from what they did on the first (decision 0076). The engines differ in how
 * they run a statement, and in what happens when a guard refuses a batch and when batches meet.
 */
import type { RecordedBatch } from './recorded.ts'

/** A batch that more than this share of the files send belongs to every start of the service. */
const common = 1 / 3

/** The reason why a file runs again, by file. */
export function chooseAgain(
  files: readonly string[],
  batches: readonly RecordedBatch[],
  source: (file: string) => string,
): Map<string, string> {
  const sent = new Map(files.map((file) => [file, new Set<string>()]))
  const refused = new Map(files.map((file) => [file, new Set<string>()]))
  for (const { file, is_refused, statements } of batches) {
    for (const { text } of statements) sent.get(file)?.add(text)
    if (is_refused) refused.get(file)?.add(statements.map(({ text }) => text).join('; '))
  }
  const refusals = new Map<string, number>()
  for (const of_file of refused.values()) for (const batch of of_file) refusals.set(batch, (refusals.get(batch) ?? 0) + 1)
  const refusesRules = (file: string) =>
    [...(refused.get(file) ?? [])].some((batch) => (refusals.get(batch) ?? 0) <= Math.max(1, common * files.length))

  const chosen = new Map<string, string>()
  const covered = new Set<string>()
  const choose = (file: string, why: string) => {
    chosen.set(file, why)
    for (const text of sent.get(file) ?? []) covered.add(text)
  }
  for (const file of files) {
    if (sent.get(file)?.size === 0) choose(file, 'nothing is recorded of it')
    else if (testsRaces(file, source(file))) choose(file, 'races, crashes or migrations')
    else if (refusesRules(file)) choose(file, 'a guard refuses a batch')
  }
  for (const file of files) {
    const adds = [...(sent.get(file) ?? [])].some((text) => !covered.has(text))
    if (!chosen.has(file) && adds) choose(file, 'a statement that no other file sends')
  }
  return chosen
}

const testsRaces = (file: string, source: string): boolean =>
  /race|killed|crash|migration|sequencer/.test(file) ||
  /^ *(test|run|onEachEngine)\(\s*['`].*\b(parallel|concurrent|at once|at the same (time|moment)|races?|killed|kill -9)\b/m.test(source)
