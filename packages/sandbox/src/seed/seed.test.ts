import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, fetch } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toMinorUnits } from '../platform/money.ts';
import { SandboxError } from '../platform/problem.ts';
import { records, startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';
import type { LedgerLine, Truth } from './ledger.ts';
import { mismatchKinds, type MismatchKind } from './mismatch.ts';
import { seedHistory, type SeedOptions, type SeedSummary } from './seed.ts';

const report = '/v2/post-sale/fundings/report?showMissing=true&limit=10000';
const legacy = '/v2/post-sale/fundings/records?showMissing=true&limit=10000';

const root = mkdtempSync(join(tmpdir(), 'seed-'));
let folders = 0;
afterAll(() => rmSync(root, { recursive: true }));

function seed(options: Partial<SeedOptions> = {}): { summary: SeedSummary; dataDir: string } {
  const dataDir = options.dataDir ?? join(root, String(folders++));
  const summary = seedHistory({
    dataDir,
    environment: 'sandbox',
    orders: 1500,
    seed: 7,
    from: '2026-01-01',
    days: 60,
    faults: 'default',
    currencies: ['USD'],
    out: join(dataDir, 'out'),
    ...options,
  });
  return { summary, dataDir };
}

function linesOf<T>(dataDir: string, name: string): T[] {
  const text = readFileSync(join(dataDir, 'out', name), 'utf8');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as T);
}

/** Fetches every page of the three operations. */
async function bodies(dataDir: string): Promise<string[]> {
  const test = await startTestSandbox(dataDir);
  const dispatcher = new Agent({ connect: { ca: readFileSync(test.sandbox.caFile, 'utf8') } });
  const read: string[] = [];
  for (const path of [
    '/v2/post-sale/fundings/report?showMissing=true',
    '/v2/post-sale/fundings/records?showMissing=false',
    '/v1/post-sale/fundings/records?showMissing=true',
  ]) {
    for (const offset of [0, 1000]) {
      const response = await fetch(`${test.sandbox.apiUrl}${path}&limit=1000&offset=${offset}`, {
        dispatcher,
        headers: { authorization: `Bearer ${test.environment('sandbox').privateKey}` },
      });
      read.push(await response.text());
    }
  }
  await dispatcher.close();
  await test.stop();
  return read;
}

describe('the same seed', () => {
  it('produces byte-identical reports, records, ledger and ground truth, even after a restart', async () => {
    const [one, two] = [seed(), seed()];
    const first = await bodies(one.dataDir);
    expect(first.every((body) => body.startsWith('{"records":['))).toBe(true);
    expect(first[1]?.length).toBeGreaterThan(100_000);
    expect(await bodies(two.dataDir)).toEqual(first);
    expect(await bodies(one.dataDir)).toEqual(first);
    for (const name of ['ledger.ndjson', 'truth.ndjson', 'summary.json']) {
      const [a, b] = [one, two].map(({ dataDir }) => readFileSync(join(dataDir, 'out', name)));
      expect(b?.equals(a ?? Buffer.alloc(0))).toBe(true);
    }
  });

  it('produces a different history with a different seed or in a different environment', () => {
    const ids = [seed({ orders: 50 }), seed({ orders: 50, seed: 8 })].map(({ dataDir }) =>
      linesOf<LedgerLine>(dataDir, 'ledger.ndjson').map(({ chargeId }) => chargeId),
    );
    const { dataDir } = seed({ orders: 50 });
    // Both histories are in one state, so they must not share an id.
    const uat = { dataDir, environment: 'uat', orders: 50, out: join(dataDir, 'uat') } as const;
    expect(seed(uat).summary.orders).toBe(50);
    expect(new Set(ids.flat()).size).toBe(new Set(ids[0]).size + new Set(ids[1]).size);
  });
});

describe('a history', () => {
  let test: TestSandbox;
  let summary: SeedSummary;
  let truths: Truth[];
  let ledger: LedgerLine[];
  let rows: Record<string, unknown>[];
  let old: Record<string, unknown>[];
  beforeAll(async () => {
    // Some mismatches of each kind, and more correct orders than incorrect ones.
    const faults = mismatchKinds.map((kind) => `${kind}=2%`).join(',');
    const made = seed({ orders: 2000, faults, currencies: ['USD', 'JPY', 'KWD'] });
    summary = made.summary;
    truths = linesOf(made.dataDir, 'truth.ndjson');
    ledger = linesOf(made.dataDir, 'ledger.ndjson');
    test = await startTestSandbox(made.dataDir);
    rows = await records(test, report);
    old = await records(test, legacy);
  });
  afterAll(() => test.stop());

  const minor = (row: Record<string, unknown>, field: string, currency: string) =>
    Number(toMinorUnits(Number(row[field]), currency));
  const truthsOf = (kind: MismatchKind) => {
    const found = truths.filter((truth) => truth.kind === kind && truth.merchantOrderId !== null);
    // An order in two currencies has two entries.
    expect(new Set(found.map(({ merchantOrderId }) => merchantOrderId)).size).toBe(40);
    return found;
  };
  const rowsOf = ({ merchantOrderId }: Truth) =>
    rows.filter((row) => row.merchantOrderId === merchantOrderId);
  const linesFor = (order: Truth) =>
    ledger.filter(
      (line) => line.merchantOrderId === order.merchantOrderId && line.currency === order.currency,
    );

  it('has exactly the given share of each kind of mismatch', () => {
    for (const kind of mismatchKinds) {
      const orders = new Set(truthsOf(kind).map(({ merchantOrderId }) => merchantOrderId));
      expect(orders.size).toBe(summary.kinds[kind]);
    }
    const orders = truths.filter(({ merchantOrderId }) => merchantOrderId !== null);
    expect(new Set(orders.map(({ merchantOrderId }) => merchantOrderId)).size).toBe(2000);
    expect(rows).toHaveLength(summary.fundings);
    expect(old).toHaveLength(summary.fundings);
    expect(ledger).toHaveLength(summary.ledgerLines);
  });

  it('has a ground truth that matches the report and the ledger for each order', () => {
    const funded = new Map<string, Truth['funded']>();
    for (const row of rows) {
      const order = row.merchantOrderId ?? row.lenderReferenceId;
      const currency = truths.find(
        (truth) => (truth.merchantOrderId ?? truth.lenderReferenceId) === order,
      )?.currency;
      if (typeof order !== 'string' || !currency) throw new Error('a record is in no truth');
      const sums = funded.get(order) ?? { settle: 0, refund: 0, chargeback: 0, reversal: 0 };
      const type = String(row.transactionType).toLowerCase() as keyof Truth['funded'];
      sums[type] += minor(row, 'transactionAmount', currency);
      funded.set(order, sums);
    }
    const nothing = { settle: 0, refund: 0, chargeback: 0, reversal: 0 };
    for (const truth of truths) {
      const order = truth.merchantOrderId ?? truth.lenderReferenceId ?? '';
      const isOf = ({ merchantOrderId, lenderReferenceId }: Truth) =>
        (merchantOrderId ?? lenderReferenceId) === order;
      // The second currency of an order has no fundings.
      const posted = truths.find(isOf) === truth ? funded.get(order) : undefined;
      expect([order, posted ?? nothing]).toEqual([order, truth.funded]);
      const expected = { settle: 0, refund: 0 };
      for (const line of linesFor(truth)) expected[line.type] += line.amount;
      expect([order, expected]).toEqual([order, truth.expected]);
    }
  });

  it('has no exception in an order without a mismatch', () => {
    const healthy = truths.filter(({ kind }) => kind === 'none');
    expect(healthy.length).toBeGreaterThan(1000);
    for (const truth of healthy) {
      expect(truth.exceptions).toEqual([]);
      expect(truth.funded.settle + truth.inTransit).toBe(truth.expected.settle);
      for (const row of rowsOf(truth)) expect(row.status).toBe('RECONCILED');
    }
  });

  it.each([
    ['wrong-amount', 'AMOUNT_MISMATCH', 'UNRECONCILED'],
    ['wrong-type', 'TYPE_MISMATCH', 'UNRECONCILED'],
    ['split', 'AMOUNT_MISMATCH', 'UNRECONCILED'],
    ['duplicate', 'RECONCILED', 'RECONCILED'],
    ['original-missing', 'ORIGINAL_TRANSACTION_MISSING', 'MISSING'],
    ['dispute', 'ORIGINAL_TRANSACTION_MISSING', 'CHARGEBACK'],
    ['chargeback', 'RECONCILED', 'RECONCILED'],
    ['net-mismatch', 'RECONCILED', 'RECONCILED'],
  ] as const)('%s is %s in the report and %s in the records', (kind, status, legacyStatus) => {
    for (const truth of truthsOf(kind)) {
      expect(rowsOf(truth).map((row) => row.status)).toContain(status);
      const { merchantOrderId } = truth;
      const before = old.filter((row) => row.merchantOrderId === merchantOrderId);
      expect(before.map((row) => row.status)).toContain(legacyStatus);
    }
  });

  it('includes the size of each difference', () => {
    for (const truth of truthsOf('wrong-amount')) {
      const [{ amount } = { amount: 0 }] = truth.exceptions;
      expect(amount).not.toBe(0);
      expect(truth.funded.settle - truth.expected.settle).toBe(amount);
    }
    for (const truth of truthsOf('duplicate')) {
      expect(truth.funded.settle).toBe(2 * truth.expected.settle);
      expect(truth.exceptions).toMatchObject([{ amount: truth.expected.settle }]);
    }
    for (const truth of truthsOf('split')) {
      expect(truth.funded.settle).toBe(truth.expected.settle);
      expect(rowsOf(truth).length).toBeGreaterThan(1);
    }
    for (const truth of truthsOf('net-mismatch')) {
      const [row = {}] = rowsOf(truth);
      const [net, gross, discount] = ['netAmount', 'transactionAmount', 'discountAmount'].map(
        (field) => minor(row, field, truth.currency),
      );
      const difference = (net ?? 0) - ((gross ?? 0) - (discount ?? 0));
      expect(truth.exceptions).toMatchObject([{ code: 'NET_MISMATCH', amount: difference }]);
    }
    for (const truth of [...truthsOf('never-funded'), ...truthsOf('not-submitted')]) {
      expect(truth.funded.settle).toBe(0);
      expect(truth.exceptions).toMatchObject([
        { code: 'MISSING_AT_LENDER', amount: truth.expected.settle },
      ]);
    }
    for (const truth of truthsOf('refund-not-taken')) {
      expect(truth.funded.refund).toBe(0);
      expect(truth.exceptions).toMatchObject([
        { code: 'REFUND_NOT_TAKEN', amount: truth.expected.refund },
      ]);
    }
    for (const truth of truthsOf('discount-kept')) {
      const refund = rowsOf(truth).find((row) => row.transactionType === 'Refund');
      expect(refund?.discountAmount).toBe(0);
    }
    for (const truth of truthsOf('not-in-ledger')) {
      expect(truth.expected).toEqual({ settle: 0, refund: 0 });
      expect(truth.exceptions).toMatchObject([{ amount: truth.funded.settle }]);
    }
    for (const truth of truthsOf('refund-not-in-ledger')) {
      expect(truth.exceptions).toMatchObject([{ amount: truth.funded.refund }]);
    }
    for (const truth of [...truthsOf('chargeback'), ...truthsOf('double-debit')]) {
      const { chargeback } = truth.funded;
      expect(truth.exceptions).toContainEqual(
        expect.objectContaining({ code: 'CHARGEBACK_OPEN', amount: chargeback }),
      );
    }
    for (const truth of truthsOf('chargeback-reversed')) {
      expect(truth.funded.reversal).toBe(truth.funded.chargeback);
    }
  });

  it('has two findings for a funding that names no order or transaction', () => {
    for (const truth of truthsOf('missing')) {
      expect(truth.exceptions).toMatchObject([{ code: 'MISSING_AT_LENDER' }]);
      expect(rowsOf(truth)).toEqual([]);
    }
    const apart = truths.filter(
      ({ kind, merchantOrderId }) => kind === 'missing' && merchantOrderId === null,
    );
    expect(apart).toHaveLength(40);
    for (const { lenderReferenceId, exceptions } of apart) {
      const row = rows.find((candidate) => candidate.lenderReferenceId === lenderReferenceId);
      expect(row).toMatchObject({ status: 'MISSING' });
      expect(row).not.toHaveProperty('email');
      expect(exceptions).toMatchObject([{ code: 'MISSING_IN_SERVICE' }]);
    }
  });

  it('is visible to the other operations: the totals of a charge match its ledger', async () => {
    const [line] = ledger.filter(({ transactionId, type }) => transactionId && type === 'refund');
    if (!line) throw new Error('no order was refunded');
    const { body } = await test.call('GET', `/v2/post-sale/charges/${line.chargeId}`);
    expect(body.merchantOrderId).toBe(line.merchantOrderId);
    expect(toMinorUnits(Number(body.refundedAmount), line.currency)).toBe(line.amount);
    const lookup = `/v2/post-sale/transactions/lookup?merchantTransactionId=${line.merchantTransactionId}`;
    expect((await test.call('GET', lookup)).body.id).toBe(line.transactionId);
    const order = await test.call('GET', `/v2/post-sale/orders/${line.merchantOrderId}`);
    expect(order.body).toBe(line.chargeId);
    expect(body).toMatchObject({
      state: expect.stringMatching(/^[A-Z_]+$/) as unknown,
      channel: 'E_COMMERCE',
      consumerId: expect.stringMatching(/^[0-9a-f]{24}$/) as unknown,
    });
    expect(body).not.toHaveProperty('storeId');
  });

  it('funds each transaction under the reference that the service returns', async () => {
    const paid = rows.filter(
      ({ status, lenderReferenceId }) =>
        status === 'RECONCILED' && !String(lenderReferenceId).includes('-'),
    );
    expect(paid.length).toBeGreaterThan(100);
    for (const { transactionId, lenderReferenceId } of paid.slice(0, 20)) {
      const { body } = await test.call(
        'GET',
        `/v2/post-sale/transactions/${String(transactionId)}`,
      );
      expect(body.reconciliationId).toBe(lenderReferenceId);
    }
  });

  it('continues after its end: due settles are funded and late changes are applied', async () => {
    expect((await test.control('GET', '/clock')).body).toMatchObject({
      now: summary.asOf,
      frozen: true,
    });
    const inTransit = truths.filter((truth) => truth.inTransit > 0);
    expect(inTransit.length).toBeGreaterThan(0);
    const waiting = truths.filter(
      ({ kind, merchantOrderId }) => kind === 'late-match' && merchantOrderId === null,
    );
    expect(waiting.length).toBeGreaterThan(0);
    await test.control('POST', '/clock', { advance: '60d' });
    const after = await records(test, report);
    for (const { merchantOrderId, expected } of inTransit) {
      const own = after.filter(
        (row) => row.merchantOrderId === merchantOrderId && row.transactionType === 'Settle',
      );
      const currency = truths.find((truth) => truth.merchantOrderId === merchantOrderId)?.currency;
      const sum = own.reduce(
        (total, row) => total + minor(row, 'transactionAmount', currency ?? ''),
        0,
      );
      expect(sum).toBe(expected.settle);
    }
    for (const { lenderReferenceId } of waiting) {
      const row = after.find((candidate) => candidate.lenderReferenceId === lenderReferenceId);
      expect(row).toMatchObject({ status: 'RECONCILED' });
    }
  });
});

describe('a history is refused for', () => {
  it.each([
    [{ orders: 0 }, /--orders/],
    [{ orders: 10_000_001 }, /--orders/],
    [{ orders: 1.5 }, /--orders/],
    [{ seed: -1 }, /--seed/],
    [{ days: 4 }, /--days/],
    [{ days: 100_000 }, /--days/],
    [{ from: '2026-02-30' }, /--from/],
    [{ from: 'yesterday' }, /--from/],
    [{ from: '1969-01-01' }, /--from/],
    [{ currencies: ['USD', 'USD'] }, /--currencies/],
    [{ currencies: ['XXX'] }, /--currencies/],
    [{ currencies: [] }, /--currencies/],
    [{ faults: 'split=200%' }, /--faults/],
    [{ faults: 'split=100%' }, /last 4 days/],
  ])('%j', (options, reason) => {
    const dataDir = join(root, 'never');
    expect(() => seed({ ...options, dataDir })).toThrow(SandboxError);
    expect(() => seed({ ...options, dataDir })).toThrow(reason);
    expect(existsSync(dataDir)).toBe(false);
  });

  it('an unwritable folder', () => {
    const out = join(root, 'file');
    writeFileSync(out, '');
    expect(() => seed({ orders: 20, out })).toThrow(/cannot be written \(EEXIST\)/);
  });

  it('a state in use, or a non-empty state without --replace', async () => {
    const { dataDir } = seed({ orders: 20 });
    expect(() => seed({ orders: 20, dataDir })).toThrow(/already holds charges.*--replace/);
    expect(seed({ orders: 30, dataDir, replace: true }).summary.orders).toBe(30);
    const test = await startTestSandbox(dataDir);
    expect(() => seed({ orders: 20, dataDir, replace: true })).toThrow(
      /Another sandbox is running/,
    );
    expect((await records(test, report)).length).toBeGreaterThan(0);
    await test.stop();
  });
});
