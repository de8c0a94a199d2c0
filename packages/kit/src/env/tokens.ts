import { type AccessToken, isTokenName } from '../access/token.ts';
import { isLoopback } from '../limits/address.ts';
import { Secret } from '../secret/secret.ts';
import type { EnvironmentReader } from './reader.ts';
import { isToken, TOKEN_RULE } from './values.ts';
import type { VariableTable, VariableType } from './variable.ts';

/** A line of an access token file. */
export interface StatedToken<Scope extends string> extends AccessToken<Scope> {
  secret: Secret;
}

/**
 * One token per line: name, scopes separated by commas, token. Lines that begin with # are comments.
 * @param rules.reserved names that a token must not have
 */
export function tokenLines<Scope extends string>(rules: {
  scopes: readonly Scope[];
  reserved?: readonly string[];
}): VariableType<StatedToken<Scope>[]> {
  const isScope = (word: string): word is Scope => rules.scopes.some((scope) => scope === word);
  const problemOf = (owner: string, scopes: readonly string[], secret: string) =>
    !isTokenName(owner, rules.reserved)
      ? 'has an invalid name: use letters, digits, "-", "_" and "."'
      : !scopes.every(isScope)
        ? `has another scope than ${rules.scopes.join(', ')}`
        : isToken(secret)
          ? undefined
          : `has a token that is not ${TOKEN_RULE}`;
  return {
    read(text, { refuse }) {
      const lines = text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '' && !line.startsWith('#'));
      if (lines.length === 0) refuse('contains no token');
      return lines.flatMap((line, index) => {
        const [owner = '', listed = '', secret = '', ...rest] = line.split(/\s+/);
        const scopes = listed.split(',');
        const wrong =
          rest.length > 0 || secret === ''
            ? 'is not a name, scopes and a token, separated by spaces'
            : problemOf(owner, scopes, secret);
        if (wrong === undefined)
          return [{ name: owner, scopes: scopes.filter(isScope), secret: new Secret(secret) }];
        refuse(`token ${index + 1} ${wrong}`);
        return [];
      });
    },
    rule: 'must be a name, scopes and a token on each line',
  };
}

/** Reports a name or a secret that two tokens share. */
export function refuseDuplicates<Table extends VariableTable>(
  env: EnvironmentReader<Table>,
  name: keyof Table & string,
  tokens: readonly AccessToken<string>[],
): void {
  const hasTwice = (values: readonly string[]) => new Set(values).size < values.length;
  if (hasTwice(tokens.map((token) => token.name))) env.problem(name, 'contains a name twice');
  if (hasTwice(tokens.map(({ secret }) => secret.reveal()))) {
    env.problem(name, 'contains a token twice');
  }
}

/**
 * Reports a listener that other machines can reach, if it has no tokens or would receive them over plain HTTP.
 */
export function guardListener<Table extends VariableTable>(
  env: EnvironmentReader<Table>,
  { address, isInsecure }: { address: string; isInsecure: boolean },
  names: {
    host: keyof Table & string;
    tokens: readonly [keyof Table & string, ...(keyof Table & string)[]];
    insecure: keyof Table & string;
  },
): void {
  if (isLoopback(address)) return;
  if (!names.tokens.some((name) => env.isNamed(name))) {
    env.problem(names.tokens[0], `is required when ${names.host} is not a loopback address`);
  } else if (!isInsecure) {
    env.problem(
      names.host,
      `is not a loopback address: tokens would cross the network in plain HTTP. Put an HTTPS proxy on this machine in front of it, or set ${names.insecure}=true if something else encrypts that network`,
    );
  }
}
