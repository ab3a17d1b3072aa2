/** The tests of power cuts: few cuts in `power-cut.test.ts`, many in `power-cut.long.test.ts`. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../receiver.ts'
import { diskLayer } from './layer.ts'
import { cutPower, type Outcome, type Power } from './power-cuts.ts'
import { seedForPowerCuts, startPowerLoad } from './power-load.ts'
import { syncsAfterFailure } from './syncs.ts'
import { startWatched } from './watched-service.ts'

/** The syncs take so long that an answer before the end of its sync is there before that end too. */
const sync_us = 4_000

interface Extent {
  /** How many answers a load lasts for. */
  readonly answers: number
  readonly cuts: number
  /** How many of the images a service is started on. */
  readonly services: number
}

export async function testPowerCuts({ answers, cuts, services }: Extent): Promise<void> {
  const { layer, skip } = diskLayer()
  const seeded = layer ? await seedForPowerCuts() : null

  /** A service on a new folder with the seeded files, and a load. */
  async function started(fills = false) {
    if (!layer || !seeded) throw new Error('There is no layer.')
    const { watched, ...service } = await startWatched(layer, seeded)
    const load = startPowerLoad(seeded, watched.length, fills)
    const answered = (count: number) => until(`${count} answers`, () => load.count('acknowledged') >= count)
    const { files, env } = seeded
    const cut = (power: Pick<Power, 'from' | 'cuts' | 'services'>): Promise<Outcome> =>
      cutPower({ files, env, operations: watched.operations(), noted: load.noted(), ...power })
    return { ...service, watched, load, answered, cut }
  }

  function report(t: TestContext, { cuts, checked, asked, lost, problems }: Outcome): void {
    t.diagnostic(`${cuts} cuts, ${checked} facts in the files, ${asked} asked of a service`)
    t.diagnostic(`lost: ${lost.acknowledged.length} acknowledged, ${lost.shown.length} shown; ${problems.length} problems of files`)
  }
  function assertNothingLost(t: TestContext, outcome: Outcome): void {
    report(t, outcome)
    const { problems, lost } = outcome
    assert.deepEqual({ problems, ...lost }, { problems: [], acknowledged: [], shown: [] })
  }

  test('a power cut loses nothing that was acknowledged or shown', { skip }, async (t) => {
    const { watched, load, answered, child, kill, cut } = await started()
    watched.set({ delay_us: sync_us })
    const from = watched.length()
    await answered(answers)
    await until('reads of other clients', () => load.count('shown') >= answers / 20)
    await load.end()
    await kill(child)
    assertNothingLost(t, await cut({ from, cuts, services }))
  })

  test('after kill -9 and a restart, a power cut loses nothing that the service showed', { skip }, async (t) => {
    const { watched, load, answered, child, kill, start, cut } = await started()
    await answered(answers / 4)
    // So that there are commits that no sync has covered.
    watched.set({ held: ['log'] })
    await until('a sync that hangs', () => watched.syncs().waiting > 0)
    await kill(child)
    watched.set({ held: [], delay_us: sync_us })
    await load.end()
    const from = watched.length()
    const again = await start()
    await load.readAll()
    await kill(again)
    assertNothingLost(t, await cut({ from, cuts: Math.ceil(cuts / 3), services: Math.min(1, services) }))
  })

  for (const role of ['log', 'database'] as const)
    test(`a failed sync of the ${role} ends the service, and a power cut after a restart loses nothing`, { skip }, async (t) => {
      const { watched, load, answered, child, kill, start, cut } = await started(role === 'database')
      watched.set({ delay_us: 1_000 })
      await answered(answers / 8)
      const from = watched.length()
      watched.set({ failing: [role] })
      const { code, stderr } = await child.ended
      assert.equal(code, 1)
      assert.match(stderr, /The database could not be written to its disk: .*(EIO|I\/O error)/)
      await load.end()
      assert.deepEqual(syncsAfterFailure(watched.operations()), [], 'it is not synced again')
      watched.mend()
      watched.set({ failing: [], delay_us: sync_us })
      const again = await start()
      await load.readAll()
      await kill(again)
      assertNothingLost(t, await cut({ from, cuts: Math.ceil(cuts / 3), services: 0 }))
    })

  test('on a disk that lies about syncs, the cuts find what is lost', { skip }, async (t) => {
    const { watched, load, answered, child, kill, cut } = await started()
    watched.set({ lying: ['log'], delay_us: sync_us })
    const from = watched.length()
    await answered(answers / 4)
    await until('reads of other clients', () => load.count('shown') >= answers / 40)
    await load.end()
    await kill(child)
    const outcome = await cut({ from, cuts: 10, services: 0 })
    report(t, outcome)
    assert.ok(outcome.lost.acknowledged.length > 0 && outcome.lost.shown.length > 0)
    // A cut amid a checkpoint leaves pages of which the log, which such a disk lost, has the rest: SQLite says that too.
    const unnoticed = outcome.problems.filter((problem) => !problem.endsWith('database disk image is malformed'))
    assert.deepEqual(unnoticed, [], 'SQLite notices a log that was not synced')
  })
}
