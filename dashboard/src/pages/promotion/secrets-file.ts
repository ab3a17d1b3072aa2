/** Secrets as the lines of a file with variables. */
import type { MadeSecret } from '@ostiary/sdk'

/** `SHOP_CLIENT_SECRET=…`. A slug has letters, digits and hyphens only. */
export const fileOf = (secrets: readonly MadeSecret[]): string =>
  secrets
    .map(({ slug, client_secret, secret }) => {
      const name = `${(slug ?? '').replaceAll('-', '_').toUpperCase()}_${client_secret === undefined ? 'WEBHOOK_SECRET' : 'CLIENT_SECRET'}`
      return `${/^\d/.test(name) ? '_' : ''}${name}=${client_secret ?? secret ?? ''}\n`
    })
    .join('')
