import { template } from '../application-template.ts'

export default template({
  slug: 'kubelogin',
  name: 'Kubernetes (kubelogin)',
  homepage: 'https://github.com/int128/kubelogin',
  application_type: 'native',
  redirect_uris: ['{url}'],
  token_endpoint_auth_method: 'none',
  nonce_replaces_pkce: null,
  scopes: ['openid', 'profile', 'email'],
  setup: [
    {
      title: 'Arguments of the API server',
      language: 'sh',
      text: `kube-apiserver \\
  --oidc-issuer-url='{issuer}' \\
  --oidc-client-id='{client_id}' \\
  --oidc-username-claim='sub' \\
  --oidc-username-prefix='ostiary:'`,
    },
    {
      title: 'On the machine of each person, with the plugin oidc-login',
      language: 'sh',
      text: `kubectl config set-credentials ostiary \\
  --exec-api-version=client.authentication.k8s.io/v1 \\
  --exec-interactive-mode=IfAvailable \\
  --exec-command=kubectl \\
  --exec-arg=oidc-login \\
  --exec-arg=get-token \\
  --exec-arg='--oidc-issuer-url={issuer}' \\
  --exec-arg='--oidc-client-id={client_id}' \\
  --exec-arg='--oidc-extra-scope=profile' \\
  --exec-arg='--oidc-extra-scope=email'`,
    },
  ],
  notes: [
    'A person with a session in the browser presses Continue at each sign-in, since any program on the machine can listen at this address.',
    'The address is the one where kubelogin listens on the machine of the person: http://localhost:8000, unless it has other arguments.',
    'The API server knows people as ostiary: and their subject. With `--oidc-username-claim=email` it refuses an address that is not verified.',
    '`--oidc-groups-claim` needs groups, which come with `roles_claim` of the application; without them bind roles to people.',
  ],
  tried: { version: '1.28.0', at: '2026-11-26' },
  source: 'https://github.com/int128/kubelogin/blob/master/docs/setup.md',
})
