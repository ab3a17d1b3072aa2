import { own, type Product, setup } from '../product.ts'

export default {
  template: 'express-openid-connect',
  version_of: 'express-openid-connect',
  npm: { 'express-openid-connect': '3.4.0', express: '5.3.0' },
  files: {
    'app.js': [
      own('const app = require("express")()\n'),
      setup(0),
      own('\napp.get("/", (req, res) => res.json(req.oidc.user ?? null))\napp.listen({port}, "localhost")\n'),
    ],
  },
  start: 'node app.js',
  ready: '/',
  walk: {
    begin: async ({ page, url }) => void (await page.goto(`${url}/`)),
    async who({ page, url }) {
      await page.goto(`${url}/`)
      return page.locator('body').innerText()
    },
    shown: ({ email }) => email,
    signOut: async ({ page, url }) => void (await page.goto(`${url}/logout`)),
  },
} satisfies Product
