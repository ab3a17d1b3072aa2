// pure
/** Recognises a credential that a client sends in the wrong place, to say where it belongs. No message repeats it. */

const key_form = /svc_(?:auth_[ps]k|platform_sk)_/

/** A token of this service is a JWT (RFC 7519 §3). */
const token_form = /^eyJ[\w-]*\.[\w-]*\.[\w-]*$/

const isKeyForm = (value: string): boolean => value.search(key_form) === 0

/** Why the sent credential cannot work; `null` if it is in its place. */
export function misplacedCredential(sent: { key: string } | { bearer: string }): string | null {
  if ('bearer' in sent)
    return isKeyForm(sent.bearer)
      ? 'An API key is not a bearer token. Send the key in the header X-API-Key, or as Authorization: ApiKey.'
      : null
  return token_form.test(sent.key) ? 'This is a token, not an API key. Send an access token as Authorization: Bearer.' : null
}

/** For a request without a credential whose URL contains a key. */
export function keyInUrl(url: string): string | null {
  return key_form.test(url)
    ? 'A key is never accepted in a URL. Send it in the header X-API-Key, and rotate the key: logs and histories keep URLs.'
    : null
}
