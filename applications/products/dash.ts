import { own, type Product, setup } from '../product.ts'

export default {
  template: 'dash',
  version_of: 'dash',
  pypi: { dash: '4.4.1', 'dash-auth[oidc]': '2.3.0', requests: '2.34.2' },
  files: {
    'app.py': [
      own(`from dash import Dash, html
from flask import session

app = Dash(__name__)
app.layout = html.P("A dashboard")

`),
      setup(0),
      own(`
@app.server.get("/who")
def who():
    return session["user"]


app.run(host="localhost", port={port})
`),
    ],
  },
  start: 'python app.py',
  ready: '/',
  walk: {
    begin: async ({ page, url }) => void (await page.goto(`${url}/`)),
    async who({ page, url }) {
      await page.goto(`${url}/who`)
      return page.locator('body').innerText()
    },
    shown: ({ email }) => email,
    async signOut({ page, url }) {
      await page.goto(`${url}/oidc/logout`)
    },
  },
} satisfies Product
