/** Every hosted page in a language that is written from right to left. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { axeViolations, noBrowser } from '../support/chromium.ts'
import { examplePages } from '../support/example-pages.ts'
import { launchForTests } from '../support/page-audit.ts'

test(
  'a page in a language from right to left begins at the right, fits into every width, and axe finds nothing',
  { skip: noBrowser },
  async (t) => {
    const browser = await launchForTests(t)
    const page = await browser.newPage()
    await page.route('**', (route) => route.abort())
    for (const [name, { html }] of Object.entries(examplePages('test', undefined, 'pseudo'))) {
      await page.setContent(html.replace(/<script>.*?<\/script>/gs, ''), { waitUntil: 'commit' })
      for (const width of [320, 390, 720, 1440]) {
        await page.setViewportSize({ width, height: 900 })
        const overflow = await page.evaluate(
          'Math.max(document.documentElement.scrollWidth - innerWidth, -document.scrollingElement.scrollLeft)',
        )
        assert.equal(overflow, 0, `${name} at ${width} px`)
      }
      // The heading touches the right edge of its panel, or is centred.
      const gaps = (await page.evaluate(`(() => {
      const range = document.createRange()
      range.selectNodeContents(document.querySelector('h1'))
      const [text, panel] = [range.getBoundingClientRect(), document.querySelector('h1').getBoundingClientRect()]
      return [text.left - panel.left, panel.right - text.right].map(Math.round)
    })()`)) as [number, number] // as: what the script returns
      assert.ok(gaps[1] <= gaps[0] + 1, `${name}: ${gaps}`)
      assert.deepEqual(await axeViolations(page), [], name)
    }
  },
)
