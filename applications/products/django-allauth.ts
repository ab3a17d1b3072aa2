import { django, run, settings, urls, walk } from '../django.ts'
import { type Product, setup } from '../product.ts'

export default {
  template: 'django-allauth',
  version_of: 'django-allauth[socialaccount]',
  pypi: { 'django-allauth[socialaccount]': '65.21.1', Django: django },
  files: { 'settings.py': [settings, setup(0)], 'urls.py': [urls({ sign_out: '/accounts/logout/' }), setup(1)] },
  ...run,
  walk: {
    ...walk,
    async begin({ page, url }) {
      await page.goto(`${url}/accounts/oidc/ostiary/login/`)
      await page.getByRole('button', { name: 'Continue' }).click()
    },
  },
} satisfies Product
