import { own, type Product, setup } from '../product.ts'

export default {
  template: 'streamlit',
  version_of: 'streamlit',
  pypi: { streamlit: '1.67.0', Authlib: '1.9.6', httpx: '0.28.1' },
  files: {
    '.streamlit/secrets.toml': [setup(0)],
    'app.py': [setup(1), own('\nst.text(str(dict(st.user)))')],
  },
  start: 'streamlit run app.py --server.port {port} --server.address localhost --server.headless true --browser.gatherUsageStats false',
  ready: '/_stcore/health',
  walk: {
    async begin({ page, url }) {
      await page.goto(url)
      await page.getByRole('button', { name: 'Sign in' }).click()
    },
    async who({ page, url }) {
      if (!page.url().startsWith(url)) await page.goto(url)
      await page.getByRole('button', { name: /Sign (in|out)/ }).waitFor()
      return page.locator('body').innerText()
    },
    shown: ({ email }) => email,
    signOut: ({ page }) => page.getByRole('button', { name: 'Sign out' }).click(),
  },
} satisfies Product
