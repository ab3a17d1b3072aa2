/** The names of claims that standards define, which no claim of a tenant can have. */
import { z } from 'zod'

/**
 * IANA, JSON Web Token Claims, as on 2026-06-29: every registered name of letters, digits and `_`. One that is registered later stays free: a
 * tenant may use it.
 */
const registered_claims: ReadonlySet<string> = new Set(
  `
  _claim_names _claim_sources _sd _sd_alg ace_profile acr act address also_known_as amr analyticsIdList at_hash at_use_nbr atc ath attest aud
  auth_time authority_hints authorization_details azp birth_family_name birth_given_name birth_middle_name birthdate bootcount bootseed c_hash
  cdnicrit cdniets cdniip cdnistd cdnistt cdniuc cdniv client_id cmw cnf cnonce constraints consumerPlmnId consumerSnpnId crit crn dbgstat
  delegation dest div dloas eat_nonce eat_profile email email_verified entitlements events exi exp family_name gender geohash given_name groups
  htm htu hwmodel hwversion iat intuse iss jcard jti jwks keys locale location logo_uri manifests may_act measres measurements metadata
  metadata_policy metadata_policy_crit middle_name mky msgi msisdn name nationalities nbf nickname nonce oemboot oemid opt orig origid
  phone_number phone_number_verified picture place_of_birth preferred_username producerNfServiceSetId producerNfSetId producerNsiList
  producerPlmnId producerSnpnId producerSnssaiList profile rcd rcdi rdap_allowed_purposes rdap_dnt_allowed ref resOwnerId roles rph salutation
  scope sd_hash sid sig_val_claims sip_callid sip_cseq_num sip_date sip_from_tag sip_via_branch source_endpoint sourceNfInstanceId sph status
  status_list stpl sub sub_id sub_jwk submods sueids swname swversion title toe token_introspection trust_anchor trust_anchor_hints trust_chain
  trust_mark_issuers trust_mark_owners trust_mark_type trust_marks ttl txn ueid updated_at uptime vc verified_claims vot vp vtm website zoneinfo`
    .trim()
    .split(/\s+/),
)

/** RFC 9068 §2.2.3.1: claims of standards that carry roles. */
const for_roles: readonly string[] = ['roles', 'groups']

/** Names of the tokens of this service that no standard has, and one that programs take for something else. */
const isOwn = (name: string) => name === 'grant_id' || name.startsWith('org_') || name === '__proto__'

/** Whether a standard or this service defines a claim with this name. */
export const isClaimTaken = (name: string): boolean => registered_claims.has(name) || isOwn(name)

/** The name of the claim that carries the roles of a person. */
export const RolesClaim = z
  .string()
  .regex(/^[a-z0-9_]{1,60}$/, 'Use 1 to 60 of a-z, 0-9 and underscore.')
  .refine(
    (name) => for_roles.includes(name) || !isClaimTaken(name),
    'A standard or this service defines a claim with this name. Use roles, groups or another name.',
  )
