/**
 * An efficient PostgreSQL adapter for the peer: a pool, one table with the payload as JSON, prepared statements, an index for every
 * look-up, and expiry checked in the query.
 */
import { Pool } from 'pg'

const schema = `
  create table if not exists oidc_payloads (
    model text not null,
    id text not null,
    payload json not null,
    grant_id text,
    uid text,
    user_code text,
    expires_at timestamptz,
    consumed_at timestamptz,
    primary key (model, id)
  );
  create index if not exists oidc_payloads_by_grant on oidc_payloads (grant_id) where grant_id is not null;
  create index if not exists oidc_payloads_by_uid on oidc_payloads (uid) where uid is not null;
  create index if not exists oidc_payloads_by_user_code on oidc_payloads (user_code) where user_code is not null;`

const upsert = `
  insert into oidc_payloads (model, id, payload, grant_id, uid, user_code, expires_at) values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (model, id) do update set payload = excluded.payload, grant_id = excluded.grant_id, uid = excluded.uid,
    user_code = excluded.user_code, expires_at = excluded.expires_at`
const living = `select payload, extract(epoch from consumed_at)::integer as consumed from oidc_payloads
  where model = $1 and (expires_at is null or expires_at > now())`

interface Payload {
  grantId?: string
  uid?: string
  userCode?: string
  [name: string]: unknown
}

export async function openPeerPostgres(connectionString: string) {
  const pool = new Pool({ connectionString, max: 10 })
  await pool.query(schema)
  const run = (name: string, text: string, values: readonly unknown[]) => pool.query({ name, text, values: [...values] })
  const find = async (name: string, condition: string, model: string, value: string) => {
    const { rows } = await run(name, `${living} and ${condition} = $2`, [model, value])
    const [row] = rows
    return row && { ...row.payload, ...(row.consumed === null ? {} : { consumed: row.consumed }) }
  }

  return class PostgresAdapter {
    readonly model: string
    constructor(model: string) {
      this.model = model
    }
    async upsert(id: string, payload: Payload, expires_in?: number) {
      const expires_at = expires_in ? new Date(Date.now() + expires_in * 1000) : null
      const { grantId = null, uid = null, userCode = null } = payload
      await run('upsert', upsert, [this.model, id, JSON.stringify(payload), grantId, uid, userCode, expires_at])
    }
    find(id: string) {
      return find('find', 'id', this.model, id)
    }
    findByUid(uid: string) {
      return find('by_uid', 'uid', this.model, uid)
    }
    findByUserCode(user_code: string) {
      return find('by_user_code', 'user_code', this.model, user_code)
    }
    async consume(id: string) {
      await run('consume', 'update oidc_payloads set consumed_at = now() where model = $1 and id = $2', [this.model, id])
    }
    async destroy(id: string) {
      await run('destroy', 'delete from oidc_payloads where model = $1 and id = $2', [this.model, id])
    }
    async revokeByGrantId(grant_id: string) {
      await run('revoke', 'delete from oidc_payloads where grant_id = $1', [grant_id])
    }
  }
}
