// The prime that a careful engineer would write by hand: node:http, undici, jose and node:sqlite, with the
// companion's checks and its two durable writes for each prime, and nothing else.
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { Pool } from 'undici';
import {
  allowedOrigins,
  bodyOf,
  check,
  checkRequest,
  isText,
  type Order,
  Refusal,
} from './bare-checks.ts';
import { ready, setting } from './contestant.ts';

const privateKey = setting('BENCH_PRIVATE_KEY');
const LEASE_MS = 60_000;

const service = new Pool(setting('BENCH_UPSTREAM_URL'), {
  connections: Number(setting('BENCH_CONNECTIONS')),
  connect: { ca: readFileSync(setting('BENCH_CA_FILE')) },
  headersTimeout: 10_000,
  bodyTimeout: 10_000,
});

const database = new DatabaseSync(setting('BENCH_BARE_DATABASE'));
database.exec(`
  pragma journal_mode = wal;
  pragma synchronous = full;
  create table primes (
    key text primary key, fingerprint text not null, state text not null, order_id text not null,
    request_id text not null, lease_until integer not null, checkout_id text, problem text,
    created_at integer not null, updated_at integer not null
  );
  create index primes_by_order on primes (order_id, created_at);
  create table order_claims (order_id text primary key, checkout_id text not null);
  create table checkouts (
    id text primary key, order_id text not null, amount integer not null, currency text not null,
    status text not null, session_token text not null, application_id text, secret_hash text not null,
    order_hash text not null, ticket_hash text not null, origin text not null, return_url text, locale text,
    tax_amount integer not null, shipping_tax_amount integer not null,
    created_at integer not null, updated_at integer not null, expires_at integer not null
  );
  create index checkouts_by_order on checkouts (order_id, created_at);
  create index checkouts_by_expiry on checkouts (expires_at);
`);
const findPrime = database.prepare('select * from primes where key = ?');
const findClaim = database.prepare('select checkout_id from order_claims where order_id = ?');
const findCheckout = database.prepare('select * from checkouts where id = ?');
const insertPrime = database.prepare(
  `insert into primes (key, fingerprint, state, order_id, request_id, lease_until, created_at, updated_at)
   values (?, ?, 'recorded', ?, ?, ?, ?, ?)`,
);
const endPrime = database.prepare(
  'update primes set state = ?, checkout_id = ?, problem = ?, updated_at = ? where key = ?',
);
const insertCheckout = database.prepare(
  `insert into checkouts values (?, ?, ?, ?, 'open', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
);

interface Write {
  work: () => void;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Writes that wait for the next transaction: writes from one turn of the event loop share a disk
 * flush.
 */
let waiting: Write[] = [];

/** Resolves when the work's writes are on disk. The work must not throw: it would undo the others. */
function commit(work: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    if (waiting.push({ work, resolve, reject }) === 1) setImmediate(commitWaiting);
  });
}

function commitWaiting(): void {
  const group = waiting;
  waiting = [];
  try {
    database.exec('begin immediate');
    for (const { work } of group) work();
    database.exec('commit');
    for (const { resolve } of group) resolve();
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    for (const { reject } of group) reject(error);
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Opens a session at the service. */
async function openSession(order: Order, correlationId: string) {
  const major = (minorUnits: number) => minorUnits / 100;
  const answer = await service.request({
    method: 'POST',
    path: '/v1/checkout/prime',
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${privateKey}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      cartDetails: {
        merchantOrderId: order.merchantOrderId,
        items: order.items.map((item) => ({ ...item, price: major(item.price) })),
        taxAmount: major(order.taxAmount),
        shippingAmount: major(order.shippingAmount),
        totalAmount: major(order.totalAmount),
      },
      checkoutDetails: {
        currency: order.currency,
        flowType: 'Checkout',
        channel: 'E_COMMERCE',
        source: 'Api',
        correlationId,
      },
    }),
  });
  const session: unknown = await answer.body.json();
  check(answer.statusCode === 200, 502, 'service-error');
  check(typeof session === 'object' && session !== null && 'id' in session, 502, 'service-error');
  const { id, applicationId, expirationDate } = session as Record<string, unknown>;
  check(
    isText(id, 2048) && !Number.isNaN(Date.parse(String(expirationDate))),
    502,
    'service-error',
  );
  return {
    id: String(id),
    applicationId: typeof applicationId === 'string' ? applicationId : null,
    expiresAt: Date.parse(String(expirationDate)),
  };
}

function answerOf(checkout: Record<string, unknown>): object {
  const { id, order_id, amount, currency, status, session_token, expires_at } = checkout;
  return {
    id,
    environment: 'sandbox',
    status,
    amount: { value: amount, currency },
    merchantOrderId: order_id,
    expiresAt: new Date(Number(expires_at)).toISOString(),
    presentation: {
      hosted: {
        url: `http://localhost:4444/checkout?session=${encodeURIComponent(String(session_token))}`,
        modes: ['embedded', 'popup'],
      },
      sessionToken: session_token,
    },
  };
}

async function prime(request: IncomingMessage, body: string, requestId: string): Promise<object> {
  const { order, key, ticket, origin, returnUrl, locale } = await checkRequest(request, body);
  const { merchantOrderId } = order;
  const keyHash = sha256(key);
  const fingerprint = sha256(JSON.stringify([origin, ticket, returnUrl, locale]));
  const now = Date.now();
  let known: Record<string, unknown> | undefined;
  let isTaken = false;
  await commit(() => {
    known = findPrime.get(keyHash);
    isTaken = findClaim.get(merchantOrderId) !== undefined;
    if (known !== undefined || isTaken) return;
    const leaseUntil = now + LEASE_MS;
    insertPrime.run(keyHash, fingerprint, merchantOrderId, requestId, leaseUntil, now, now);
  });
  if (known !== undefined) {
    check(known.fingerprint === fingerprint, 422, 'idempotency-key-reused');
    check(typeof known.checkout_id === 'string', 409, 'idempotency-in-flight');
    return answerOf(findCheckout.get(known.checkout_id) ?? {});
  }
  check(!isTaken, 409, 'order-taken');

  const session = await openSession(order, requestId);
  const id = `chk_${Date.now().toString(16)}${randomBytes(16).toString('hex')}`;
  const ended = Date.now();
  await commit(() => {
    insertCheckout.run(
      ...[id, merchantOrderId, order.totalAmount, order.currency, session.id],
      ...[session.applicationId, keyHash, sha256(JSON.stringify(order)), sha256(ticket)],
      ...[origin, returnUrl ?? null, locale ?? null],
      ...[order.taxAmount, order.shippingTaxAmount ?? 0, ended, ended, session.expiresAt],
    );
    endPrime.run('accepted', id, null, ended, keyHash);
  });
  return answerOf({
    id,
    order_id: merchantOrderId,
    amount: order.totalAmount,
    currency: order.currency,
    status: 'open',
    session_token: session.id,
    expires_at: session.expiresAt,
  });
}

createServer((request, response) => {
  const requestId = `req_${randomBytes(16).toString('hex')}`;
  const send = (status: number, body: object) => {
    const text = JSON.stringify(body);
    const { origin = '' } = request.headers;
    response
      .writeHead(status, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-request-id': requestId,
        vary: 'Origin',
        ...(allowedOrigins.has(origin) && { 'access-control-allow-origin': origin }),
      })
      .end(text);
  };
  bodyOf(request)
    .then((body) => prime(request, body, requestId))
    .then(
      (checkout) => send(201, checkout),
      (error: unknown) =>
        send(error instanceof Refusal ? error.status : 502, {
          code: error instanceof Refusal ? error.message : 'internal',
          requestId,
        }),
    );
}).listen(Number(setting('BENCH_PORT')), '127.0.0.1', ready);
