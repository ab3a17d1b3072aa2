import { eventually } from '../processes.ts'
import { own, type Product, setup } from '../product.ts'

export default {
  template: 'hono',
  version_of: '@hono/oidc-auth',
  npm: { '@hono/oidc-auth': '1.8.1', hono: '4.13.19', '@hono/node-server': '1.19.6' },
  files: {
    '{modules}/../app.mjs': [
      own('import { serve } from "@hono/node-server"\nimport { Hono } from "hono"\n\nconst app = new Hono()\n'),
      setup(1),
      own('\napp.get("/", async (c) => c.json(await getAuth(c)))\nserve({ fetch: app.fetch, hostname: "localhost", port: {port} })\n'),
    ],
  },
  environment: [setup(0), own('OIDC_AUTH_REFRESH_INTERVAL=1')], // seconds, so that a trial sees it
  start: 'node {modules}/../app.mjs',
  ready: '/logout',
  // Without https no sign-out is tried: the library deletes its Secure cookie without Secure, which a browser then keeps.
  walk: {
    begin: async ({ page, url }) => void (await page.goto(`${url}/`)),
    async who({ page, url }) {
      await page.goto(`${url}/`)
      return page.locator('body').innerText()
    },
    async refresh({ page, url }) {
      const token = async (): Promise<string> => {
        await page.goto(`${url}/`)
        return JSON.parse(await page.locator('body').innerText()).rtk
      }
      const before = await token()
      await eventually('The refresh token did not change', 20, async () => (await token()) !== before)
    },
    shown: ({ email }) => email,
  },
} satisfies Product
