import { own, type Product, setup } from '../product.ts'

export default {
  template: 'pgadmin',
  version_of: 'pgadmin4',
  pypi: { pgadmin4: '9.18' },
  files: {
    '{site}/pgadmin4/config_local.py': [
      own(`SERVER_MODE = True
DATA_DIR = "{folder}"
LOG_FILE = "{folder}/pgadmin.log"
SQLITE_PATH = "{folder}/pgadmin.db"
SESSION_DB_PATH = "{folder}/sessions"
STORAGE_DIR = "{folder}/storage"
AZURE_CREDENTIAL_CACHE_DIR = "{folder}/azure"
KERBEROS_CCACHE_DIR = "{folder}/kerberos"
DEFAULT_SERVER_PORT = {port}
UPGRADE_CHECK_ENABLED = False
`),
      setup(0),
    ],
  },
  environment: [own("PGADMIN_SETUP_EMAIL='owner@example.com'\nPGADMIN_SETUP_PASSWORD='a long enough password'")],
  start: 'pgadmin4',
  ready: '/login',
  start_seconds: 180,
  walk: {
    async begin({ page, url }) {
      await page.goto(`${url}/login`)
      await page.getByRole('button', { name: /Ostiary/ }).click()
    },
    async who({ page, url }) {
      await page.goto(`${url}/browser/js/utils.js`)
      return page.locator('body').innerText()
    },
    shown: ({ preferred_username, email }) => `username: '${preferred_username ?? email}'`,
    signOut: async ({ page, url }) => void (await page.goto(`${url}/logout`)),
  },
} satisfies Product
