#!/bin/sh
# Creates the secrets of compose.yaml that are missing, in deploy/secrets. Existing files are not changed. Put the two
# keys of the service into public-key and private-key, and for compose.sign-in.yaml the secret of the client at the OpenID
# provider into oidc-client-secret.
set -eu
cd "$(dirname "$0")"
# The programs of the containers read the files as users of their own. This folder keeps other people of the machine
# away from them.
umask 022
mkdir -p secrets
chmod 700 secrets
cd secrets

random() { openssl rand -hex 32; }
# keep NAME CONTENT
keep() { [ -e "$1" ] || printf '%s\n' "$2" >"$1"; }

keep postgres-password "$(random)"
keep companion-store "postgres://companion:$(random)@postgres:5432/companion?sslmode=disable"
keep reconciliation-store "postgres://reconciliation:$(random)@postgres:5432/reconciliation?sslmode=disable"
keep order-ticket "$(random)"
keep webhook "whsec_$(openssl rand -base64 32)"
keep companion-token "$(random)"
keep companion-tokens "reconciliation fundings $(cat companion-token)"
keep finance-token "$(random)"
keep reconciliation-tokens "finance cases,sync,imports,rebuild,periods $(cat finance-token)"
[ -e public-key ] || : >public-key
[ -e private-key ] || : >private-key
[ -e private-key-next ] || : >private-key-next
[ -e oidc-client-secret ] || : >oidc-client-secret
