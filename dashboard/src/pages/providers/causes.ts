/** Why a sign-in at a provider, or its check, failed, in words. They are not those of the first page. */
import { reasonWords } from '../../parts/words.ts'

// biome-ignore format: this table is read by column
const causes: Record<string, string> = {
  dns:                 'Its name has no address',
  refused:             'It accepts no connection',
  tls:                 'The connection is not secure',
  timeout:             'It did not answer in time',
  address_not_allowed: 'Its address may not be called',
  proxy:               'The egress proxy made no connection to it',
  status:              'It answered with an error',
  metadata:            'Its metadata cannot be used',
  issuer_mismatch:     'Its metadata names another issuer',
  keys:                'Its keys cannot be read, or fit no token',
  client_rejected:     'It refused the client id or secret',
  id_token:            'Its ID token cannot be used',
  userinfo:            'Its claims cannot be used',
}

/** Why a sign-in at a provider, or its check, failed. Each cause has a page in the reference of errors. */
export const causeWords = (cause: string): string => causes[cause] ?? reasonWords(cause)
export const provider_can_be_read = 'The metadata and the keys can be read.'
