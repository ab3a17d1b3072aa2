/** Returns the problem of redirect URIs while they are typed. The service decides: it checks the same rules. */
export const problemIn = (uris: readonly string[], application_type: string, environment_type: 'test' | 'live'): string | null =>
  uris.map((uri) => problemOf(uri, application_type, environment_type)).find((problem) => problem !== null) ?? null

function problemOf(uri: string, application_type: string, environment_type: 'test' | 'live'): string | null {
  if (!URL.canParse(uri)) return `“${uri}” is not an absolute URI. Begin with https://.`
  const { protocol, hostname, hash, username, password } = new URL(uri)
  if (hash !== '' || uri.includes('#')) return 'A redirect URI has no fragment (#…).'
  if (username !== '' || password !== '') return 'A redirect URI has no user name or password.'
  if (uri.includes('*')) return 'A redirect URI has no wildcard: list each one.'
  if (['javascript:', 'data:', 'file:', 'vbscript:'].includes(protocol)) return `${protocol} is not allowed.`
  const is_loopback = ['127.0.0.1', '[::1]', 'localhost'].includes(hostname)
  if (environment_type === 'live' && protocol === 'http:' && !(application_type === 'native' && is_loopback))
    return `Live takes https only. Use ${uri.replace(/^http:/, 'https:')}.`
  if (protocol !== 'http:' && protocol !== 'https:' && application_type !== 'native')
    return 'Only native applications have addresses of their own scheme.'
  return null
}
