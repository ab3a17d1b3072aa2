/** `ostiary completion SHELL`: scripts that complete commands and options, made from the tables. They run without starting `ostiary`. */
import type { Option, Written } from '../arguments.ts'
import { commands } from '../commands.ts'
import { UsageError } from '../usage.ts'
import { allOptions, optionsOf } from './command-options.ts'
import type { Io } from './io.ts'
import { ownCommands, tableCommands } from './own-commands.ts'

/** Lists the words that can follow each beginning of a command line: the verbs of a noun, and the options of a command. */
type Table = ReadonlyMap<string, readonly string[]>

export async function completion(io: Io, { words: [shell = ''] }: Written): Promise<number> {
  const script = { bash: bashScript, zsh: zshScript, fish: fishScript }[shell]
  if (script === undefined) throw new UsageError('completion takes bash, zsh or fish.')
  io.out(script(completions()))
  return 0
}

function completions(): Table {
  const table = new Map<string, string[]>([['', ['help', ...Object.keys(commands)]]])
  const add = (place: string, word: string) => {
    const words = table.get(place) ?? []
    if (!words.includes(word)) table.set(place, [...words, word])
  }
  const addCommand = (words: readonly string[], options: readonly Option[]) => {
    for (const [index, word] of words.entries()) add(words.slice(0, index).join(' '), word)
    for (const { name } of options) add(words.join(' '), `--${name}`)
    add(words.join(' '), '--help')
  }
  for (const [name, { options }] of Object.entries(commands))
    for (const option of [...Object.keys(options), 'help']) add(name, `--${option}`)
  for (const command of tableCommands()) addCommand([command.noun, command.verb], allOptions(optionsOf(command)))
  for (const { name, options } of ownCommands()) addCommand(name.split(' '), options)
  for (const shell of ['bash', 'zsh', 'fish']) add('completion', shell)
  return table
}

/** The lines of a `case` over the first words. Names and options have no character that a shell reads otherwise. */
const cases = (table: Table, assign: (words: string) => string) =>
  [...table].map(([place, words]) => `    '${place}') ${assign(words.join(' '))} ;;\n`).join('')

/** The words before the current one that name a command: one, or two of a noun and its verb. */
const bashScript = (table: Table) => `# bash completion of ostiary
_ostiary() {
  local current="\${COMP_WORDS[COMP_CWORD]}" place='' words=''
  if (( COMP_CWORD >= 2 )); then place="\${COMP_WORDS[1]}"; fi
  if (( COMP_CWORD >= 3 )) && [[ "\${COMP_WORDS[2]}" != -* ]]; then place="$place \${COMP_WORDS[2]}"; fi
  case "$place" in
${cases(table, (words) => `words='${words}'`)}  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o default -F _ostiary ostiary
`

const zshScript = (table: Table) => `#compdef ostiary
# zsh completion of ostiary
_ostiary() {
  local place='' list=''
  if (( CURRENT >= 3 )); then place="\${words[2]}"; fi
  if (( CURRENT >= 4 )) && [[ "\${words[3]}" != -* ]]; then place="$place \${words[3]}"; fi
  case "$place" in
${cases(table, (words) => `list='${words}'`)}  esac
  compadd -- \${=list} || _files
}
if (( $+functions[compdef] )); then compdef _ostiary ostiary; fi
`

const fishScript = (table: Table) => `# fish completion of ostiary
function __ostiary_words
  set -l typed (commandline -opc)
  set -l place ''
  if test (count $typed) -ge 2; set place $typed[2]; end
  if test (count $typed) -ge 3; and not string match -q -- '-*' $typed[3]; set place "$place $typed[3]"; end
  switch "$place"
${[...table].map(([place, words]) => `    case '${place}'\n      printf '%s\\n' ${words.join(' ')}\n`).join('')}  end
end
complete -c ostiary -a '(__ostiary_words)'
`
