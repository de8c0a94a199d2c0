import {
  chargeRecordSchema,
  chargesSchema,
  ledgerSchema,
} from '@financing-checkout/contract/back-office';
import { describe, expect, it } from 'vitest';
import { createCompanion } from '../companion.fixture.ts';
import { ChargeAtService } from './charge.fixture.ts';
import { REFUNDS, VOIDS } from '../scripted-service.fixture.ts';

/** A settled charge that the companion did not create: 274.99 in an unstated currency. */
async function setUpForeign(settled = 27_499) {
  const companion = await createCompanion();
  const atService = new ChargeAtService(companion.service, { settled });
  const operate = (operation: string, body: unknown, key = 'key-1') =>
    companion.officePost(`/charges/charge-1/${operation}`, body, { 'idempotency-key': key });
  const read = async (query = '') =>
    chargeRecordSchema.parse((await companion.office(`/charges/charge-1${query}`)).body);
  return { companion, atService, operate, read };
}

describe('a charge whose order the companion does not know', () => {
  it('is read in the default currency, marked as assumed', async () => {
    const { companion, read } = await setUpForeign();
    expect(await read()).toMatchObject({
      authorized: { value: 27_499, currency: 'USD' },
      currencyAssumed: true,
    });
    companion.service.on('GET /v2/post-sale/orders/order-1001', { status: 200, body: 'charge-1' });
    const { charges } = chargesSchema.parse(
      (await companion.office('/charges?merchantOrderId=order-1001&currency=KWD')).body,
    );
    expect(charges).toMatchObject([
      { left: { toRefund: { value: 274_990, currency: 'KWD' } }, currencyAssumed: true },
    ]);
  });

  it.each([
    ['refunds', { amount: 100 }],
    ['settles', { amount: 100 }],
    ['settles', {}],
  ])('refuses %s %j without a stated currency, and sends nothing', async (operation, body) => {
    const { companion, atService, operate } = await setUpForeign(20_000);
    const answer = await operate(operation, body);
    expect([answer.status, answer.body.code]).toEqual([409, 'charge-currency-unclear']);
    expect(answer.body.errors).toEqual([
      { path: 'currency', message: 'is required for this charge' },
    ]);
    expect(companion.service.callsTo(REFUNDS)).toHaveLength(0);
    expect([atService.settled, atService.refunded]).toEqual([20_000, 0]);
  });

  it('moves money in the stated currency and remembers the currency', async () => {
    const { companion, operate, read } = await setUpForeign();
    const { status, body } = await operate('refunds', { amount: 12_345, currency: 'CAD' });
    expect([status, body.amount]).toEqual([201, { value: 12_345, currency: 'CAD' }]);
    expect(companion.service.callsTo(REFUNDS).map((call) => call.body)).toMatchObject([
      { amount: 123.45 },
    ]);
    expect(await read()).toMatchObject({ authorized: { value: 27_499, currency: 'CAD' } });
    expect((await read()).currencyAssumed).toBeUndefined();
  });

  it.each(['HRK', 'BGN'])('is read and refunded in %s, which was withdrawn', async (currency) => {
    const { companion, operate, read } = await setUpForeign();
    companion.service.on('GET /v2/post-sale/orders/order-1001', { status: 200, body: 'charge-1' });
    const query = `?merchantOrderId=order-1001&currency=${currency}`;
    const { charges } = chargesSchema.parse((await companion.office(`/charges${query}`)).body);
    expect(charges).toMatchObject([{ left: { toRefund: { value: 27_499, currency } } }]);
    expect((await read(`?currency=${currency}`)).authorized).toEqual({ value: 27_499, currency });
    const { status, body } = await operate('refunds', { amount: 12_345, currency });
    expect([status, body.amount]).toEqual([201, { value: 12_345, currency }]);
    expect(companion.service.callsTo(REFUNDS).map((call) => call.body)).toMatchObject([
      { amount: 123.45 },
    ]);
    const { entries } = ledgerSchema.parse((await companion.office('/ledger')).body);
    expect(entries).toMatchObject([{ type: 'Refund', amount: { value: 12_345, currency } }]);
  });

  it('is not read in a code that was never a currency', async () => {
    const { companion } = await setUpForeign();
    const answer = await companion.office('/charges/charge-1?currency=XYZ');
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid-request']);
  });

  it('records a void without an amount', async () => {
    const { companion, operate } = await setUpForeign(0);
    expect((await operate('voids', {})).status).toBe(201);
    expect(companion.service.callsTo(VOIDS)).toHaveLength(1);
    const { entries } = ledgerSchema.parse((await companion.office('/ledger')).body);
    expect(entries.map(({ type, amount }) => [type, amount])).toEqual([['Void', undefined]]);
  });
});

it("refuses an amount in a currency other than the order's", async () => {
  const { companion, atService, operate, read } = await setUpForeign();
  await companion.open();
  const { status, body } = await operate('refunds', { amount: 100, currency: 'CAD' });
  expect([status, body.code]).toEqual([409, 'charge-currency-unclear']);
  expect(body.errors).toEqual([{ path: 'currency', message: 'must be USD' }]);
  expect(atService.refunded).toBe(0);
  // For a known charge, a read ignores the currency in the request.
  expect((await read('?currency=CAD')).authorized.currency).toBe('USD');
});
