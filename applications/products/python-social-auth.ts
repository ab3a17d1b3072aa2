import { django, run, settings, urls, walk } from '../django.ts'
import { type Product, setup } from '../product.ts'

export default {
  template: 'python-social-auth',
  version_of: 'social-auth-app-django',
  pypi: { 'social-auth-app-django': '8.0.0', Django: django },
  files: { 'settings.py': [settings, setup(0)], 'urls.py': [urls({ sign_out: '/sign-out/', sign_in: '/social/login/oidc/' }), setup(1)] },
  ...run,
  walk: {
    ...walk,
    async begin({ page, url }) {
      await page.goto(`${url}/`)
      await page.getByRole('button', { name: 'Sign in' }).click()
    },
  },
} satisfies Product
