/** `ostiary use`: the tenant, the project and the environment that a profile keeps for commands that do not write them. Decision 0163. */
import type { Written } from '../arguments.ts'
import { UsageError } from '../usage.ts'
import { connect } from './connection.ts'
import { rowOf } from './derive.ts'
import type { Io } from './io.ts'
import { changeProfiles, type Defaults, type Profile } from './profiles.ts'
import { textOf } from './run-command.ts'
import { resolveScope } from './scope.ts'
import { jsonLine, objectText } from './show.ts'

export async function use(io: Io, written: Written): Promise<number> {
  const connection = connect(io, textOf(written, 'profile'))
  const name = connection.profile_name
  if (name === null) throw new UsageError('OSTIARY_KEY is set, and a key has no defaults. Unset it to use those of a sign-in.')
  const defaults = defaultsOf(connection.defaults, written)
  if (defaults !== connection.defaults) {
    // A name that does not exist is refused now, not by a later command.
    const row = rowOf(defaults.env !== null ? 'getSettings' : defaults.project !== null ? 'listEnvironments' : 'listProjects')
    await resolveScope({ ...connection, defaults }, row, { tenant: null, project: null, env: null, words: [] })
    await changeProfiles(io.folder, async (profiles) => ({ profiles: withDefaults(profiles, name, defaults), result: null }))
  }
  const shown = { profile: name, ...defaults }
  io.out(written.values.has('json') ? jsonLine(shown) : objectText(shown))
  return 0
}

const parts = ['tenant', 'project', 'env'] as const

/** The defaults after the options; the word `null` removes one. The same object where none is written. */
export function defaultsOf(before: Defaults, written: Written): Defaults {
  const given = parts.flatMap((part) => {
    const text = textOf(written, part)
    return text === null ? [] : [[part, text === 'null' ? null : text] as const]
  })
  return given.length === 0 ? before : { ...before, ...Object.fromEntries(given) }
}

function withDefaults<P extends { profiles: Record<string, Profile> }>(profiles: P, name: string, defaults: Defaults): P {
  const profile = profiles.profiles[name]
  return profile === undefined ? profiles : { ...profiles, profiles: { ...profiles.profiles, [name]: { ...profile, defaults } } }
}
