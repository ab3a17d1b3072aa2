/** Whether people act for an organization in an application and at an API. */
import { z } from 'zod'

/** From the weakest to the strictest. */
export const organization_uses = ['none', 'optional', 'required'] as const
export const OrganizationUse = z.enum(organization_uses)
export type OrganizationUse = z.infer<typeof OrganizationUse>

/** The words of both kinds of objects for it. */
export const explained =
  '`none`: people act for themselves, and the parameter `organization` is ignored. `optional`: a person chooses one of their organizations, or none. `required`: a person without an organization gets no token. The strictest of the application and the resource servers of a request counts. The default is `none`.'

export const choices = {
  none: 'None: people act for themselves',
  optional: 'Optional: a person chooses one, or none',
  required: 'Required: always for an organization',
} as const satisfies Record<OrganizationUse, string>
