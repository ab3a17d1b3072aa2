import { django, run, settings, urls, walk } from '../django.ts'
import { type Product, setup } from '../product.ts'

export default {
  template: 'mozilla-django-oidc',
  version_of: 'mozilla-django-oidc',
  pypi: { 'mozilla-django-oidc': '5.0.2', Django: django },
  files: { 'settings.py': [settings, setup(0)], 'urls.py': [urls({ sign_out: '/oidc/logout/' }), setup(1)] },
  ...run,
  walk: {
    ...walk,
    begin: async ({ page, url }) => void (await page.goto(`${url}/oidc/authenticate/`)),
  },
} satisfies Product
