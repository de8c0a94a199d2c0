import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../../scripts/paths.ts';
import {
  calls,
  forgetCalls,
  freshStack,
  moveClock,
  type Call,
  type FreshStack,
} from './harness.ts';
import { contentTexts } from '../reconciliation/facts-file.ts';
import { browser, useBrowser } from './running.ts';
import { Shopper } from './shopper.ts';

/** A stack of its own: the tests read its log lines and, once it is stopped, its files. */
let stack: FreshStack;
let wire: Call[];
let order: string;
/** The lender's fundings in the service's answer. */
let posted: string;
/** Answers of reconciliation. */
const reconciliationAnswers: string[] = [];
/** Every address that Chromium requested, with its answer. */
const answers: { url: string; body: string }[] = [];

useBrowser();
beforeAll(async () => {
  stack = await freshStack();
  const context = await browser.newContext();
  const shopper = await Shopper.arrive(context, stack);
  const reading: Promise<unknown>[] = [];
  shopper.page.on('response', (response) => {
    const url = response.url();
    reading.push(
      response.text().then(
        (body) => answers.push({ url, body: JSON.stringify(response.headers()) + body }),
        // A redirect has no body, but its address is checked as well.
        () => answers.push({ url, body: '' }),
      ),
    );
  });
  await forgetCalls(stack);
  await shopper.shopForPayment();
  order = await shopper.orderNumber();
  await shopper.openFinancing();
  await shopper.apply();
  await shopper.takeOffer();
  await shopper.untilPaid();
  wire = await calls(stack);
  // Includes answers of the back office, also to an invalid request.
  for (const path of [
    '/checkouts?merchantOrderId=x',
    '/fundings/report',
    '/fundings/records?x=1',
  ]) {
    const answer = await fetch(`${stack.backOffice}${path}`, {
      headers: { authorization: `Bearer ${stack.secrets.backOfficeToken}` },
    });
    answers.push({ url: path, body: await answer.text() });
  }
  await readFundings();
  await Promise.all(reading);
  await stack.stop();
});

afterAll(() => stack.remove());

/** Syncs the lender's fundings, which contain the shopper's name and e-mail address. */
async function readFundings(): Promise<void> {
  await moveClock(stack, '3d');
  const authorization = `Bearer ${stack.secrets.reconciliationToken}`;
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { 'content-type': 'application/json', authorization };
    const answer = await fetch(`${stack.reconciliation}${path}`, { ...init, headers });
    const body = await answer.text();
    answers.push({ url: path, body });
    reconciliationAnswers.push(body);
    return body;
  };
  const day = (ahead: number) =>
    new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
  const begun = await ask('/syncs', {
    method: 'POST',
    body: JSON.stringify({ from: day(0), to: day(5) }),
  });
  const { id } = JSON.parse(begun) as { id: string };
  const events = await ask(`/syncs/${id}/events`);
  expect(events.match(/^data: .*$/gm)?.at(-1)).toContain('"state":"complete"');
  for (const table of ['orders', 'lines', 'cases']) {
    await ask(`/exports/${table}?format=ndjson`);
  }
  const token = readFileSync(
    join(stack.dataDir, 'secrets/reconciliation-back-office-token'),
    'utf8',
  );
  const query = new URLSearchParams({ from: day(0), to: day(5), limit: '1000' });
  const page = await fetch(`${stack.backOffice}/fundings/pages?${query}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  posted = await page.text();
}

/** Returns a key in the encodings in which it may leak. */
function forms(key: string): string[] {
  const bytes = Buffer.from(key);
  return [
    key,
    encodeURIComponent(key),
    JSON.stringify(key).slice(1, -1),
    bytes.toString('hex'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
  ];
}

const holds = (text: string, secret: string) => forms(secret).some((form) => text.includes(form));

/** Returns the files of a program, and their decompressed contents, as text. */
async function textsUnder(folder: string): Promise<string[]> {
  const texts: string[] = [];
  for (const file of filesUnder(folder)) {
    texts.push(readFileSync(file, 'latin1'));
    if (file.endsWith('reconciliation.db')) texts.push(...(await contentTexts(file)));
  }
  return texts;
}

function* filesUnder(path: string): Generator<string> {
  if (statSync(path).isDirectory()) {
    for (const name of readdirSync(path)) yield* filesUnder(join(path, name));
  } else yield path;
}

describe('the requests of one purchase at the sandbox', () => {
  test('specification 5.7: exactly one request per prime, Bearer, JSON', () => {
    const primes = wire.filter(({ path }) => path === '/v1/checkout/prime');
    expect(primes).toHaveLength(1);
    expect(primes[0]).toMatchObject({
      method: 'POST',
      status: 200,
      contentType: 'application/json',
      authorization: { scheme: 'Bearer' },
    });
  });

  test('specification 5.2: every request carries the private key, none the public one', () => {
    expect(wire.length).toBeGreaterThan(1);
    for (const call of wire) {
      expect(call.authorization).toEqual({
        scheme: 'Bearer',
        key: { environment: 'sandbox', kind: 'private', slot: 'current' },
      });
    }
  });

  test('specification 5.1: every request came over TLS', () => {
    for (const call of wire) expect(call.tlsVersion).toMatch(/^TLSv1\.[23]$/);
  });

  test('one request creates one charge', () => {
    expect(wire.filter((c) => c.method === 'POST' && c.path.includes('/charges'))).toHaveLength(1);
  });
});

describe('specification 5.6: the private key does not leak', () => {
  test('control: the search finds a key in every form', () => {
    const { privateKey } = stack.secrets;
    for (const form of forms(privateKey)) expect(holds(`x${form}y`, privateKey)).toBe(true);
    // Control: the same search finds the public key, which does reach the browser.
    expect(answers.some(({ body }) => holds(body, stack.secrets.publicKey))).toBe(true);
  });

  test('the key is in no answer and no address of the browser', () => {
    expect(answers.length).toBeGreaterThan(10);
    for (const { url, body } of answers) {
      expect(holds(url + body, stack.secrets.privateKey), url).toBe(false);
    }
  });

  test('the key is in no log line of shop, companion, reconciliation and sandbox', () => {
    for (const program of Object.values(stack.programs)) {
      expect(program.lines.length).toBeGreaterThan(2);
      expect(holds(program.lines.join('\n'), stack.secrets.privateKey), program.name).toBe(false);
    }
  });

  test('the key is in no bundle, source map or other file for browsers', () => {
    const folders = ['packages/widget/cdn', 'packages/widget/dist', 'examples/shop/dist/client'];
    const files = folders.flatMap((folder) => [...filesUnder(join(root, folder))]);
    expect(files.some((file) => file.endsWith('.map'))).toBe(true);
    for (const file of files) {
      expect(holds(readFileSync(file, 'latin1'), stack.secrets.privateKey), file).toBe(false);
    }
  });

  test('the key is in no database', async () => {
    for (const folder of ['companion', 'reconciliation', 'shop']) {
      const texts = await textsUnder(join(stack.dataDir, folder));
      // Control: the search finds the order number.
      expect(texts.some((text) => text.includes(order))).toBe(true);
      expect(
        texts.some((text) => holds(text, stack.secrets.privateKey)),
        folder,
      ).toBe(false);
    }
  });
});

describe('personal data does not outlive the purchase', () => {
  test('no log line or address contains a name or an e-mail address', () => {
    const lines = Object.values(stack.programs).flatMap((program) => program.lines);
    const text = [...lines, ...answers.map(({ url }) => url)].join('\n');
    for (const personal of ['alex@example.com', 'alex%40example.com', 'Rivera']) {
      expect(text).not.toContain(personal);
    }
  });

  test('the companion keeps no name, e-mail address, phone number or postal address', async () => {
    const texts = await textsUnder(join(stack.dataDir, 'companion'));
    expect(texts.some((text) => text.includes(order))).toBe(true);
    for (const text of texts) {
      expect(text).not.toMatch(/Rivera|alex@example\.com|2175550100|1 Main Street|62701/i);
    }
  });

  test('reconciliation neither stores nor answers names and e-mail addresses', async () => {
    expect(posted).toContain('Rivera');
    expect(posted).toContain('alex@example.com');
    const texts = [
      ...(await textsUnder(join(stack.dataDir, 'reconciliation'))),
      ...reconciliationAnswers,
    ];
    expect(texts.length).toBeGreaterThan(10);
    // Control: the contents of days are among them.
    expect(texts.some((text) => text.includes('"transaction_type":"Settle"'))).toBe(true);
    for (const text of texts) expect(text).not.toMatch(/Rivera|alex@example\.com/i);
  });
});
