import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scan } from '@financing-checkout/key-fence';
import { afterEach, describe, expect, test } from 'vitest';
import { createCompanion, PRIVATE_KEY } from '../../companion.fixture.ts';
import { charged, networkError } from '../../scripted-service.fixture.ts';
import { programmeOf } from '../../programmes/programmes.fixture.ts';
import { PublishedProgrammes } from '../../programmes/published.ts';
import { countExposed } from '../../secrecy.fixture.ts';
import { run, runHere } from '../command.fixture.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'explain-'));
  folders.push(folder);
  return folder;
}

async function setUp() {
  const file = join(newFolder(), 'companion.db');
  const programmes = new PublishedProgrammes();
  const companion = await createCompanion({ programmes }, { file });
  const variables = { COMPANION_STORE: `sqlite:${file}` };
  const explain = (...args: string[]) => runHere(['explain', ...args], variables);
  return { companion, explain, variables };
}

describe('explain', () => {
  test('finds a charge whose response was lost by its request id, and shows no secrets', async () => {
    const { companion, explain, variables } = await setUp();
    companion.service.on('POST /v2/post-sale/charges', {
      status: 504,
      body: { requestId: 'svc-1' },
    });
    const id = await companion.open();
    companion.clock.advance(1);
    const { headers } = await companion.confirm(id);
    const requestId = headers.get('x-request-id') ?? '';
    await companion.store.close();

    const command = run(['explain', requestId], variables);
    expect(await command.exit).toBe(0);
    const { text } = command.output;
    expect(text).toMatch(new RegExp(`^checkout +${id} +unavailable +\\(sandbox\\)$`, 'm'));
    expect(text).toContain('"order-1001"  274.99 USD');
    expect(text).toMatch(/ prime +accepted +att_/);
    expect(text).toMatch(/ charge +unknown +att_/);
    expect(text).toContain(`request ${requestId}`);
    expect(text).toContain('service request svc-1');
    expect(text).toContain('Do not charge this order another way');
    expect(text).not.toMatch(/session-token|confirmation-token|shop\.example|Quill/);
    expect(countExposed([text])).toBe(0);

    const { text: json } = await explain(id, '--json');
    expect(JSON.parse(json)).toMatchObject({
      checkout: { id, status: 'unavailable', amount: '274.99 USD' },
      events: [{ what: 'prime' }, { what: 'charge', outcome: 'unknown', requestId }, {}, {}],
    });
  });

  test('shows which version of a message the shopper saw, and whether it was published', async () => {
    const { companion, explain } = await setUp();
    const shown = {
      programmeId: 'halden-0-24',
      textId: 'halden-0-24-en',
      sha256: createHash('sha256')
        .update(
          '{payment} a month for {count} months, {apr} APR. Total {total}.\nSubject to credit approval.',
        )
        .digest('hex'),
      amount: 89_000,
      currency: 'USD',
      shownAt: '2026-11-20T11:59:00.000Z',
    };
    const programmes = companion.options.programmes ?? new PublishedProgrammes();
    await programmes.replace({ programmes: [programmeOf('halden-0-24')] });
    const primeWith = async (key: string, message: object) => {
      const body = { order: await companion.ticket(), environment: 'sandbox', shown: message };
      return companion.post('/checkout/prime', body, { 'idempotency-key': key });
    };
    const known = await primeWith('key-1', shown);
    const invented = await primeWith('key-2', { ...shown, textId: 'of-the-page' });
    await companion.store.close();
    const { text } = await explain(known.body.id as string);
    expect(text).toContain(
      "shown     text halden-0-24-en of programme halden-0-24, for 890.00 USD, at 2026-11-20T11:59:00.000Z by the shopper's clock",
    );
    expect(text).toContain(`SHA-256 ${shown.sha256}`);
    expect(text).toContain('en: "{payment} a month for {count} months, {apr} APR. Total {total}."');
    expect(text).toContain('"Subject to credit approval."');
    const { text: json } = await explain(known.body.id as string, '--json');
    expect(JSON.parse(json)).toMatchObject({ checkout: { shown: { ...shown, language: 'en' } } });
    const other = await explain(invented.body.id as string);
    expect(other.text).toContain('text of-the-page of programme halden-0-24');
    expect(other.text).toContain('This companion had not published such a text');
    expect(other.text).not.toContain('a month');
  });

  test('shows a refund with an unknown outcome by its request id, with its checkout', async () => {
    const { companion, explain } = await setUp();
    companion.service
      .on('POST /v2/post-sale/charges', charged)
      .on('GET /v2/post-sale/charges/charge-1', {
        status: 200,
        body: { ...charged.body, settledAmount: 274.99, refundedAmount: 0, currency: 'USD' },
      })
      .on('POST /v2/post-sale/charges/charge-1/refunds', {
        status: 500,
        body: { requestId: 'svc-7' },
      });
    const id = await companion.open();
    await companion.confirm(id);
    companion.clock.advance(1);
    const { headers, status } = await companion.officePost(
      '/charges/charge-1/refunds',
      { amount: 500 },
      { 'idempotency-key': 'refund-1' },
    );
    expect(status).toBe(504);
    const requestId = headers.get('x-request-id') ?? '';
    await companion.store.close();

    const { code, text } = await explain(requestId);
    expect(code).toBe(0);
    expect(text).toMatch(new RegExp(`^checkout +${id} `, 'm'));
    expect(text).toMatch(/ refund +unknown +opr_/);
    expect(text).toContain('5.00 USD: ');
    expect(text).toContain(`request ${requestId}`);
    expect(text).toContain('service request svc-7');
    expect(text).toContain('Do not move this money another way');
    expect(countExposed([text])).toBe(0);
  });

  test('shows a prime that opened no checkout', async () => {
    const { companion, explain } = await setUp();
    companion.service.on('POST /v1/checkout/prime', networkError('ECONNREFUSED'));
    const pending = companion.prime();
    await expect.poll(() => (companion.clock.advance(10), companion.service.calls.length)).toBe(3);
    const { body } = await pending;
    await companion.store.close();
    const { code, text } = await explain(String(body.requestId));
    expect(code).toBe(0);
    expect(text).toMatch(/ prime +not-sent +att_/);
    expect(text).toContain('unreachable: nothing was done');
  });

  test('shows when the shop received the webhook', async () => {
    const { companion, explain } = await setUp();
    companion.service.on('POST /v2/post-sale/charges', charged);
    const id = await companion.open();
    await companion.confirm(id);
    await companion.background.runOnce();
    await companion.store.close();
    const { text } = await explain(id);
    expect(text).toMatch(/ webhook +delivered +msg_/);
    expect(text).toContain('"charge-1"  Settled');
  });

  test('escapes terminal control characters of the service', async () => {
    const { companion, explain } = await setUp();
    const state = 'Settled\u001b[2J\u009b31m';
    companion.service.on('POST /v2/post-sale/charges', {
      ...charged,
      body: { ...charged.body, state },
    });
    const id = await companion.open();
    await companion.confirm(id);
    await companion.store.close();
    const { code, text } = await explain(id);
    expect(code).toBe(0);
    expect(text).toContain('"charge-1"  Settled\uFFFD[2J\uFFFD31m');
  });

  test('exits with 1 for an unknown id, with a reference to the log, and for an invalid id', async () => {
    const { companion, explain } = await setUp();
    await companion.store.close();
    const none = await explain('req_unknown');
    expect(none.code).toBe(1);
    expect(none.text).toContain('Search the log');
    expect((await explain('something')).code).toBe(1);
  });

  test('does not create a missing store', async () => {
    const file = join(newFolder(), 'none.db');
    const { code, text } = await runHere(['explain', 'req_x'], {
      COMPANION_STORE: `sqlite:${file}`,
    });
    expect(code).toBe(69);
    expect(text).toContain('There is no store');
    expect(existsSync(file)).toBe(false);
  });
});

describe('fingerprint', () => {
  test('prints the fingerprint for the key fence and not the key', async () => {
    const file = join(newFolder(), 'key');
    writeFileSync(file, `${PRIVATE_KEY}\n`);
    const { code, printed, text } = await runHere(['fingerprint'], {
      FINANCING_PRIVATE_API_KEY_FILE: file,
    });
    expect(code).toBe(0);
    expect(countExposed([text])).toBe(0);
    const keys = { fingerprints: printed };
    expect(scan(`const key = "${PRIVATE_KEY}";`, keys)).toHaveLength(1);
    expect(scan(`const key = "${PRIVATE_KEY.toUpperCase()}";`, keys)).toHaveLength(0);
  });

  test('requires the key from exactly one source', async () => {
    const { code, text } = await runHere(['fingerprint']);
    expect(code).toBe(78);
    expect(text).toContain('FINANCING_PRIVATE_API_KEY_FILE');
  });

  test.each([[[PRIVATE_KEY]], [[`--key=${PRIVATE_KEY}`]], [['--key', PRIVATE_KEY]]])(
    'refuses a key as an argument without repeating it (%#)',
    async (args) => {
      const { code, text } = await runHere(['fingerprint', ...args]);
      expect(code).toBe(1);
      expect(text).toContain('takes no arguments');
      expect(countExposed([text])).toBe(0);
    },
  );

  test('refuses a key in quotation marks, because its fingerprint would not match', async () => {
    const file = join(newFolder(), 'key');
    writeFileSync(file, `"${PRIVATE_KEY}"\n`);
    const places: Record<string, string>[] = [
      { FINANCING_PRIVATE_API_KEY_FILE: file },
      { FINANCING_PRIVATE_API_KEY: `'${PRIVATE_KEY}'` },
    ];
    for (const variables of places) {
      const { code, text } = await runHere(['fingerprint'], variables);
      expect(code).toBe(78);
      expect(text).toMatch(/^FINANCING_PRIVATE_API_KEY.* in quotation marks/);
      expect(countExposed([text])).toBe(0);
    }
  });
});
