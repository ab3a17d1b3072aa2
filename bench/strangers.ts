/**
 * Measures the effects of strangers: the processor time of the worst request to each public route, the memory of hostile connections, and
 * the delay of another person during attacks (docs/decisions/0029). Measures this checkout, and with `--against` another one too.
 */
import { join } from 'node:path'
import { type Ground, root } from './contestants.ts'
import type { Options } from './options.ts'
import { prepareStrangers } from './strangers/ground.ts'
import { measureLatency } from './strangers/latency.ts'
import { measureMemory } from './strangers/memory.ts'
import { measureProcessor, type Row, tableOfRoutes } from './strangers/processor.ts'

type Asked = Pick<Options, 'against' | 'strangers'>
type Measured = Awaited<ReturnType<typeof measure>>

export async function surveyStrangers({ folder, core }: Ground, { against, strangers }: Asked, progress: (text: string) => void) {
  const on = (root: string, name: string) =>
    measure({ root, folder: join(folder, `strangers-${name}`), database_url: null, core }, strangers, (text) =>
      progress(`${name}: ${text}`),
    )
  return { now: await on(root, 'strangers'), ...(against ? { before: await on(against, 'before') } : {}) }
}

async function measure(
  checkout: Parameters<typeof prepareStrangers>[0],
  { connections, routes, parts }: Options['strangers'],
  progress: (text: string) => void,
) {
  progress('making objects')
  const strangers = await prepareStrangers(checkout)
  const rows = parts.includes('processor') ? await measureProcessor(strangers, checkout.root, routes, progress) : []
  const memory = parts.includes('memory') ? await measureMemory(strangers, connections, progress) : null
  const beside = parts.includes('latency') ? await measureLatency(strangers, connections, progress) : []
  strangers.close()
  return { routes: tableOfRoutes(rows), groups: groupsOf(rows), memory, beside }
}

/** The worst of each group of routes, and how many of its routes there are and pass. */
function groupsOf(rows: readonly Row[]) {
  const groups = Map.groupBy(rows, ({ group, is_page }) => (is_page ? 'hosted pages' : `${group}`))
  return [...groups].map(([group, all]) => {
    const there = all.filter(({ worst }) => worst !== null)
    const [worst] = there.toSorted((a, b) => (b.worst?.ms ?? 0) - (a.worst?.ms ?? 0))
    return {
      group,
      routes: there.length,
      not_there: all.length - there.length,
      over: there.filter(({ worst, demanded_ms }) => (worst?.ms ?? 0) > demanded_ms).length,
      inputs: there.reduce((sum, { inputs }) => sum + inputs, 0),
      worst: `${worst?.route}, ${worst?.worst?.input}`,
      worst_ms: worst?.worst?.ms ?? Number.NaN,
      demanded_ms: worst?.demanded_ms ?? Number.NaN,
    }
  })
}

/** One line for each demand. */
export function demandsOn(strangers: { now: Measured; before?: Measured }) {
  return Object.entries(strangers).flatMap(([version, { groups, memory, beside }]) => {
    const of = version === 'now' ? '' : `${version}: `
    return [
      ...groups.map(({ group, routes, worst, worst_ms, demanded_ms }) => ({
        what: `${of}processor time of ${routes} ${group === 'hosted pages' ? group : `routes of the ${group}`}, worst: ${worst}`,
        unit: 'ms',
        at_most: demanded_ms,
        is: worst_ms,
      })),
      ...(memory?.kinds ?? []).map(({ kind, more_mib, ended }) => ({
        what: `${of}memory of ${memory?.connections} connections, over as many calm ones: ${kind}${ended === null ? '' : ` (${ended})`}`,
        unit: 'MiB',
        at_most: 64,
        is: more_mib,
      })),
      ...beside.map(({ kind, p99_ms, ordinary_p99_ms, demanded_ms }) => ({
        what: `${of}a person's sign-in page, p99 (${ordinary_p99_ms.toFixed(1)} ms beside ordinary requests), beside ${kind}`,
        unit: 'ms',
        at_most: Math.round(demanded_ms * 10) / 10,
        is: p99_ms,
      })),
    ]
  })
}
