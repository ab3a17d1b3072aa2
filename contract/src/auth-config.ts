/** The public configuration of an environment, from which a web page offers sign-in and checks its own forms. */
import { z } from 'zod'
import { ApplicationType } from './application.ts'
import { ApplicationId, EnvironmentId, ProjectId } from './ids.ts'
import { Settings } from './settings.ts'
import { EnvironmentType } from './tenancy.ts'
import { Name, Slug } from './values.ts'

const { sign_up, password, branding, links } = Settings.shape

export const AuthConfig = z.strictObject({
  environment: z.strictObject({ id: EnvironmentId, type: EnvironmentType }),
  project: z.strictObject({ id: ProjectId, slug: Slug, name: Name }),
  issuer: z.string(),
  discovery_url: z.string(),
  applications: z.array(z.strictObject({ client_id: ApplicationId, name: Name, application_type: ApplicationType })),
  sign_in: z.strictObject({
    methods: z.array(z.enum(['password', 'email_code', 'passkey'])),
    providers: z.array(z.strictObject({ id: z.string(), type: z.string(), display_name: z.string() })),
  }),
  sign_up,
  password_policy: password,
  branding,
  links,
  locales: z.array(z.string()),
  test_mode: z.boolean(),
})
