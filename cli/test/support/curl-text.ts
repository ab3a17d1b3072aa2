// pure
/** Reads a curl command as a POSIX shell does, as far as the reference writes one. */

export interface CurlRequest {
  method: string
  url: string
  headers: Record<string, string>
  body: string | undefined
}

/** The words of a command. Variables count within double quotes. */
function wordsOf(text: string, variables: Readonly<Record<string, string>>): string[] {
  const words: string[] = []
  const word = /(?:'[^']*'|"[^"]*"|\\'|[^\s'"\\])+/g
  for (const [found] of text.replaceAll(/\\\n\s*/g, ' ').matchAll(word))
    words.push(
      found.replaceAll(
        /'([^']*)'|"([^"]*)"|\\(')/g,
        (_, single?: string, double?: string) =>
          single ?? (double === undefined ? "'" : double.replaceAll(/\$([A-Z_]+)/g, (_all, name: string) => variableIn(variables, name))),
      ),
    )
  return words
}

function variableIn(variables: Readonly<Record<string, string>>, name: string): string {
  const value = variables[name]
  if (value === undefined) throw new Error(`The example has an unknown variable $${name}.`)
  return value
}

export function readCurl(text: string, variables: Readonly<Record<string, string>>): CurlRequest {
  const [program, ...words] = wordsOf(text, variables)
  if (program !== 'curl') throw new Error(`This is not curl: ${text}`)
  const request: CurlRequest = { method: 'GET', url: '', headers: {}, body: undefined }
  const form = new URLSearchParams()
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (!word.startsWith('-')) {
      request.url = word
      continue
    }
    const value = words.shift() ?? ''
    const [name = '', rest = ''] = [value.slice(0, value.indexOf(':')), value.slice(value.indexOf(':') + 1).trim()]
    if (word === '-X') request.method = value
    else if (word === '-H') request.headers[name.toLowerCase()] = rest
    else if (word === '-u') request.headers.authorization = `Basic ${Buffer.from(value).toString('base64')}`
    else if (word === '-d') request.body = value
    else if (word === '--data-urlencode') form.append(value.slice(0, value.indexOf('=')), value.slice(value.indexOf('=') + 1))
    else throw new Error(`The example has an unknown option ${word}.`)
  }
  if (form.size > 0) {
    request.headers['content-type'] = 'application/x-www-form-urlencoded'
    request.body = form.toString()
  }
  return request
}
