/**
 * Describes the contrast of a brand colour on the sign-in pages, by the rules of the service (`server/src/pages/brand.ts`): text on it is
 * black or white, whichever has more contrast; as a link it needs 4.5:1 (WCAG 2.2 §1.4.3), and as the edge of a button 3:1 (§1.4.11).
 */
const white = '#ffffff'
const black = '#000000'

/** WCAG 2.2, contrast ratio: 1 to 21. */
function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(colour: string): number {
  const channel = (from: number) => {
    const share = Number.parseInt(colour.slice(from, from + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}

/** Rounded down, so that 4.5 is never less. */
const ratio = (value: number) => `${(Math.floor(value * 10) / 10).toFixed(1)}:1`

export function contrastInWords(colour: string): string[] {
  const on_white = contrast(colour, white)
  const on_black = contrast(colour, black)
  return [
    on_white >= on_black ? `Text on buttons is white, ${ratio(on_white)}.` : `Text on buttons is black, ${ratio(on_black)}.`,
    on_white >= 4.5
      ? `Links have this colour, ${ratio(on_white)} on white.`
      : `Too faint for links, ${ratio(on_white)} on white: they are in the colour of text.`,
    ...(on_white < 3 ? ['Too faint for the edge of a button: it gets a grey one.'] : []),
    'The dark theme makes it lighter where needed.',
  ]
}
