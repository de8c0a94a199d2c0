import type {
  CaseRecord,
  Claims,
  OrderExplanation,
} from '@financing-checkout/contract/reconciliation';
import { exceptionCodes } from '@financing-checkout/contract/plain';
import { afterEach, expect, it, vi } from 'vitest';
import { setLanguage, setZone } from '../../locale/locale.ts';
import { concernsService, messageOfCase, messageOfClaims } from './message.ts';

afterEach(() => setLanguage('en'));

const one: CaseRecord = {
  id: 'case_1',
  revision: 1,
  orderKey: 'order:N-1003',
  merchantOrderId: 'N-1003',
  currency: 'EUR',
  code: 'REFUND_NOT_TAKEN',
  state: 'open',
  amount: 5_000,
  count: 1,
  since: '2026-02-10T00:00:00.000Z',
  ageDays: 3,
  dueAt: '2026-02-17T00:00:00.000Z',
  openedAt: '2026-02-10T00:00:00.000Z',
  updatedAt: '2026-02-10T00:00:00.000Z',
  can: [],
};
const status: NonNullable<OrderExplanation['currencies'][number]['status']> = {
  orderKey: 'order:N-1003',
  currency: 'EUR',
  headline: 'AMOUNT_MISMATCH',
  funding: 'FUNDED',
  returns: 'NONE',
  expected: { settle: 20_000, refund: 5_000 },
  funded: { settle: 20_000, refund: 0, chargeback: 0, reversal: 0 },
  discount: 0,
  net: 20_000,
  awaiting: 0,
  exceptions: [],
  reasons: [],
  computedAt: '2026-02-10T00:00:00.000Z',
  changedAt: '2026-02-10T00:00:00.000Z',
};
const ids = { transactionId: 'txn_1', merchantTransactionId: 'mtx_1' };
const part: OrderExplanation['currencies'][number] = {
  currency: 'EUR',
  status,
  reasons: [],
  ledger: [
    {
      id: 'l1',
      type: 'Settle',
      amount: 20_000,
      source: 'companion',
      occurredAt: '2026-01-03T12:30:00.000Z',
      ...ids,
    },
    {
      id: 'l2',
      type: 'Refund',
      amount: 5_000,
      source: 'companion',
      occurredAt: '2026-02-01T09:00:00.000Z',
      transactionId: 'txn_2',
      merchantTransactionId: 'mtx_2',
    },
  ],
  fundings: [
    {
      id: 'f1',
      status: 'Funded',
      transactionType: 'Settle',
      lenderName: 'Northway Credit',
      transactionAmount: 20_000,
      discountAmount: 0,
      netAmount: 20_000,
      fundedAt: '2026-01-05T08:00:00.000Z',
      updatedAt: '2026-01-05T08:00:00.000Z',
      lenderReferenceId: 'LR-1',
      ...ids,
    },
  ],
  discounts: [],
  suggestions: [],
};

it.each(['en', 'de'])(
  'tells the lender of a refund what was sent and posted, in %s',
  async (language) => {
    await setLanguage(language);
    setZone('UTC');
    expect(messageOfCase(one, part)).toMatchSnapshot();
  },
);

it.each(['en', 'de'])(
  'says who owes whom, and asks for something, for each exception in %s',
  async (language) => {
    await setLanguage(language);
    const claims = exceptionCodes.flatMap((code) =>
      [5_000, -5_000].map((amount) => {
        const [subject, , claim, request] = messageOfCase({ ...one, code, amount }, part).split(
          '\n',
        );
        return [subject, claim, request].join('\n');
      }),
    );
    expect([...new Set(claims)].join('\n\n')).toMatchSnapshot();
  },
);

it.each([
  ['settle', -500, 'you owe it to us'],
  ['settle', 500, 'we owe it to you'],
  ['refund', -500, 'we owe it to you'],
  ['refund', 500, 'you owe it to us'],
] as const)('says who owes a difference of a %s of %i', (kind, amount, who) => {
  const expected = { settle: 20_000, refund: 5_000 };
  const funded = { ...expected, chargeback: 0, reversal: 0, [kind]: expected[kind] + amount };
  const differing = { ...part, status: { ...status, expected, funded } };
  const message = messageOfCase({ ...one, code: 'AMOUNT_MISMATCH', amount }, differing);
  expect(message).toContain(who);
});

it('is addressed to the service if the lender cannot answer', () => {
  expect(exceptionCodes.filter(concernsService)).toEqual(['UNKNOWN_TYPE', 'STATUS_DISAGREES']);
});

it.each(['en', 'de'])('sums up the cases of a lender by exception, in %s', async (language) => {
  await setLanguage(language);
  expect(
    messageOfClaims([
      { code: 'AMOUNT_MISMATCH', currency: 'EUR', difference: -1_600, cases: 2, count: 2 },
      { code: 'CURRENCY_UNKNOWN', currency: '', difference: null, cases: 1, count: 1 },
      { code: 'REFUND_NOT_TAKEN', currency: 'EUR', difference: 5_000, cases: 3, count: 4 },
    ]),
  ).toMatchSnapshot();
});

it('offers the message of the chosen lender, and forgets that another one was copied', async () => {
  const sums: NonNullable<Claims['sums']> = [
    { code: 'REFUND_NOT_TAKEN', currency: 'EUR', difference: 5_000, cases: 3, count: 4 },
  ];
  const asked = vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation(() => Promise.resolve(Response.json({ sums, claims: [] })));
  const written = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  const element = Object.assign(document.createElement('cases-message'), { lender: 'Northway' });
  document.body.append(element);
  const text = () => element.textContent.replaceAll(/\s+/g, ' ');
  await expect.poll(text).toContain('Copy a message to Northway');
  element.querySelector('button')?.click();
  await expect.poll(text).toContain('Copied');
  expect(written.mock.calls).toEqual([[messageOfClaims(sums)]]);
  expect(element.querySelector('a')?.getAttribute('href')).toContain(
    '/cases/claims?lender=Northway',
  );
  Object.assign(element, { lender: 'Meadow' });
  await expect.poll(text).toContain('Copy a message to Meadow');
  expect(asked).toHaveBeenCalledTimes(2);
});
