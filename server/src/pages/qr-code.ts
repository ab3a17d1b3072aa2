// pure
/** A QR code as inline SVG: dark on light in both themes, because scanners expect it, with the quiet zone of four modules. */
import { encode } from 'uqr'
import { type Html, html } from '../base/html.ts'

const quiet_zone = 4

export function qrCode(text: string, label: string): Html {
  const { data, size } = encode(text, { ecc: 'M', border: quiet_zone })
  const dark = data.flatMap((row, y) => row.flatMap((is_dark, x) => (is_dark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return html`<svg role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#000" d="${dark.join('')}"/></svg>`
}
