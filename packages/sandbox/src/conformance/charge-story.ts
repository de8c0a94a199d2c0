import { randomUUID } from 'node:crypto';
import { NotCheckable, NotRun } from './rule.ts';
import { describe, isObject, isSuccess, jsonOf, type Subject } from './subject.ts';
import type { Exchange } from './wire.ts';

export const chargesPath = '/v2/post-sale/charges';

/** A charge that the suite made, and what it was made with. */
export interface MadeCharge {
  id: string;
  confirmationToken: string;
  merchantOrderId: string;
  merchantTransactionId: string;
  totalAmount: number;
  /** The answer to the creation. */
  answer: Exchange;
}

/** What happened to the charges of the run: each step once, whatever rules look at it. */
export interface ChargeStory {
  charges: readonly MadeCharge[];
  /** The first: the same creation again, then the steps of a sale. */
  repeated: Exchange;
  usedToken: Exchange;
  authorization: Exchange;
  order: Exchange;
  patched: Exchange;
  settledPart: Exchange;
  settledRest: Exchange;
  settledCharge: Exchange;
  settleFound: Exchange;
  delivered: Exchange;
  refundedPart: Exchange;
  refundedRest: Exchange;
  refundedCharge: Exchange;
}

const stories = new WeakMap<Subject, Promise<ChargeStory>>();
const made = new WeakMap<Subject, Promise<readonly MadeCharge[]>>();

/**
 * Makes one charge of each confirmation token.
 * @throws {NotRun} without a token
 * @throws {NotCheckable} when the service makes no charge of one
 */
export function chargesOf(subject: Subject): Promise<readonly MadeCharge[]> {
  const known = made.get(subject);
  if (known) return known;
  const making = makeCharges(subject);
  made.set(subject, making);
  return making;
}

/** The charge at this place, made of the token at the same place. @throws {NotRun} */
export async function chargeAt(subject: Subject, index: number): Promise<MadeCharge> {
  const charge = (await chargesOf(subject))[index];
  if (!charge) throw new NotRun(`Needs ${index + 1} confirmation tokens: --confirmation-token.`);
  return charge;
}

/** Plays the sale of the first charge, once for all rules. */
export function chargeStory(subject: Subject): Promise<ChargeStory> {
  const known = stories.get(subject);
  if (known) return known;
  const playing = playStory(subject);
  stories.set(subject, playing);
  return playing;
}

async function makeCharges(subject: Subject): Promise<readonly MadeCharge[]> {
  const { confirmationTokens } = subject.options;
  if (confirmationTokens.length === 0) {
    throw new NotRun('Needs a confirmation token: --confirmation-token.');
  }
  const charges: MadeCharge[] = [];
  for (const confirmationToken of confirmationTokens) {
    const request = {
      confirmationToken,
      merchantOrderId: `conformance-${randomUUID()}`,
      merchantTransactionId: `conformance-${randomUUID()}`,
    };
    const answer = await subject.sendJson('POST', `${chargesPath}?settle=false`, request);
    const body = isSuccess(answer) ? jsonOf(answer) : undefined;
    if (!isObject(body) || typeof body.id !== 'string' || typeof body.totalAmount !== 'number') {
      throw new NotCheckable(`The charge request has ${describe(answer)}: no charge was made.`);
    }
    charges.push({ ...request, id: body.id, totalAmount: body.totalAmount, answer });
  }
  return charges;
}

async function playStory(subject: Subject): Promise<ChargeStory> {
  const charges = await chargesOf(subject);
  const first = await chargeAt(subject, 0);
  const { id, confirmationToken, merchantOrderId, merchantTransactionId, totalAmount } = first;
  const path = `${chargesPath}/${encodeURIComponent(id)}`;
  const post = (rest: string, value?: object) => subject.sendJson('POST', rest, value);
  const newId = () => `conformance-${randomUUID()}`;
  const request = { confirmationToken, merchantOrderId, merchantTransactionId };
  const settleId = newId();
  // Half of it in the smallest unit of a currency with two decimals.
  const half = Math.floor(totalAmount * 50) / 100;
  return {
    charges,
    repeated: await post(`${chargesPath}?settle=false`, request),
    usedToken: await post(`${chargesPath}?settle=false`, {
      ...request,
      merchantTransactionId: newId(),
    }),
    authorization: await findTransaction(subject, merchantTransactionId),
    order: await subject.get(`/v2/post-sale/orders/${encodeURIComponent(merchantOrderId)}`),
    patched: await subject.sendJson('PATCH', path, { tags: { conformance: 'checked' } }),
    settledPart: await post(`${path}/settles`, { amount: half, merchantTransactionId: settleId }),
    settledRest: await post(`${path}/settles`),
    settledCharge: await subject.get(path),
    settleFound: await findTransaction(subject, settleId),
    delivered: await post(`${path}/items/delivery`, {
      items: [{ sku: 'CONFORMANCE', quantity: 1, deliveryDate: new Date().toISOString() }],
    }),
    refundedPart: await post(`${path}/refunds`, { amount: half, merchantTransactionId: newId() }),
    refundedRest: await post(`${path}/refunds`, { merchantTransactionId: newId() }),
    refundedCharge: await subject.get(path),
  };
}

/** Looks up a transaction by the merchant's own id. */
export function findTransaction(
  subject: Subject,
  merchantTransactionId: string,
): Promise<Exchange> {
  const query = new URLSearchParams({ merchantTransactionId }).toString();
  return subject.get(`/v2/post-sale/transactions/lookup?${query}`);
}
