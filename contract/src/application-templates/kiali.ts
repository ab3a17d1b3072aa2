import { template } from '../application-template.ts'

export default template({
  slug: 'kiali',
  name: 'Kiali',
  homepage: 'https://kiali.io/',
  redirect_uris: ['{url}'],
  scopes: ['openid', 'email'],
  setup: [
    {
      title: 'Kiali CR',
      language: 'yaml',
      text: `spec:
  auth:
    strategy: openid
    openid:
      client_id: "{client_id}"
      issuer_uri: "{issuer}"
      scopes: [openid, email]
      username_claim: sub
      disable_rbac: true`,
    },
    {
      title: 'Secret in the namespace of Kiali',
      language: 'yaml',
      text: `apiVersion: v1
kind: Secret
metadata:
  name: kiali
  namespace: istio-system
  labels:
    app: kiali
type: Opaque
stringData:
  oidc-secret: "{client_secret}"`,
    },
  ],
  notes: [
    'The address includes the path of Kiali, such as https://mesh.example.com/kiali.',
    '`disable_rbac: true` gives everyone who signs in the rights of Kiali itself. Without it the API server of the cluster must accept the ID tokens of the service.',
  ],
  source: 'https://kiali.io/docs/configuration/authentication/openid/',
})
