import { template } from '../application-template.ts'

export default template({
  slug: 'argo-workflows',
  name: 'Argo Workflows',
  homepage: 'https://argoproj.github.io/workflows/',
  redirect_uris: ['{url}/oauth2/callback'],
  require_pkce: false,
  setup: [
    {
      title: 'Secret in the namespace of Argo Workflows',
      language: 'yaml',
      text: `apiVersion: v1
kind: Secret
metadata:
  name: argo-server-sso
  namespace: argo
type: Opaque
stringData:
  client-id: "{client_id}"
  client-secret: "{client_secret}"`,
    },
    {
      title: 'Data of the ConfigMap workflow-controller-configmap',
      language: 'yaml',
      text: `data:
  sso: |
    issuer: "{issuer}"
    clientId:
      name: argo-server-sso
      key: client-id
    clientSecret:
      name: argo-server-sso
      key: client-secret
    redirectUrl: "{url}/oauth2/callback"
    scopes: [profile, email]
    rbac:
      enabled: false`,
    },
    {
      title: 'Arguments of the server',
      language: 'sh',
      text: `argo server --auth-mode sso`,
    },
  ],
  notes: [
    '`rbac.enabled: true` chooses service accounts by groups, which come with `roles_claim` of the application; rules by `sub` work.',
  ],
  source: 'https://argo-workflows.readthedocs.io/en/latest/argo-server-sso/',
})
