import { own, type Product, setup } from '../product.ts'

export default {
  template: 'chainlit',
  version_of: 'chainlit',
  pypi: { chainlit: '2.12.0' },
  files: { 'app.py': [setup(1), own('\n\n@cl.on_message\nasync def answer(message):\n    await cl.Message(message.content).send()\n')] },
  environment: [setup(0), own("CHAINLIT_AUTH_SECRET='of this run alone, and long enough'")],
  start: 'chainlit run app.py --headless --host localhost --port {port}',
  ready: '/login',
  walk: {
    // The address of the button "Continue with ostiary".
    begin: async ({ page, url }) => void (await page.goto(`${url}/auth/oauth/ostiary`)),
    async who({ page, url }) {
      await page.goto(`${url}/user`)
      return page.locator('body').innerText()
    },
    shown: ({ preferred_username, email }) => `"${preferred_username ?? email}"`,
    signOut: async ({ page, url }) => void (await page.evaluate(`fetch(${JSON.stringify(`${url}/logout`)}, { method: 'POST' })`)),
  },
} satisfies Product
