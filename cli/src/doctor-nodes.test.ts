import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkNode } from './doctor-nodes.ts'

const node = { address: 'db1:5432', is_active: true, answers: true, is_reached: true }

// biome-ignore format: this table is read by column
const nodes: [what: string, node: typeof node, level: string | null, text: RegExp][] = [
  ['nothing of a node that answers',                       node,                                                   null,      /^$/],
  ['which node is not active',                             { ...node, is_active: false },                          'problem', /^The node db1:5432 is not active\./],
  ['which node does not answer',                           { ...node, answers: false, is_reached: false },         'problem', /^The node db1:5432 does not answer\./],
  ['which node only the coordinator reaches',              { ...node, is_reached: false },                         'warning', /^The coordinator reaches the node db1:5432, and this machine does not\./],
]
for (const [what, found, level, text] of nodes)
  test(`doctor says ${what}`, () => {
    const [finding = { level: null, text: '' }, ...others] = checkNode(found)
    assert.deepEqual([finding.level, others.length], [level, 0])
    assert.match(finding.text, text)
  })
