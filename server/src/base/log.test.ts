import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type AnsweredRequest, createLog, type LogLevel } from './log.ts'

const at = new Date('2026-11-20T16:31:00.123Z')

function linesOf(level: LogLevel, request: AnsweredRequest): string[] {
  const lines: string[] = []
  createLog(
    level,
    () => at,
    (line) => lines.push(line),
  ).answered(request)
  return lines
}

const request: AnsweredRequest = {
  request_id: 'req_01m80hn2y4e8sv1vx0x54xdrkj',
  method: 'GET',
  route: '/env/:environment_id/oauth/authorize',
  status: 200,
  duration_ms: 0.3,
  ip: '127.0.0.1',
  environment_id: undefined,
  key_id: undefined,
  trace: null,
  refused: null,
}

test('the log line of a request is one line of JSON with its fields, for every environment id and address', () => {
  const optional = fc.option(fc.string({ unit: 'binary' }), { nil: undefined })
  const property = fc.property(optional, fc.constantFrom(null, '127.0.0.1', '::1'), (environment_id, ip) => {
    const [line = '', ...more] = linesOf('info', { ...request, environment_id, ip })
    assert.deepEqual(more, [])
    assert.equal(line.indexOf('\n'), line.length - 1)
    const { time, level, message, ...fields } = JSON.parse(line)
    assert.deepEqual([time, level, message], [at.toISOString(), 'info', 'request'])
    const { refused: _, trace: __, ...expected } = { ...request, environment_id, ip }
    assert.deepEqual(fields, JSON.parse(JSON.stringify(expected)))
  })
  fc.assert(property)
})

test('the log line of a refused request has its code, reason, client and start of the key', () => {
  const refused = { code: 'invalid_key', reason: 'The key is "revoked".', client_id: null, key_start: 'svc_platform_sk_AbCd' }
  const [line = ''] = linesOf('info', { ...request, status: 401, refused })
  const { code, reason, client_id, key_start, status } = JSON.parse(line)
  assert.deepEqual({ code, reason, client_id, key_start }, refused)
  assert.equal(status, 401)
})

test('the log line of a request with a trace has the ids of the trace, of its span and of the span of the caller', () => {
  const trace = { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736', span_id: 'b7ad6b7169203331', parent_id: '00f067aa0ba902b7' }
  const [line = ''] = linesOf('info', { ...request, trace })
  const { trace_id, span_id, parent_id } = JSON.parse(line)
  assert.deepEqual({ trace_id, span_id, parent_id }, trace)
})

test('at the level warn, no request is logged', () => assert.deepEqual(linesOf('warn', request), []))

test('at a terminal a line has the time of day, what happened and why, and nothing that a terminal obeys', () => {
  const lines: string[] = []
  const log = createLog(
    'info',
    () => at,
    (line) => lines.push(line),
    'text',
  )
  log.debug('below the level')
  log.info('listening', { base_url: 'http://localhost:4000', port: 4000, gone: null })
  log.error('A worker\u001b[2J ended.', { why: 'two words\n', code: 1 }, 'the cause\n\u001b]0;title')
  const refused = { code: 'invalid_key', reason: 'The key is revoked.', client_id: null, key_start: null }
  log.answered({ ...request, status: 401, refused })
  assert.deepEqual(
    lines.map((line) => line.replace(/^\d\d:\d\d:00 /, '')),
    [
      'listening base_url=http://localhost:4000 port=4000\n',
      'ERROR "A worker\\u001b[2J ended." why="two words\\n" code=1\nthe cause\n"\\u001b]0;title"\n',
      '401 GET /env/:environment_id/oauth/authorize 0.3 ms req_01m80hn2y4e8sv1vx0x54xdrkj invalid_key: The key is revoked.\n',
    ],
  )
})
