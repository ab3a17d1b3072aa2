/** Judges a new password by the policy of its environment and by what surrounds the account. Every path that sets one asks here. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { settingsSchemas } from '@ostiary/contract/settings.ts'
import { z } from 'zod'
import { type Db, sql } from '../db/db.ts'
import { type PasswordProblem, passwordProblem } from './password-policy.ts'

/** What a person is called; all of it is guessed first. */
export interface Names {
  email: string
  name?: string | null | undefined
  given_name?: string | null | undefined
  family_name?: string | null | undefined
  nickname?: string | null | undefined
  preferred_username?: string | null | undefined
}

const Place = z.object({
  settings: z.object({ password: z.unknown(), branding: z.looseObject({ display_name: z.string().nullish() }).nullish() }),
  environment_name: z.string(),
  project_slug: z.string(),
  project_name: z.string(),
  tenant_slug: z.string(),
  tenant_name: z.string(),
})

/** Returns why the environment does not accept this password for this person, or `null` where it does. */
export async function judgePassword(
  db: Db,
  environment_id: EnvironmentId,
  password: string,
  { email, name, given_name, family_name, nickname, preferred_username }: Names,
): Promise<PasswordProblem | null> {
  const place = await db.maybeOne(
    Place,
    sql`select e.settings, e.name as environment_name, p.slug as project_slug, p.name as project_name, t.slug as tenant_slug, t.name as tenant_name
          from environments e join projects p on p.tenant_id = e.tenant_id and p.id = e.project_id join tenants t on t.id = e.tenant_id
         where e.id = ${environment_id}`,
  )
  if (place === null) throw new Error('There is no environment for this password.')
  const { settings, environment_name, project_slug, project_name, tenant_slug, tenant_name } = place
  const names = [name, given_name, family_name, nickname, preferred_username]
  const places = [settings.branding?.display_name, environment_name, project_slug, project_name, tenant_slug, tenant_name]
  return passwordProblem(password, [email, ...names, ...places], settingsSchemas.live.shape.password.parse(settings.password))
}
