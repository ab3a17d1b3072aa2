import { own, type Product, setup } from '../product.ts'

export default {
  template: 'oauth2-proxy',
  version_of: 'github.com/oauth2-proxy/oauth2-proxy/v7',
  go: { 'github.com/oauth2-proxy/oauth2-proxy/v7': '7.15.6' },
  files: { 'oauth2-proxy.cfg': [setup(0)] },
  environment: [own('OAUTH2_PROXY_COOKIE_SECRET=0123456789abcdef0123456789abcdef')],
  // Options win over the file, whose upstream is another program of the operator.
  start:
    'oauth2-proxy --config oauth2-proxy.cfg --http-address 127.0.0.1:{port} --upstream static://200 --cookie-secure=false --cookie-secret "$OAUTH2_PROXY_COOKIE_SECRET"',
  ready: '/ping',
  walk: {
    begin: async ({ page, url }) => void (await page.goto(`${url}/oauth2/start?rd=/oauth2/userinfo`)),
    async who({ page, url }) {
      await page.goto(`${url}/oauth2/userinfo`)
      return page.locator('body').innerText()
    },
    shown: ({ email }) => email,
    signOut: async ({ page, url }) => void (await page.goto(`${url}/oauth2/sign_out?rd=/ping`)),
  },
} satisfies Product
