/** Where the mail of a Test environment that captures it can be read; `null` where mail is sent. */
import { inboxUrl } from '../base/dashboard-links.ts'
import type { OidcCall, OidcServices } from './call.ts'

export const keptMailUrl = ({ config }: Pick<OidcServices, 'config'>, { issuer }: Pick<OidcCall, 'issuer'>): string | null =>
  issuer.type === 'test' && issuer.settings.email.delivery === 'capture' ? inboxUrl(config.base_url, issuer.environment_id) : null
