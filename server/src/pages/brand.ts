// pure
/**
 * Derives the colours of a page, for each theme, from the brand colour of the environment: fills use the colour, in the dark theme
 * lightened until it stands out, text on them is black or white, and links use the fill if it is readable, else the text colour.
 *
 * WCAG 2.2 §1.4.3: text has a contrast of 4.5:1; §1.4.11: the edge of a control has 3:1
 */

/** The theme colours that brand colours are compared with. The style sheet uses the same. */
export const themes = {
  light: { surface: '#FFFFFF', canvas: '#F4F5F6', ink: '#14191C', edge: '#838D93', band: '#FFE6C4', fill: '#0B6472', on_fill: '#FFFFFF' },
  dark: { surface: '#161B1E', canvas: '#0F1315', ink: '#E9EDEF', edge: '#6E7A81', band: '#3A2408', fill: '#5CC6D5', on_fill: '#04252A' },
} as const

export type Theme = keyof typeof themes

interface BrandColours {
  fill: string
  on_fill: string
  /** Mixed into a button under the pointer. It increases the contrast with the text. */
  off_fill: string
  link: string
  /** The border of a filled button: the fill, or the theme's edge where the fill is too close to the surface. */
  edge: string
  /** The tile with the initial: the colour as the tenant chose it, in both themes. */
  tile: string
  on_tile: string
}

export function brandColours(primary_color: string | null, theme: Theme): BrandColours {
  const { surface, ink, edge, fill: our_fill, on_fill: on_our_fill } = themes[theme]
  const fill = primary_color === null ? our_fill : theme === 'dark' ? lightened(primary_color, surface) : primary_color
  const on_fill = primary_color === null ? on_our_fill : textOn(fill)
  const tile = primary_color ?? our_fill
  const on_surface = contrast(fill, surface)
  return {
    fill,
    on_fill,
    off_fill: textOn(fill) === '#FFFFFF' ? '#000000' : '#FFFFFF',
    link: on_surface >= 4.5 ? fill : ink,
    edge: on_surface >= 3 ? fill : edge,
    tile,
    on_tile: primary_color === null ? on_our_fill : textOn(tile),
  }
}

/** Black or white, the one with more contrast. It is at least 4.5:1 on every colour. */
const textOn = (colour: string) => (contrast(colour, '#FFFFFF') >= contrast(colour, '#000000') ? '#FFFFFF' : '#000000')

/** The contrast of a fill with a dark surface. It leaves room above the 4.5:1 of links, so that a button stands out. */
const standing_out = 7

/** Mixes in as little white as makes the colour stand out on the surface. A light colour stays as it is. */
function lightened(colour: string, surface: string): string {
  const steps = 64
  for (let step = 0; step < steps; step++) {
    const mixed = step === 0 ? colour : mixedWithWhite(colour, step / steps)
    if (contrast(mixed, surface) >= standing_out) return mixed
  }
  return '#FFFFFF'
}

function mixedWithWhite(colour: string, share: number): string {
  const channel = (from: number) => {
    const value = Number.parseInt(colour.slice(from, from + 2), 16)
    return Math.round(value + (255 - value) * share)
      .toString(16)
      .padStart(2, '0')
  }
  return `#${channel(1)}${channel(3)}${channel(5)}`.toUpperCase()
}

/** The custom properties that the style sheet uses. */
export function brandStyle(primary_color: string | null): string {
  const light = brandColours(primary_color, 'light')
  const dark = brandColours(primary_color, 'dark')
  const both = (colour: keyof BrandColours) => `light-dark(${light[colour]},${dark[colour]})`
  return `:root{--brand:${both('fill')};--on-brand:${both('on_fill')};--off-brand:${both('off_fill')};--link:${both('link')};--brand-edge:${both('edge')};--tile:${both('tile')};--on-tile:${both('on_tile')}}`
}

/** WCAG 2.2, contrast ratio: 1 to 21. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** WCAG 2.2, relative luminance of `#rrggbb`. */
function luminance(colour: string): number {
  const channel = (from: number) => {
    const share = Number.parseInt(colour.slice(from, from + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}
