/** A text that is the same for everyone: compressed once, with the ETag of its content. */
import { sha256 } from '../../base/digest.ts'
import { type Coded, codedForms } from '../../http/coded.ts'

export interface Text {
  readonly body: Buffer
  readonly coded: Coded
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
}

export async function withForms({ body, headers }: { body: string; headers: Record<string, string> }): Promise<Text> {
  const bytes = Buffer.from(body)
  return { body: bytes, coded: await codedForms(bytes), etag: sha256(bytes, 'base64url').slice(0, 22), headers }
}
