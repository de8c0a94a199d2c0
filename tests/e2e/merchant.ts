import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import {
  chargesSchema,
  ledgerSchema,
  webhookSchema,
  type ChargeRecord,
  type CheckoutRecord,
  type LedgerEntry,
  type LedgerType,
} from '../../packages/contract/dist/back-office/index.js';
import { fromMajorUnits } from '../../packages/contract/dist/money/index.js';
import { orderStatusesSchema } from '../../packages/contract/dist/reconciliation/index.js';
import {
  askControl,
  askService,
  calls,
  freshStack,
  type Call,
  type FreshStack,
} from './harness.ts';

/** The stack of the test file. Its webhooks pass a relay on their way to the shop. */
export let stack: FreshStack;

/** Records of the companion's webhook, oldest first. */
const messages: CheckoutRecord[] = [];

/**
 * Runs a stack without a browser for the tests of a file. The companion's webhook passes a relay, which
 * lets tests read its messages. Short deadlines shorten the companion's waits: it looks up a lost answer
 * after a second.
 */
export function runStackWithRelay(): void {
  let relay: Server;
  beforeAll(async () => {
    relay = openRelay();
    await once(relay, 'listening');
    const { port } = relay.address() as AddressInfo;
    stack = await freshStack({
      companionEnv: {
        COMPANION_WEBHOOK_URL: `http://127.0.0.1:${port}/webhooks/financing`,
        FINANCING_DEADLINE_MS: '1000',
        FINANCING_CHARGE_DEADLINE_MS: '2000',
        COMPANION_RATE_LIMIT_PER_ADDRESS: '0',
      },
    });
  });
  afterAll(async () => {
    try {
      await stack.remove();
    } finally {
      relay.closeAllConnections();
      relay.close();
    }
  });
}

/** Forwards each webhook message to the shop unchanged, and stores its record. */
function openRelay(): Server {
  return createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const headers = Object.fromEntries(
        Object.entries(request.headers).filter(([name]) => /^(webhook-|content-type)/.test(name)),
      ) as Record<string, string>;
      messages.push(webhookSchema.parse(JSON.parse(body)).data);
      fetch(`${stack.shop}${request.url ?? ''}`, { method: 'POST', headers, body }).then(
        ({ status }) => response.writeHead(status).end(),
        () => response.destroy(),
      );
    });
  }).listen(0, '127.0.0.1');
}

/** Returns the webhook's records of an order, oldest first: messages may arrive in any order. */
export function webhookRecords(merchantOrderId: string): CheckoutRecord[] {
  return messages
    .filter((message) => message.merchantOrderId === merchantOrderId)
    .sort(
      (one, other) =>
        Date.parse(one.updatedAt) - Date.parse(other.updatedAt) || one.revision - other.revision,
    );
}

export const control = (path: string, body?: object, method?: string) =>
  askControl(stack, path, body, method);

/** Sets a fault of the sandbox. @returns a function that clears it */
export async function fault(setting: object): Promise<() => Promise<void>> {
  const { id } = (await control('/faults', setting)) as { id: number };
  return async () => {
    await control(`/faults/${id}`, undefined, 'DELETE');
  };
}

/** Runs a function while the service sends the companion no notifications. */
export async function withoutNotifications<Result>(work: () => Promise<Result>): Promise<Result> {
  await control('/notifications/destination/sandbox', undefined, 'DELETE');
  try {
    return await work();
  } finally {
    const authorization = readFileSync(join(stack.dataDir, 'secrets', 'notifications'), 'utf8');
    await control('/notifications/destination', {
      url: `${stack.companion}/notifications`,
      authorization: authorization.trim(),
    });
  }
}

/** A charge at the service. */
export interface ServiceCharge {
  state: string;
  totalAmount: number;
  settledAmount: number;
  refundedAmount: number;
}

/** Sends a request to the service with the merchant's key, as the merchant's portal does. */
export async function service<Body>(path: string, body?: object): Promise<Body> {
  const answer = await askService(stack, path, {
    key: stack.secrets.privateKey,
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.body}`);
  return JSON.parse(answer.body) as Body;
}

export const chargeAtService = (id: string) =>
  service<ServiceCharge>(`/v2/post-sale/charges/${id}`);

/** Returns the total of a charge at the service, in minor units. */
export async function totalAtService(id: string): Promise<number> {
  return fromMajorUnits((await chargeAtService(id)).totalAmount, 'USD').value;
}

/** Waits until the service has a charge of an order. @returns its id */
export async function untilCharged(merchantOrderId: string): Promise<string> {
  const path = `/v2/post-sale/orders/${merchantOrderId}`;
  const ask = () => askService(stack, path, { key: stack.secrets.privateKey });
  await expect.poll(async () => (await ask()).status, { interval: 50 }).toBe(200);
  return JSON.parse((await ask()).body) as string;
}

const isCreation = ({ method, path }: Call) =>
  method === 'POST' && path === '/v2/post-sale/charges';

/** Returns the statuses of the requests that create a charge, since the calls were forgotten. */
export async function creations(): Promise<number[]> {
  return (await calls(stack)).filter(isCreation).map(({ status }) => status);
}

export interface OfficeAnswer {
  status: number;
  body: Record<string, unknown>;
}

/** Sends a request to the companion's back office. */
export async function office(path: string, body?: object): Promise<OfficeAnswer> {
  const answer = await fetch(stack.backOffice + path, {
    method: body ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${stack.secrets.backOfficeToken}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** Returns the charges of an order as the back office lists them. */
export async function chargesOf(merchantOrderId: string): Promise<ChargeRecord[]> {
  const { status, body } = await office(`/charges?merchantOrderId=${merchantOrderId}`);
  expect([status, body.code]).toEqual([200, undefined]);
  return chargesSchema.parse(body).charges;
}

/** Returns the valid entries of the companion's ledger for an order. */
export async function ledgerOf(merchantOrderId: string): Promise<LedgerEntry[]> {
  const { body } = await office(`/ledger?merchantOrderId=${merchantOrderId}`);
  const last = new Map<string, LedgerEntry>();
  for (const entry of ledgerSchema.parse(body).entries) {
    last.set(`${entry.type} ${entry.merchantTransactionId}`, entry);
  }
  return [...last.values()].filter(({ state }) => state !== 'absent');
}

export async function ledgerTypes(merchantOrderId: string): Promise<LedgerType[]> {
  return (await ledgerOf(merchantOrderId)).map(({ type }) => type);
}

/** Returns the amount that reconciliation expects lenders to pay for an order, in minor units. */
export async function expectedOf(merchantOrderId: string): Promise<number> {
  const answer = await fetch(`${stack.reconciliation}/orders?merchantOrderId=${merchantOrderId}`, {
    headers: { authorization: `Bearer ${stack.secrets.reconciliationToken}` },
  });
  const { orders } = orderStatusesSchema.parse(await answer.json());
  return orders.reduce((sum, { expected }) => sum + expected.settle, 0);
}
