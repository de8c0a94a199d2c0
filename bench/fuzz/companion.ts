import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import getPort from 'get-port';
import { root } from '../../scripts/paths.ts';
import { companionMemory, startProgram, untilReady } from '../../scripts/processes.ts';
import { signTicket } from '../../tests/e2e/ticket.ts';
import type { Chance } from './chance.ts';
import type { Target, TargetKind, TargetOperation } from './target.ts';
import { consumer, oddText, spoiled } from './values.ts';

const ORIGIN = 'http://localhost:3000';
const id = 'chk_019aa2b3c4d5AAAAAAAAAAAAAAAAAAAAAA';

const order = {
  merchantOrderId: 'fuzz-1',
  currency: 'USD',
  items: [
    { name: 'Lounge chair', sku: 'LC-1', price: 89_000, quantity: 1, leasable: false },
    { name: 'Reading lamp', sku: 'RL-2', price: 12_500, quantity: 2, productCategory: 'lamps' },
  ],
  discounts: [{ name: 'Spring', amount: 1_000 }],
  taxAmount: 5_563,
  shippingAmount: 0,
  totalAmount: 118_563,
  consumer,
};

/**
 * Returns a wrong ticket: either damaged, or with wrong contents and a valid signature, which tests the
 * code behind the signature check.
 */
function oddTicket(chance: Chance, secret: string): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    aud: 'financing-companion',
    env: 'sandbox',
    iat: now,
    exp: now + 600,
    jti: 'fuzz-ticket',
    order,
  };
  const signed = (value: unknown) => signTicket(value as object, secret);
  const good = signed(claims);
  const [head = '', payload = '', signature = ''] = good.split('.');
  const part = (text: string) => Buffer.from(text).toString('base64url');
  return chance.of<() => string>([
    () => signed(spoiled(chance, claims)),
    () => signed(spoiled(chance, claims)),
    () => signed(spoiled(chance, claims)),
    () => signed({ ...claims, exp: chance.of([0, -1, now - 60, 1e308, '1', null]) }),
    () => signed({ ...claims, aud: chance.of(['', ['financing-companion', 'x'], null, {}]) }),
    () => signTicket(claims, chance.text()),
    () => `${part('{"alg":"none"}')}.${payload}.`,
    () => `${part('{"alg":"HS256","crit":["b64"],"b64":false}')}.${payload}.${signature}`,
    () => `${part('{"alg":"RS256"}')}.${payload}.${signature}`,
    () => `${part(chance.text())}.${part(chance.text())}.${part(chance.text())}`,
    () => `${head}.${payload}.${signature}=`,
    () => `${head}.${payload}.${signature.slice(0, -1)}`,
    () => good.slice(0, chance.whole(0, good.length)),
    () => good.repeat(chance.whole(2, 40)),
    () => `${good}.${good}`,
    () => '.'.repeat(chance.whole(0, 5_000)),
    () => oddText(chance),
  ])();
}

function storefrontOperations(secret: string): readonly TargetOperation[] {
  const headers = (chance: Chance) => [
    ...(chance.yes(0.95) ? ['Origin', ORIGIN] : ['Origin', 'https://evil.example']),
    ...(chance.yes(0.95) ? ['Financing-Checkout-Version', '1'] : []),
    ...(chance.yes(0.9)
      ? [
          'Idempotency-Key',
          chance.yes(0.8) ? `fuzz-${chance.whole(0, 1e9)}`.padEnd(32, '-') : 'k'.repeat(300),
        ]
      : []),
    ...(chance.yes(0.5) ? ['Financing-Checkout-Secret', 'k'.repeat(chance.whole(0, 300))] : []),
  ];
  const json = (path: string, right: (chance: Chance) => object): TargetOperation => ({
    method: 'POST',
    path,
    headers,
    makeBody: right,
  });
  return [
    json('/checkout/prime', (chance) => ({
      order: oddTicket(chance, secret),
      environment: 'sandbox',
    })),
    json('/checkout/prime', (chance) => ({
      order: oddTicket(chance, secret),
      environment: 'sandbox',
      returnUrl: `${ORIGIN}/back`,
      locale: 'en-US',
    })),
    { method: 'GET', path: '/checkout/{}', headers },
    { method: 'GET', path: `/checkout/${id}`, headers },
    json('/checkout/{}/confirmation', (chance) => ({
      confirmationToken: chance.text(),
      order: oddTicket(chance, secret),
    })),
    json('/checkout/{}/cancellation', () => ({})),
    { method: 'OPTIONS', path: '/checkout/prime', headers },
    {
      method: 'POST',
      path: '/checkout/start',
      headers,
      form: (chance) => ({
        order: oddTicket(chance, secret),
        environment: 'sandbox',
        publicKey: chance.text(),
        returnUrl: chance.of([`${ORIGIN}/back`, 'javascript:alert(1)', '//x', chance.text()]),
      }),
    },
    {
      method: 'POST',
      path: '/notifications',
      headers,
      makeBody: () => ({
        event: 'ApplicationStatusChanged',
        applicationId: 'a',
        confirmationToken: 'c',
      }),
    },
  ];
}

const ask = (path: string, query: readonly string[] = []): TargetOperation => ({
  method: 'GET',
  path,
  query,
});
const change = (path: string, body: object): TargetOperation => ({
  method: 'POST',
  path,
  body,
  headers: (chance) => (chance.yes(0.9) ? ['Idempotency-Key', `fuzz-${chance.whole(0, 1e9)}`] : []),
});
const window = ['from', 'to', 'showMissing', 'version'];
const page = ['cursor', 'limit', 'state', 'after', 'merchantOrderId'];

const backOfficeOperations: readonly TargetOperation[] = [
  ask('/checkouts', ['merchantOrderId']),
  ask('/charges', ['merchantOrderId', 'chargeId']),
  ask('/charges/{}'),
  change('/charges/{}/settles', { amount: 100, currency: 'USD' }),
  change('/charges/{}/refunds', { amount: 100, currency: 'USD' }),
  change('/charges/{}/voids', {}),
  ask('/ledger', page),
  ask('/webhooks', page),
  change('/webhooks/{}/replay', {}),
  ask('/fundings/report', window),
  ask('/fundings/records', window),
  ask('/openapi.json'),
  ask('/docs'),
  ask('/livez'),
  ask('/readyz'),
];

/** Starts a companion with its own sandbox and folder, to fuzz one of its listeners. */
export function companion(listener: 'storefront' | 'back-office'): TargetKind {
  return {
    async start(): Promise<Target> {
      const folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
      const ports = {
        '--api-port': await getPort(),
        '--hosted-port': await getPort(),
        '--control-port': await getPort(),
      };
      const sandbox = startProgram({
        name: 'sandbox',
        file: join(root, 'packages', 'sandbox', 'dist', 'main.js'),
        args: ['serve', '--data-dir', folder, ...Object.entries(ports).flat().map(String)],
        cwd: folder,
        env: {},
      });
      await untilReady(sandbox, `http://127.0.0.1:${ports['--control-port']}/health`);
      const key = (kind: string) => readFileSync(join(folder, 'keys', `sandbox.${kind}`), 'utf8');
      const publicKey = key('public').trim();
      const secret = randomBytes(32).toString('base64');
      const token = randomBytes(24).toString('base64url');
      const notification = `Bearer ${randomBytes(24).toString('base64url')}`;
      const [storefront, backOffice] = [await getPort(), await getPort()];
      const lines: string[] = [];
      const program = startProgram({
        name: 'companion',
        file: join(root, 'packages', 'server', 'dist', 'node', 'main.js'),
        args: ['serve'],
        nodeArgs: companionMemory.nodeArgs,
        cwd: folder,
        onLine: (_, line) => lines.push(line),
        env: {
          ...companionMemory.env,
          FINANCING_ENVIRONMENT: 'sandbox',
          FINANCING_BASE_URL: `https://localhost:${ports['--api-port']}`,
          FINANCING_CA_FILE: join(folder, 'ca.pem'),
          FINANCING_PUBLIC_API_KEY: publicKey,
          FINANCING_PRIVATE_API_KEY: key('private').trim(),
          FINANCING_HOSTED_URL: 'http://localhost:4444/checkout?session={sessionToken}',
          ORDER_TICKET_SECRET: secret,
          NOTIFICATION_AUTHORIZATION: notification,
          COMPANION_ALLOWED_ORIGINS: ORIGIN,
          COMPANION_PORT: String(storefront),
          COMPANION_BACK_OFFICE_PORT: String(backOffice),
          COMPANION_BACK_OFFICE_TOKEN: token,
          COMPANION_STORE: `sqlite:${join(folder, 'companion.db')}`,
          COMPANION_RATE_LIMIT_PER_ADDRESS: '0',
          COMPANION_RATE_LIMIT_PER_KEY: '0',
          COMPANION_RATE_LIMIT_OPEN_PER_ORDER: '0',
          COMPANION_RATE_LIMIT_PRIMES_PER_ORDER: '0',
          COMPANION_RATE_LIMIT_REFUSALS_PER_ORDER: '0',
        },
      });
      await untilReady(program, `http://127.0.0.1:${backOffice}/readyz`);
      const isStorefront = listener === 'storefront';
      return {
        pid: program.pid,
        host: '127.0.0.1',
        port: isStorefront ? storefront : backOffice,
        authorization: `Bearer ${isStorefront ? publicKey : token}`,
        operations: isStorefront ? storefrontOperations(secret) : backOfficeOperations,
        secrets: [key('private').trim(), secret, notification, token, root, folder],
        takeOutput: () => lines.splice(0),
        async checkAlive() {
          const now = Math.floor(Date.now() / 1000);
          const claims = {
            aud: 'financing-companion',
            env: 'sandbox',
            iat: now,
            exp: now + 600,
            jti: 'fuzz-ticket-afterwards',
            order: { ...order, merchantOrderId: 'fuzz-afterwards' },
          };
          const primed = await fetch(`http://127.0.0.1:${storefront}/checkout/prime`, {
            method: 'POST',
            headers: {
              authorization: `Bearer ${publicKey}`,
              'content-type': 'application/json',
              'financing-checkout-version': '1',
              'idempotency-key': 'afterwards'.padEnd(32, '-'),
              origin: ORIGIN,
            },
            body: JSON.stringify({ order: signTicket(claims, secret), environment: 'sandbox' }),
          });
          if (primed.status !== 201) return `a prime: ${primed.status} ${await primed.text()}`;
          const ready = await fetch(`http://127.0.0.1:${backOffice}/readyz`);
          return ready.ok ? undefined : `readiness: ${await ready.text()}`;
        },
        exited: () => program.exited,
        async stop() {
          await program.stop();
          await sandbox.stop();
          rmSync(folder, { recursive: true, force: true });
        },
      };
    },
  };
}
