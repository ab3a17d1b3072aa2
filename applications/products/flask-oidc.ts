import { own, type Product, setup } from '../product.ts'

export default {
  template: 'flask-oidc',
  version_of: 'flask-oidc',
  pypi: { 'flask-oidc': '2.4.0' },
  files: {
    'app.py': [
      own('from flask import Flask, session\n\napp = Flask(__name__)\n'),
      setup(0),
      own(`
@app.get("/")
def who():
    return session.get("oidc_auth_profile") or "nobody"


@app.get("/token")
def token():
    return session["oidc_auth_token"]["access_token"]
`),
    ],
  },
  environment: [own('PYTHONPATH={folder}')],
  start: 'flask run --host localhost --port {port}',
  ready: '/',
  access_token_seconds: 60, // Authlib refreshes a token in its last minute
  walk: {
    begin: async ({ page, url }) => void (await page.goto(`${url}/login`)),
    async who({ page, url }) {
      await page.goto(`${url}/`)
      return page.locator('body').innerText()
    },
    async refresh({ page, url }) {
      const token = async () => {
        await page.goto(`${url}/token`)
        return page.locator('body').innerText()
      }
      const before = await token()
      if ((await token()) === before) throw new Error('The access token is the same as before.')
    },
    shown: ({ email }) => email,
    signOut: async ({ page, url }) => void (await page.goto(`${url}/logout`)),
  },
} satisfies Product
