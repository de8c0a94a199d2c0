import { createHmac, randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type {
  CheckoutRecord,
  ExpectedOrder,
} from '../../packages/contract/dist/back-office/index.js';

/** The companion's record of a checkout. */
export type Result = CheckoutRecord;

/** A shop that receives results, and the secret of its webhook. */
export interface ResultTarget {
  shop: string;
  /** `whsec_…` */
  webhookSecret: string;
}

/** Returns the result that pays an order. */
export function approval(order: ExpectedOrder & Pick<Result, 'environment'>): Result {
  return {
    checkoutId: 'chk_1',
    revision: 3,
    environment: order.environment,
    merchantOrderId: order.merchantOrderId,
    status: 'approved',
    amount: { value: order.totalAmount, currency: order.currency },
    chargeId: 'charge-1',
    chargeState: 'Authorized',
    updatedAt: '2026-11-20T10:00:00.000Z',
  };
}

/** Returns the results that differ from an approval in one thing, and pay nothing. */
export function refusedResults(approved: Result): [name: string, result: Result][] {
  const { value, currency } = approved.amount;
  return [
    ['a lower amount', { ...approved, amount: { value: value - 1, currency } }],
    ['a higher amount', { ...approved, amount: { value: value + 1, currency } }],
    ['another currency', { ...approved, amount: { value, currency: 'CAD' } }],
    [
      'another environment',
      { ...approved, environment: approved.environment === 'sandbox' ? 'production' : 'sandbox' },
    ],
    ['another order', { ...approved, merchantOrderId: 'A-another' }],
    ['a checkout that is pending', { ...approved, status: 'pending' }],
    ['a voided charge', { ...approved, chargeState: 'Voided' }],
    ['a refunded charge', { ...approved, chargeState: 'Refunded' }],
    [
      'a charge whose settled part is refunded',
      { ...approved, chargeState: 'PartiallySettledRefunded' },
    ],
    ['a charge that the lender took back', { ...approved, chargeState: 'ChargedBack' }],
  ];
}

/** Sends a webhook as the companion signs it. @returns the status of the answer */
export async function sendWebhook(
  { shop, webhookSecret }: ResultTarget,
  message: object,
): Promise<number> {
  const id = `msg_${randomUUID()}`;
  const sentAt = Math.floor(Date.now() / 1000);
  const body = JSON.stringify(message);
  const signature = createHmac(
    'sha256',
    Buffer.from(webhookSecret.slice('whsec_'.length), 'base64'),
  )
    .update(`${id}.${sentAt}.${body}`)
    .digest('base64');
  const answer = await fetch(`${shop}/webhooks/financing`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(sentAt),
      'webhook-signature': `v1,${signature}`,
    },
    body,
  });
  await answer.body?.cancel();
  return answer.status;
}

/**
 * Makes an order in a shop of examples/integrations and sends a result of it.
 * @param change the result that is sent in place of the approval
 */
export async function isPaidAfter(
  target: ResultTarget,
  change: (approved: Result) => Result,
): Promise<boolean> {
  const made = await fetch(`${target.shop}/order`, { method: 'POST' });
  const { merchantOrderId, environment } = (await made.json()) as Pick<
    Result,
    'merchantOrderId' | 'environment'
  >;
  const order = { merchantOrderId, environment, currency: 'USD', totalAmount: 94_563 };
  const data = change(approval(order));
  const status = await sendWebhook(target, { type: 'checkout.updated', data });
  expect(status).toBe(data.merchantOrderId === merchantOrderId ? 204 : 404);
  const answer = await fetch(`${target.shop}/order/${merchantOrderId}`);
  return ((await answer.json()) as { status: string }).status === 'paid';
}
