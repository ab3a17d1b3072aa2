import { own, type Product, setup } from '../product.ts'

export default {
  template: 'panel',
  version_of: 'panel',
  pypi: { panel: '1.9.4' },
  files: { 'app.py': [own('import panel as pn\n\npn.pane.Str(f"Signed in as {pn.state.user_info}").servable()\n')] },
  environment: [setup(0)],
  start: 'panel serve app.py --port {port} --address localhost --allow-websocket-origin localhost:{port}',
  ready: '/login',
  walk: {
    begin: async ({ page, url }) => void (await page.goto(`${url}/app`)),
    async who({ page, url }) {
      await page.goto(`${url}/app`)
      return page.getByText('Signed in as').innerText({ timeout: 20_000 })
    },
    shown: ({ email }) => email,
  },
} satisfies Product
