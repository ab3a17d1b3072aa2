/** Types for the parts of `oidc-provider` used by the benchmark and by tests with an upstream provider. The package has no types. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  interface Grant {
    addOIDCScope(scope: string): void
    addResourceScope(resource: string, scope: string): void
    save(): Promise<string>
  }

  export interface Context {
    oidc: {
      session: { grantIdFor(client_id: string): string | undefined }
      client: { clientId: string }
      account: { accountId: string }
    }
  }

  export default class Provider {
    constructor(issuer: string, configuration: object)
    callback(): RequestListener
    readonly Client: { find(id: string): Promise<{ redirectUris: string[] } | undefined> }
    readonly Grant: {
      new (properties: { clientId: string; accountId: string }): Grant
      find(id: string): Promise<Grant | undefined>
    }
  }
}
