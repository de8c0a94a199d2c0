import type { Deviation, MutantCall } from './call.ts';
import {
  invalid,
  operationOf,
  parsed,
  withCode,
  withMessage,
  without,
  type Json,
} from './contract.ts';
import type { Mutant } from './mutant.ts';

/** Rejects a request to an operation before it is forwarded. */
const refused =
  (
    operation: string,
    isRefused: (body: Json, call: MutantCall) => boolean,
    refusal: () => Response,
  ): Deviation =>
  (call) =>
    operationOf(call) === operation && isRefused(parsed(call.body), call)
      ? Promise.resolve(refusal())
      : call.forward();

const newOperations = [
  ...['session.create', 'application.token', 'charges.patch', 'charges.void-async'],
  ...['charges.synthetic', 'charges.delivery', 'transactions.get'],
];

/** Mutants that accept and reject requests as the stand-in did before the published contract. */
export const requestMutants: readonly Mutant[] = [
  {
    name: 'repeated-creation-refused',
    breaks: ['charges.idempotency'],
    charges: true,
    how: refused(
      'charges.create',
      firstOnly(({ merchantTransactionId }) => merchantTransactionId),
      () => withCode(400, '2002'),
    ),
  },
  {
    name: 'void-takes-no-id',
    breaks: ['charges.void'],
    charges: true,
    how: (call) => {
      if (operationOf(call) === 'charges.void') call.body = '{}';
      return call.forward();
    },
  },
  {
    name: 'refund-needs-an-amount',
    breaks: ['charges.refund'],
    charges: true,
    how: refused('charges.refund', ({ amount }) => amount === undefined, invalid),
  },
  {
    name: 'settle-needs-an-amount',
    breaks: ['charges.settle', 'charges.refund'],
    charges: true,
    how: refused('charges.settle', ({ amount }) => amount === undefined, invalid),
  },
  {
    name: 'limit-has-a-maximum',
    breaks: ['requests.limit'],
    how: refused(
      'fundings.report',
      (_body, { query }) => Number(query.get('limit')) > 10_000,
      () => withMessage(400),
    ),
  },
  {
    name: 'unknown-fields-pass',
    breaks: ['requests.unknown-field'],
    how: (call) => {
      if (operationOf(call) === 'charges.create') {
        call.body = JSON.stringify(without(parsed(call.body), 'conformance'));
      }
      return call.forward();
    },
  },
  {
    name: 'session-needs-an-order-id',
    breaks: ['requests.session'],
    how: refused(
      'session.create',
      ({ cartDetails }) => (cartDetails as Json | undefined)?.merchantOrderId === undefined,
      invalid,
    ),
  },
  {
    name: 'session-takes-any-text',
    breaks: ['requests.enumerated'],
    how: (call) => {
      if (operationOf(call) === 'session.create') {
        const body = without(parsed(call.body), 'merchantDetails');
        const details = body.checkoutDetails as Json | undefined;
        if (details?.source !== undefined) details.source = 'Api';
        call.body = JSON.stringify(body);
      }
      return call.forward();
    },
  },
  {
    name: 'warranty-for-each-piece',
    breaks: ['requests.warranty'],
    how: refused('session.create', hasOneWarrantyForMany, invalid),
  },
  {
    name: 'one-media-type-of-json',
    breaks: ['requests.media-types'],
    how: refused(
      'session.create',
      (_body, { headers }) => !headers.get('content-type')?.startsWith('application/json'),
      () => withCode(415, '10000'),
    ),
  },
  {
    name: 'operations-are-missing',
    breaks: ['requests.session', 'charges.unknown', ...newOperations.map((n) => `published.${n}`)],
    charges: true,
    how: async (call) =>
      newOperations.includes(operationOf(call)) ? withCode(404, '1000') : call.forward(),
  },
];

/** Whether a value was seen before: the mutant remembers the values of its run. */
function firstOnly(valueOf: (body: Json) => unknown): (body: Json) => boolean {
  const known = new Set<unknown>();
  return (body) => {
    const value = valueOf(body);
    if (value === undefined) return false;
    const isKnown = known.has(value);
    known.add(value);
    return isKnown;
  };
}

/** Whether the total includes one warranty for a line with several units. */
function hasOneWarrantyForMany({ cartDetails }: Json): boolean {
  const { items } = (cartDetails ?? {}) as { items?: { quantity: number; warranty?: object }[] };
  return Array.isArray(items) && items.some((item) => item.quantity > 1 && item.warranty);
}
