/** An address that a link offers to register, such as that of the page "This redirect URI is not registered". */
import type { Application } from '@ostiary/sdk'

const longest_address = 2_000

/**
 * The address; `null` if there is nothing to offer. In Live addresses are added by hand only: a link that anybody can write must not
 * suggest where real people are sent.
 */
export function offeredAddress(
  sent: string | undefined,
  { redirect_uris }: Pick<Application, 'redirect_uris'>,
  environment_type: 'test' | 'live',
): string | null {
  if (sent === undefined || environment_type === 'live' || sent.length > longest_address || !/^[\x21-\x7E]+$/.test(sent)) return null
  return redirect_uris.includes(sent) ? null : sent
}
