/** Code to copy, in tabs, in colours. A whole program comes with its file, and with the commands that install and run it. */
import '../styles/code.css'
import { Fragment, useState } from 'react'
import { CopyButton } from './copy.tsx'
import { highlighted, type Language, languageNamed } from './highlight.ts'
import { Tabs } from './inner-tabs.tsx'
import type { Program, Snippet } from './snippet.ts'
import { Tag } from './tag.tsx'

/** Replaces values in the copy of a file `.env`, or of the configuration of a product, with the words that say so. */
export interface Filled {
  fill: (text: string) => string
  words: string
}

export function CodeTabs({ label, snippets, filled }: { label: string; snippets: readonly Snippet[]; filled?: Filled | undefined }) {
  const [name, setName] = useState(snippets[0]?.name)
  const chosen = snippets.find((snippet) => snippet.name === name) ?? snippets[0]
  if (!chosen) return null
  const { code, program, is_not_run = false } = chosen
  // A program reads its secret from a file of its own.
  const copied = program ? code : (filled?.fill(code) ?? code)
  return (
    <div className="codebox">
      <Tabs
        label={label}
        tabs={snippets.map((snippet) => [snippet.name, snippet.name])}
        chosen={chosen.name}
        choose={setName}
        beside={
          <span className="r">
            <CopyButton look="quiet" value={copied} label={`${label}: ${chosen.name}`} />
          </span>
        }
      >
        {program ? <Before program={program} name={chosen.name} filled={filled} /> : null}
        {filled && copied !== code ? <p className="of-code small muted">{filled.words}</p> : null}
        {program || is_not_run ? (
          <p className="of-code small">
            {program ? <code>{program.file}</code> : null} {is_not_run ? <Tag>Not run by our tests</Tag> : null}
          </p>
        ) : null}
        <Code code={code} language={chosen.language ?? languageNamed(chosen.name)} />
        {program ? <After program={program} name={chosen.name} /> : null}
      </Tabs>
    </div>
  )
}

const classes = { comment: 'c', text: 's', keyword: 'k', number: 'n' } as const

export const Code = ({ code, language }: { code: string; language: Language }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls sideways needs the keyboard
  <pre tabIndex={0}>
    {highlighted(code, language).map(([kind, text], index) =>
      kind === null ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no state, and equal ones repeat
        <Fragment key={index}>{text}</Fragment>
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <span key={index} className={classes[kind]}>
          {text}
        </span>
      ),
    )}
  </pre>
)

interface PartProps {
  program: Program
  name: string
}

function Before({ program: { install, env, made_secret, first }, name, filled }: PartProps & { filled: Filled | undefined }) {
  const [secret] = useState(makeSecret)
  const lines = [...env, ...(made_secret ? [`${made_secret}=${secret}`] : [])].join('\n')
  return (
    <>
      {first ? <p className="of-code small">{first}</p> : null}
      {install === '' ? null : <Part title="Install" label={`${name}: install`} code={install} language="sh" />}
      {lines === '' ? null : <Part title=".env" label={`${name}: .env`} code={lines} language="env" filled={filled} />}
    </>
  )
}

const After = ({ program: { run, opens }, name }: PartProps) => (
  <>
    {run === null ? null : <Part title="Run" label={`${name}: run`} code={run} language="sh" />}
    {opens === null ? null : (
      <p className="of-code small">
        Open{' '}
        <a className="u" href={opens} target="_blank" rel="noreferrer">
          {opens}
        </a>
      </p>
    )}
  </>
)

interface CodePart {
  title: string
  label: string
  code: string
  language: Language
  filled?: Filled | undefined
}

const Part = ({ title, label, code, language, filled }: CodePart) => (
  <div className="code-part">
    <p className="of-code small">
      <span className="muted">{title}</span> <CopyButton value={filled?.fill(code) ?? code} label={label} />
      {filled && filled.fill(code) !== code ? <span className="muted">{filled.words}</span> : null}
    </p>
    <Code code={code} language={language} />
  </div>
)

/** 256 bits that only this page knows: a session secret must not be one from documentation. */
function makeSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
