import type { Stack } from '../stack.ts';
import { ask } from './ask.ts';

interface Case {
  id: string;
  code: string;
}

/** Anna's actions on the first case of each code, in order. */
const work: Readonly<Record<string, readonly [verb: string, body: object][]>> = {
  DUPLICATE_FUNDING: [
    ['assign', { assignee: 'anna' }],
    ['note', { note: 'Asked the lender for the statement of that day.' }],
  ],
  CHARGEBACK_OPEN: [
    ['assign', { assignee: 'ben' }],
    ['note', { note: 'Proof of delivery was sent to the lender.' }],
  ],
  MISSING_AT_LENDER: [['assign', { assignee: 'anna' }]],
  REFUND_NOT_TAKEN: [['note', { note: 'The customer says that the installments went on.' }]],
  MDR_VARIANCE: [
    ['assign', { assignee: 'anna' }],
    ['resolve', { reason: 'The lender corrects the rate with the next statement.' }],
  ],
  NET_MISMATCH: [['ignore', { reason: 'A rounding of the lender, agreed in writing.' }]],
  AMOUNT_MISMATCH: [
    ['assign', { assignee: 'anna' }],
    ['note', { note: 'The difference equals the shipping of the returned part.' }],
    ['resolve', { reason: 'Booked as a price reduction.' }],
  ],
  MISSING_IN_SERVICE: [['ignore', { reason: 'Belongs to the shop of our sister company.' }]],
};

/** Works on some cases as anna. Running it again changes nothing. */
export async function workOnCases(stack: Stack): Promise<void> {
  const token = stack.secrets.annaToken;
  const { cases } = await ask<{ cases: Case[] }>(
    `${stack.reconciliation}/cases?state=open&limit=500`,
    { token },
  );
  for (const [code, actions] of Object.entries(work)) {
    const found = cases.find((each) => each.code === code);
    if (!found) continue;
    for (const [verb, body] of actions) {
      await ask(`${stack.reconciliation}/cases/${found.id}/${verb}`, {
        token,
        body,
        headers: { 'idempotency-key': `month-${found.id}-${verb}` },
      });
    }
  }
}
