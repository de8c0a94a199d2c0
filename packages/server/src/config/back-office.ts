import { guardListener, readTokens, refuseDuplicates } from '@financing-checkout/kit/env';
import {
  type BackOfficeToken,
  type Scope,
  scopes,
  SINGLE_TOKEN_NAME,
} from '../back-office/access.ts';
import type { Listener } from './listener.ts';
import type { CompanionEnvironment } from './variables.ts';

/** Listener and tokens of the back office. */
export interface BackOfficeConfiguration {
  backOffice: Listener;
  /** If empty, only local programs may call the back office. */
  backOfficeTokens: BackOfficeToken[];
  /** Whether the configuration permits tokens over plain HTTP across a network. */
  backOfficeInsecure: boolean;
}

const ONE = 'COMPANION_BACK_OFFICE_TOKEN';
const MANY = 'COMPANION_BACK_OFFICE_TOKENS';
const ALL: readonly Scope[] = ['fundings', 'webhooks', 'links', 'money'];

/** Reads the listener and the tokens of the back office. */
export function readBackOffice(env: CompanionEnvironment): BackOfficeConfiguration {
  const backOffice = {
    host: env.read('COMPANION_BACK_OFFICE_HOST'),
    port: env.read('COMPANION_BACK_OFFICE_PORT'),
  };
  const single = env.read(ONE);
  const backOfficeTokens = [
    ...(single === undefined ? [] : [{ name: SINGLE_TOKEN_NAME, scopes: ALL, secret: single }]),
    ...readTokens(env, MANY, { scopes }),
  ];
  refuseDuplicates(env, MANY, backOfficeTokens);
  const backOfficeInsecure = env.read('COMPANION_BACK_OFFICE_INSECURE');
  const stated = { address: backOffice.host, isInsecure: backOfficeInsecure };
  guardListener(env, stated, {
    host: 'COMPANION_BACK_OFFICE_HOST',
    tokens: [MANY, ONE],
    insecure: 'COMPANION_BACK_OFFICE_INSECURE',
  });
  return { backOffice, backOfficeTokens, backOfficeInsecure };
}
