// The request checks of `bare.ts`, which are the same as the companion's.
import { createSecretKey, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { jwtVerify } from 'jose';
import { setting } from './contestant.ts';

const publicKey = setting('BENCH_PUBLIC_KEY');
const privateKey = setting('BENCH_PRIVATE_KEY');
export const allowedOrigins = new Set([setting('BENCH_ORIGIN')]);
const ticketSecret = createSecretKey(Buffer.from(setting('BENCH_TICKET_SECRET')));
const MAX_BODY_BYTES = 65_536;

/** A 4xx or 502 answer, with its code as the message. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
  }
}

export function check(condition: boolean, status: number, code: string): asserts condition {
  if (!condition) throw new Refusal(status, code);
}

function isEqual(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

interface Item {
  name: string;
  sku: string;
  price: number;
  quantity: number;
}

export interface Order {
  merchantOrderId: string;
  currency: string;
  items: Item[];
  taxAmount: number;
  shippingAmount: number;
  shippingTaxAmount?: number;
  totalAmount: number;
}

const isAmount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
export const isText = (value: unknown, max: number) =>
  typeof value === 'string' && value.trim() !== '' && value.length <= max;
const hasOnly = (value: object, names: Set<string>) =>
  Object.keys(value).every((name) => names.has(name));
const bodyFields = new Set(['order', 'environment', 'returnUrl', 'locale']);
const itemFields = new Set(['name', 'sku', 'price', 'quantity']);
const orderFields = new Set([
  ...['merchantOrderId', 'currency', 'items', 'taxAmount', 'shippingAmount'],
  ...['shippingTaxAmount', 'totalAmount'],
]);
const currencies = new Set(Intl.supportedValuesOf('currency'));

function isItem(item: unknown): item is Item {
  if (typeof item !== 'object' || item === null || !hasOnly(item, itemFields)) return false;
  const { name, sku, price, quantity } = item as Item;
  const isQuantity = Number.isInteger(quantity) && quantity >= 1 && quantity <= 100_000;
  return isText(name, 256) && isText(sku, 128) && isAmount(price) && isQuantity;
}

function isOrder(value: unknown): value is Order {
  if (typeof value !== 'object' || value === null || !hasOnly(value, orderFields)) return false;
  const order = value as Order;
  return (
    isText(order.merchantOrderId, 256) &&
    currencies.has(order.currency) &&
    Array.isArray(order.items) &&
    order.items.length >= 1 &&
    order.items.length <= 200 &&
    order.items.every(isItem) &&
    isAmount(order.taxAmount) &&
    isAmount(order.shippingAmount) &&
    (order.shippingTaxAmount === undefined || isAmount(order.shippingTaxAmount)) &&
    isAmount(order.totalAmount) &&
    order.totalAmount > 0
  );
}

async function orderOf(ticket: string, origin: string): Promise<Order> {
  const { payload } = await jwtVerify(ticket, ticketSecret, {
    algorithms: ['HS256'],
    audience: 'financing-companion',
    clockTolerance: 30,
    requiredClaims: ['exp', 'iat', 'jti', 'order'],
  }).catch(() => {
    throw new Refusal(401, 'order-ticket-invalid');
  });
  const { iat = 0, exp = 0, order } = payload;
  check(iat * 1000 <= Date.now() + 60_000 && exp - iat <= 86_400, 401, 'order-ticket-invalid');
  check(payload.origin === undefined || payload.origin === origin, 403, 'origin-not-allowed');
  check(isOrder(order), 401, 'order-ticket-invalid');
  const items = order.items.reduce((sum, { price, quantity }) => sum + price * quantity, 0);
  const total = items + order.taxAmount + order.shippingAmount + (order.shippingTaxAmount ?? 0);
  check(total === order.totalAmount, 422, 'order-totals-mismatch');
  return order;
}

/** The valid parts of a request. */
export interface CheckedRequest {
  order: Order;
  /** Idempotency key. */
  key: string;
  ticket: string;
  origin: string;
  returnUrl: string | undefined;
  locale: string | undefined;
}

/** Checks a request to open a checkout. @throws {Refusal} */
export async function checkRequest(
  request: IncomingMessage,
  body: string,
): Promise<CheckedRequest> {
  const { headers, url, method, rawHeaders } = request;
  const { origin, authorization = '', 'idempotency-key': key } = headers;
  check(method === 'POST' && url === '/checkout/prime', 404, 'not-found');
  check(origin !== undefined && allowedOrigins.has(origin), 403, 'origin-not-allowed');
  const all = [url, body, ...rawHeaders].join('\n');
  check(!all.includes(privateKey), 400, 'private-key-exposed');
  check(isEqual(authorization, `Bearer ${publicKey}`), 401, 'public-key-invalid');
  check(headers['financing-checkout-version'] === '1', 400, 'version-unsupported');
  check(typeof key === 'string' && /^[!-~]{32,255}$/.test(key), 400, 'idempotency-key-missing');
  check(headers['content-type']?.startsWith('application/json') === true, 415, 'not-json');
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw new Refusal(400, 'invalid-request');
  }
  check(typeof parsed === 'object' && parsed !== null, 400, 'invalid-request');
  check(hasOnly(parsed, bodyFields), 400, 'invalid-request');
  const { order: ticket, environment, returnUrl, locale } = parsed as Record<string, unknown>;
  check(environment === 'sandbox', 400, 'environment-mismatch');
  check(typeof ticket === 'string' && ticket.length > 0, 400, 'invalid-request');
  check(returnUrl === undefined || typeof returnUrl === 'string', 400, 'invalid-request');
  check(returnUrl === undefined || URL.parse(returnUrl)?.origin === origin, 400, 'invalid-request');
  check(locale === undefined || typeof locale === 'string', 400, 'invalid-request');
  check(locale === undefined || /^[A-Za-z-]{2,35}$/.test(locale), 400, 'invalid-request');
  return { order: await orderOf(ticket, origin), key, ticket, origin, returnUrl, locale };
}

/** Reads the body of a request. @throws {Refusal} when it is too large */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    check(bytes <= MAX_BODY_BYTES, 413, 'request-too-large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
