/** `ostiary bootstrap`: creates the first tenant without a browser. Only the result goes to standard output. */
import { parseArgs } from 'node:util'
import { Email, Name, Slug } from '@ostiary/contract/values.ts'
import type { Config } from '@ostiary/server/config.ts'
import { openDeployment } from '@ostiary/server/main.ts'
import { createFirstTenant } from '@ostiary/server/setup/first-tenant.ts'
import { createPasswords } from '@ostiary/server/users/password.ts'
import { UsageError } from './usage.ts'

export const how_to_bootstrap = '--email E --password-stdin --tenant NAME [--slug S] [--json]'

export async function bootstrap(config: Config, args: string[]): Promise<number> {
  const { email, tenant_name, slug, json } = readArguments(args)
  const password = await readPassword()
  const deployment = await openDeployment(config, { write: (line) => process.stderr.write(line) })
  try {
    const result = await createFirstTenant(deployment, createPasswords(), { email, password, tenant_name, slug })
    process.stdout.write(
      json
        ? `${JSON.stringify(result)}\n`
        : Object.entries(result)
            .map(([name, value]) => `${name}: ${value}\n`)
            .join(''),
    )
    return 0
  } finally {
    await deployment.db.close()
  }
}

function readArguments(args: string[]) {
  const options = {
    email: { type: 'string' },
    'password-stdin': { type: 'boolean' },
    tenant: { type: 'string' },
    slug: { type: 'string' },
    json: { type: 'boolean' },
  } as const
  let values: { email?: string; 'password-stdin'?: boolean; tenant?: string; slug?: string; json?: boolean }
  try {
    values = parseArgs({ args, options, allowPositionals: false }).values
  } catch (cause) {
    throw wrongUsage([cause instanceof Error ? cause.message : 'The arguments cannot be read.'], cause)
  }
  const { email = '', tenant: tenant_name = '', json = false } = values
  const slug = values.slug ?? slugOf(tenant_name)
  const mistakes = [
    !Email.safeParse(email).success && '--email takes the email address of the first administrator.',
    !Name.safeParse(tenant_name).success && '--tenant takes a name of 1 to 100 characters, such as "Acme Tools".',
    !Slug.safeParse(slug).success && '--slug takes 1 to 63 of a-z, 0-9 and hyphen.',
    !values['password-stdin'] && '--password-stdin is missing: the password is read from standard input, never from an argument.',
  ].filter((mistake) => mistake !== false)
  if (mistakes.length > 0) throw wrongUsage(mistakes)
  return { email, tenant_name, slug, json }
}

function wrongUsage(mistakes: string[], cause?: unknown): UsageError {
  return new UsageError(`${mistakes.join('\n')}\n\nUsage: ostiary bootstrap ${how_to_bootstrap}`, { cause })
}

/** Makes a slug from a name: removes the marks of letters and replaces other characters by hyphens. */
function slugOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 63)
  return plain || 'tenant'
}

/** Reads all of standard input. One newline at its end comes from the terminal and is not part of the password. */
async function readPassword(): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write('Password (at least 12 characters, it is shown), then Enter and Ctrl-D:\n')
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
}
