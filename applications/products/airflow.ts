import { own, type Product, setup } from '../product.ts'

export default {
  template: 'airflow',
  version_of: 'apache-airflow',
  pypi: { 'apache-airflow': '3.3.2', 'apache-airflow-providers-fab': '3.10.2', Authlib: '1.9.6' },
  files: {
    'airflow.cfg': [
      setup(0),
      own(`load_examples = False
dags_folder = {folder}/dags
[database]
sql_alchemy_conn = sqlite:///{folder}/airflow.sqlite
[api]
port = {port}
host = localhost
base_url = {url}
secret_key = of this run alone
[api_auth]
jwt_secret = of this run alone, and long enough for everybody, with sixty-four bytes
`),
    ],
    'webserver_config.py': [setup(1)],
  },
  environment: [own('AIRFLOW_HOME={folder}')],
  prepare: ['airflow db migrate'],
  start: 'airflow api-server --workers 1',
  ready: '/auth/login/',
  start_seconds: 180,
  walk: {
    begin: async ({ page, url }) => void (await page.goto(`${url}/auth/login/ostiary`)),
    async who({ page, url }) {
      await page.goto(`${url}/ui/auth/me`)
      return page.locator('body').innerText()
    },
    shown: (_, id) => `"username":"${id}"`,
    signOut: async ({ page, url }) => void (await page.goto(`${url}/api/v2/auth/logout`)),
  },
} satisfies Product
