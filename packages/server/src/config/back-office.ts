import { isTokenName, Secret } from '@financing-checkout/kit';
import {
  type BackOfficeToken,
  isScope,
  type Scope,
  SINGLE_TOKEN_NAME,
} from '../back-office/access.ts';
import type { Listener } from './config.ts';
import type { EnvironmentReader } from './reader.ts';
import { isLoopback } from '@financing-checkout/kit';
import { isBearerValue } from '../platform/http/origin.ts';

/** Listener and tokens of the back office. */
export interface BackOfficeConfiguration {
  backOffice: Listener;
  /** If empty, only local programs may call the back office. */
  backOfficeTokens: BackOfficeToken[];
  /** Whether the configuration permits tokens in plain HTTP over a network. */
  backOfficeInsecure: boolean;
}

const ONE = 'COMPANION_BACK_OFFICE_TOKEN';
const MANY = 'COMPANION_BACK_OFFICE_TOKENS';
const MIN_LENGTH = 16;
const ALL: readonly Scope[] = ['fundings', 'webhooks', 'links', 'money'];

/** Reads the listener and the tokens of the back office. */
export function readBackOffice(env: EnvironmentReader): BackOfficeConfiguration {
  const backOffice = env.listener('COMPANION_BACK_OFFICE', { host: '127.0.0.1', port: 4001 });
  const single = env.secret(ONE);
  if (single !== undefined && !isToken(single)) {
    env.problem(ONE, `must be ${MIN_LENGTH} or more visible ASCII characters without spaces`);
  }
  const backOfficeTokens = [
    ...(single === undefined
      ? []
      : [{ name: SINGLE_TOKEN_NAME, scopes: ALL, secret: new Secret(single) }]),
    ...readTokens(env),
  ];
  const { length } = backOfficeTokens;
  for (const [key, what] of [
    ['name', 'the same name'],
    ['secret', 'the same token'],
  ] as const) {
    const values = backOfficeTokens.map((token) =>
      key === 'name' ? token.name : token.secret.reveal(),
    );
    if (new Set(values).size < length) env.problem(MANY, `holds ${what} twice`);
  }
  const backOfficeInsecure = readInsecure(env);
  if (!isLoopback(backOffice.host)) {
    if (!env.isNamed(ONE) && !env.isNamed(MANY)) {
      env.problem(MANY, 'is required when COMPANION_BACK_OFFICE_HOST is not a loopback address');
    } else if (!backOfficeInsecure) {
      env.problem(
        'COMPANION_BACK_OFFICE_HOST',
        'is not a loopback address: tokens would cross the network in plain HTTP. Put an HTTPS proxy on this machine in front of it, or set COMPANION_BACK_OFFICE_INSECURE=true if something else encrypts that network',
      );
    }
  }
  return { backOffice, backOfficeTokens, backOfficeInsecure };
}

/** Returns whether the configuration permits tokens in plain HTTP over a network. */
export function readInsecure(env: EnvironmentReader): boolean {
  const choices = ['true', 'false'] as const;
  return env.choice('COMPANION_BACK_OFFICE_INSECURE', choices, 'false') === 'true';
}

/** Reads one token per line: name, scopes separated by commas, token. Lines that begin with # are comments. */
function readTokens(env: EnvironmentReader): BackOfficeToken[] {
  const lines = (env.secret(MANY) ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (env.isNamed(MANY) && lines.length === 0 && env.problems.length === 0) {
    env.problem(MANY, 'holds no token');
  }
  return lines.flatMap((line, index) => {
    const [name = '', listed = '', token = '', ...rest] = line.split(/\s+/);
    const scopes = listed.split(',');
    const wrong =
      rest.length > 0 || token === ''
        ? 'is not a name, scopes and a token, separated by spaces'
        : !isTokenName(name)
          ? 'has no usable name: letters, digits, "-", "_" and "."'
          : !scopes.every(isScope)
            ? 'has another scope than read, fundings, webhooks, links, money'
            : !isToken(token)
              ? `has a token of fewer than ${MIN_LENGTH} visible ASCII characters`
              : undefined;
    if (wrong !== undefined) {
      env.problem(MANY, `token ${index + 1} ${wrong}`);
      return [];
    }
    return [{ name, scopes: scopes.filter(isScope), secret: new Secret(token) }];
  });
}

function isToken(text: string): boolean {
  return isBearerValue(text) && text.length >= MIN_LENGTH;
}
