/** The words that the search of the documentation knows about: those that say nothing, and those that mean the same. */
import { stemmer } from 'stemmer'

/** Words that every question has. */
export const common_words: ReadonlySet<string> = new Set(
  `a about after again all also an and any anybody anyone are as at be because been being but by can cannot could did do does doesn doing don
  done each else every for from get gets getting give given gives go goes going got had happens has have having help here how i if in instead
  into is isn it its just keep keeps know let like ll make makes many may me mean means more most much must my need needs no not now of off on
  once one only or other our out over own please put really s same say see set should show so some still such t take takes than that the their
  them then there they thing things this those to too try trying under up us use used using ve very want wants was way we were what when where
  which while who why will with within without won work working works would you your`.split(/\s+/),
)

/** Words for the same thing. Each finds the others. */
const groups = [
  'login signin authenticate',
  'logout signout',
  'signup register registration',
  'rotate rotation replace renew',
  'downtime interruption outage',
  'domain host hostname',
  'mfa 2fa totp otp factor authenticator',
  'passkey webauthn fido biometric',
  'email mail smtp',
  'social google github microsoft federation provider upstream idp',
  'saml federation',
  'permission scope authorization',
  'role member',
  'organization tenant workspace',
  'docker container compose',
  'kubernetes helm k8s',
  'k8s kubernetes',
  'database postgres postgresql sqlite',
  'backup restore dump',
  'upgrade update migrate migration',
  'locked lost recover lockout',
  'bruteforce lockout limit',
  'throttle limit ratelimit',
  'monitor monitoring metric prometheus grafana observability',
  'log trace',
  'audit history',
  'event webhook notification',
  'delete erase remove gdpr',
  'export download',
  'token jwt',
  'secret credential password',
  'key apikey',
  'callback redirect return',
  'mismatch differ',
  'proxy nginx caddy loadbalancer',
  'certificate tls https ssl',
  'production live prod',
  'staging test sandbox',
  'verify check validate',
  'backend server',
  'frontend browser spa react vue svelte',
  'mobile native ios android',
  'terminal cli command',
  'ci playwright pipeline automate automated',
  'price comparison alternative versus',
  'scale size cluster horizontal',
  'admin administrator operator',
  'invite invitation',
  'block suspend ban disable',
  'session cookie',
  'expire lifetime expiry duration',
]

/** The stems of the synonyms of a stem. */
export const synonyms: ReadonlyMap<string, readonly string[]> = (() => {
  const all = new Map<string, string[]>()
  for (const group of groups) {
    const stems = group.split(' ').map((word) => stemmer(word))
    for (const stem of stems) all.set(stem, [...(all.get(stem) ?? []), ...stems.filter((other) => other !== stem)])
  }
  return all
})()

/** Phrases of people, and the words of the documents for them. Each phrase is searched once, in lower case. */
export const phrases: readonly (readonly [RegExp, string])[] = [
  [/\b(log|sign)(ged|ging|ning|ned|s)? (\w+ ){0,3}out\b/, 'signout'],
  [/\b(log|sign)(ged|ging|ning|ned|s)? (\w+ ){0,3}in\b/, 'signin'],
  [/\bsign(ed|ing|s)? (\w+ ){0,2}up\b/, 'signup'],
  [/\b(custom|own) domain\b/, 'issuer host own'],
  [/\b(second|two|2|multi)[ -]?factor\b/, 'second factor mfa'],
  [/\bmagic links?\b/, 'emailed code link'],
  [/\bone[ -]time (code|password)s?\b/, 'emailed code'],
  [/\b(face ?id|touch ?id|fingerprint)\b/, 'passkey face'],
  [/\bwithout (a |any )?(downtime|interruption|outage)\b/, 'interruption replace'],
  [/\b(does not|doesn't|do not|don't|no) match\b/, 'mismatch'],
  [/\bgo(ing)? (to )?(live|production)\b/, 'going live'],
  [/\bmachine[ -]to[ -]machine\b/, 'secret key backend'],
  [/\bservice accounts?\b/, 'secret key'],
  [/\bload[ -]balancers?\b/, 'proxy'],
  [/\bsingle[ -]page\b/, 'spa single-page'],
  [/\blanguage models?\b/, 'mcp'],
  [/\bhow many (users|people|requests)\b/, 'size figure rule thumb'],
  [/\bmore than one (instance|process|server|machine)\b/, 'several processes'],
  [/\bimport(ing)? (\w+ )?(users|accounts|people)\b/, 'create user password_hash import'],
  [/^what (is|are) (a |an |the )?/, 'concept '],
  [/\b(compared?|comparison) (to|with)\b/, 'comparison choose'],
  [/\bazure ad\b/, 'microsoft entra federation'],
  [/(\basp)?\.net\b|\bc#/, 'dotnet csharp aspnet'],
]
