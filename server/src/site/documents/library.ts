/** Reads the documents of `contents.ts` and the decisions, once, and knows the address of each. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { contents, decisions_folder, operator_examples, other_addresses } from './contents.ts'
import type { Document, Library } from './document.ts'
import { renderMarkdown } from './markdown.ts'

/** A link in prose; links in code are ignored. */
const link = /(```[\s\S]*?```|`[^`\n]*`)|\]\(([^)\s]+)\)/g

/** @param root the folder that has `docs/` */
export function readLibrary(root: string, base_url: string): Library {
  const for_programs = readFileSync(join(root, 'llms.txt'), 'utf8').replaceAll('\r\n', '\n')
  const listed = new Map(
    [...for_programs.matchAll(/^- \[(.+)\]\((\S+)\): (.+)$/gm)].map(([, title = '', file = '', summary = '']) => [
      file,
      { title, summary },
    ]),
  )
  const decisions = readdirSync(join(root, decisions_folder))
    .filter((file) => /^\d.*\.md$/.test(file))
    .sort()
    .map((file) => ({ name: `decisions/${file.replace(/\.md$/, '')}`, file: `${decisions_folder}/${file}` }))
  const all = [...contents.flatMap(({ documents }) => documents), ...decisions]
  const names = new Map(all.map(({ name, file }) => [file, name]))

  /** The address of a link of `file`. `suffix` is `.md` for links between the Markdown texts. */
  function addressOf(file: string, href: string, suffix: '' | '.md'): string {
    if (/^[a-z]+:|^#/.test(href)) return href
    const [target = '', anchor] = href.split('#')
    const path = posix.join(posix.dirname(file), target)
    const name = names.get(path)
    const example = /^packaging\/(.+)$/.exec(path)?.[1]
    const address = name === undefined ? (other_addresses[path] ?? (example && `/docs/packaging/${example}`)) : `/docs/${name}${suffix}`
    if (address === undefined) throw new Error(`${file} has a link to ${path}, which is not served. Add it to contents.ts.`)
    return anchor === undefined ? address : `${address}#${anchor}`
  }
  const withAddresses = (file: string, text: string, prefix = '') =>
    text.replaceAll(link, (whole, code?: string, href = '') => (code ? whole : `](${absolute(addressOf(file, href, '.md'), prefix)})`))

  function read({ name, file }: { name: string; file: string }): Document {
    const markdown = withOwnAddress(readFileSync(join(root, file), 'utf8').replaceAll('\r\n', '\n'), base_url)
    const render = (text = markdown) => renderMarkdown(text, (href) => addressOf(file, href, ''))
    const title = listed.get(file)?.title ?? render(markdown.split('\n\n', 1)[0]).title
    const summary = listed.get(file)?.summary ?? ''
    return { name, url: `/docs/${name}`, title, summary, render: () => render(), source: withAddresses(file, markdown) }
  }
  const documents = all.map(read)
  return {
    documents: new Map(documents.map((document) => [document.name, document])),
    examples: new Map(operator_examples.map((file) => [file, readFileSync(join(root, 'packaging', file), 'utf8')])),
    for_programs: withAddresses('llms.txt', for_programs, base_url),
  }
}

/** The client library is installed from this service, and documents name the default address. */
const withOwnAddress = (markdown: string, base_url: string) => markdown.replaceAll('http://localhost:3000/sdk/', `${base_url}/sdk/`)

const absolute = (address: string, prefix: string) => (address.startsWith('/') ? prefix + address : address)
