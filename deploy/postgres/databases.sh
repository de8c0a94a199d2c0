#!/bin/sh
# Creates a database and its owner for each program, at the first start of an empty volume. The secret of a program
# is the URL of its database: postgres://user:password@host/database?…
set -eu
for secret in companion-store reconciliation-store; do
  url=$(cat "/run/secrets/$secret")
  user=${url#postgres://}
  password=${user#*:}
  user=${user%%:*}
  # Every user of the machine reads arguments; the environment of a process is for its own user. The server would log
  # a statement that fails, with the password.
  DATABASE_PASSWORD=${password%%@*} psql --set=ON_ERROR_STOP=1 --set=user="$user" \
    --username=postgres --dbname=postgres <<'SQL'
\getenv password DATABASE_PASSWORD
set log_min_error_statement = panic;
create role :"user" login password :'password';
create database :"user" owner :"user";
revoke connect on database :"user" from public;
SQL
done
