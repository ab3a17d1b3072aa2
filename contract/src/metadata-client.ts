/** Metadata clients: their client id is the URL of a document about themselves, and nobody registered them. */
import { z } from 'zod'
import { EnvironmentId, MetadataClientId, ProjectId, TenantId } from './ids.ts'
import { PageQuery, Time } from './values.ts'

/** In characters. */
export const longest_client_url = 500

/** More people are not counted: 1,000 stands for 1,000 or more. */
export const most_people = 1_000

const client_id = z.string().max(longest_client_url).describe('The URL of the document, which is the client id.')
const listed = z
  .boolean()
  .describe('Whether an administrator has approved the URL. With the setting `oauth.metadata_clients` at `listed` no other client gets in.')
const disabled = z.boolean().describe('Whether the client is refused, whatever the setting is. All its grants have ended.')

export const MetadataClient = z.strictObject({
  id: MetadataClientId,
  tenant_id: TenantId,
  project_id: ProjectId,
  environment_id: EnvironmentId,
  client_id,
  client_name: z.string().describe('The name that the client gives itself. Anybody can choose any name.'),
  host: z.string().describe('The host of the URL, with a port that is not 443.'),
  redirect_uris: z.array(z.string()).describe('The addresses of the document that requests can use.'),
  token_endpoint_auth_method: z.enum(['none', 'private_key_jwt']).describe('How the client authenticates.'),
  listed,
  disabled,
  added_by: z
    .enum(['administrator', 'person'])
    .describe('Who added the record: an administrator or a key, or a person who allowed the client something.'),
  people: z
    .int()
    .max(most_people)
    .describe(
      'How many people have allowed the client something and have not withdrawn it, counted to 1,000. Blocked users are not counted. None of these people has access while the client is disabled or not admitted.',
    ),
  document_read_at: Time.describe('When the document was read last.'),
  last_used_at: Time.nullable().describe('When the client last got a code or tokens; `null` if it never did.'),
  created_at: Time,
  updated_at: Time,
})
export type MetadataClient = z.infer<typeof MetadataClient>

export const NewMetadataClient = z.strictObject({
  client_id,
  listed: listed.optional().describe('Whether the URL is approved. The default is true.'),
})

export const MetadataClientChange = z.strictObject({ listed: listed.optional(), disabled: disabled.optional() })
export type MetadataClientChange = z.infer<typeof MetadataClientChange>

export const MetadataClientQuery = PageQuery.extend({
  client_id: client_id.optional().describe('Return only the client with this URL.'),
})
