/** A secret that is shown once, and whose only answer was lost: the client repeated the call, and a repeated answer has `null` for it. */
import { clientCommands, type Row } from './derive.ts'
import { isObject, visible } from './show.ts'

/**
 * Returns the advice for an answer that lacks its secret; `null` where nothing is lost. `scope` are the options that name the object.
 * An application without a secret has `null` in its first answer, too.
 */
export function lostSecret({ name, route }: Row, answer: { data: unknown; replayed: boolean }, scope: readonly string[]): string | null {
  const { data, replayed } = answer
  const secret = route.shown_once
  if (!replayed || secret === undefined || !isObject(data) || data[secret] !== null || data.has_client_secret === false) return null
  if (secret === 'secrets')
    return 'The answer did not arrive, and only that answer had the secrets that were made. Rotate those of the objects that the promotion created or changed.\n'
  if (name === 'addClientSecret')
    return `The answer did not arrive, and only that answer had the client secret. Nobody has it: delete ${visible(String(data.id))} by "ostiary client-secrets delete", then add another one.\n`
  const what = secret.replaceAll('_', ' ')
  const lines = [
    `The ${what} is lost: the service did its work, but the answer did not arrive, and only that answer had the ${what}.`,
    ...(secret === 'invitation_url' ? ['If the service mails invitations, the person got the link by mail.'] : []),
    `To get another one: ostiary ${[...commandThatReplaces(name, secret), String(data.id), ...scope].join(' ')}`,
  ]
  return lines.map((line) => `${visible(line)}\n`).join('')
}

/** The command of the same noun that takes an object and shows the same secret: a rotation, or a new link. */
function commandThatReplaces(name: Row['name'], secret: string): string[] {
  const commands = clientCommands()
  const noun = commands.find(({ rows }) => rows.some((row) => row.name === name))?.noun
  const found = commands.find(
    (each) => each.noun === noun && each.rows.some((row) => row.route.shown_once === secret && row.words.length === 1),
  )
  return found === undefined ? [] : [found.noun, found.verb]
}
