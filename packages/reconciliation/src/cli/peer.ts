import { type Problem, problemSchema } from '@financing-checkout/contract/storefront';
import { exitCodes, exitMeanings, type Peer } from '@financing-checkout/kit/cli';

/** Exit codes for findings, in addition to those of every program. */
export const exits = {
  /** More open exceptions than allowed. */
  exceptions: 2,
  /** The result is based on incomplete data. */
  incomplete: 3,
} as const;

/** Meanings of all exit codes. */
export const meanings: Readonly<Record<number, string>> = {
  ...exitMeanings,
  [exits.exceptions]:
    'more open exceptions than --threshold allows, a walk with something unexplained, or an operation that is only in the trail or only at the companion',
  [exits.incomplete]:
    'the data is incomplete: a day is not proven, a record is in quarantine, or the trail was not compared with the companion; the result may change ("financing-reconcile status"); takes precedence over 2',
};

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
