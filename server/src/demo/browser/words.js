/** What the demo says: about claims, times and refusals. Values in, text out; nothing here knows of a page. */

/** What a claim is for, where its name does not say it. */
export function noteOf(claim, value, { token, now }) {
  if (['exp', 'iat', 'auth_time', 'updated_at'].includes(claim)) return timeInWords(value, now)
  return notes[`${token}.${claim}`] ?? notes[claim] ?? ''
}

const notes = {
  iss: 'Who made it. Compare it with the issuer you trust.',
  sub: 'Stable and never reused: store this one.',
  'ID token.aud': 'Whom it is for: this application.',
  'Access token.aud': 'Who accepts it: an API refuses tokens that do not name it.',
  nonce: 'The one that this page sent, so the token belongs to this sign-in.',
  at_hash: 'Ties it to the access token that came with it.',
  sid: 'The session at the issuer. Back-channel sign-out names it.',
  amr: 'How the person signed in.',
  acr: 'How strong the sign-in was.',
  scope: 'What the access token may be used for.',
  jti: 'One of its kind: revocation names it.',
  client_id: 'The application it was given to.',
  grant_id: 'What it lives and dies with: one person, one application, one sign-in.',
  email: 'May change. Show it; do not store people under it.',
  email_verified: 'Whether the address is known to be theirs.',
}

/** `20 Nov 2026, 17:31:14 UTC, in 59 min`, from seconds since 1970. */
export function timeInWords(seconds, now) {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' })
  const left = Math.round(seconds - now.getTime() / 1000)
  const distance = left > 0 ? `in ${duration(left)}` : `${duration(-left)} ago`
  return `${format.format(seconds * 1000)} UTC, ${Math.abs(left) < 2 ? 'just now' : distance}`
}

/** Seconds as people say them: the largest unit of which there are at least two. */
export function duration(seconds) {
  if (seconds < 10) return `${Math.round(seconds * 10) / 10} s`
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`
  return `${Math.round(seconds / 86_400)} days`
}

/** What happened, and what to do. `code` is OAuth's word, or one of our own client; `said` the sentence of the service. */
export function refusalInWords(code, said) {
  const known = refusals[code]
  if (!known) return { title: 'The service refused this', text: said || 'It gave no reason. Its log has one, under the request id.' }
  return { title: known.title, text: [said, known.text].filter(Boolean).join(' ') }
}

const refusals = {
  access_denied: { title: 'Nobody signed in', text: 'You can begin again.' },
  invalid_grant: { title: 'This token is worth nothing any more', text: '' },
  invalid_token: { title: 'The access token is refused', text: '' },
  unreachable: {
    title: 'The service does not answer',
    text: 'It may have been stopped. Start it again with npm start, then reload this page.',
  },
  insecure: {
    title: 'This address is not safe enough',
    text: 'Browsers offer cryptography to pages on https and on localhost only. Set OSTIARY_BASE_URL to such an address before the first start.',
  },
  state: {
    title: 'This answer is not for this tab',
    text: 'The sign-in began in another tab or was finished before, so its answer is left unread. Sign in from here.',
  },
  iss: { title: 'This answer comes from elsewhere', text: '' },
  issuer: { title: 'The issuer has another name', text: '' },
  id_token: { title: 'The ID token cannot be trusted', text: '' },
}
