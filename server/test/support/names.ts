/** Names of test servers: they lead to this machine, for everything in this process that looks names up. */
import dns from 'node:dns'

/** Makes a name lead to the loopback address; with `*.suffix`, every name below the suffix. */
export function leadHere(...patterns: readonly string[]): void {
  const { lookup } = dns
  const isOurs = (name: string) =>
    patterns.some((pattern) => (pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern))
  const here = (name: string, options: unknown, callback: unknown) =>
    Reflect.apply(
      lookup,
      dns,
      [isOurs(name) ? '127.0.0.1' : name, options, callback].filter((argument) => argument !== undefined),
    )
  dns.lookup = here as typeof lookup // as: passes every overload on
}
