/** The columns of the audit log as a spreadsheet. */
import type { AuditEntry } from '@ostiary/sdk'

export const export_head = [
  'sequence',
  'time',
  'action',
  'actor_type',
  'actor_id',
  'actor',
  'object_type',
  'object_id',
  'ip',
  'request_id',
  'before',
  'after',
  'hash',
]

export const exportRow = ({ sequence, created_at, action, actor, object, ip, request_id, before, after, hash }: AuditEntry): string[] => [
  String(sequence),
  created_at,
  action,
  actor.type,
  actor.id ?? '',
  actor.label ?? '',
  object.type,
  object.id,
  ip ?? '',
  request_id ?? '',
  before === null ? '' : JSON.stringify(before),
  after === null ? '' : JSON.stringify(after),
  hash,
]
