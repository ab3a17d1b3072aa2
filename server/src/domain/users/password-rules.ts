/** Validates a new password by the policy of its environment and the names around the account. Every path that sets a password calls it. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { settingsSchemas } from '@ostiary/contract/settings.ts'
import { z } from 'zod'
import { type Db, sql } from '../../db/db.ts'
import { commonPasswords } from './common-passwords.ts'
import { type PasswordProblem, passwordProblem } from './password-policy.ts'

/** The names of a user. An attacker tries them first. */
export interface Names {
  email: string
  name?: string | null | undefined
  given_name?: string | null | undefined
  family_name?: string | null | undefined
  nickname?: string | null | undefined
  preferred_username?: string | null | undefined
}

const Surroundings = z.object({
  settings: z.object({ password: z.unknown(), branding: z.looseObject({ display_name: z.string().nullish() }).nullish() }),
  environment_name: z.string(),
  project_slug: z.string(),
  project_name: z.string(),
  tenant_slug: z.string(),
  tenant_name: z.string(),
})

/** Returns why the environment refuses a password for this user, or `null` if it accepts it. */
export async function judgePassword(
  db: Db,
  environment_id: EnvironmentId,
  password: string,
  { email, name, given_name, family_name, nickname, preferred_username }: Names,
): Promise<PasswordProblem | null> {
  const surroundings = await db.of(environment_id).maybeOne(
    Surroundings,
    sql`select e.settings, e.name as environment_name, p.slug as project_slug, p.name as project_name,
               t.slug as tenant_slug, t.name as tenant_name
          from environments e
          join projects p on p.tenant_id = e.tenant_id and p.id = e.project_id
          join tenants t on t.id = e.tenant_id
         where e.id = ${environment_id}`,
  )
  if (surroundings === null) throw new Error('The environment of the password does not exist.')
  const { settings, environment_name, project_slug, project_name, tenant_slug, tenant_name } = surroundings
  const user_names = [name, given_name, family_name, nickname, preferred_username]
  const environment_names = [settings.branding?.display_name, environment_name, project_slug, project_name, tenant_slug, tenant_name]
  return passwordProblem(
    password,
    [email, ...user_names, ...environment_names],
    settingsSchemas.live.shape.password.parse(settings.password),
    commonPasswords,
  )
}
