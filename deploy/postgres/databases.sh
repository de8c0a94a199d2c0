#!/bin/sh
# Creates a database and its owner for each program, at the first start of an empty volume. The secret of a program
# is the URL of its database: postgres://user:password@host/database?…
set -eu
for secret in companion-store reconciliation-store; do
  url=$(cat "/run/secrets/$secret")
  user=${url#postgres://}
  password=${user#*:}
  user=${user%%:*}
  psql --set=ON_ERROR_STOP=1 --set=user="$user" --set=password="${password%%@*}" \
    --username=postgres --dbname=postgres <<'SQL'
create role :"user" login password :'password';
create database :"user" owner :"user";
revoke connect on database :"user" from public;
SQL
done
