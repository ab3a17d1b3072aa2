-- oldest program: 0037
-- The value that a call was refused for: a redirect URI, a scope, an origin or a resource. Readers of users see it.
alter table refused_calls add column refused_parameter text;
alter table refused_calls add column refused_value text;
