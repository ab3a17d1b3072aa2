import { template } from '../application-template.ts'

export default template({
  slug: 'argo-cd',
  name: 'Argo CD',
  homepage: 'https://argo-cd.readthedocs.io/',
  redirect_uris: ['{url}/auth/callback'],
  post_logout_redirect_uris: ['{url}'],
  require_pkce: false,
  setup: [
    {
      title: 'Secret beside Argo CD',
      language: 'yaml',
      text: `apiVersion: v1
kind: Secret
metadata:
  name: ostiary
  namespace: argocd
  labels:
    app.kubernetes.io/part-of: argocd
type: Opaque
stringData:
  clientSecret: "{client_secret}"`,
    },
    {
      title: 'Data of the ConfigMap argocd-cm',
      language: 'yaml',
      text: `data:
  url: "{url}"
  oidc.config: |
    name: Ostiary
    issuer: "{issuer}"
    clientID: "{client_id}"
    clientSecret: $ostiary:clientSecret
    requestedScopes: [openid, profile, email]
    logoutURL: "{issuer}/oauth/logout?id_token_hint={{token}}&post_logout_redirect_uri={{logoutRedirectURL}}"`,
    },
  ],
  notes: [
    'Give roles by the subject of a person in `argocd-rbac-cm`. Groups come with `roles_claim` of the application, and `email` can be an unverified address.',
    'Argo CD 3 sends PKCE with `enablePKCEAuthentication: true`. Then `require_pkce` of the application can be true.',
    'The command `argocd login --sso` needs a second application of the type native with the redirect URI http://localhost:8085/auth/callback, named by `cliClientID`. A person with a session presses Continue there.',
  ],
  source: 'https://argo-cd.readthedocs.io/en/stable/operator-manual/user-management/',
})
