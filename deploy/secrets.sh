#!/bin/sh
# Creates the secrets of compose.yaml that are missing, in deploy/secrets. Existing files are not changed. Put the two
# keys of the service into public-key and private-key, and for compose.sign-in.yaml the secret of the client at the OpenID
# provider into oidc-client-secret. A close of the books needs two persons: with OIDC_ISSUER in .env they sign in, and no
# token may close; without it there are two tokens that may, each for one person.
set -eu
cd "$(dirname "$0")"
issuer=${OIDC_ISSUER:-}
if [ -z "$issuer" ] && [ -e .env ]; then
  issuer=$(sed -n "s/^ *OIDC_ISSUER *= *[\"']\{0,1\}\([^\"' #]*\).*/\1/p" .env)
fi
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
# Only together, so that a token file that was handed over and removed does not come back with another token.
tokens=
if [ ! -e reconciliation-tokens ]; then
  keep finance-token "$(random)"
  if [ -n "$issuer" ]; then
    tokens="finance cases,sync,imports,rebuild $(cat finance-token)"
  else
    keep controller-token "$(random)"
    tokens="finance cases,sync,imports,rebuild,periods $(cat finance-token)
controller periods $(cat controller-token)"
  fi
fi
keep reconciliation-tokens "$tokens"
[ -e public-key ] || : >public-key
[ -e private-key ] || : >private-key
[ -e private-key-next ] || : >private-key-next
[ -e oidc-client-secret ] || : >oidc-client-secret

# Names of the tokens with one of these scopes: owners SCOPES [FILE]
owners() {
  awk -v scopes="$1" '!/^ *#/ && $2 ~ "(^|,)(" scopes ")(,|$)" { printf "%s ", $1 }' "${2:-reconciliation-tokens}"
}

if [ -n "$issuer" ]; then
  wrong=$(owners 'periods|money')
  if [ -n "$wrong" ]; then
    echo "secrets/reconciliation-tokens gives the scope periods or money to: $wrong
People sign in (OIDC_ISSUER), so reconciliation does not start with it: take the scopes away there." >&2
    exit 1
  fi
  echo "secrets/finance-token is for commands and programs. It closes no period: people sign in for that."
else
  set -- $(owners periods)
  case $# in
  0) echo "No token of secrets/reconciliation-tokens may close a period." ;;
  1) echo "The owner of the token $1 closes the books alone: add a second one with the scope periods." ;;
  *)
    echo "A close of the books needs two persons, each with a token of their own: $*
Give secrets/finance-token to the person who prepares it, and secrets/controller-token to the one who approves it.
Whoever has both, or can read this folder, closes alone: take both files away from here once they are handed over."
    ;;
  esac
fi
if [ -z "$(owners money companion-tokens)" ]; then
  echo "Nobody may settle, refund or void in the console: docs/production.md says under \"Refunds in the console\" what is missing."
fi
