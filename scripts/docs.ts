/**
 * `npm run docs` generates docs/routes.md and docs/openapi.json from the route table, and docs/commands.md from the table of commands.
 * With `--check` it only reports stale files.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandsMarkdown } from '../cli/src/commands-markdown.ts'
import { openApi } from '../contract/src/openapi.ts'
import { routesMarkdown } from '../contract/src/routes-markdown.ts'

const folder = join(import.meta.dirname, '../docs')
const generated = {
  'openapi.json': `${JSON.stringify(openApi(), null, 2)}\n`,
  'routes.md': routesMarkdown(),
  'commands.md': commandsMarkdown(),
}

const stale = Object.entries(generated).filter(([name, text]) => {
  const file = join(folder, name)
  return !existsSync(file) || readFileSync(file, 'utf8').replaceAll('\r\n', '\n') !== text
})

if (process.argv.includes('--check')) {
  for (const [name] of stale) console.log(`docs/${name} is not current. Run "npm run docs" and commit the result.`)
  process.exitCode = stale.length === 0 ? 0 : 1
} else {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of stale) writeFileSync(join(folder, name), text)
  console.log(stale.length === 0 ? 'docs/ is current' : `written: ${stale.map(([name]) => `docs/${name}`).join(', ')}`)
}
