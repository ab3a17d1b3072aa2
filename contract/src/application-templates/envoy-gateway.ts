import { template } from '../application-template.ts'

export default template({
  slug: 'envoy-gateway',
  name: 'Envoy Gateway',
  homepage: 'https://gateway.envoyproxy.io/',
  redirect_uris: ['{url}/oauth2/callback'],
  require_pkce: false,
  scopes: ['openid', 'profile', 'email', 'offline_access'],
  setup: [
    {
      title: 'Secret in the namespace of the route',
      language: 'yaml',
      text: `apiVersion: v1
kind: Secret
metadata:
  name: ostiary
type: Opaque
stringData:
  client-secret: "{client_secret}"`,
    },
    {
      title: 'SecurityPolicy',
      language: 'yaml',
      text: `apiVersion: gateway.envoyproxy.io/v1alpha1
kind: SecurityPolicy
metadata:
  name: ostiary
spec:
  targetRefs:
    - group: gateway.networking.k8s.io
      kind: HTTPRoute
      name: my-application
  oidc:
    provider:
      issuer: "{issuer}"
    clientID: "{client_id}"
    clientSecret:
      name: ostiary
    redirectURL: "{url}/oauth2/callback"
    logoutPath: /logout
    scopes: [profile, email, offline_access]
    refreshToken: true`,
    },
  ],
  notes: [
    'Write the name of your HTTPRoute in the place of my-application. Its host must be the one of the address.',
    'Only Envoy 1.34 and later send PKCE, so `require_pkce` is false. A version that sends PKCE is held to it.',
  ],
  source: 'https://gateway.envoyproxy.io/latest/tasks/security/oidc/',
})
