import { own, type Product, setup } from '../product.ts'

export default {
  template: 'superset',
  version_of: 'apache-superset',
  pypi: { 'apache-superset': '6.1.0', Authlib: '1.9.6', 'Flask-Caching': '2.3.1', cachetools: '8.0.2', rich: '14.2.0' },
  files: {
    'superset_config.py': [
      own(`SECRET_KEY = "of this run alone, and long enough for everybody"
SQLALCHEMY_DATABASE_URI = "sqlite:///{folder}/superset.sqlite"
`),
      setup(0),
    ],
  },
  environment: [own('FLASK_APP=superset\nPYTHONPATH={folder}\nSUPERSET_HOME={folder}')],
  prepare: ['superset db upgrade', 'superset init'],
  start: 'superset run --host localhost --port {port}',
  ready: '/health',
  start_seconds: 180,
  walk: {
    async begin({ page, url }) {
      await page.goto(`${url}/login/`)
      await page.getByText(/sign in with ostiary/i).click()
    },
    async who({ page, url }) {
      await page.goto(`${url}/api/v1/me/`)
      return page.locator('body').innerText()
    },
    shown: ({ email }) => email,
    signOut: async ({ page, url }) => void (await page.goto(`${url}/logout/`)),
  },
} satisfies Product
