/** A call of the API as curl, with the real address and ids, and the key in a variable. Pure functions. */

interface Call {
  path: string
  /** Members of the query; those without a value are left out. */
  query?: object
  /** The variable that has the key. */
  key?: string
  body?: object | undefined
}

export function curlOf(base_url: string, { path, query = {}, key = 'OSTIARY_PLATFORM_KEY', body }: Call): string {
  const members = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = String(new URLSearchParams(members))
  const address = search === '' ? base_url + path : `'${base_url}${path}?${search}'` // a shell reads & otherwise
  const header = `-H "X-API-Key: $${key}"`
  if (body === undefined) return `curl ${header} \\\n  ${address}`
  return `curl ${address} \\\n  ${header} -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`
}
