/** All products of the runner. The light ones come first. */

import type { Product } from './product.ts'
import airflow from './products/airflow.ts'
import chainlit from './products/chainlit.ts'
import dash from './products/dash.ts'
import directus from './products/directus.ts'
import django_allauth from './products/django-allauth.ts'
import express_openid_connect from './products/express-openid-connect.ts'
import flask_appbuilder from './products/flask-appbuilder.ts'
import flask_oidc from './products/flask-oidc.ts'
import hono from './products/hono.ts'
import jupyterhub from './products/jupyterhub.ts'
import keycloak from './products/keycloak.ts'
import kubelogin from './products/kubelogin.ts'
import meshcentral from './products/meshcentral.ts'
import mod_auth_openidc from './products/mod-auth-openidc.ts'
import mozilla_django_oidc from './products/mozilla-django-oidc.ts'
import node_red from './products/node-red.ts'
import oauth2_proxy from './products/oauth2-proxy.ts'
import panel from './products/panel.ts'
import pgadmin from './products/pgadmin.ts'
import phoenix from './products/phoenix.ts'
import python_social_auth from './products/python-social-auth.ts'
import streamlit from './products/streamlit.ts'
import superset from './products/superset.ts'
import synapse from './products/synapse.ts'

export const products: readonly Product[] = [
  mozilla_django_oidc,
  django_allauth,
  python_social_auth,
  flask_oidc,
  flask_appbuilder,
  express_openid_connect,
  hono,
  streamlit,
  dash,
  jupyterhub,
  mod_auth_openidc,
  node_red,
  panel,
  chainlit,
  synapse,
  pgadmin,
  phoenix,
  meshcentral,
  directus,
  oauth2_proxy,
  kubelogin,
  keycloak,
  superset,
  airflow,
]

/** Products whose templates nobody has tried by this runner, since no package registry has them. */
export const without_packages: Readonly<Record<string, string>> = {
  dex: 'it is published as a container; the one version of its module since 2018 needs a later module of its API than there is',
}
