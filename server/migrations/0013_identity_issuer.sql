-- An identity is bound to the provider's issuer, without trailing slashes: the same subject at another issuer is another person.
-- Existing identities get the present issuer of their provider.

create table identities_by_issuer (
  environment_id text not null,
  provider_id text not null,
  issuer text not null,
  subject text not null,
  user_id text not null,
  created_at {int} not null,
  primary key (environment_id, provider_id, issuer, subject)
);

insert into identities_by_issuer (environment_id, provider_id, issuer, subject, user_id, created_at)
  select i.environment_id, i.provider_id,
         rtrim(coalesce(p.issuer, case p.type
           when 'google' then 'https://accounts.google.com'
           when 'apple' then 'https://appleid.apple.com'
           when 'gitlab' then 'https://gitlab.com'
           when 'github' then 'https://github.com'
           else '' end), '/'),
         i.subject, i.user_id, i.created_at
    from identities i join providers p on p.environment_id = i.environment_id and p.id = i.provider_id;

drop table identities;
alter table identities_by_issuer rename to identities;
create index identities_by_user on identities (environment_id, user_id);
