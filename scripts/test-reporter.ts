/** A reporter of Node's test runner: writes a line of JSON for what `test-report.ts` shows at the end of a run. */
import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

const root = process.cwd()
const nameOf = (file: string | undefined) => (file === undefined ? '' : relative(root, file).replaceAll('\\', '/'))

export interface Counts {
  passed: number
  failed: number
  skipped: number
}

export type Line =
  | { kind: 'file'; file: string; ms: number }
  | { kind: 'skipped'; file: string; title: string; reason: string }
  | { kind: 'failed'; file: string; title: string }
  | ({ kind: 'counts' } & Counts)

/** In a process that shares files a file is a test, whose name is its path (`test-worker.ts`). */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) for (const line of linesOf(event)) yield `${JSON.stringify(line)}\n`
}

function* linesOf(event: TestEvent): Generator<Line> {
  if (event.type === 'test:pass' || event.type === 'test:fail') {
    const { name, file, nesting, skip, details } = event.data
    const is_file = nesting === 0 && name.endsWith('.test.ts')
    const place = is_file ? name : nameOf(file)
    if (is_file) yield { kind: 'file', file: name, ms: details.duration_ms }
    else if (event.type === 'test:fail') yield { kind: 'failed', file: place, title: name }
    else if (skip !== undefined && skip !== false)
      yield { kind: 'skipped', file: place, title: name, reason: skip === true ? '' : String(skip) }
  }
  if (event.type === 'test:summary') {
    const { file, counts, duration_ms } = event.data
    if (file === undefined)
      yield {
        kind: 'counts',
        passed: counts.passed,
        failed: counts.tests - counts.passed - counts.skipped - counts.todo,
        skipped: counts.skipped,
      }
    else if (file.endsWith('.test.ts')) yield { kind: 'file', file: nameOf(file), ms: duration_ms }
  }
}
