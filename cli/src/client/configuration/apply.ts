/** `ostiary diff` and `ostiary apply`: what a file would change in an environment, and the change. Decision 0135. */
import { object_descriptions, object_kinds } from '@ostiary/contract/objects/objects.ts'
import type { Written } from '../../arguments.ts'
import { UsageError } from '../../usage.ts'
import { connect } from '../connection.ts'
import type { Io } from '../io.ts'
import { refuseDefaultsInLive, textOf, writtenOptions } from '../run-command.ts'
import { isObject, jsonLine, visible } from '../show.ts'
import { announceSource, carryOut, differs, isBlocked, type Job, plan, show } from './carry-out.ts'
import { environmentOf, type ShownDocument } from './document.ts'
import { readYamlFile } from './file.ts'
import { placeText } from './places.ts'
import { type NamedFile, namesIn, refuseSecrets } from './problems.ts'
import { readDocument } from './pull.ts'

export async function diff(io: Io, written: Written): Promise<number> {
  const { job } = await jobOf(io, written)
  const wanted = await plan(job, { is_stored: false })
  announceSource(job)
  show(job, wanted)
  if (job.is_json) io.out(jsonLine(wanted))
  if (isBlocked(wanted)) return 1
  return wanted.changes.length === 0 ? 0 : differs
}

export async function apply(io: Io, written: Written): Promise<number> {
  const { job } = await jobOf(io, written)
  refuseDefaultsInLive(job.connection, job.scope, written)
  const asked = { yes: written.values.has('yes'), overwrite: written.values.has('overwrite'), word: textOf(written, 'confirm') }
  return carryOut(job, { ...asked, unanswered: 2, advise: () => '' })
}

async function jobOf(io: Io, written: Written): Promise<{ job: Job }> {
  const path = textOf(written, 'file')
  if (path === null || path === '')
    throw new UsageError('--file FILE is missing: the file with the configuration, or - for standard input.')
  const named: NamedFile = { path, file: await readYamlFile(io, path) }
  refuseOther(named)
  refuseSecrets(named)
  const connection = connect(io, textOf(written, 'profile'))
  const { document, scope } = await readDocument(connection, written)
  const { environment: target } = document
  const prune = written.values.has('prune') ? lackingIn(named, document) : undefined
  const note = textOf(written, 'note') ?? undefined
  return {
    job: {
      // Standard input is the file, so nobody answers there.
      io: path === '-' ? { ...io, is_interactive: false } : io,
      connection,
      scope,
      target,
      body: { document: named.file.value, to_environment_id: scope.environment_id, prune, note },
      document: named,
      locate: (pointer) => {
        const [source, ...inner] = namesIn(pointer)
        return source === 'document' ? { named, path: inner } : null
      },
      scope_options: writtenOptions(written, ['tenant', 'project', 'profile']),
      is_json: written.values.has('json'),
    },
  }
}

function refuseOther({ path, file }: NamedFile): void {
  if (!isObject(file.value))
    throw new UsageError(`${placeText(path, file.text, 0)}: A configuration is a map, which begins with "version: 1".`)
}

/** Returns the objects that the environment has in the sections of a file, and the file lacks. */
function lackingIn({ path, file }: NamedFile, document: ShownDocument): { object: string; slug: string }[] {
  const environment = environmentOf(file.value)
  if (environment !== null && environment !== document.environment)
    throw new UsageError(
      `${placeText(path, file.text, file.placeOf(['environment']))}: --prune deletes by a file of ${visible(document.environment)} itself.`,
    )
  return object_kinds.flatMap((object) => {
    const { section } = object_descriptions[object]
    const [written, existing] = [file.at([section]), document[section]]
    if (!isObject(written) || !isObject(existing)) return []
    return Object.keys(existing).flatMap((slug) => (Object.hasOwn(written, slug) ? [] : [{ object, slug }]))
  })
}
