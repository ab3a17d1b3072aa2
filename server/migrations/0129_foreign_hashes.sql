-- oldest program: 0100
-- Hashes of other systems (decision 0207) are stored in `password_hash` beside ours. A sign-in of an unknown address is compared with the hash
-- of a user whom chance picks: `domain/users/decoys.ts` finds the next one by the last twelve digits of an id.
-- `|| ''` keeps the index apart from those of an address and an id: without statistics PostgreSQL took such an index for them.
create index users_by_chance on users ((environment_id || ''), (substr(id, 19))) where password_hash is not null;
