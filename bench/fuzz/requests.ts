import { deflateSync, gzipSync } from 'node:zlib';
import type { Chance } from './chance.ts';
import type { Target, TargetOperation } from './target.ts';
import { oddJson, oddText } from './values.ts';

/** A request that HTTP allows and the target should refuse. */
export interface OddRequest {
  kind: 'odd';
  method: string;
  path: string;
  /** Names and values in turn, in the order on the wire. */
  headers: string[];
  body: Buffer | undefined;
  /** Chunks of a body without a length. */
  chunked: boolean;
}

/** One generated request: a valid HTTP request, or bytes that no HTTP client sends. */
export type FuzzRequest = OddRequest | RawRequest;

export interface RawRequest {
  /**
   * `raw`: sends all bytes and ends the stream. `slow`: sends the bytes and leaves the connection open
   * without sending more.
   */
  kind: 'raw' | 'slow';
  bytes: Buffer;
  /** Whether to connect without TLS, even when the target uses it. */
  plain: boolean;
}

/** A silent connection lasts until the target closes it, so these run concurrently with the others. */
const SLOW_SHARE = 0.002;
const RAW_SHARE = 0.12;

export function fuzzRequest(chance: Chance, target: Target): FuzzRequest {
  const roll = chance.unit();
  if (roll < SLOW_SHARE) return slowRequest(chance, target);
  if (roll < SLOW_SHARE + RAW_SHARE) return rawRequest(chance, target);
  return oddRequest(chance, target);
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'];

function oddRequest(chance: Chance, target: Target): OddRequest {
  const operation = chance.of(target.operations);
  const method = chance.yes(0.85) ? operation.method : chance.of(methods);
  const headers = ['Host', 'localhost', ...authorization(chance, target)];
  headers.push(...(operation.headers?.(chance) ?? []));
  const body = operation.form
    ? oddForm(chance, operation.form(chance))
    : operation.body !== undefined || operation.makeBody !== undefined || chance.yes(0.1)
      ? oddBody(chance, operation)
      : undefined;
  if (body) headers.push(...contentHeaders(chance, body));
  for (let more = chance.whole(0, 3); more > 0; more--) headers.push(...oddHeader(chance));
  const bytes = body?.bytes;
  const chunked = bytes !== undefined && chance.yes(0.3);
  if (chunked) headers.push('Transfer-Encoding', 'chunked');
  else if (bytes) headers.push('Content-Length', String(bytes.byteLength));
  return {
    kind: 'odd',
    method,
    path: oddPath(chance, operation, target),
    headers,
    body: bytes,
    chunked,
  };
}

/** Returns the right key most of the time, because a wrong one tests only authentication. */
function authorization(chance: Chance, target: Target): string[] {
  if (chance.yes(0.8)) return ['Authorization', target.authorization];
  return chance.of<() => string[]>([
    () => [],
    () => ['Authorization', headerText(chance)],
    () => ['Authorization', `Bearer ${headerText(chance)}`],
    () => ['Authorization', target.authorization.replace('Bearer', 'Basic')],
    () => ['Authorization', target.authorization.slice(0, -1)],
    () => ['Authorization', 'Bearer wrong', 'Authorization', target.authorization],
    () => ['Authorization', 'Bearer '.repeat(200)],
  ])();
}

interface OddBody {
  bytes: Buffer;
  encoding?: string;
  /** @default JSON's */
  type?: string;
}

function contentHeaders(chance: Chance, { encoding, type: right }: OddBody): string[] {
  const type = chance.yes(0.8)
    ? ['Content-Type', right ?? 'application/json']
    : chance.of([
        [],
        ['Content-Type', 'text/plain'],
        ['Content-Type', 'application/json; charset=utf-16'],
        ['Content-Type', 'application/json', 'Content-Type', 'text/html'],
        ['Content-Type', 'multipart/form-data'],
        ['Content-Type', headerText(chance)],
      ]);
  return encoding === undefined ? type : [...type, 'Content-Encoding', encoding];
}

function oddHeader(chance: Chance): string[] {
  return chance.of<() => string[]>([
    () => ['X-Odd', headerText(chance)],
    () => ['X-Long', 'y'.repeat(chance.whole(1, 14_000))],
    () => ['Cookie', `a=${headerText(chance)}`],
    () => ['Accept', headerText(chance)],
    () => ['X-Forwarded-For', headerText(chance), 'X-Forwarded-Proto', 'http'],
    () => ['X-Forwarded-Host', '::1]', 'Forwarded', 'host="'],
    () => ['Expect', chance.of(['100-continue', 'miracles'])],
    () => ['Upgrade', 'websocket', 'Connection', 'Upgrade'],
    () => ['Range', 'bytes=9-1'],
    () => ['If-Modified-Since', headerText(chance)],
    () => ['Origin', 'null', 'Referer', headerText(chance)],
    () => ['Connection', chance.of(['close', 'keep-alive', 'x'])],
  ])();
}

/** Returns a header value that Node's client accepts; raw requests send the others. */
function headerText(chance: Chance): string {
  return chance.text().replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '~');
}

function oddPath(chance: Chance, operation: TargetOperation, target: Target): string {
  if (chance.yes(0.08)) return chance.of(strangePaths)(chance);
  const path = operation.path.replaceAll('{}', () => segment(chance, target));
  const names = chance.yes(0.9) ? (operation.query ?? []) : [chance.text(6)];
  const pairs = names
    .filter(() => chance.yes(0.4))
    .flatMap((name) => {
      const pair = `${encode(name)}=${queryValue(chance, target)}`;
      return chance.yes(0.1) ? [pair, pair, `${encode(name)}[]=1`] : [pair];
    });
  return pairs.length > 0 ? `${path}?${pairs.join('&')}` : path;
}

function segment(chance: Chance, target: Target): string {
  return chance.of([
    () => encode(chance.text()),
    () => '%00',
    () => '%E0%A4%A',
    () => '%2e%2e%2f',
    () => 'z'.repeat(chance.whole(1, 8000)),
    () => `${chance.whole(0, 9e9)}`,
    () => encode(target.authorization.slice(7)),
    () => '00000000-0000-4000-8000-000000000000',
  ])();
}

function queryValue(chance: Chance, target: Target): string {
  return chance.of([
    () => encode(chance.text()),
    () => String(chance.of([0, -1, 1.5, 1e21, 2 ** 53, 10_000, 10_001])),
    () => chance.of(['true', 'false', 'TRUE', '', 'null', '%', '%00', '%FF%FE', '+', "'--"]),
    () => chance.of(['2026-02-30', '0000-00-00', '9999-12-31T23:59:59.999999999Z', '2026-01-01']),
    () => '9'.repeat(chance.whole(1, 4000)),
    () => encode(target.authorization),
  ])();
}

const strangePaths: readonly ((chance: Chance) => string)[] = [
  () => '//',
  () => '/%',
  () => '*',
  () => '/..%2f..%2fetc/passwd',
  () => '//evil.example/v1/checkout/prime',
  () => 'http://evil.example/v2/post-sale/fundings/report',
  () => 'http://[::1',
  () => '/\\..\\',
  () => '/v1/checkout/prime/',
  () => '/V1/Checkout/Prime',
  () => '/production',
  () => '/uat/../v1/checkout/prime',
  () => '/v1/checkout/prime;a=b',
  () => '/checkout/prime/',
  () => '/checkout//confirmation',
  () => '/Checkout/Prime',
  () => '/checkout/prime%2f..%2fstart',
  () => '/openapi.json?%00',
  () => '/charges/../../ledger',
  (chance) => `/${'a/'.repeat(chance.whole(1, 6000))}`,
  (chance) => `/${encode(chance.text())}`,
];

/** Percent-encodes a string. Replaces half surrogate pairs, which have no encoding. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Returns a form with a missing, repeated or damaged field. */
function oddForm(chance: Chance, right: Record<string, string>): OddBody {
  const fields = new URLSearchParams(right);
  const name = chance.of([...Object.keys(right), chance.text(8)]);
  if (chance.yes(0.3)) fields.delete(name);
  if (chance.yes(0.2)) fields.append(name, chance.text());
  if (chance.yes(0.2)) fields.set(name, oddText(chance));
  const text = chance.yes(0.9) ? fields.toString() : `%${chance.text(200)}=&&=%zz&${name}`;
  return { bytes: Buffer.from(text), type: 'application/x-www-form-urlencoded' };
}

function oddBody(chance: Chance, operation: TargetOperation): OddBody {
  const made = operation.makeBody?.(chance);
  // Bodies with specific errors stay as they are, so that they reach the code that checks them.
  const text =
    made !== undefined && chance.yes(0.7)
      ? JSON.stringify(made)
      : oddJson(chance, made ?? operation.body);
  if (chance.yes(0.8)) return { bytes: Buffer.from(text) };
  return chance.of<() => OddBody>([
    () => ({ bytes: gzipSync(text), encoding: 'gzip' }),
    () => ({ bytes: deflateSync(text), encoding: 'deflate' }),
    () => ({ bytes: Buffer.from(text), encoding: chance.of(['gzip', 'br', 'identity', 'x']) }),
    () => ({ bytes: Buffer.from(text, 'utf16le') }),
    () => ({
      bytes: Buffer.concat([Buffer.from([0xff, 0xfe, 0xc0]), Buffer.from(text, 'latin1')]),
    }),
    () => ({ bytes: chance.bytes(chance.whole(1, 2000)) }),
    // Just below and just above a mebibyte, a likely limit.
    () => ({ bytes: Buffer.alloc(1_048_576 + chance.whole(-64, 64), '{"a":"') }),
  ])();
}

function rawRequest(chance: Chance, target: Target): RawRequest {
  const { path, method } = chance.of(target.operations);
  const start = `${method} ${path.replaceAll('{}', '1')} HTTP/1.1\r\nHost: localhost\r\n`;
  const auth = `Authorization: ${target.authorization}\r\n`;
  const json = 'Content-Type: application/json\r\n';
  const text = chance.of<() => string | Buffer>([
    () => chance.bytes(chance.whole(1, 400)),
    () => `${chance.text()} ${chance.text()} ${chance.text()}\r\n\r\n`,
    () => `GET ${path}\r\n\r\n`,
    () => `GET ${path} HTTP/${chance.of(['0.9', '1.0', '1.2', '2.0', '11'])}\r\n\r\n`,
    () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    () => `CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n`,
    () => `${start}${auth}${json}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{"a":1}`,
    () => `${start}${auth}${json}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    () => `${start}${auth}${json}Content-Length: -1\r\n\r\n`,
    () => `${start}${auth}${json}Content-Length: 99999999999999999999\r\n\r\n{}`,
    () => `${start}${auth}${json}Content-Length: 1000\r\n\r\n{"cut":`,
    () => `${start}${auth}${json}Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\nzz\r\n`,
    () => `${start}${auth}${json}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF1\r\n`,
    () => `${start}${auth}${json}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    () => `${start}${auth}Host: other\r\nHost: third\r\n\r\n`,
    () => `${method} ${path} HTTP/1.1\r\n${auth}\r\n`,
    () => `${start}${auth}X: ${chance.text()}\r\n\r\n`,
    () => `${start}${auth}X\0Y: a\r\n\r\n`,
    () => `${start}${auth} folded\r\n\r\n`,
    () => `${start}${auth}X: ${'h'.repeat(chance.whole(16_000, 80_000))}\r\n\r\n`,
    () => `${start}${'A: b\r\n'.repeat(chance.whole(500, 3000))}\r\n`,
    () => `GET /${'p'.repeat(chance.whole(16_000, 80_000))} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    () => `${start}${auth}\r\n`.repeat(chance.whole(2, 30)),
    () => `${start}Authorization: Bearer ${chance.text()}\r\n\r\n`,
    () => start,
    () => '',
  ])();
  return { kind: 'raw', bytes: Buffer.from(text), plain: chance.yes(0.1) };
}

function slowRequest(chance: Chance, target: Target): RawRequest {
  const { path, method } = chance.of(target.operations);
  const start = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n`;
  const auth = `Authorization: ${target.authorization}\r\n`;
  const text = chance.of<string>([
    '',
    start.slice(0, chance.whole(1, start.length)),
    `${start}${auth}X: `,
    `${start}${auth}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"a":`,
    `${start}${auth}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n`,
  ]);
  return { kind: 'slow', bytes: Buffer.from(text), plain: chance.yes(0.2) };
}
