/** The parameters of paths. A new one needs an entry. */
import { type IdPrefix, prefixes } from './ids.ts'

const named: Readonly<Record<string, { description: string; example?: string }>> = {
  tenant_id: { description: 'The tenant.' },
  project_id: { description: 'The project.' },
  environment_id: { description: 'The environment.' },
  promotion_id: { description: 'The promotion.' },
  application_id: { description: 'The application.' },
  client_secret_id: { description: 'The client secret.' },
  resource_server_id: { description: 'The resource server.' },
  role_id: { description: 'The role.' },
  organization_id: { description: 'The organization.' },
  metadata_client_id: { description: 'The metadata client.' },
  invitation_id: { description: 'The invitation.', example: 'oiv_01m7wwr5ftevtv5yxb47hmb4ht' },
  key_id: { description: 'The API key.' },
  provider_id: { description: 'The identity provider.' },
  webhook_id: { description: 'The webhook.' },
  message_id: { description: 'The message of a delivery, which is its `webhook-id`.' },
  event_id: { description: 'The event.' },
  user_id: { description: 'The user.' },
  session_id: { description: 'The session.' },
  user_job_id: { description: 'The job over users.' },
  grant_id: { description: 'The grant.' },
  mail_id: { description: 'The captured mail.' },
  request_id: { description: 'The `X-Request-Id` of the refused call.' },
  member_id: { description: 'The id of the user, or of the invitation.', example: 'usr_01m7wwr5ftevtv5yxb47hmb4ht' },
  audit_entry_id: { description: 'The audit entry.', example: 'aud_01m7wwr5ftevtv5yxb47hmb4ht' },
  method_id: { description: 'The sign-in method.' },
  trusted_browser_id: { description: 'The trusted browser.' },
  id: { description: 'The id of any object.', example: 'app_01m7wwr5ftevtv5yxb47hmb4ht' },
  order: { description: 'The order: `1`, `2` or `3`.', example: '2' },
  path: { description: 'The path of the API without its first slash.', example: 'v1/me' },
  code: { description: 'The error code.', example: 'validation_failed' },
  document: { description: 'The name of the document.', example: 'quick-start' },
  file: { description: 'The name of the file.', example: 'nginx.conf' },
  group: { description: 'The name of the group, in lower case and with hyphens.', example: 'projects' },
  template: { description: 'The slug of the template.', example: 'grafana' },
  script: { description: 'The name of the script.', example: 'client.js' },
}

export function pathParameter(name: string) {
  const known = named[name]
  if (!known) throw new Error(`The path parameter {${name}} has no description. Add one to path-parameters.ts.`)
  const prefix: IdPrefix | undefined = Object.entries(prefixes).find(([kind]) => name === `${kind}_id`)?.[1]
  const example = known.example ?? `${prefix}_01m7wwr5ftevtv5yxb47hmb4ht`
  return { name, in: 'path', required: true, description: known.description, schema: { type: 'string', examples: [example] } }
}
