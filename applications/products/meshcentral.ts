import { own, type Product, setup } from '../product.ts'

export default {
  template: 'meshcentral',
  version_of: 'meshcentral',
  npm: { meshcentral: '1.1.55', passport: '0.7.0', 'openid-client': '5.7.1', 'connect-flash': '0.1.1' },
  files: { 'data/config.json': [setup(0)] },
  environment: [own('NODE_ENV=production')],
  start:
    'node {modules}/meshcentral --datapath {folder}/data --filespath {folder}/files --port {port} --portbind 127.0.0.1 --redirport {port_2} --mpsport 0 --cert localhost --tlsoffload --exactports --wanonly',
  ready: '/health.ashx',
  start_seconds: 240,
  walk: {
    begin: async ({ page, url }) => void (await page.goto(`${url}/auth-oidc`)),
    async who({ page, url }) {
      await page.goto(`${url}/`)
      return page.content()
    },
    shown: ({ name, email }) => name ?? email,
    signOut: async ({ page, url }) => void (await page.goto(`${url}/logout`)),
  },
} satisfies Product
