// pure
/** Made-up values in place of those that no run repeats, and the shapes of answers. */

const base32 = 'abcdefghjkmnpqrstvwxyz0123456789'
const id = /\b([a-z]{2,3})_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
/** A JSON Web Token by its form, whose signature is a text. */
export const made_up_token = [
  part({ alg: 'RS256', kid: 'made-up' }),
  part({ sub: 'made-up' }),
  Buffer.from('made-up').toString('base64url'),
].join('.')

/** Of a refresh token: as long as 16 bytes in base64url. */
const example_part = 'ExampleExampleExampleE'

/** As long as the real value. */
export const madeUp = (length: number): string => 'made-up-'.repeat(Math.ceil(length / 8)).slice(0, length)

/** Pairs of real and made-up texts. Ids get theirs by their order, so that two objects of one kind differ. */
export interface Dictionary {
  readonly pairs: Map<string, string>
}

export const dictionaryOf = (pairs: readonly [real: string, made_up: string][]): Dictionary => ({ pairs: new Map(pairs) })

/** The text with made-up values. The dictionary learns the ids in it. */
export function asExample(text: string, { pairs }: Dictionary): string {
  for (const [real, prefix = ''] of text.matchAll(id)) {
    if (pairs.has(real)) continue
    const known = [...pairs.values()].filter((value) => value.startsWith(`${prefix}_0`)).length
    pairs.set(real, `${prefix}_01jbnq6zt8e2m9w4x7c5v3k1h${base32[known % base32.length]}`)
  }
  let made_up = text
  for (const [real, value] of pairs) made_up = made_up.replaceAll(real, value)
  return made_up
}

/** The text with the values of this run. */
export function asReal(text: string, { pairs }: Dictionary): string {
  let real = text
  for (const [value, made_up] of pairs) real = real.replaceAll(made_up, value)
  return real
}

/** An answer in JSON with made-up secrets of the right form, one time, and addresses of documentation (RFC 5737). */
export function answerAsExample(json: string, dictionary: Dictionary): unknown {
  const text = asExample(json, dictionary)
    .replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, made_up_token)
    .replaceAll(/\b(svc_(?:auth_[ps]k_(?:test|live)|platform_sk)_)[0-9A-Za-z]{38}\b/g, '$1ExampleExampleExampleExampleExam000000')
    .replaceAll(/\bsvc_client_[\w-]{43}(?![\w-])/g, `svc_client_${'Example'.repeat(6)}E`)
    .replaceAll(/\b(svc_(?:auth_[ps]k_(?:test|live)|platform_sk)_)[0-9A-Za-z]{4}"/g, '$1Exam"')
    .replaceAll(
      /\bsvc_rt_[0-9a-z]{26}\.\d+\.[\w-]{22}\.[\w-]{22}(?![\w-])/g,
      `svc_rt_01jbnq6zt8e2m9w4x7c5v3k1ha.1.${example_part}.${example_part}`,
    )
    .replaceAll(/"last4":"\w{4}"/g, '"last4":"0000"')
    .replaceAll(/whsec_[\w+/=]+/g, `whsec_${Buffer.from('a made-up secret of 32 bytes ...').toString('base64')}`)
    .replaceAll(/\b[0-9a-f]{64}\b/g, '5f'.repeat(32))
    .replaceAll(
      /(?<![\w-])(?!made-up|svc_|eyJ|whsec_|5f5f|refresh-|code-|verifier-|challenge-)(?=[\w-]*\d)[\w-]{40,}(?![\w-])/g,
      (secret) => madeUp(secret.length),
    )
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-11-02T09:30:00.000Z')
    .replaceAll(/"(exp|iat|nbf|auth_time)":\d+/g, '"$1":1793611800')
    .replaceAll(/"(?:::ffff:)?(?:127\.0\.0\.1|::1)"/g, '"203.0.113.7"')
    .replaceAll(/\?show=[\w.-]+/g, `?show=${madeUp(43)}`)
    .replaceAll(/\d{1,2} \w+ \d{4} at \d\d:\d\d UTC/g, '2 November 2026 at 09:30 UTC')
    .replaceAll(/user\d+@example\.com/g, 'ada@example.com')
    .replaceAll('Project ours', 'Shop')
    .replaceAll('"ours"', '"shop"')
  return JSON.parse(text)
}

/** Members that background work fills in while the test runs. */
const late = /\.(last_used_(at|ip)|failing_since)$/

/** Where two JSON values differ in members and types. Of a list the first elements count. */
export function shapeDifferences(shown: unknown, real: unknown, at = ''): string[] {
  if (late.test(at)) return []
  const [type, other] = [typeOf(shown), typeOf(real)]
  if (type !== other) return [`${at || '/'} is shown as ${type} and is ${other}`]
  if (Array.isArray(shown) && Array.isArray(real))
    return shown.length > 0 && real.length > 0 ? shapeDifferences(shown[0], real[0], `${at}[]`) : []
  if (!isObject(shown) || !isObject(real)) return []
  const names = new Set([...Object.keys(shown), ...Object.keys(real)])
  return [...names].flatMap((name) => shapeDifferences(shown[name], real[name], `${at}.${name}`))
}

const typeOf = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)
const isObject = (value: unknown): value is Record<string, unknown> => typeOf(value) === 'object'
