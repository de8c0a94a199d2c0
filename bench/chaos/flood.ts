import { createHmac, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Stack, startStack } from '../../scripts/stack.ts';

export interface FloodResult {
  confirmations: number;
  /** Average number of service calls for one confirmation with a made-up token. */
  callsPerConfirmation: number;
  /** Median time of an honest prime in milliseconds, before and during the flood. */
  primeMs: number;
  primeMsInFlood: number;
}

const ORDERS = 48;
/** Maximum number of open checkouts of one order. */
const OPEN = 5;
const AT_ONCE = 12;

/**
 * Sends confirmations with made-up tokens for the checkouts of a few orders, as an attacker can,
 * and primes other orders at the same time. The companion must neither turn one confirmation into
 * many service calls nor delay an honest shopper.
 */
export async function runFlood(): Promise<FloodResult> {
  const dataDir = mkdtempSync(join(tmpdir(), 'flood-'));
  const stack = await startStack({
    dataDir,
    ports: 'any',
    companionEnv: { COMPANION_RATE_LIMIT_PER_ADDRESS: '0', COMPANION_RATE_LIMIT_PER_KEY: '0' },
  });
  try {
    const honest = async (name: string, count: number) => {
      const times: number[] = [];
      for (let index = 0; index < count; index++) {
        const started = performance.now();
        await prime(stack, `${name}-${index}`);
        times.push(performance.now() - started);
      }
      return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
    };
    await honest('warm', 10);
    const primeMs = await honest('quiet', 20);
    const checkouts = [];
    for (let index = 0; index < ORDERS * OPEN; index++) {
      checkouts.push(await prime(stack, `flood-${index % ORDERS}`));
    }
    const confirmations = checkouts.length;
    const before = await lastCall(stack);
    const queue = checkouts.values();
    const attack = async () => {
      for (const checkout of queue) await confirm(stack, checkout);
    };
    const attackers = Promise.all(Array.from({ length: AT_ONCE }, attack));
    const primeMsInFlood = await honest('beside', 20);
    await attackers;
    const calls = (await callsSince(stack, before)).filter(
      ({ path }) => path !== '/v1/checkout/prime',
    );
    const round = (value: number) => Math.round(value * 10) / 10;
    return {
      confirmations,
      callsPerConfirmation: round(calls.length / confirmations),
      primeMs: round(primeMs),
      primeMsInFlood: round(primeMsInFlood),
    };
  } finally {
    await stack.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

interface Checkout {
  id: string;
  secret: string;
}

async function prime(stack: Stack, merchantOrderId: string): Promise<Checkout> {
  const secret = `${randomUUID()}${randomUUID()}`;
  const response = await fetch(`${stack.companion}/checkout/prime`, {
    method: 'POST',
    headers: { ...headersOf(stack), 'idempotency-key': secret },
    body: JSON.stringify({ environment: 'sandbox', order: ticket(stack, merchantOrderId) }),
  });
  const body = (await response.json()) as { id?: string };
  if (response.status !== 201 || body.id === undefined) {
    throw new Error(`A prime was answered ${response.status}: ${JSON.stringify(body)}`);
  }
  return { id: body.id, secret };
}

async function confirm(stack: Stack, { id, secret }: Checkout): Promise<void> {
  const response = await fetch(`${stack.companion}/checkout/${id}/confirmation`, {
    method: 'POST',
    headers: { ...headersOf(stack), 'financing-checkout-secret': secret },
    body: JSON.stringify({ confirmationToken: `made-up-${randomUUID()}` }),
  });
  const body = (await response.json()) as { status?: string };
  if (body.status === 'approved') throw new Error('A made-up token was approved.');
}

function headersOf(stack: Stack): Record<string, string> {
  return {
    authorization: `Bearer ${stack.secrets.publicKey}`,
    'financing-checkout-version': '1',
    'content-type': 'application/json',
    origin: stack.shop,
  };
}

/** Signs an order ticket: a JWS with HS256. */
function ticket(stack: Stack, merchantOrderId: string): string {
  const iat = Math.floor(Date.now() / 1000);
  const claims = {
    aud: 'financing-companion',
    env: 'sandbox',
    iat,
    exp: iat + 600,
    jti: randomUUID(),
    order: {
      merchantOrderId,
      currency: 'USD',
      items: [{ name: 'Walnut desk', sku: 'DESK', price: 50_000, quantity: 1 }],
      taxAmount: 0,
      shippingAmount: 0,
      totalAmount: 50_000,
    },
  };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const input = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${input}.${createHmac('sha256', stack.secrets.orderTicket).update(input).digest('base64url')}`;
}

async function callsSince(stack: Stack, id: number): Promise<{ id: number; path: string }[]> {
  const response = await fetch(`${stack.control}/calls?after=${id}`);
  return ((await response.json()) as { calls: { id: number; path: string }[] }).calls;
}

async function lastCall(stack: Stack): Promise<number> {
  return (await callsSince(stack, 0)).at(-1)?.id ?? 0;
}
