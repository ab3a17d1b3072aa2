/** `ostiary events tail`, `ostiary requests tail`: one line for each event or refused call, until Ctrl-C. */
import type { Written } from '../arguments.ts'
import { connect } from './connection.ts'
import type { ClientCommand, Row } from './derive.ts'
import { followCalls, followEvents, newestSequence } from './follow.ts'
import type { Io } from './io.ts'
import { rowFor, scopeFor, textOf } from './run-command.ts'
import { inScope } from './scope.ts'
import { jsonLine, visible } from './show.ts'

/** The connection of a command that follows, its row and the request with the filters. */
export async function begin(io: Io, command: ClientCommand, written: Written, filters: readonly string[]) {
  const connection = connect(io, textOf(written, 'profile'))
  const row: Row = rowFor(command, connection.kind)
  const { params, ...headers } = inScope(row, await scopeFor(connection, row, written))
  const chosen = filters
    .filter((option) => written.values.has(option))
    .map((option) => [option.replaceAll('-', '_'), written.values.get(option)])
  return { connection, row, request: { ...headers, params: { ...params, ...Object.fromEntries(chosen) } } }
}

export async function tailEvents(io: Io, command: ClientCommand, written: Written, filters: readonly string[]): Promise<number> {
  const { connection, row, request } = await begin(io, command, written, filters)
  const given = written.values.get('after')
  const after =
    typeof given === 'number'
      ? given
      : await newestSequence(connection, row, { ...request, params: { ...request.params, after: undefined } })
  for await (const event of followEvents(io, connection, row, { ...request, after })) {
    const { timestamp, sequence, type, id, user_id, application_id } = event
    io.out(written.values.has('json') ? jsonLine(event) : lineOf([timestamp, sequence, type, id, user_id, application_id]))
  }
  return 0
}

export async function tailCalls(io: Io, command: ClientCommand, written: Written, filters: readonly string[]): Promise<number> {
  const { connection, row, request } = await begin(io, command, written, filters)
  for await (const call of followCalls(io, connection, row, request)) {
    const { at, status, code, method, route, id, reason } = call
    io.out(written.values.has('json') ? jsonLine(call) : lineOf([at, status, code, method, route, id, reason]))
  }
  return 0
}

const lineOf = (cells: readonly unknown[]) =>
  `${cells
    .filter((cell) => cell !== null && cell !== undefined)
    .map((cell) => visible(String(cell)))
    .join('  ')}\n`
