import { z } from 'zod';
import { behaviorOperations, behaviorHelp } from './behavior.ts';
import { clockOperations } from './clock.ts';
import { faultOperations } from './faults.ts';
import { fundingOperations } from './fundings.ts';
import { keyOperations } from './keys.ts';
import { lenderOperations } from './lenders.ts';
import { linkOperations } from './links.ts';
import { notificationOperations } from './notifications.ts';
import { operation, type Operation } from './operation.ts';
import { outcomeOperations } from './outcomes.ts';
import { resetOperation } from './state.ts';
import { transactionOperations } from './transactions.ts';

const after = z.string().regex(/^\d{1,15}$/, 'must be the id of a call');

/** Every operation of the control API except those that transfer a whole state. */
export const operations: readonly Operation[] = [
  operation('', 'GET /health', { run: () => ({ status: 'ok' }) }),
  operation('', 'GET /environments', {
    run: ({ environments }) => ({ environments: environments() }),
  }),
  operation('', 'GET /calls', {
    input: z.object({ after: after.default('0') }),
    run: ({ calls }, input) => ({ calls: calls.list(Number(input.after)) }),
  }),
  operation('', 'DELETE /calls', {
    run: ({ calls }) => {
      calls.clear();
      return { calls: [] };
    },
  }),
  ...clockOperations,
  ...keyOperations,
  ...outcomeOperations,
  ...transactionOperations,
  ...behaviorOperations,
  ...faultOperations,
  ...linkOperations,
  ...notificationOperations,
  resetOperation,
  ...fundingOperations,
  ...lenderOperations,
];

/** The command groups in the order of the help text, with descriptions and examples. */
export const commandGroups: Readonly<Record<string, { does: string; help?: string }>> = {
  clock: {
    does: 'Read or move the clock of a running sandbox.',
    help: `Examples:
  financing-sandbox clock advance 1d        the lenders pay
  financing-sandbox clock set 2027-01-01T00:00:00Z
  financing-sandbox clock freeze`,
  },
  keys: { does: 'Show the keys of each environment, or rotate one.' },
  outcome: {
    does: 'Force decisions of the lenders. They override the last name on the application.',
  },
  transaction: { does: 'Make settles, refunds and voids pend and end later, or fail at once.' },
  behavior: {
    does: 'Choose how a running sandbox answers where the published contract is ambiguous.',
    help: behaviorHelp,
  },
  fault: { does: 'Make the wire between a client and the API fail, on demand.' },
  links: { does: 'Show the links that merchants created.' },
  notify: { does: 'Send notifications of applications to a merchant address.' },
  state: {
    does: 'Save, load or empty the state of a running sandbox.',
    help: `A saved state holds applications, charges, fundings, notifications, outcomes and the clock. It holds
no key and no Authorization value.

Examples:
  financing-sandbox state save --data-dir .data/sandbox before-the-test.db
  financing-sandbox state load --data-dir .data/sandbox before-the-test.db
  financing-sandbox state reset`,
  },
  fund: { does: 'Act as a lender of a running sandbox: pay, take back, make mistakes.' },
  lender: {
    does: 'Read or change the terms of the lenders of a running sandbox.',
    help: `A change applies to later settles, refunds and chargebacks.

Examples:
  financing-sandbox lender list
  financing-sandbox lender set quillmoor --rate 3.25% --lag 3
  financing-sandbox lender set quillmoor --name "Quillmoor Pay"   the same lender, renamed
  financing-sandbox lender set pennowick --leaves-out tax-and-shipping-tax
  financing-sandbox lender reset`,
  },
};
