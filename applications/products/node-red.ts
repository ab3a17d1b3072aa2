import { own, type Product, setup } from '../product.ts'

/** The editor keeps its token in the browser. */
const key = 'Object.keys(localStorage).find((name) => name.startsWith("auth-tokens"))'

export default {
  template: 'node-red',
  version_of: 'node-red',
  npm: { 'node-red': '5.0.7', 'passport-openidconnect': '0.1.2' },
  files: { 'settings.js': [own('module.exports = { uiHost: "localhost", uiPort: {port} }\n'), setup(0)] },
  start: 'node-red --userDir {folder} --settings {folder}/settings.js',
  ready: '/',
  walk: {
    async begin({ page, url }) {
      await page.goto(`${url}/`)
      await page.getByText('Sign in with Ostiary').click()
    },
    finish: async ({ page }) => void (await page.waitForFunction(key)),
    async who({ page, url }) {
      await page.goto(`${url}/`)
      const token = `JSON.parse(localStorage.getItem(${key}) ?? "null")?.access_token`
      const asked = `fetch("/settings", { headers: { authorization: "Bearer " + ${token} } }).then((answer) => answer.text())`
      return page.evaluate<string>(asked)
    },
    shown: (_, id) => `"username":"${id}"`,
  },
} satisfies Product
