import { operationOf, parsed, withCode, type Json } from './contract.ts';
import type { Mutant } from './mutant.ts';

const all = ['accounts.charge', 'accounts.confirmation', 'accounts.get', 'accounts.credit'];

export const accountMutants: readonly Mutant[] = [
  {
    name: 'no-accounts',
    breaks: ['accounts.charge', ...all.map((name) => `published.${name}`)],
    charges: true,
    how: async (call) => (all.includes(operationOf(call)) ? withCode(404, '1000') : call.forward()),
  },
  {
    name: 'account-forgets-ids-of-charges',
    breaks: ['accounts.charge'],
    charges: true,
    how: (call) => {
      if (operationOf(call) === 'accounts.charge') {
        const body = parsed(call.body);
        delete (body.merchantDetails as Json | undefined)?.merchantTransactionId;
        call.body = JSON.stringify(body);
      }
      return call.forward();
    },
  },
];
