// pure
/** Icons of the hosted pages. All are decorative and beside a text. */
import { type Html, html } from '../base/html.ts'

const icon = (drawing: Html, size: 16 | 20) =>
  html`<svg class="i" width="${size}" height="${size}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${drawing}</svg>`

export const flask = icon(
  html`<path d="M9.5 3.5h5M10.5 3.5v6L5 18.6a1.3 1.3 0 0 0 1.1 1.9h11.8a1.3 1.3 0 0 0 1.1-1.9L13.5 9.5v-6M7.7 14.5h8.6"/>`,
  16,
)
export const cross = icon(html`<path d="m6 6 12 12M18 6 6 18"/>`, 16)
export const check = icon(html`<path d="m5 12.5 4.5 4.5L19 7"/>`, 16)
export const warning = icon(html`<circle cx="12" cy="12" r="8.5"/><path d="M12 7.5V13M12 16.2v.1"/>`, 16)
export const alert = icon(html`<circle cx="12" cy="12" r="8.5"/><path d="M12 7.5V13M12 16.2v.1"/>`, 20)
export const person = icon(html`<circle cx="12" cy="8.5" r="3.5"/><path d="M5.5 20c.4-3.6 3-5.5 6.5-5.5s6.1 1.9 6.5 5.5"/>`, 20)
export const passkey = icon(
  html`<circle cx="9" cy="8" r="3.8"/><path d="M2.5 20c.3-3.7 2.9-5.8 6.5-5.8 1.4 0 2.6.3 3.6.9"/><circle cx="18" cy="12.5" r="2.6"/><path d="M18 15.1V21l1.6-1.5"/>`,
  20,
)
export const envelope = icon(html`<rect x="3.5" y="5.5" width="17" height="13" rx="2"/><path d="m4.5 7.5 7.5 5.5 7.5-5.5"/>`, 20)
export const phone = icon(html`<rect x="7" y="3" width="10" height="18" rx="2"/><path d="M11 18h2"/>`, 20)
export const list = icon(html`<path d="M4 6.5h2M4 12h2M4 17.5h2M9.5 6.5H20M9.5 12H20M9.5 17.5H20"/>`, 20)
export const clock = icon(html`<circle cx="12" cy="12" r="8.5"/><path d="M12 7.5V12l3 2"/>`, 20)

export const globe = icon(
  html`<circle cx="12" cy="12" r="8.5"/><path d="M3.5 12h17M12 3.5c2.5 2.4 3.7 5.2 3.7 8.5s-1.2 6.1-3.7 8.5c-2.5-2.4-3.7-5.2-3.7-8.5s1.2-6.1 3.7-8.5z"/>`,
  20,
)
export const padlock = icon(html`<rect x="5" y="10.5" width="14" height="9.5" rx="2"/><path d="M8 10.5V8a4 4 0 0 1 8 0v2.5"/>`, 20)
export const key = icon(html`<circle cx="8" cy="15.5" r="4"/><path d="m11 12.5 8-8M16 7.5l2.5 2.5M13.8 9.7l1.7 1.7"/>`, 20)
export const computer = icon(html`<rect x="5" y="5" width="14" height="10" rx="1.5"/><path d="M2.5 18.5h19"/>`, 20)
export const leave = icon(html`<path d="M14 4.5h4.5a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1H14M10.5 8l-4 4 4 4M6.5 12H15"/>`, 16)
export const download = icon(html`<path d="M12 4v11m-4.5-4.5L12 15l4.5-4.5M4.5 19.5h15"/>`, 20)
export const bin = icon(html`<path d="M4.5 7h15M9 7V4.5h6V7M6.5 7l.8 12.5h9.4L17.5 7M10 11v5M14 11v5"/>`, 20)

/** The mark of the service: a door arch whose opening is a keyhole and also the doorkeeper. */
export const mark_path =
  'M12 1.5c4.7 0 8.5 3.8 8.5 8.5v11.5a1 1 0 0 1-1 1h-3.2L13.7 14a3.9 3.9 0 1 0-3.4 0L7.7 22.5H4.5a1 1 0 0 1-1-1V10c0-4.7 3.8-8.5 8.5-8.5Z'
export const mark = html`<svg class="mark" width="28" height="28" viewBox="0 0 24 24" aria-hidden="true"><path fill="currentColor" d="${mark_path}"/></svg>`
