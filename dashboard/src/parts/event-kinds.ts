/** The kinds of events for lists and choices. */
import type { EventKind } from '@ostiary/sdk'
import { event_labels } from '../generated/event-kinds.ts'

export const eventKinds = Object.entries(event_labels).map(([kind, text]) => ({ kind: kind as EventKind, text })) // as: the keys of the table

/** The kinds by the word before their dot. */
export const kindGroups = [...Map.groupBy(eventKinds, ({ kind }) => kind.split('.')[0] ?? kind)]
