/**
 * The address of a hosted page with unsaved settings. It contains the settings to show, signed, so nothing is stored. It is short: of a
 * logo and of links it says only whether they are shown.
 */
import { timingSafeEqual } from 'node:crypto'
import { serviceRoutes } from '@ostiary/contract/routes.ts'
import { SignUpMode, SignUpName } from '@ostiary/contract/settings.ts'
import { bySwitch } from '@ostiary/contract/sign-in-methods.ts'
import { z } from 'zod'
import type { Secrets } from '../../deployment/secrets/secrets.ts'

const Previewed = z.object({
  tenant_id: z.string(),
  environment_id: z.string(),
  page: z.enum(['sign_in', 'sign_up']),
  theme: z.enum(['light', 'dark']),
  display_name: z.string(),
  primary_color: z.string().nullable(),
  has_logo: z.boolean(),
  has_links: z.object({ terms: z.boolean(), privacy: z.boolean(), support: z.boolean() }),
  methods: z.object(bySwitch(() => z.boolean())),
  sign_up: z.object({ mode: SignUpMode, name: SignUpName }),
  /** In milliseconds since 1970. */
  expires_at: z.number(),
})
export type Previewed = z.infer<typeof Previewed>

type Signer = Pick<Secrets, 'mac'>

const signatureOf = (secrets: Signer, text: string) => secrets.mac('settings-preview', text)

export function previewUrl(base_url: string, secrets: Signer, previewed: Previewed): string {
  const text = Buffer.from(JSON.stringify(previewed)).toString('base64url')
  return `${base_url}${serviceRoutes.dashboardPreview.path}?show=${text}.${signatureOf(secrets, text).toString('base64url')}`
}

/** `null` where this service did not sign it, or long ago. */
export function readPreview(secrets: Signer, query: string, now: Date): Previewed | null {
  const [, text = '', signature = ''] = /^([\w-]{1,4000})\.([\w-]{43})$/.exec(new URLSearchParams(query).get('show') ?? '') ?? []
  if (text === '' || !timingSafeEqual(Buffer.from(signature, 'base64url'), signatureOf(secrets, text))) return null
  const previewed = Previewed.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')))
  return previewed.expires_at > now.getTime() ? previewed : null
}
