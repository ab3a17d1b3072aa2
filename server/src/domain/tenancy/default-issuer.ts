// pure
/** The issuer of an environment that has no host of its own. */
/** Returns the default issuer of a new environment. It is stored with the environment and never derived again. */
export function defaultIssuer(base_url: string, environment_id: string): string {
  return `${base_url}/e/${environment_id}`
}
