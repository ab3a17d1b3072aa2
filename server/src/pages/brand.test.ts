import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { brandColours, brandStyle, contrast, type Theme, themes } from './brand.ts'

const ratios = [
  { one: '#000000', other: '#ffffff', ratio: 21 },
  { one: '#767676', other: '#FFFFFF', ratio: 4.54 },
  { one: '#14191C', other: '#FFFFFF', ratio: 17.7 },
  { one: '#0B6472', other: '#FFFFFF', ratio: 6.8 },
  { one: '#5CC6D5', other: '#161B1E', ratio: 8.7 },
]
for (const { one, other, ratio } of ratios) {
  test(`${one} and ${other} have a contrast of ${ratio} in either order`, () => {
    assert.ok(Math.abs(contrast(one, other) - ratio) < 0.06, String(contrast(one, other)))
    assert.equal(contrast(one, other), contrast(other, one))
  })
}

const light = themes.light
const brands: [string | null, Theme, Partial<ReturnType<typeof brandColours>>][] = [
  ['#1F4FD8', 'light', { fill: '#1F4FD8', on_fill: '#FFFFFF', link: '#1F4FD8', edge: '#1F4FD8' }],
  ['#1F4FD8', 'dark', { fill: '#8CA4EB', on_fill: '#000000', link: '#8CA4EB', edge: '#8CA4EB', tile: '#1F4FD8', on_tile: '#FFFFFF' }],
  ['#FFD400', 'light', { fill: '#FFD400', on_fill: '#000000', link: light.ink, edge: light.edge }],
  ['#FFD400', 'dark', { fill: '#FFD400', on_fill: '#000000', link: '#FFD400', edge: '#FFD400' }],
  ['#FFFFFF', 'light', { on_fill: '#000000', link: light.ink, edge: light.edge }],
  ['#000000', 'dark', { on_fill: '#000000', tile: '#000000', on_tile: '#FFFFFF' }],
  [null, 'light', { fill: '#0B6472', on_fill: '#FFFFFF', link: '#0B6472' }],
  [null, 'dark', { fill: '#5CC6D5', on_fill: '#04252A', link: '#5CC6D5' }],
]
for (const [primary_color, theme, expected] of brands) {
  test(`${primary_color ?? 'no brand colour'}, ${theme}: ${Object.values(expected).join(', ')}`, () => {
    const got = brandColours(primary_color, theme)
    assert.deepEqual({ ...got, ...expected }, got)
  })
}

const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)
for (const theme of ['light', 'dark'] as const) {
  test(`with any brand colour in the ${theme} theme, text and links reach a contrast of 4.5:1, the edge of a button 3:1`, () => {
    fc.assert(
      fc.property(fc.option(colour), (primary_color) => {
        const { fill, on_fill, off_fill, link, edge, tile, on_tile } = brandColours(primary_color, theme)
        assert.ok(contrast(fill, on_fill) >= 4.5)
        assert.ok(contrast(off_fill, on_fill) >= contrast(fill, on_fill))
        assert.ok(contrast(link, themes[theme].surface) >= 4.5)
        assert.ok(contrast(edge, themes[theme].surface) >= 3)
        assert.ok(contrast(tile, on_tile) >= 4.5)
      }),
    )
  })
}

test('the dark theme lightens every brand colour until it stands out by 7:1, keeps light ones, and never darkens one', () => {
  const { surface } = themes.dark
  fc.assert(
    fc.property(colour, (primary_color) => {
      const { fill, link } = brandColours(primary_color, 'dark')
      assert.ok(contrast(fill, surface) >= 7)
      assert.ok(contrast(fill, '#000000') >= contrast(primary_color, '#000000'))
      assert.equal(link, fill)
      if (contrast(primary_color, surface) >= 7) assert.equal(fill, primary_color)
    }),
  )
})

test('the light theme keeps the brand colour', () =>
  fc.assert(fc.property(colour, (primary_color) => assert.equal(brandColours(primary_color, 'light').fill, primary_color))))

test('every brand property has a value for both themes', () => {
  assert.equal(brandStyle('#1F4FD8').match(/light-dark\(/g)?.length, brandStyle('#1F4FD8').match(/--[a-z-]+:/g)?.length)
})
