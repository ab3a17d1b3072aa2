/**
 * The client secret that was shown last, so that Try sign-in and the code of Connect can use it without pasting. It is in the memory
 * of this tab only, and is forgotten when the page of its application is left.
 */
let kept: { application_id: string; secret: string } | null = null

export function keepCreatedSecret(application_id: string, secret: string | null): void {
  kept = secret === null ? null : { application_id, secret }
}

export const createdSecret = (application_id: string): string => (kept?.application_id === application_id ? kept.secret : '')

export function forgetCreatedSecret(): void {
  kept = null
}
