import { own, type Product, setup } from '../product.ts'

export default {
  template: 'flask-appbuilder',
  version_of: 'Flask-AppBuilder',
  pypi: { 'Flask-AppBuilder': '5.3.0', Authlib: '1.9.6', requests: '2.34.2' },
  files: {
    'config.py': [own('SECRET_KEY = "of this run alone"\nSQLALCHEMY_DATABASE_URI = "sqlite:///{folder}/app.sqlite"\n'), setup(0)],
    'app.py': [
      own(`from flask import Flask
from flask_appbuilder import AppBuilder
from flask_appbuilder.utils.legacy import get_sqla_class

app = Flask(__name__)
app.config.from_object("config")
db = get_sqla_class()()
appbuilder = AppBuilder()
db.init_app(app)
with app.app_context():
    appbuilder.init_app(app, db.session)

@app.get("/who")
def who():
    from flask_login import current_user

    return getattr(current_user, "email", "nobody")
`),
    ],
  },
  environment: [own('PYTHONPATH={folder}')],
  start: 'flask run --host localhost --port {port}',
  ready: '/who',
  walk: {
    async begin({ page, url }) {
      await page.goto(`${url}/login/ostiary`)
    },
    async who({ page, url }) {
      await page.goto(`${url}/who`)
      return page.locator('body').innerText()
    },
    shown: ({ email }) => email,
    signOut: async ({ page, url }) => void (await page.goto(`${url}/logout/`)),
  },
} satisfies Product
