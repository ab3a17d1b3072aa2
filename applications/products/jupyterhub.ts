import { own, type Product, setup } from '../product.ts'

export default {
  template: 'jupyterhub',
  version_of: 'jupyterhub',
  pypi: { jupyterhub: '6.1.1', oauthenticator: '17.4.0' },
  npm: { 'configurable-http-proxy': '5.3.0' },
  files: {
    'jupyterhub_config.py': [
      own(`c.JupyterHub.bind_url = "http://localhost:{port}"
c.JupyterHub.hub_bind_url = "http://127.0.0.1:{port_2}"
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{port_3}"
c.JupyterHub.redirect_to_server = False  # servers of people are not part of the trial
c.JupyterHub.spawner_class = "simple"
`),
      setup(0),
    ],
  },
  start: 'jupyterhub',
  ready: '/hub/login',
  meets_impostors: true,
  walk: {
    async begin({ page, url }) {
      await page.goto(`${url}/hub/login`)
      await page.getByText('Sign in with Ostiary').click()
    },
    async who({ page, url }) {
      await page.goto(`${url}/hub/home`)
      return `user ${await page.evaluate('window.jhdata?.user')};` // the name as it is
    },
    shown: ({ preferred_username, email }) => `user ${preferred_username ?? email};`,
    signOut: async ({ page, url }) => void (await page.goto(`${url}/hub/logout`)),
  },
} satisfies Product
