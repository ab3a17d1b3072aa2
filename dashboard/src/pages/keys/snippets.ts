/** How a key is used, with the key filled in: only for the dialog that shows it once. */
import type { ApiKeyWithPlaintext } from '@ostiary/sdk'
import type { Snippet } from '../../parts/code.tsx'

export function keySnippets({ key, type }: ApiKeyWithPlaintext, issuer: string | null, place: string): Snippet[] {
  const origin = location.origin
  const [variable, path, whose] = {
    auth_publishable: ['OSTIARY_PUBLISHABLE_KEY', '/v1/auth/config', 'for browser code'],
    auth_secret: ['OSTIARY_SECRET_KEY', '/v1/api-keys/whoami', 'server only'],
    platform_secret: ['OSTIARY_PLATFORM_KEY', '/v1/platform/projects', 'server only'],
  }[type] as [string, string, string] // as: rows of three
  const env = [`# Ostiary, ${place}: ${whose}`, ...(issuer ? [`OSTIARY_ISSUER=${issuer}`] : []), `${variable}=${key}`]
  return [
    { name: '.env', code: env.join('\n') },
    { name: 'curl', code: `curl -H "X-API-Key: $${variable}" ${origin}${path}` },
    {
      name: 'TypeScript',
      code: `const response = await fetch('${origin}${path}', {\n  headers: { 'X-API-Key': process.env.${variable} },\n})\nconsole.log(await response.json())`,
    },
  ]
}
