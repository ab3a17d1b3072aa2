// pure
/**
 * The Relying Party ID of an issuer, to which its passkeys belong for good (WebAuthn Level 3 §4): the host of the issuer.
 *
 * WebAuthn §5.1.3: an RP ID is a domain, so an address has none
 */
export function rpIdOf(issuer: string): string | null {
  const { hostname } = new URL(issuer) // spells every form of an IPv4 address with four numbers
  return hostname.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(hostname) ? null : hostname
}

/** Whether the issuer lies on the host of the service, where every environment has the same RP ID. Its own host has no path. */
export const isOnSharedHost = (issuer: string): boolean => new URL(issuer).pathname !== '/'
