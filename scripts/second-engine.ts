// pure
/**
 * Chooses the test files that run again on the second engine, from what they did on the first (decision 0076). The engines differ in how
 * they run a statement, and in what happens when a guard refuses a batch and when batches meet.
 */
import type { RecordedBatch } from './recorded.ts'

/** The reason why a file runs again, by file. `msOf` is how long it took on the first engine: of two that add the same the quicker one runs. */
export function chooseAgain(
  files: readonly string[],
  batches: readonly RecordedBatch[],
  source: (file: string) => string,
  msOf: (file: string) => number,
): Map<string, string> {
  const sent = new Map(files.map((file) => [file, new Map<string, string>()]))
  for (const { file, is_refused, statements } of batches) {
    const texts = statements.map(({ text }) => text)
    for (const text of texts) sent.get(file)?.set(text, 'a statement that no other file sends')
    if (is_refused) sent.get(file)?.set(`refused: ${texts.join('; ')}`, 'a batch that a guard refuses in no other file')
  }

  const chosen = new Map<string, string>()
  const covered = new Set<string>()
  const choose = (file: string, why: string) => {
    chosen.set(file, why)
    for (const each of sent.get(file)?.keys() ?? []) covered.add(each)
  }
  for (const file of files) {
    if (sent.get(file)?.size === 0) choose(file, 'nothing is recorded of it')
    else if (testsRaces(file, source(file))) choose(file, 'races, crashes or migrations')
  }
  for (const file of files.toSorted((a, b) => msOf(a) - msOf(b))) {
    const adds = [...(sent.get(file) ?? [])].find(([each]) => !covered.has(each))
    if (!chosen.has(file) && adds) choose(file, adds[1])
  }
  return chosen
}

const testsRaces = (file: string, source: string): boolean =>
  /race|killed|crash|migration|sequencer/.test(file) ||
  /^ *(test|run|onEachEngine)\(\s*['`].*\b(parallel|concurrent|at once|at the same (time|moment)|races?|killed|kill -9)\b/m.test(source)
