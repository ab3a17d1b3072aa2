/** `ostiary recover`: creates an invitation as owner for a tenant whose owners are locked out. Only the result goes to standard output. */
import { parseArgs } from 'node:util'
import { Email, Slug } from '@ostiary/contract/values.ts'
import type { Config } from '@ostiary/server/config.ts'
import { openDeployment } from '@ostiary/server/main.ts'
import { recover } from '@ostiary/server/setup/recover.ts'
import { UsageError } from './usage.ts'

export const how_to_recover = '--tenant SLUG --email E [--json]'

export async function recoverCommand(config: Config, args: string[]): Promise<number> {
  const { json, ...invitation } = readArguments(args)
  const deployment = await openDeployment(config, { write: (line) => process.stderr.write(line) })
  try {
    const result = await recover(deployment, invitation)
    process.stdout.write(json ? `${JSON.stringify(result)}\n` : describe(result))
    return 0
  } finally {
    await deployment.db.close()
  }
}

function describe({ invitation_url, email, expires_at }: Awaited<ReturnType<typeof recover>>): string {
  return `${invitation_url}\n\nThe link makes the person who opens it an owner. It is meant for ${email}, works once, expires at ${expires_at}, and is not shown again.\n`
}

function readArguments(args: string[]) {
  const options = { tenant: { type: 'string' }, email: { type: 'string' }, json: { type: 'boolean' } } as const
  let values: { tenant?: string; email?: string; json?: boolean }
  try {
    values = parseArgs({ args, options, allowPositionals: false }).values
  } catch (cause) {
    throw wrongUsage([cause instanceof Error ? cause.message : 'The arguments cannot be read.'], cause)
  }
  const { tenant = '', email = '', json = false } = values
  const mistakes = [
    !Slug.safeParse(tenant).success && '--tenant takes the slug of a tenant; the slug of the root tenant is "ostiary".',
    !Email.safeParse(email).success && '--email takes the email address of the new owner.',
  ].filter((mistake) => mistake !== false)
  if (mistakes.length > 0) throw wrongUsage(mistakes)
  return { tenant, email, json }
}

function wrongUsage(mistakes: string[], cause?: unknown): UsageError {
  return new UsageError(`${mistakes.join('\n')}\n\nUsage: ostiary recover ${how_to_recover}`, { cause })
}
