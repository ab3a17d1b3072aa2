/**
 * `npm run docs` generates docs/routes.md, docs/openapi.json and the sources of the client library from the route table,
 * docs/commands.md from the table of commands, docs/events.md from the kinds of events, and docs/settings.md and the dashboard's table of settings from the settings. With `--check` it only reports stale files.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { commandsMarkdown } from '../cli/src/commands-markdown.ts'
import { eventsMarkdown } from '../contract/src/events-markdown.ts'
import { openApi } from '../contract/src/openapi.ts'
import { routesMarkdown } from '../contract/src/routes-markdown.ts'
import { sdkSources } from '../contract/src/sdk-source.ts'
import { settingsSources } from '../contract/src/settings-source.ts'

const root = join(import.meta.dirname, '..')
const generated = {
  'docs/openapi.json': `${JSON.stringify(openApi(), null, 2)}\n`,
  'docs/routes.md': routesMarkdown(),
  'docs/events.md': eventsMarkdown(),
  'docs/commands.md': commandsMarkdown(),
  ...sdkSources(),
  ...settingsSources(),
}

const stale = Object.entries(generated).filter(([name, text]) => {
  const file = join(root, name)
  return !existsSync(file) || readFileSync(file, 'utf8').replaceAll('\r\n', '\n') !== text
})

if (process.argv.includes('--check')) {
  for (const [name] of stale) console.log(`${name} is not current. Run "npm run docs" and commit the result.`)
  process.exitCode = stale.length === 0 ? 0 : 1
} else {
  for (const [name, text] of stale) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  console.log(stale.length === 0 ? 'The generated files are current.' : `written: ${stale.map(([name]) => name).join(', ')}`)
}
