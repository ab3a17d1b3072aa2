/** Reads the code blocks of a document: ```` ```js web.mjs ```` is a file to save, ```` ```sh server ```` commands with the role `server`. */
import assert from 'node:assert/strict'

export interface Block {
  language: string
  /** The word after the language: the name of a file, or the role of commands. */
  role: string
  code: string
}

export function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(([, language = '', role = '', code = '']) => ({
    language,
    role,
    code,
  }))
}

/** Checks that an output has the lines of a block, in their order. `…` stands for any text. */
export function assertShown(output: string, { code }: Pick<Block, 'code'>): void {
  assert.match(output, shownBy(code))
}

/** The pattern of an output that has these lines. */
export const shownBy = (lines: string): RegExp =>
  new RegExp(
    lines
      .trim()
      .split('\n')
      .map((line) => line.split('…').map(literally).join('.*'))
      .join('[\\s\\S]*'),
  )

const literally = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
