/** The public configuration of an environment, from which a web page offers sign-in and checks its own forms. */
import { z } from 'zod'
import { ApplicationId, EnvironmentId, ProjectId } from './ids.ts'
import { ApplicationType } from './objects/application.ts'
import { Settings, SignUpMode, SignUpName } from './settings.ts'
import { switched_methods } from './sign-in-methods.ts'
import { EnvironmentType } from './tenancy.ts'
import { Name, Slug } from './values.ts'

const { password, branding, links } = Settings.shape

export const AuthConfig = z.strictObject({
  environment: z.strictObject({ id: EnvironmentId, type: EnvironmentType }).describe('The environment of the key.'),
  project: z.strictObject({ id: ProjectId, slug: Slug, name: Name }).describe('The project of the environment.'),
  issuer: z.string().describe('The issuer URL, the `iss` of every token.'),
  discovery_url: z.string().describe('The address of the OpenID Provider metadata.'),
  applications: z
    .array(
      z.strictObject({ client_id: ApplicationId, name: Name, application_type: ApplicationType.describe('The type of the application.') }),
    )
    .describe('The public applications: those of the types spa and native.'),
  sign_in: z
    .strictObject({
      methods: z.array(z.enum(switched_methods)).describe('The methods that are switched on.'),
      providers: z
        .array(z.strictObject({ id: z.string(), type: z.string(), display_name: z.string().describe('The name on the sign-in button.') }))
        .describe('The identity providers that are enabled.'),
    })
    .describe('The ways to sign in.'),
  sign_up: z
    .strictObject({
      mode: SignUpMode.describe(
        'Who may create an account: anyone (`open`), anyone who is approved then (`approval`), or nobody (`closed`).',
      ),
      name: SignUpName.describe('Where people are asked for a name.'),
    })
    .describe('The creation of accounts.'),
  password_policy: password,
  branding,
  links,
  locales: z.array(z.string()).describe('The languages of the hosted pages.'),
  test_mode: z.boolean().describe('Whether the environment is of the type `test`.'),
})
