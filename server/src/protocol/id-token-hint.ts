// pure

/** The claims of an `id_token_hint` that we signed, expired or not. */
export interface HintClaims {
  sub: string
  sid: string | null
  aud: string
  /** In seconds. */
  iat: number
  org_id?: string | null
}

/** The user of a session, in the words of ID tokens. */
export interface HintedPerson {
  user_id: string
  sub: string
  user_created_at: Date
}

/**
 * Reports whether a hint is about this person. An id is never given again, but a `sub` that was chosen can be, to a later user: a hint from
 * before that user was created is about the earlier one (decision 0208).
 */
export const isHinted = ({ sub, iat }: Pick<HintClaims, 'sub' | 'iat'>, person: HintedPerson): boolean =>
  sub === person.sub && (sub === person.user_id || iat >= Math.floor(person.user_created_at.getTime() / 1_000))
