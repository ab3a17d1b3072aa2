import { type At, type Here, key, list, one } from './query.ts'

/** The address of a preview works for ten minutes. */
const PREVIEW_MS = 540_000

interface Preview {
  page: 'sign_in' | 'sign_up'
  theme: 'light' | 'dark'
}

export const settings = {
  all: ({ at }: At) => key('settings', at.environment_id),
  /** With their version, for the forms. */
  one: ({ client, at }: Here) => one(key('settings', at.environment_id), (options) => client.responses.getSettings(at, options)),
  plain: ({ client, at }: Here) => one(key('settings', at.environment_id, 'plain'), (options) => client.getSettings(at, options)),
  signingKeys: ({ client, at }: Here) =>
    list(key('signing-keys', at.environment_id), (cursor) => client.listSigningKeys({ ...at, cursor }).page()),
  /** A hosted page with unsaved settings, which are JSON. */
  preview: ({ client, at }: Here, unsaved: string, { page, theme }: Preview) =>
    one(
      key('preview', at.environment_id, unsaved, page, theme),
      (options) => client.previewSettings(at, { ...JSON.parse(unsaved), page, theme }, options),
      { staleTime: PREVIEW_MS, gcTime: PREVIEW_MS },
    ),
}
