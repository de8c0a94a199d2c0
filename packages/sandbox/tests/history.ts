import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Sandbox } from '../src/sandbox.ts';
import { createWire } from '../src/conformance/wire.ts';
import { patienceMs } from '../../../vitest.shared.ts';

/** The merchant's id of the settle that every funding below refers to. */
const merchantTransactionId = 'conformance-settle';

/**
 * Creates fundings for the rules, as a shopper and a lender would: a settled and funded order, then
 * a funding with a different amount, one with a different type, and one for an unknown transaction.
 */
export async function lenderHistory(sandbox: Sandbox): Promise<void> {
  const call = callerOf(sandbox);
  const confirmationToken = await confirmOrder(sandbox, 'conformance-order');
  const { id: chargeId } = await call('/v2/post-sale/charges', { confirmationToken });
  await call(`/v2/post-sale/charges/${String(chargeId)}/settles`, { merchantTransactionId });
  const { id: transactionId } = await call(
    `/v2/post-sale/transactions/lookup?merchantTransactionId=${merchantTransactionId}`,
  );
  sandbox.clock.change({ advanceMs: 2 * 86_400_000 });
  await postFunding(sandbox, { transactionId, amount: 799.99 });
  await postFunding(sandbox, { transactionId, amount: 800, transactionType: 'Refund' });
  await postFunding(sandbox, { amount: 12.5 });
}

/**
 * Confirms the orders that the charge rules need, then a lease with sales tax, and a line of
 * credit.
 */
export async function confirmOrders(sandbox: Sandbox): Promise<readonly string[]> {
  const tokens: string[] = [];
  for (const offer of ['', '', '', '', LEASE, LINE_OF_CREDIT]) {
    tokens.push(await confirmOrder(sandbox, `conformance-${randomUUID()}`, offer));
  }
  return tokens;
}

/**
 * Buys an order of 800, including sales tax of 60, on the hosted page.
 * @param wanted part of the offer code; the first offer by default
 * @returns the confirmation token
 */
async function confirmOrder(
  sandbox: Sandbox,
  merchantOrderId: string,
  wanted = '',
): Promise<string> {
  const own = sandbox.environments.find(({ name }) => name === 'sandbox');
  const { id: session } = await callerOf(sandbox)('/v1/checkout/prime', {
    checkoutDetails: { currency: 'USD' },
    cartDetails: {
      merchantOrderId,
      items: [{ name: 'Walnut desk', price: 740, sku: 'D-1', quantity: 1, leasable: true }],
      taxAmount: 60,
      shippingAmount: 0,
      totalAmount: 800,
    },
  });
  const visit = { session: String(session), key: own?.publicKey ?? '', origin: sandbox.hostedUrl };
  const page = await visitPage(sandbox, '/checkout/details', {
    ...visit,
    firstName: 'Ada',
    lastName: 'Quayle',
    email: 'ada@example.com',
    phone: '2025550123',
    birthDate: '1990-02-03',
    income: '52000',
    consent: 'yes',
  });
  const offers = Array.from(page.matchAll(/name="offer"\s+value="([^"]+)"/g), ([, code]) => code);
  const offer = offers.find((code) => code?.includes(wanted)) ?? '';
  const confirmed = await visitPage(sandbox, '/checkout/confirm', {
    ...visit,
    offer,
    agree: 'yes',
  });
  const token = /confirmationToken&quot;:&quot;([^&]+)&quot;/.exec(confirmed)?.[1];
  if (token === undefined) throw new Error('No lender confirmed the order.');
  return token;
}

/** Part of the code of every lease offer. */
const LEASE = '-LTO-';
/** Part of the code of the offer that opens a line of credit. */
const LINE_OF_CREDIT = 'HAL-';

type Call = (path: string, body?: object) => Promise<Record<string, unknown>>;

/** HTTP clients by sandbox, cached because creating one takes longer than a request. */
const callers = new WeakMap<Sandbox, Call>();

function callerOf(sandbox: Sandbox): Call {
  const caller = callers.get(sandbox) ?? createCaller(sandbox);
  callers.set(sandbox, caller);
  return caller;
}

function createCaller({ apiUrl, caFile, environments }: Sandbox): Call {
  const wire = createWire({ ca: readFileSync(caFile, 'utf8'), timeoutMs: patienceMs, secrets: [] });
  const own = environments.find(({ name }) => name === 'sandbox');
  return async (path, body) => {
    const exchange = await wire.send({
      method: body ? 'POST' : 'GET',
      url: new URL(apiUrl + path),
      authorization: `Bearer ${own?.privateKey ?? ''}`,
      ...(body ? { body: { text: JSON.stringify(body), contentType: 'application/json' } } : {}),
    });
    if (!exchange.answered || exchange.status >= 300) {
      const reason = exchange.answered ? `status ${exchange.status}` : exchange.why;
      throw new Error(`${path.split('?')[0] ?? ''}: ${reason}`);
    }
    return JSON.parse(exchange.text) as Record<string, unknown>;
  };
}

async function visitPage(
  { hostedUrl }: Sandbox,
  path: string,
  fields: Record<string, string>,
): Promise<string> {
  const response = await fetch(hostedUrl + path, {
    method: 'POST',
    body: new URLSearchParams(fields),
  });
  if (!response.ok) throw new Error(`${path}: status ${response.status}`);
  return response.text();
}

async function postFunding({ controlUrl }: Sandbox, funding: object): Promise<void> {
  const response = await fetch(`${controlUrl}/fundings`, {
    method: 'POST',
    body: JSON.stringify(funding),
  });
  if (!response.ok) throw new Error(`POST /fundings: status ${response.status}`);
}
