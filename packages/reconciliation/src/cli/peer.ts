import { type Problem, problemSchema } from '@financing-checkout/contract/storefront';
import { exitCodes, type Peer } from '@financing-checkout/kit/cli';
import { exits } from './exits.ts';

/** A running reconciliation program, whose HTTP API commands call. */
export const peer: Peer = {
  name: 'Reconciliation',
  serve: 'financing-reconcile serve',
  urlVariable: 'RECONCILIATION_URL',
  address: 'its address',
  tokenVariable: 'RECONCILIATION_TOKEN',
  environmentVariable: 'RECONCILIATION_ENVIRONMENT',
  problemSchema,
  exits: {
    'not-ready': exits.incomplete,
    'companion-unavailable': exitCodes.unavailable,
    overloaded: exitCodes.unavailable,
    'rate-limited': exitCodes.unavailable,
    standby: exitCodes.unavailable,
    'storage-full': exitCodes.unavailable,
    'store-unavailable': exitCodes.unavailable,
    'origin-not-allowed': exitCodes.denied,
    'token-invalid': exitCodes.denied,
    'token-not-permitted': exitCodes.denied,
  } satisfies Partial<Record<Problem['code'], number>>,
  lost: ['internal', 'store-unavailable'] satisfies Problem['code'][],
  advice: {},
};
