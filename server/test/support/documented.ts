/** Reads the code blocks of a document: ```` ```js web.mjs ```` is a file to save, ```` ```sh server ```` commands with the role `server`. */

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
