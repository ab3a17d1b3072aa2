/** `ostiary recover`: creates an invitation as owner for a tenant whose owners are locked out. Only the result goes to standard output. */
import { Email, Slug } from '@ostiary/contract/values.ts'
import type { Config } from '@ostiary/server/base/config/config.ts'
import { openDeployment } from '@ostiary/server/main.ts'
import { recover } from '@ostiary/server/setup/recover.ts'
import { wrongArguments } from './arguments.ts'
import type { commands, Values } from './commands.ts'

type RecoverValues = Values<typeof commands.recover>

export async function recoverCommand(config: Config, values: RecoverValues): Promise<number> {
  const invitation = readInvitation(values)
  const deployment = await openDeployment(config, { write: (line) => process.stderr.write(line) })
  try {
    const result = await recover(deployment, invitation)
    process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : describe(result))
    return 0
  } finally {
    await deployment.db.close()
  }
}

function describe({ invitation_url, email, expires_at }: Awaited<ReturnType<typeof recover>>): string {
  return `${invitation_url}\n\nThe link makes the person who opens it an owner. It is meant for ${email}, works once, expires at ${expires_at}, and is not shown again.\n`
}

function readInvitation({ tenant = '', email = '' }: RecoverValues) {
  const mistakes = [
    !Slug.safeParse(tenant).success && '--tenant takes the slug of a tenant; the slug of the root tenant is "ostiary".',
    !Email.safeParse(email).success && '--email takes the email address of the new owner.',
  ].filter((mistake) => mistake !== false)
  if (mistakes.length > 0) throw wrongArguments('recover', mistakes)
  return { tenant, email }
}
