import { createHmac } from 'node:crypto';
import { problemSchema } from '@financing-checkout/contract/storefront';
import { describe, expect, test } from 'vitest';
import { createCompanion, order, ORIGIN, PUBLIC_KEY, TICKET_SECRET } from '../companion.fixture.ts';
import { START } from '../scripted-service.fixture.ts';
import { runHere } from '../node/command.fixture.ts';
import { temporaryFile } from '../store/databases.fixture.ts';
import { REFUSALS_PER_MINUTE } from './refusals.ts';

const PRIME = '/checkout/prime';

/**
 * Signs a ticket like a backend in another language: without validating the ticket before the
 * companion does.
 */
function signed(order: object, claims: object = {}): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const issued = START / 1000;
  const ids = { aud: 'financing-companion', env: 'sandbox', jti: 'ticket-0001' };
  const times = { iat: issued, exp: issued + 600 };
  const head = `${encode({ alg: 'HS256' })}.${encode({ ...ids, ...times, order, ...claims })}`;
  return `${head}.${createHmac('sha256', TICKET_SECRET).update(head).digest('base64url')}`;
}

type Companion = Awaited<ReturnType<typeof createCompanion>>;

function prime({ post }: Companion, ticket: string, headers = {}, body = {}) {
  return post(
    PRIME,
    { order: ticket, environment: 'sandbox', ...body },
    { 'idempotency-key': 'key-1', ...headers },
  );
}

const lastLine = ({ log }: Companion) => log.findLast(({ event }) => event === 'request');

describe('an order that is refused', () => {
  const [item] = order.items;
  const wrong = {
    ...order,
    items: [{ ...item, sku: '', color: 'moss-green-4711' }],
    taxAmount: '20.01',
    consumer: { ...order.consumer, shippingAdress: { line1: '1 Canary Street' } },
  };
  const reasons = [
    'order.items.0.sku must not be empty',
    'order.items.0 has an unknown field: color',
    'order.taxAmount must be a number',
    'order.consumer has an unknown field: shippingAdress',
  ];

  test('is explained with path and reason in the response, the log and explain, without a value', async () => {
    const file = temporaryFile();
    const companion = await createCompanion({}, { file });
    const { status, body } = await prime(companion, signed(wrong));
    expect([status, body.code]).toEqual([422, 'order-ticket-invalid']);
    const line = lastLine(companion);
    expect(line).toMatchObject({ level: 'warn', code: 'order-ticket-invalid' });
    const requestId = String(body.requestId);
    await companion.store.close();
    const { code, text } = await runHere(['explain', requestId], {
      COMPANION_STORE: `sqlite:${file}`,
    });
    expect(code).toBe(0);
    expect(text).toMatch(/ refused +order-ticket-invalid +req_/);
    for (const shown of [String(body.detail), String(line?.detail), text]) {
      for (const reason of reasons) expect(shown).toContain(reason);
      expect(shown).not.toMatch(/4711|20\.01|Canary|Quill/);
    }
  });

  test('is explained when its total or its format is wrong', async () => {
    const companion = await createCompanion();
    await prime(companion, signed({ ...order, totalAmount: 1 }));
    expect(lastLine(companion)).toMatchObject({ level: 'warn', code: 'order-totals-mismatch' });
    await prime(companion, signed(order), {}, { environment: 'Sandbox', color: 1 });
    expect(lastLine(companion)).toMatchObject({
      level: 'info',
      code: 'invalid-request',
      detail:
        'environment must be one of uat, sandbox, production; the body has an unknown field: color.',
    });
  });

  test('does not repeat a field name that could be a value', async () => {
    const companion = await createCompanion();
    const names = { 'ada@quill.example': 1, '15551234567': 1, 'canary-7f3e': 1 };
    const { body } = await prime(companion, signed({ ...order, ...names }));
    const tags = { tags: { 'ada@quill.example': 1 } };
    const second = await prime(companion, signed({ ...order, ...tags }));
    expect(problemSchema.parse(body).errors).toEqual([
      { path: 'order', message: 'has an unknown field' },
    ]);
    expect(problemSchema.parse(second.body).errors).toEqual([
      { path: 'order.tags.*', message: 'must be one text' },
    ]);
  });

  test('cannot fill the store or its file: only the first refusals of each minute are kept', async () => {
    const companion = await createCompanion();
    const ids: string[] = [];
    for (let sent = 0; sent <= REFUSALS_PER_MINUTE; sent++) {
      ids.push(String((await prime(companion, 'no ticket')).body.requestId));
    }
    const kept = async (id = '') => (await companion.store.trace(id)).refusal?.code;
    expect(await kept(ids.at(-2))).toBe('order-ticket-invalid');
    expect(await kept(ids.at(-1))).toBeUndefined();
    companion.clock.advance(60_000);
    const next = await prime(companion, 'no ticket');
    expect(await kept(String(next.body.requestId))).toBe('order-ticket-invalid');
    // Stored refusals are deleted after a week.
    companion.clock.advance(8 * 86_400_000);
    await companion.background.runOnce();
    expect(await kept(ids[0])).toBeUndefined();
  });

  test('is answered even when its reason cannot be stored', async () => {
    const companion = await createCompanion();
    await companion.store.ping();
    await companion.store.close();
    const { status } = await prime(companion, signed(order), {}, { environment: 'uat' });
    expect(status).toBe(409);
    expect(companion.log).toContainEqual(expect.objectContaining({ event: 'refusal-not-kept' }));
  });
});

describe('precise messages', () => {
  test('accepts a ticket with a newline around it', async () => {
    const companion = await createCompanion();
    const { status } = await prime(companion, `\n  ${signed(order)}\n`);
    expect(status).toBe(201);
  });

  test.each([
    ['contains whitespace', 'a key that is quite long enough, with blanks'],
    ['contains whitespace', '0123456789abcdef\t0123456789abcdef'],
    ['has 9 characters', 'too-short'],
    ['has 300 characters', 'x'.repeat(300)],
    ['contains non-ASCII characters', `${'x'.repeat(40)}é`],
    ['is missing', ''],
  ])('states that the Idempotency-Key %s', async (reason, key) => {
    const companion = await createCompanion();
    const body = { order: signed(order), environment: 'sandbox' };
    const headers = companion.headers();
    const answer = await companion.read(
      await companion.storefront.request(PRIME, {
        method: 'POST',
        headers: key === '' ? headers : { ...headers, 'Idempotency-Key': key },
        body: JSON.stringify(body),
      }),
    );
    expect(answer.body.code).toBe('idempotency-key-missing');
    expect(answer.body.detail).toContain(`The Idempotency-Key ${reason}`);
  });

  test.each(['HTTPS://Shop.Example', 'https://shop.example:443'])(
    'accepts a ticket whose origin is written differently: %s',
    async (origin) => {
      const companion = await createCompanion();
      expect((await prime(companion, signed(order, { origin }))).status).toBe(201);
    },
  );

  test('states that a ticket has an invalid origin', async () => {
    const companion = await createCompanion();
    const { body } = await prime(companion, signed(order, { origin: `${ORIGIN}/cart` }));
    expect(body.detail).toContain('"origin" of the ticket is not a valid origin');
  });

  test.each(['HTTPS://Shop.Example', 'https://shop.example:443'])(
    'allows the origin %s as browsers send it',
    async (origin) => {
      const companion = await createCompanion({ allowedOrigins: [origin] });
      const { status, headers } = await prime(companion, signed(order));
      expect(status).toBe(201);
      expect(headers.get('access-control-allow-origin')).toBe(ORIGIN);
    },
  );

  test('rejects a wildcard and a padded public key at creation', async () => {
    await expect(createCompanion({ allowedOrigins: ['https://*.shop.example'] })).rejects.toThrow(
      'allowedOrigins[0] holds a wildcard',
    );
    await expect(createCompanion({ publicKey: ` ${PUBLIC_KEY}\n` })).rejects.toThrow(
      'publicKey must be visible ASCII characters without spaces',
    );
  });
});
