// pure
/**
 * Reads the response of an authenticator, as a page posts it: the JSON of WebAuthn §5.1, unchanged. Every member has a limit, so that
 * nothing costly is parsed. Members that the service does not use are left out.
 */
import { z } from 'zod'

/** In characters. */
export const longest_response = 16_384

/** WebAuthn §5.1: base64url without padding. `longest` is in bytes. */
const bytes = (longest: number) =>
  z
    .string()
    .min(1)
    .max(Math.ceil((longest * 4) / 3))
    .regex(/^[A-Za-z0-9_-]+$/)

/** WebAuthn §5.8.3 and later drafts. */
const known_transports = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']

/** WebAuthn §4: a credential id has at most 1,023 bytes. */
const credential_id = bytes(1_023)
const clientDataJSON = bytes(3_000)

const Assertion = z.object({
  id: credential_id,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON,
    authenticatorData: bytes(2_048),
    signature: bytes(1_024),
    /** WebAuthn §5.4.3: at most 64 bytes. */
    userHandle: bytes(64).nullish(),
  }),
})

const Registration = z.object({
  id: credential_id,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON,
    attestationObject: bytes(8_192),
    transports: z.array(z.string().max(40)).max(20).nullish(),
  }),
})

/** WebAuthn §5.8.1. `crossOrigin`: a frame of another site asked. Pages of this service allow no frames. */
const ClientData = z.object({ challenge: z.string().max(200), crossOrigin: z.literal(false).optional() })

export interface AssertionResponse extends z.infer<typeof Assertion> {
  challenge: string
}

export interface RegistrationResponse extends z.infer<typeof Registration> {
  challenge: string
  transports: string[]
}

/** `null` if the text is not such a response. */
export function readAssertion(text: string): AssertionResponse | null {
  const response = parsed(Assertion, text)
  const challenge = response && challengeOf(response)
  return challenge ? { ...response, challenge } : null
}

export function readRegistration(text: string): RegistrationResponse | null {
  const response = parsed(Registration, text)
  const challenge = response && challengeOf(response)
  if (!challenge) return null
  const sent = response.response.transports ?? []
  return { ...response, challenge, transports: known_transports.filter((transport) => sent.includes(transport)) }
}

function challengeOf({ response }: { response: { clientDataJSON: string } }): string | null {
  return parsed(ClientData, Buffer.from(response.clientDataJSON, 'base64url').toString('utf8'))?.challenge ?? null
}

function parsed<S extends z.ZodType>(schema: S, text: string): z.output<S> | null {
  if (text.length > longest_response) return null
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
