/** The names of commands that the path of a route does not give, and the routes that commands of their own call. */
import type { routes } from '@ostiary/contract/routes.ts'

export type RowName = keyof typeof routes

/** Segments of paths whose noun is another word. */
export const nouns: Readonly<Record<string, string>> = {
  'auth-keys': 'keys',
  'audit-log': 'audit',
  secrets: 'client-secrets',
}

export const commands_of_rows: { readonly [Name in RowName]?: readonly [noun: string, verb: string] } = {
  testMail: ['settings', 'test-mail'],
  addMember: ['invitations', 'create'],
  resendInvitation: ['invitations', 'resend'],
  listAuthOrganizationMembers: ['organization-members', 'list'],
  addOrganizationMember: ['organization-members', 'create'],
  getAuthOrganizationMember: ['organization-members', 'get'],
  changeOrganizationMember: ['organization-members', 'update'],
  removeOrganizationMember: ['organization-members', 'delete'],
  listOrganizationMembers: ['organization-members', 'list'],
  getOrganizationMember: ['organization-members', 'get'],
  listAuthOrganizationInvitations: ['organization-invitations', 'list'],
  inviteToOrganization: ['organization-invitations', 'create'],
  getAuthOrganizationInvitation: ['organization-invitations', 'get'],
  deleteOrganizationInvitation: ['organization-invitations', 'delete'],
  resendOrganizationInvitation: ['organization-invitations', 'resend'],
  listOrganizationInvitations: ['organization-invitations', 'list'],
  getOrganizationInvitation: ['organization-invitations', 'get'],
  listAuthUserOrganizations: ['user-organizations', 'list'],
  listUserOrganizations: ['user-organizations', 'list'],
  createUserJob: ['user-jobs', 'create'],
  getUserJob: ['user-jobs', 'get'],
  // The calls of a tenant outside its environments have the same last segments as those of an environment.
  listRefusedCallsOfTenant: ['tenant-requests', 'list'],
  summariseRefusedCallsOfTenant: ['tenant-requests', 'summary'],
  getRefusedCallOfTenant: ['tenant-requests', 'get'],
}

/** Called by a command that is not made from the table. */
export const called_by: { readonly [Name in RowName]?: string } = {
  whoami: 'whoami',
  me: 'whoami',
}

/** POST rows that change nothing, so that Live need not be written out for them. */
export const reads: readonly RowName[] = ['validateToken', 'previewSettings', 'previewRole']
