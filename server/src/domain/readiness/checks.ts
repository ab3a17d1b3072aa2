// pure
/** Judges whether an environment is ready for real users. One function per check; the order is that of the answer. */
import type { Readiness, ReadinessCheck } from '@ostiary/contract/readiness.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'

/** The facts about an environment. Names are examples of the objects that a check found, for its detail. */
export interface Findings {
  type: EnvironmentType
  issuer: string
  /** The URL of the environment in the platform API. */
  url: string
  /** The URL of the tenant in the API. */
  tenant_url: string
  email_delivery: 'none' | 'smtp' | 'capture'
  links: { terms_url: string | null; privacy_url: string | null; support_url: string | null }
  applications: {
    /** How many are enabled. */
    enabled: number
    /** An enabled application with an address that does not begin with https or a scheme of its own. */
    with_http: Named | null
    /** An enabled application that has the address of Try sign-in. */
    with_try_address: Named | null
    /** An enabled application of a product that needs the claim of people, by the claim. */
    needing: Readonly<Record<ProductClaim, Named | null>>
  }
  /** The value of each claim for a person who has only an address. */
  claims: Readonly<Record<ProductClaim, 'none' | 'email'>>
  oauth: { metadata_clients: 'off' | 'listed' | 'any'; openid_optional: boolean }
  /** Everyone is asked for a name, and nobody comes in without one. */
  requires_names: boolean
  /** Secret keys that can be used, and those of them that can be used from any address. */
  secret_keys: { all: number; open: number }
  webhooks: {
    enabled: number
    /** An enabled webhook with an http address. */
    with_http: Named | null
    /** An enabled webhook whose last attempt failed, or which never answered. */
    silent: Named | null
    /** The service disabled it, because its receiver is gone or failed for days. */
    given_up: Named | null
  }
  providers: {
    enabled: number
    /** An enabled provider whose last sign-in or check failed, with what happened. */
    failed: (Named & { detail: string }) | null
  }
  /** The first end, if that is within 30 days. `days` is the stage of its warnings. */
  ends: {
    kind: 'client_secret' | 'auth_key' | 'provider_secret'
    id: string
    name: string
    application_id: string | null
    days: number
  } | null
  resource_servers: {
    /** How many give a scope only by a role. */
    requiring: number
    /** One of them of which no role gives a scope. */
    ungiven: Named | null
  }
  organizations: {
    /** An application or a resource server that takes nobody without an organization, and what it is. */
    required_by: { kind: 'application' | 'resource server'; name: string } | null
    exist: boolean
  }
  owners: number
  /** People whose only second factor is a passkey while passkeys are off, counted up to `most_counted`. */
  passkey_only: number
  /** A person signed in within the last 90 days. */
  has_sign_in: boolean
}

/** The claims that products need and an environment can fill. */
export type ProductClaim = 'preferred_username' | 'name'

/** More people are not counted. */
export const most_counted = 100

export interface Named {
  id: string
  name: string
}

type Judged = Pick<ReadinessCheck, 'ok' | 'applies' | 'detail'> & { link: string }

interface Check {
  level: ReadinessCheck['level']
  judge: (found: Findings) => Judged
}

const passed = (detail: string, link: string): Judged => ({ ok: true, applies: true, detail, link })
const failed = (detail: string, link: string): Judged => ({ ok: false, applies: true, detail, link })
/** There is nothing to check, so the check passes. */
const nothing = (detail: string, link: string): Judged => ({ ok: true, applies: false, detail, link })

const checks: Record<ReadinessCheck['code'], Check> = {
  mail_works: {
    level: 'required',
    judge({ type, email_delivery, url }) {
      const link = `${url}/settings`
      if (email_delivery === 'smtp') return passed('Mail is sent by your mail server.', link)
      if (email_delivery === 'capture' && type === 'test') return nothing('Mail is captured in the inbox of this Test environment.', link)
      return failed('The environment sends no mail, so nobody can verify an address or get back into an account. Set up mail.', link)
    },
  },
  application_exists: {
    level: 'required',
    judge({ applications: { enabled }, url }) {
      const link = `${url}/applications`
      return enabled > 0
        ? passed('An application is registered and enabled.', link)
        : failed('There is no enabled application. Register one, or enable it.', link)
    },
  },
  https_only: {
    level: 'required',
    judge({ issuer, applications, webhooks, url }) {
      if (!issuer.startsWith('https://'))
        return failed(
          `The issuer is at ${new URL(issuer).origin}, which is not https. The operator sets the base URL in OSTIARY_BASE_URL.`,
          url,
        )
      if (applications.with_http)
        return failed(
          `The application ${quoted(applications.with_http)} has an http address. Replace it by https.`,
          `${url}/applications/${applications.with_http.id}`,
        )
      if (webhooks.with_http)
        return failed(
          `The webhook ${quoted(webhooks.with_http)} has an http address. Replace it by https.`,
          `${url}/webhooks/${webhooks.with_http.id}`,
        )
      return passed('The issuer and all addresses are https.', url)
    },
  },
  no_try_address: {
    level: 'required',
    judge({ applications: { enabled, with_try_address }, url }) {
      if (enabled === 0) return nothing('There is no enabled application.', `${url}/applications`)
      return with_try_address
        ? failed(
            `The application ${quoted(with_try_address)} has the redirect URI of Try sign-in. Remove it before real users sign in.`,
            `${url}/applications/${with_try_address.id}`,
          )
        : passed('No application has the redirect URI of Try sign-in.', `${url}/applications`)
    },
  },
  keys_restricted: {
    level: 'recommended',
    judge({ secret_keys: { all, open }, url }) {
      const link = `${url}/auth-keys`
      if (all === 0) return nothing('There is no secret key.', link)
      const are = open === 1 ? 'One secret key works' : `${open} secret keys work`
      return open === 0
        ? passed('Every secret key has an IP allowlist.', link)
        : failed(`${are} from every address. Restrict ${open === 1 ? 'it' : 'them'} to the addresses of your servers.`, link)
    },
  },
  webhooks_answer: {
    level: 'recommended',
    judge({ webhooks: { enabled, silent, given_up }, url }) {
      if (given_up)
        return failed(
          `The webhook ${quoted(given_up)} was disabled because its receiver did not answer. Enable it once it does.`,
          `${url}/webhooks/${given_up.id}`,
        )
      if (silent)
        return failed(
          `The webhook ${quoted(silent)} has not answered yet, or its last attempt failed. Send a test event.`,
          `${url}/webhooks/${silent.id}`,
        )
      return enabled === 0
        ? nothing('There is no enabled webhook.', `${url}/webhooks`)
        : passed('Every enabled webhook answers.', `${url}/webhooks`)
    },
  },
  providers_answer: {
    level: 'recommended',
    judge({ providers: { enabled, failed: failing }, url }) {
      if (failing)
        return failed(
          `The last sign-in or check at the provider ${quoted(failing)} failed. ${failing.detail}`,
          `${url}/providers/${failing.id}`,
        )
      return enabled === 0
        ? nothing('There is no enabled provider.', `${url}/providers`)
        : passed('No enabled provider has failed since its last sign-in.', `${url}/providers`)
    },
  },
  nothing_ends_soon: {
    level: 'recommended',
    judge({ ends, url }) {
      if (!ends) return passed('No secret and no key ends within 30 days.', url)
      const { kind, id, name, application_id, days } = ends
      const said: Record<typeof kind, readonly [words: string, path: string]> = {
        client_secret: [`A client secret of the application ${quoted({ name })}`, `applications/${application_id}/secrets/${id}`],
        auth_key: [`The key ${quoted({ name })}`, `auth-keys/${id}`],
        provider_secret: [`The secret of the provider ${quoted({ name })}`, `providers/${id}`],
      }
      const [words, path] = said[kind]
      return failed(`${words} ends in ${days === 1 ? 'a day' : `${days} days`} or less. Replace it before.`, `${url}/${path}`)
    },
  },
  links_set: {
    level: 'recommended',
    judge({ links, url }) {
      const missing = Object.entries(link_words).flatMap(([name, words]) => (links[name as keyof typeof links] === null ? [words] : [])) // as: its keys
      return missing.length === 0
        ? passed('The pages link to your terms, privacy policy and support.', `${url}/settings`)
        : failed(
            `The pages do not link to your ${inWords(missing)}. Set ${missing.length === 1 ? 'it' : 'them'} in the settings.`,
            `${url}/settings`,
          )
    },
  },
  two_owners: {
    level: 'recommended',
    judge({ owners, tenant_url }) {
      return owners >= 2
        ? passed('The tenant has at least two owners.', `${tenant_url}/members`)
        : failed('The tenant has one owner, who can be locked out. Make another member an owner.', `${tenant_url}/members`)
    },
  },
  passkeys_usable: {
    level: 'recommended',
    judge({ passkey_only, url }) {
      const link = `${url}/settings`
      if (passkey_only === 0) return nothing('Nobody depends on a passkey while passkeys are off.', link)
      const people = passkey_only === 1 ? 'One person has' : `${passkey_only}${passkey_only < most_counted ? '' : ' or more'} people have`
      return failed(
        `${people} no second factor but a passkey, and passkeys are switched off. The passkey is still asked for. A person who lost it gets back in only if you remove it.`,
        link,
      )
    },
  },
  claims_for_products: {
    level: 'recommended',
    judge({ applications: { needing }, claims, requires_names, url }) {
      const link = `${url}/settings`
      const products = Object.entries(claim_words).map(([claim, words]) => ({ claim: claim as ProductClaim, words })) // as: its keys
      const isFilled = (claim: ProductClaim) => claims[claim] !== 'none' || (claim === 'name' && requires_names)
      const missing = products.find(({ claim }) => needing[claim] && !isFilled(claim))
      if (missing)
        return failed(
          `The product of the application ${quoted(needing[missing.claim] ?? { name: '' })} needs ${missing.words}, which a person with an address and nothing else lacks. Let the verified address take its place in the settings${missing.claim === 'name' ? ', require a name at sign-up' : ''}, or give people one by your backend.`,
          link,
        )
      return needing.preferred_username || needing.name
        ? passed('The claims have what the products need.', link)
        : nothing('No application is of a product that needs a name.', link)
    },
  },
  roles_give_scopes: {
    level: 'recommended',
    judge({ resource_servers: { requiring, ungiven }, url }) {
      const link = `${url}/roles`
      if (ungiven)
        return failed(
          `The resource server ${quoted(ungiven)} gives scopes only by roles, and no role gives one, so nobody can use it. Name its scopes in a role, or let it give them without one.`,
          link,
        )
      return requiring === 0
        ? nothing('No resource server requires roles.', link)
        : passed('Every resource server that requires roles has a role that gives a scope.', link)
    },
  },
  organizations_exist: {
    level: 'recommended',
    judge({ organizations: { required_by, exist }, url }) {
      const link = `${url}/organizations`
      if (required_by === null) return nothing('Nothing requires an organization.', link)
      return exist
        ? passed('An organization exists, and people can act in it.', link)
        : failed(
            `The ${required_by.kind} ${quoted(required_by)} takes only people who act in an organization, and there is none, so nobody gets in. Create one and add its members, or let people in without one.`,
            link,
          )
    },
  },
  agents_get_tokens: {
    level: 'recommended',
    judge({ oauth: { metadata_clients, openid_optional }, url }) {
      const link = `${url}/settings`
      if (metadata_clients === 'off') return nothing('No client connects by its address.', link)
      return openid_optional
        ? passed('Clients connect by their address, and may leave openid out.', link)
        : failed(
            'Clients connect by their address, and are refused where they leave openid out, as agents do. Let requests do without it.',
            link,
          )
    },
  },
  real_sign_in: {
    level: 'required',
    judge({ has_sign_in, url }) {
      const link = `${url}/events?type=sign_in.succeeded`
      return has_sign_in
        ? passed('A person signed in within the last 90 days.', link)
        : failed('Nobody has signed in within the last 90 days. Sign in once through your application.', link)
    },
  },
}

const claim_words: Record<ProductClaim, string> = { preferred_username: 'a user name', name: 'a name' }

const link_words = { terms_url: 'terms', privacy_url: 'privacy policy', support_url: 'support' }

const inWords = (words: readonly string[]) => [words.slice(0, -1).join(', '), words.at(-1) ?? ''].filter(Boolean).join(' and ')

const quoted = ({ name }: Pick<Named, 'name'>) => `“${name}”`

export function judgeReadiness(found: Findings): Readiness {
  const judged = Object.entries(checks).map(([code, { level, judge }]) => {
    const { ok, applies, detail, link } = judge(found)
    return { code: code as ReadinessCheck['code'], ok, applies, level, detail, link } // as: the record has exactly these keys
  })
  return { ready: judged.every(({ ok, level }) => ok || level !== 'required'), checks: judged }
}
