// pure
import { isLoopback } from '../base/addresses.ts'
import type { Client } from './client.ts'

/**
 * Reports whether a session alone yields no code for this client at this address, so that the person has to press a button for each request.
 *
 * RFC 8252 §8.6: a public native client proves its identity by nothing but the address that gets its code
 * RFC 8252 §7.2: the system gives an https address to the app of its domain. On this device there is no such domain
 * RFC 8252 §7.1, §7.3: any program can take a private-use scheme, or listen at a loopback address
 * We choose: plain http of another host, which Test admits, is as unproven (decision 0153)
 */
export function needsPress(
  client: Pick<Client, 'application_type' | 'token_endpoint_auth_method' | 'metadata'>,
  redirect_uri: string,
): boolean {
  if (client.metadata) return false // its consent is the press, see `asksEachTime`
  if (client.application_type !== 'native' || client.token_endpoint_auth_method !== 'none') return false
  const url = URL.parse(redirect_uri)
  return url?.protocol !== 'https:' || isLoopback(url)
}

/**
 * Reports whether a client that nobody registered is asked about at every request: any program of the device can send its client id, and get the answer.
 *
 * RFC 8252 §8.6
 */
export function asksEachTime({ metadata }: Pick<Client, 'metadata'>, redirect_uri: string): boolean {
  const url = URL.parse(redirect_uri)
  return metadata !== undefined && (url === null || isLoopback(url))
}
