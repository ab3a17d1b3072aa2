/** The texts of the demo about claims, times and refusals. Pure functions. */

/** Explains a claim; '' if its name is enough. */
export function noteOf(claim, value, { token, now }) {
  if (['exp', 'iat', 'auth_time', 'updated_at'].includes(claim)) return timeInWords(value, now)
  return notes[`${token}.${claim}`] ?? notes[claim] ?? ''
}

const notes = {
  iss: 'The issuer of the token. Compare it with the one you trust.',
  sub: 'Stable and never reused: store this one.',
  'ID token.aud': 'The audience: this application.',
  'Access token.aud': 'The audience: an API refuses tokens that do not name it.',
  nonce: 'The value that this page sent, so the token belongs to this sign-in.',
  at_hash: 'Binds the ID token to the access token issued with it.',
  sid: 'The session at the issuer. Back-channel sign-out names it.',
  amr: 'How the person signed in.',
  acr: 'How strong the sign-in was.',
  scope: 'What the access token may be used for.',
  jti: 'A unique id of the token, used for revocation.',
  client_id: 'The application that the token was issued to.',
  grant_id: 'The grant behind the token: one person, one application, one sign-in. Ending it ends the token.',
  email: 'May change. Show it, but do not identify users by it.',
  email_verified: 'Whether the person has proved that the address is theirs.',
}

/** Formats seconds since 1970 as `20 Nov 2026, 17:31:14 UTC, in 59 min`. */
export function timeInWords(seconds, now) {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' })
  const left = Math.round(seconds - now.getTime() / 1000)
  const distance = left > 0 ? `in ${duration(left)}` : `${duration(-left)} ago`
  return `${format.format(seconds * 1000)} UTC, ${Math.abs(left) < 2 ? 'just now' : distance}`
}

/** Formats seconds in the largest unit of which there are at least two. */
export function duration(seconds) {
  if (seconds < 10) return `${Math.round(seconds * 10) / 10} s`
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`
  return `${Math.round(seconds / 86_400)} days`
}

/** Explains a refusal. `code` is an OAuth error code or one of `client.js`; `description` is the error description of the service. */
export function refusalInWords(code, description) {
  const known = refusals[code]
  if (!known) return { title: 'The service refused this', text: description || 'It gave no reason. Its log has one, under the request id.' }
  return { title: known.title, text: [description, known.text].filter(Boolean).join(' ') }
}

const refusals = {
  access_denied: { title: 'You did not sign in', text: 'You can start again.' },
  invalid_grant: { title: 'This token is no longer valid', text: '' },
  invalid_token: { title: 'The access token is refused', text: '' },
  unreachable: {
    title: 'The service does not answer',
    text: 'It may have been stopped. Start it again with npm start, then reload this page.',
  },
  insecure: {
    title: 'This address is not safe enough',
    text: 'Browsers allow cryptography only on https and localhost. Set OSTIARY_BASE_URL to such an address before the first start.',
  },
  state: {
    title: 'This response does not belong to this tab',
    text: 'The sign-in started in another tab or was already completed, so this page ignores the response. Sign in here.',
  },
  iss: { title: 'This response comes from another issuer', text: '' },
  issuer: { title: 'The issuer has another name', text: '' },
  id_token: { title: 'The ID token cannot be trusted', text: '' },
}
