import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readTrace, traceHeaders } from './trace-context.ts'

const trace_id = '4bf92f3577b34da6a3ce929d0e0e4736'
const parent_id = '00f067aa0ba902b7'
const span_id = 'b7ad6b7169203331'
const valid = `00-${trace_id}-${parent_id}-01`
const read = (traceparent: string | undefined, tracestate?: string) => readTrace(traceparent, tracestate, () => span_id)

const accepted: { why: string; header: string; flags: string }[] = [
  { why: 'it is sampled', header: valid, flags: '01' },
  { why: 'it is not sampled', header: `00-${trace_id}-${parent_id}-00`, flags: '00' },
  { why: 'it has the flag of random ids', header: `00-${trace_id}-${parent_id}-03`, flags: '03' },
  { why: 'it has unknown flags, which are cleared', header: `00-${trace_id}-${parent_id}-ff`, flags: '03' },
  { why: 'its version is unknown', header: `cc-${trace_id}-${parent_id}-01`, flags: '01' },
  { why: 'its version is unknown and has more fields', header: `cc-${trace_id}-${parent_id}-01-what-the-future-brings`, flags: '01' },
  { why: 'its version is unknown and ends with a dash', header: `cc-${trace_id}-${parent_id}-01-`, flags: '01' },
]
for (const { why, header, flags } of accepted)
  test(`a traceparent is accepted when ${why}`, () => {
    assert.deepEqual(read(header), { trace_id, span_id, parent_id, flags, state: '' })
    assert.equal(traceHeaders(read(header) ?? assert.fail()).traceparent, `00-${trace_id}-${span_id}-${flags}`)
  })

const ignored: { why: string; header: string | undefined }[] = [
  { why: 'it is missing', header: undefined },
  { why: 'it is empty', header: '' },
  { why: 'its version is ff', header: valid.replace('00', 'ff') },
  { why: 'its version is one digit', header: valid.slice(1) },
  { why: 'its trace id is zero', header: `00-${'0'.repeat(32)}-${parent_id}-01` },
  { why: 'its parent id is zero', header: `00-${trace_id}-${'0'.repeat(16)}-01` },
  { why: 'it is in upper case', header: valid.toUpperCase() },
  { why: 'its trace id is one digit short', header: `00-${trace_id.slice(1)}-${parent_id}-01` },
  { why: 'its parent id is one digit long', header: `00-${trace_id}-${parent_id}0-01` },
  { why: 'its trace id is not a hexadecimal number', header: `00-${trace_id.slice(1)}g-${parent_id}-01` },
  { why: 'its flags are missing', header: `00-${trace_id}-${parent_id}` },
  { why: 'version 00 has more fields', header: `${valid}-more` },
  { why: 'version 00 ends with a dash', header: `${valid}-` },
  { why: 'an unknown version has more text without a dash', header: `cc${valid.slice(2)}.more` },
  { why: 'it has spaces around it', header: ` ${valid} ` },
  { why: 'it ends with a line break', header: `${valid}\n` },
  { why: 'it was sent twice', header: `${valid}, ${valid}` },
  { why: 'an unknown version is longer than 256 characters', header: `cc${valid.slice(2)}-${'a'.repeat(256)}` },
]
for (const { why, header } of ignored) test(`a traceparent is ignored when ${why}`, () => assert.equal(read(header), null))

const members = (count: number) => Array.from({ length: count }, (_, i) => `k${i}=v`).join(',')
const states: { why: string; sent: string; passed_on: string }[] = [
  { why: 'one member', sent: 'congo=t61rcWkgMzE', passed_on: 'congo=t61rcWkgMzE' },
  { why: 'several members with spaces', sent: ' rojo=00f067aa0ba902b7 ,\tcongo=t6 1', passed_on: 'rojo=00f067aa0ba902b7,congo=t6 1' },
  { why: 'a key of a tenant', sent: '0a-b@vendor=1', passed_on: '0a-b@vendor=1' },
  { why: 'empty members', sent: 'a=1,,b=2,', passed_on: 'a=1,b=2' },
  { why: '32 members', sent: members(32), passed_on: members(32) },
  { why: '33 members', sent: members(33), passed_on: '' },
  { why: 'more than 512 characters', sent: `a=${'v'.repeat(250)},b=${'v'.repeat(250)},c=${'v'.repeat(20)}`, passed_on: '' },
  { why: 'the same key twice', sent: 'a=1,a=2', passed_on: '' },
  { why: 'a key in upper case', sent: 'A=1', passed_on: '' },
  { why: 'a member without a value', sent: 'a', passed_on: '' },
  { why: 'a member with an empty value', sent: 'a=', passed_on: '' },
  { why: 'a value with an equals sign', sent: 'a=b=c', passed_on: '' },
  { why: 'a control character', sent: 'a=b\x01c', passed_on: '' },
  { why: 'a letter beyond ASCII', sent: 'a=\u00e4', passed_on: '' },
  { why: 'a value of 257 characters', sent: `a=${'v'.repeat(257)}`, passed_on: '' },
]
for (const { why, sent, passed_on } of states)
  test(`a tracestate with ${why} is ${passed_on === '' ? 'dropped, and the traceparent stays' : 'passed on'}`, () => {
    const trace = read(valid, sent) ?? assert.fail('the traceparent is valid')
    const expected = { traceparent: `00-${trace_id}-${span_id}-01`, ...(passed_on === '' ? {} : { tracestate: passed_on }) }
    assert.deepEqual(traceHeaders(trace), expected)
  })

test('whatever a client sends, the headers of outgoing calls are short and printable', () => {
  const text = fc.oneof(fc.constant(valid), fc.string({ unit: 'binary', maxLength: 600 }), fc.string({ maxLength: 600 }))
  const property = fc.property(text, text, (traceparent, tracestate) => {
    const trace = read(traceparent, tracestate)
    if (trace === null) return
    const headers = traceHeaders(trace)
    assert.match(headers.traceparent ?? '', /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[0-3]$/)
    assert.match(headers.tracestate ?? '', /^[\x20-\x7e]{0,512}$/)
  })
  fc.assert(property)
})
