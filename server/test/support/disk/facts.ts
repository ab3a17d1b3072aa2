/** What an answer of the service promises or shows, as a question to its database after a power cut. */
import { DatabaseSync } from 'node:sqlite'
import { digestOf } from '../../../src/base/digest.ts'
import { first_number } from '../../../src/protocol/refresh-token.ts'

export interface Fact {
  readonly what: string
  isStored(stored: Stored): boolean
}

export type Stored = ReturnType<typeof openStored>

/** Opens the database of a folder as SQLite does after a power cut. */
export function openStored(path: string) {
  const database = new DatabaseSync(path)
  const statement = (text: string) => {
    const prepared = database.prepare(text)
    return (...values: (string | number)[]): boolean => prepared.get(...values) !== undefined
  }
  return {
    /** Returns what SQLite finds wrong with the file, and reads every table. */
    problems(): string[] {
      const found = database
        .prepare('pragma integrity_check')
        .all()
        .map((row) => String(row.integrity_check))
      const names = database.prepare(`select name from sqlite_schema where type = 'table'`).all()
      for (const { name } of names) {
        const every_row = database.prepare(`select * from "${name}"`)
        every_row.setReadBigInts(true) // the marks of parts of words have 64 bits
        every_row.all()
      }
      return found.filter((problem) => problem !== 'ok')
    },
    hasSession: statement('select 1 from sessions where id = ?'),
    hasEndedSession: statement('select 1 from sessions where id = ? and ended_at is not null'),
    hasSpentCode: statement('select 1 from authorization_codes where code_hash = ? and spent_by is not null'),
    hasChain: statement(
      'select 1 from refresh_chains where grant_id = (select grant_id from authorization_codes where code_hash = ?) and number >= ?',
    ),
    hasEndedGrant: statement('select 1 from grants where code_hash = ? and ended_at is not null'),
    hasRevokedToken: statement('select 1 from revoked_access_tokens where jti = ?'),
    hasRotatedKey: statement('select 1 from api_keys where id = ? and rotated_at >= ?'),
    close: () => database.close(),
  }
}

/** Sessions, codes, chains and keys by what a client has of them. A grant is that of its code. */
export const facts = {
  sessionBegan: (session_id: string): Fact => ({
    what: `the session ${session_id} began`,
    isStored: ({ hasSession }) => hasSession(session_id),
  }),
  sessionEnded: (session_id: string): Fact => ({
    what: `the session ${session_id} ended`,
    isStored: ({ hasEndedSession }) => hasEndedSession(session_id),
  }),
  codeSpent: (code: string): Fact => ({
    what: `the code ${code} is spent`,
    isStored: ({ hasSpentCode }) => hasSpentCode(digestOf(code)),
  }),
  refreshed: (code: string, times: number): Fact => ({
    what: `the refresh token of the code ${code} was replaced ${times} times`,
    isStored: ({ hasChain }) => hasChain(digestOf(code), first_number + times),
  }),
  grantEnded: (code: string): Fact => ({
    what: `the grant of the code ${code} ended`,
    isStored: ({ hasEndedGrant }) => hasEndedGrant(digestOf(code)),
  }),
  tokenRevoked: (jti: string): Fact => ({
    what: `the access token ${jti} is revoked`,
    isStored: ({ hasRevokedToken }) => hasRevokedToken(jti),
  }),
  keyRotated: (key_id: string, rotated_at: string): Fact => ({
    what: `the key ${key_id} was rotated at ${rotated_at}`,
    isStored: ({ hasRotatedKey }) => hasRotatedKey(key_id, Date.parse(rotated_at)),
  }),
}
