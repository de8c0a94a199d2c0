import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../../scripts/paths.ts';
import type { Target, TargetKind, TargetOperation } from './target.ts';
import { consumer } from './values.ts';

const session = {
  consumerDetails: consumer,
  cartDetails: {
    merchantOrderId: 'fuzz',
    items: [
      {
        name: 'Desk',
        price: 100,
        sku: 'D-1',
        quantity: 2,
        warranty: { name: 'Two years', price: 5, sku: 'W-1' },
        discounts: [{ name: 'Spring', amount: 1 }],
      },
    ],
    discounts: [{ name: 'Spring', amount: 10 }],
    taxAmount: 0,
    shippingAmount: 0,
    totalAmount: 195,
  },
  merchantDetails: { storeId: 's', posId: 'p', posType: 'Retail' },
  checkoutDetails: { currency: 'USD', channel: 'E_COMMERCE', tags: { a: 'b' } },
};
const window = ['offset', 'limit', 'fromDate', 'toDate', 'showMissing'];
const charge = '/v2/post-sale/charges';
const operations: readonly TargetOperation[] = [
  { method: 'POST', path: '/v1/checkout/prime', body: session },
  { method: 'GET', path: '/v2/checkout/applications/{}/status' },
  {
    method: 'POST',
    path: charge,
    query: ['settle'],
    body: { confirmationToken: 'x', merchantOrderId: 'o', merchantTransactionId: 't', tags: {} },
  },
  { method: 'GET', path: `${charge}/{}` },
  { method: 'POST', path: `${charge}/{}/settles`, body: { amount: 1, merchantTransactionId: 't' } },
  { method: 'POST', path: `${charge}/{}/refunds`, body: { amount: 1, merchantTransactionId: 't' } },
  { method: 'POST', path: `${charge}/{}/voids`, body: { amount: 1, merchantTransactionId: 't' } },
  { method: 'PATCH', path: `${charge}/{}`, body: { merchantOrderId: 'o', tags: { a: 'b' } } },
  { method: 'POST', path: `${charge}/voids/async`, body: { confirmationToken: 'x' } },
  {
    method: 'POST',
    path: `${charge}/{}/transactions/synthetic`,
    body: {
      transactionType: 'Chargeback',
      amount: 1,
      merchantTransactionId: 't',
      reconciliationId: 'r',
      createdAt: '2026-03-20T00:00:00Z',
      reason: 'dispute',
    },
  },
  {
    method: 'POST',
    path: `${charge}/{}/items/delivery`,
    body: { items: [{ sku: 'D-1', quantity: 1, deliveryDate: '2026-03-20T00:00:00Z' }] },
  },
  { method: 'GET', path: '/v2/post-sale/orders/{}' },
  { method: 'GET', path: '/v2/post-sale/transactions/lookup', query: ['merchantTransactionId'] },
  { method: 'GET', path: '/v2/post-sale/transactions/{}' },
  { method: 'GET', path: '/v2/post-sale/fundings/report', query: window },
  { method: 'GET', path: '/v1/post-sale/fundings/records', query: window },
  { method: 'GET', path: '/v2/post-sale/fundings/records', query: window },
  { method: 'GET', path: '/uat/v2/post-sale/fundings/report', query: window },
];

/** Starts a sandbox in its own process and folder, to fuzz its API. */
export const sandboxApi: TargetKind = {
  async start(): Promise<Target> {
    const dataDir = mkdtempSync(join(tmpdir(), 'fuzz-'));
    const main = join(root, 'packages', 'sandbox', 'dist', 'main.js');
    const ports = ['--api-port', '0', '--hosted-port', '0', '--control-port', '0'];
    const leash = new URL('../../scripts/leash.ts', import.meta.url).href;
    const options = ['--disable-warning=ExperimentalWarning', '--import', leash];
    const child = spawn(
      process.execPath,
      [...options, main, 'serve', '--data-dir', dataDir, ...ports],
      { stdio: ['pipe', 'pipe', 'pipe'] },
    );
    const lines: string[] = [];
    const ready = new Promise<string>((resolve, reject) => {
      let output = '';
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream }).on('line', (line) => {
          lines.push(line);
          if (output.length < 10_000) output += `${line}\n`;
          if (/\bready$/.test(line)) resolve(output);
        });
      }
      child.on('exit', () => reject(new Error(`The sandbox did not start:\n${output}`)));
    });
    const port = Number(/API of sandbox: https:\/\/localhost:(\d+)/.exec(await ready)?.[1]);
    const ca = readFileSync(join(dataDir, 'ca.pem'), 'utf8');
    const keys = readdirSync(join(dataDir, 'keys'))
      .filter((name) => name.endsWith('.private'))
      .map((name) => readFileSync(join(dataDir, 'keys', name), 'utf8').trim());
    const own = readFileSync(join(dataDir, 'keys', 'sandbox.private'), 'utf8').trim();
    const authorization = `Bearer ${own}`;
    const exited = () => child.exitCode !== null || child.signalCode !== null;
    return {
      pid: child.pid ?? 0,
      host: '127.0.0.1',
      port,
      ca,
      authorization,
      operations,
      secrets: [...keys, dataDir, root],
      takeOutput: () => lines.splice(0),
      checkAlive: async () => {
        const prime = JSON.stringify(session);
        const problems = [
          await good({ port, ca, authorization }, 'GET', '/v2/post-sale/fundings/report'),
          await good({ port, ca, authorization }, 'POST', '/v1/checkout/prime', prime),
        ];
        return problems.find((problem) => problem !== undefined);
      },
      exited,
      stop: async () => {
        const gone = exited() ? Promise.resolve() : once(child, 'exit');
        child.kill('SIGTERM');
        const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
        await gone;
        clearTimeout(timer);
        rmSync(dataDir, { recursive: true });
      },
    };
  },
};

async function good(
  { port, ca, authorization }: { port: number; ca: string; authorization: string },
  method: string,
  path: string,
  body?: string,
): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const outgoing = request(
    {
      host: '127.0.0.1',
      servername: 'localhost',
      port,
      path,
      method,
      ca,
      agent: false,
      timeout: 30_000,
      headers: { authorization, ...(body ? { 'content-type': 'application/json' } : {}) },
    },
    (answer) => {
      answer.resume().on('end', () => {
        resolve(answer.statusCode === 200 ? undefined : `${method} ${path}: ${answer.statusCode}`);
      });
    },
  );
  outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in 30 s')));
  outgoing.on('error', (error) => resolve(`${method} ${path}: ${error.message}`));
  outgoing.end(body);
  return promise;
}
