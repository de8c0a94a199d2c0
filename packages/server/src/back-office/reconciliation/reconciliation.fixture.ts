import { casesSchema, orderStatusesSchema } from '@financing-checkout/contract';
import { BACK_OFFICE_TOKEN, START } from '../../companion.fixture.ts';
import { DAY_MS, reconciledCompanion } from '../../reconciliation/reconciled.fixture.ts';

export type Companion = Awaited<ReturnType<typeof reconciledCompanion>>;
export const iso = (time: number) => new Date(time).toISOString();

export const get = async (companion: Companion, path: string) => {
  const { status, body } = await companion.office(`/reconciliation${path}`);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
};
export const orders = async (companion: Companion, query = '') =>
  orderStatusesSchema.parse(await get(companion, `/orders${query}`));
export const names = (page: ReturnType<typeof orderStatusesSchema.parse>) =>
  page.orders.map(({ merchantOrderId }) => merchantOrderId);
export const cases = async (companion: Companion, query = '') =>
  casesSchema.parse(await get(companion, `/cases${query}`)).cases;

/** An order of each kind. */
export async function withOrders(): Promise<Companion> {
  const companion = await reconciledCompanion();
  await companion.put({ order: 'A-funded' });
  await companion.put({ order: 'B-short', fundings: [{ transactionAmount: 8_500 }] });
  await companion.put({ order: 'C-missing', fundings: [] });
  await companion.put({
    order: 'D-awaiting',
    ledger: [{ occurredAt: START - DAY_MS }],
    fundings: [],
  });
  await companion.put({
    order: 'E-yen',
    currency: 'JPY',
    fundings: [{ lenderName: 'Harbor Bank', fundedAt: START - 2 * DAY_MS }],
  });
  await companion.put({
    order: 'F-charged-back',
    fundings: [{}, { transactionType: 'Chargeback', transactionAmount: 4_000 }],
  });
  await companion.put({ order: undefined, fundings: [{ status: 'MISSING' }] });
  return companion;
}

export const download = async (companion: Companion, path: string) => {
  const response = await companion.backOffice.request(`/reconciliation/exports/${path}`, {
    headers: { authorization: `Bearer ${BACK_OFFICE_TOKEN}` },
  });
  return { response, text: await response.text() };
};
