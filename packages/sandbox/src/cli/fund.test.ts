import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  charge,
  discard,
  records,
  startTestSandbox,
  type TestSandbox,
} from '../sandbox.fixture.ts';
import { runHere } from './command.fixture.ts';

const all = '/v2/post-sale/fundings/report?showMissing=true';

describe('financing-sandbox fund', () => {
  let test: TestSandbox;
  beforeAll(async () => {
    test = await startTestSandbox();
  });
  afterAll(() => discard(test));
  beforeEach(() => test.control('POST', '/reset'));

  const fund = (...parameters: string[]) =>
    runHere('fund', ...parameters, '--control-url', test.sandbox.controlUrl);

  it('adds a mismatch, lists it and removes it', async () => {
    const planted = await fund('fault', 'wrong-amount', '--by', '-250', '--order', 'ORD-1');
    expect(planted.code).toBe(0);
    expect(JSON.parse((await fund('faults')).output)).toMatchObject({
      faults: [{ target: { merchantOrderId: 'ORD-1' }, fault: { by: -250 }, remaining: 1 }],
    });
    await charge(test, { settle: true });
    await test.control('POST', '/clock', { advance: '1d' });
    expect(await records(test, all)).toMatchObject([
      { status: 'AMOUNT_MISMATCH', transactionAmount: 1012.61 },
    ]);
    expect(JSON.parse((await fund('forget')).output)).toEqual({ cleared: 1 });
  });

  it('adds a chargeback, reverses it, and posts and changes fundings', async () => {
    const id = await charge(test, { settle: true });
    const taken = await fund('chargeback', '--charge', id, '--amount', '15.11');
    expect(JSON.parse(taken.output)).toMatchObject({ type: 'Chargeback', amount: 15.11 });
    const given = await fund('reversal', '--order', 'ORD-1');
    expect(JSON.parse(given.output)).toMatchObject({ type: 'Reversal', amount: 15.11 });
    expect((await fund('post', '--amount', '9.5', '--type', 'Refund')).code).toBe(0);
    const [posted] = await records(test, all);
    const reference = String(posted?.lenderReferenceId);
    await fund('change', '--reference', reference, '--amount', '8.5', '--funded-at', '2026-03-01');
    expect(await records(test, all)).toMatchObject([
      { transactionAmount: 8.5, fundedAt: '2026-03-01T00:00:00.000Z' },
    ]);
    await fund('change', '--reference', reference, '--remove');
    expect(await records(test, all)).toEqual([]);
  });

  it.each([
    [['chargeback', '--order', 'nobody'], /The sandbox refused: charge not found/],
    [['chargeback'], /The sandbox refused: .*chargeId or merchantOrderId/],
    [['change', '--order', 'nobody', '--remove'], /No funding carries this id/],
    [['change', '--order', 'nobody'], /name a field to change/],
    [['fault', 'nonsense'], /Allowed choices are wrong-amount/],
    [['fault', 'wrong-discount'], /basisPoints/],
    [['post', '--amount', 'much'], /It is a decimal number such as 12.50/],
    [['change', '--order', 'nobody', '--funded-at', '2026-02-31'], /A time is needed/],
    [['change', '--order', 'nobody', '--funded-at', '2026-03-07T00:00:00'], /A time is needed/],
  ])('refuses %j with a hint', async (parameters, message) => {
    const { code, output } = await fund(...parameters);
    expect(code).toBeGreaterThan(0);
    expect(output).toMatch(message);
    expect(output).not.toMatch(/\n {4}at /);
  });
});

describe('financing-sandbox seed', () => {
  it('creates a history and prints its summary, or reports an error', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'seed-cli-'));
    const dataDir = join(folder, 'data');
    const options = ['seed', '--data-dir', dataDir, '--seed', '7', '--orders'];
    const made = await runHere(...options, '200', '--days', '30', '--json');
    expect(made.code).toBe(0);
    expect(JSON.parse(made.output)).toMatchObject({
      orders: 200,
      asOf: '2026-01-30T12:00:00.000Z',
    });
    const out = join(dataDir, 'seed', 'sandbox');
    expect(readdirSync(out).sort()).toEqual(['ledger.ndjson', 'summary.json', 'truth.ndjson']);
    expect(readFileSync(join(out, 'truth.ndjson'), 'utf8').split('\n').length).toBeGreaterThan(200);
    const again = await runHere(...options, '200');
    expect(again).toMatchObject({ code: 1, output: expect.stringMatching(/--replace/) as unknown });
    for (const count of ['0', '-5', '1e6', 'many', '99999999999']) {
      expect((await runHere(...options, count)).code).toBeGreaterThan(0);
    }
    rmSync(folder, { recursive: true });
  });
});
