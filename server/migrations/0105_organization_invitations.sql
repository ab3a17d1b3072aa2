-- oldest program: 0100
-- Invitations to organizations (decision 0180). `roles`: JSON of ids, as of a member. `inviter_membership` is the number of the membership of the
-- member who invited; without one a backend or an administrator did. `is_mailed`: the service mails the link, and each one that replaces it.
create table organization_invitations (
  environment_id text not null,
  id text not null,
  organization_id text not null,
  email text not null,
  email_key text not null,
  roles text not null,
  application_id text,
  inviter_type text not null,
  inviter_id text,
  inviter_membership {int},
  is_mailed {int} not null,
  lifetime_seconds {int} not null,
  token_hash text not null,
  expires_at {int} not null,
  ended_at {int},
  ended_by text,
  user_id text,
  version {int} not null default 1,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (environment_id, id)
);
create index organization_invitations_in_order on organization_invitations (organization_id, id);
create index organization_invitations_to_address on organization_invitations (email_key, organization_id);
create index organization_invitations_by_user on organization_invitations (user_id);
create index organization_invitations_expiry on organization_invitations (expires_at);

-- Every link of an invitation, also those that were replaced: so the service recognises one that no longer works, and counts those of a day.
create table organization_invitation_links (
  environment_id text not null,
  token_hash text not null,
  organization_id text not null,
  invitation_id text not null,
  email_key text not null,
  created_at {int} not null,
  primary key (token_hash, environment_id)
);
create index organization_invitation_links_by_organization on organization_invitation_links (organization_id, created_at);
create index organization_invitation_links_by_address on organization_invitation_links (email_key, created_at);
create index organization_invitation_links_age on organization_invitation_links (created_at);
