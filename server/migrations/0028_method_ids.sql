-- `/v1/lookup` finds a method by its id alone.
create index identities_by_id on identities (environment_id, id);
create index recovery_codes_by_method on recovery_codes (environment_id, method_id);
