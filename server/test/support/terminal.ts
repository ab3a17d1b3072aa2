/** Terminals for documents that are followed as written: commands are typed into a shell, and programs that keep running get their own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { after } from 'node:test'

const started = new Set<ChildProcess>()
// A shell leads a group of processes, which ends with it.
after(() => {
  for (const { pid, exitCode } of started) if (pid !== undefined && exitCode === null) process.kill(-pid, 'SIGKILL')
})

export interface Place {
  cwd: string
  env: Record<string, string | undefined>
}

/** Gathers the output of a process, and fails the waiting ones if the process ends before it prints what they wait for. */
function printed(child: ChildProcess, name: string) {
  let output = ''
  let ended: string | null = null
  const noticed = new Set<() => void>()
  const notice = () => {
    for (const each of noticed) each()
  }
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text
      notice()
    })
  child.once('close', (code) => {
    ended = `"${name.trim()}" ended with ${code}`
    notice()
  })
  return {
    output: () => output,
    forget: () => {
      output = ''
    },
    shows: (pattern: RegExp) =>
      new Promise<void>((resolve, reject) => {
        const look = () => {
          const is_shown = pattern.test(output)
          if (!is_shown && ended === null) return
          noticed.delete(look)
          if (is_shown) resolve()
          else reject(new Error(`${ended}: ${output}`))
        }
        noticed.add(look)
        look()
      }),
  }
}

/** A shell that keeps its variables and its folder. `type` returns the output of the commands. */
export function openTerminal({ cwd, env }: Place) {
  // bash reads its input line by line, as at a terminal, so that `read` gets the next line. Other shells read ahead.
  const shell = spawn('bash', ['-s'], { cwd, env, detached: true })
  started.add(shell)
  const { output, forget, shows } = printed(shell, 'bash')
  const ended = once(shell, 'close')
  let typed = 0

  return {
    output,
    shows,
    async type(commands: string): Promise<string> {
      const end = `[end of block ${++typed}]\n`
      forget()
      shell.stdin.write(`${commands}echo '${end.trim()}'\n`)
      await shows(new RegExp(`\\[end of block ${typed}\\]\n`))
      return output().replace(end, '')
    },
    /** Starts to type commands that wait for `answer` on standard input. */
    answer(commands: string, answer: string) {
      return this.type(`${commands}${answer}\n`)
    },
    async close() {
      shell.stdin.end()
      await ended
    },
  }
}

/** Starts a program that keeps running. Resolves when its output contains `shown`. */
export async function startProgram(commands: string, shown: RegExp, place: Place): Promise<Program> {
  const program = runProgram(commands, place)
  await program.shows(shown)
  return program
}

export type Program = ReturnType<typeof runProgram>

/** Starts a program. `ended` resolves with all its output, `shows` when the output contains a pattern. */
export function runProgram(commands: string, { cwd, env }: Place) {
  const shell = spawn('sh', ['-c', commands], { cwd, env, detached: true })
  started.add(shell)
  const { output, shows } = printed(shell, commands)
  return {
    output,
    shows,
    type: (line: string) => void shell.stdin.write(`${line}\n`),
    hasEnded: () => shell.exitCode !== null,
    ended: once(shell, 'close').then(output),
  }
}
