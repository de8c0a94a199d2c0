import { NotCheckable, NotRun } from './finding.ts';
import {
  describe,
  isObject,
  isSuccess,
  jsonOf,
  oncePerSubject,
  uniqueId,
  type Subject,
} from './subject.ts';
import { findTransaction } from './transactions.ts';
import type { Exchange } from './wire.ts';

export const chargesPath = '/v2/post-sale/charges';

/** A charge that the suite created, and the request that created it. */
interface MadeCharge {
  id: string;
  confirmationToken: string;
  merchantOrderId: string;
  merchantTransactionId: string;
  totalAmount: number;
  /** The response to the creation request. */
  answer: Exchange;
}

/** The steps of a sale, each run once for all rules. */
export interface ChargeStory {
  charges: readonly MadeCharge[];
  /** The repeated creation of the first charge, followed by the steps of its sale. */
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

/**
 * Creates one charge for each confirmation token.
 * @throws {NotRun} if there is no token
 * @throws {NotCheckable} if the service rejects a token
 */
export const chargesOf = oncePerSubject(createCharges);

/** Runs the sale of the first charge. */
export const chargeStory = oncePerSubject(playStory);

/** Returns the charge for the token at an index. @throws {NotRun} */
export async function chargeAt(subject: Subject, index: number): Promise<MadeCharge> {
  const charge = (await chargesOf(subject))[index];
  if (!charge) throw new NotRun(`Needs ${index + 1} confirmation tokens: --confirmation-token.`);
  return charge;
}

async function createCharges(subject: Subject): Promise<readonly MadeCharge[]> {
  const { confirmationTokens } = subject.options;
  if (confirmationTokens.length === 0) {
    throw new NotRun('Needs a confirmation token: --confirmation-token.');
  }
  const charges: MadeCharge[] = [];
  for (const confirmationToken of confirmationTokens) {
    const request = {
      confirmationToken,
      merchantOrderId: uniqueId(),
      merchantTransactionId: uniqueId(),
    };
    const answer = await subject.sendJson('POST', `${chargesPath}?settle=false`, request);
    const body = isSuccess(answer) ? jsonOf(answer) : undefined;
    if (!isObject(body) || typeof body.id !== 'string' || typeof body.totalAmount !== 'number') {
      throw new NotCheckable(`The charge request has ${describe(answer)}: no charge was created.`);
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
  const request = { confirmationToken, merchantOrderId, merchantTransactionId };
  const settleId = uniqueId();
  // Rounded down to the smallest unit of a currency with two decimals.
  const half = Math.floor(totalAmount * 50) / 100;
  return {
    charges,
    repeated: await post(`${chargesPath}?settle=false`, request),
    usedToken: await post(`${chargesPath}?settle=false`, {
      ...request,
      merchantTransactionId: uniqueId(),
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
    refundedPart: await post(`${path}/refunds`, {
      amount: half,
      merchantTransactionId: uniqueId(),
    }),
    refundedRest: await post(`${path}/refunds`, { merchantTransactionId: uniqueId() }),
    refundedCharge: await subject.get(path),
  };
}
