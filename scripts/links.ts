/** Finds broken links between documents: a file that does not exist, or an anchor without a heading. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { anchorsOf } from '../server/src/site/documents/anchors.ts'

const code_block = /^```[\s\S]*?^```/gm

/** The documents below a folder, as paths with slashes. */
export const documentsIn = (root: string): string[] =>
  globSync('{*.md,llms.txt,docs/**/*.md,{bench,sdk}/*.md,examples/{README.md,*/README.md}}', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()

/** The links of a document that lead nowhere, each with the reason. */
export function brokenLinks(root: string, document: string): string[] {
  const prose = readFileSync(join(root, document), 'utf8')
    .replace(code_block, '')
    .replace(/`[^`\n]*`/g, 'code')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
    const problem = problemOf(root, document, target)
    return problem === null ? [] : [`${target}: ${problem}`]
  })
}

/** Why a link is broken; `null` if it is not. */
export function problemOf(root: string, document: string, target: string): string | null {
  if (/^[a-z]+:/.test(target)) return /^https:\/\/\S+$/.test(target) ? null : 'it is not an https address'
  const [file = '', anchor] = target.split('#')
  const path = file === '' ? document : relative(root, join(root, dirname(document), file)).replaceAll('\\', '/')
  if (path.startsWith('..') || !existsSync(join(root, path))) return 'there is no such file'
  return anchor === undefined || headingAnchors(join(root, path)).has(anchor) ? null : 'there is no such heading'
}

function headingAnchors(path: string): Set<string> {
  const text = readFileSync(path, 'utf8').replace(code_block, '')
  return new Set(anchorsOf([...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading)))
}
