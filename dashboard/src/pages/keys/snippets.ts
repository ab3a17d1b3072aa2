/** How a key is used, with the key filled in: only for the dialog that shows it once. */
import type { ApiKeyWithPlaintext } from '@ostiary/sdk'
import type { Snippet } from '../../parts/snippet.ts'

/** A shell takes the key from the file, so that the command runs as it is and the key is in no history. */
const with_env = '. ./.env'

export function keySnippets({ key, type, allowed_origins }: ApiKeyWithPlaintext, issuer: string | null, place: string): Snippet[] {
  const base_url = location.origin
  const env = (variable: string, whose: string) =>
    [`# Ostiary, ${place}: ${whose}`, ...(issuer ? [`OSTIARY_ISSUER=${issuer}`] : []), `${variable}=${key}`].join('\n')
  if (type === 'auth_publishable') {
    const origin = allowed_origins[0] ?? 'https://app.example.com'
    return [
      { name: '.env', code: env('OSTIARY_PUBLISHABLE_KEY', 'for browser code') },
      {
        name: 'curl',
        code: `${with_env}\n# Browsers send the origin themselves.\ncurl -H "X-API-Key: $OSTIARY_PUBLISHABLE_KEY" -H 'Origin: ${origin}' ${base_url}/v1/auth/config`,
      },
      {
        name: 'TypeScript',
        code: `// In a page of ${origin}\nconst response = await fetch('${base_url}/v1/auth/config', {\n  headers: { 'X-API-Key': '${key}' },\n})\nconsole.log(await response.json())`,
      },
    ]
  }
  const variable = type === 'auth_secret' ? 'OSTIARY_SECRET_KEY' : 'OSTIARY_PLATFORM_KEY'
  return [
    { name: '.env', code: env(variable, 'server only') },
    { name: 'curl', code: `${with_env}\ncurl -H "X-API-Key: $${variable}" ${base_url}/v1/api-keys/whoami` },
    {
      name: 'TypeScript',
      code: `import { createClient } from '@ostiary/sdk'\n\nconst ostiary = createClient({ base_url: '${base_url}', api_key: process.env.${variable} })\nconsole.log(await ostiary.whoami())`,
    },
  ]
}
