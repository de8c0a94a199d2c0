/*
 * Seeded months with every exception, through the programs as a merchant runs them: closed, reopened
 * and adjusted, exported after each step, and read by programs of plain-text accounting.
 */
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Account,
  type ChartRecord,
  exceptionCodes,
  type JournalAccount,
  type JournalExport,
  type PeriodDetail,
  type WalkStatement,
} from '../../packages/contract/dist/reconciliation/index.js';
import { root } from '../../scripts/paths.ts';
import { type Service, startCompanion, startService } from '../reconciliation/companion.ts';
import { policyOf, seedHistory } from '../reconciliation/history.ts';
import { type Reconciler, startReconciler } from '../reconciliation/reconciler.ts';
import { changeFunding, control, reportPage } from '../reconciliation/unrest.ts';
import { balancesOf, type Program, programs } from './programs.ts';

const { unzipSync } = createRequire(join(root, 'packages/reconciliation/package.json'))(
  'fflate',
) as { unzipSync: (content: Uint8Array) => Record<string, Uint8Array> };
const { accountIn } = (await import(
  join(root, 'packages/reconciliation/src/journals/formats/read-back.fixture.ts')
)) as { accountIn: (format: string, account: Account) => string };

interface Posting {
  status: string;
  transactionType: string;
  transactionAmount: number;
  lenderReferenceId: string;
  merchantOrderId: string;
}

const DAY_MS = 86_400_000;
const FORMATS = ['beancount', 'hledger'] as const;
/** Fundings of these kinds name no known order, so their currency is known only if there is one. */
const kinds =
  'wrong-amount wrong-type split duplicate original-missing never-funded refund-not-taken ' +
  'discount-kept wrong-discount net-mismatch late-change chargeback ' +
  'chargeback-reversed dispute double-debit refund-not-in-ledger not-submitted';

const histories = [
  {
    name: 'three currencies of 0, 2 and 3 decimals',
    options: {
      orders: 1_000,
      currencies: 'USD,JPY,KWD',
      faults: kinds
        .split(' ')
        .map((kind) => `${kind}=2%`)
        .join(','),
    },
    currencies: ['JPY', 'KWD', 'USD'],
  },
  {
    name: 'all kinds of mistakes',
    options: { orders: 1_000, currencies: 'USD', faults: '40%' },
    // An order of two currencies has one in euros.
    currencies: ['EUR', 'USD'],
  },
];

const folder = mkdtempSync(join(tmpdir(), 'months-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
/** Codes that occurred in any history. */
const occurred = new Set<string>();

/** Accepts what may be accepted, and closes the period. */
async function close(program: Reconciler, id: string): Promise<PeriodDetail> {
  const { checks } = await program.get<PeriodDetail>(`/periods/${id}`);
  for (const { check, digest } of checks.filter(({ state }) => state === 'blocked')) {
    await program.post(`/periods/${id}/acceptance`, { check, digest, reason: 'known to finance' });
  }
  await program.post(`/periods/${id}/preparation`, {});
  return program.post<PeriodDetail>(`/periods/${id}/close`, {});
}

/** Exports a period in each format. @returns the text of its file by format */
async function exported(program: Reconciler, id: string): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const format of FORMATS) {
    const { seq, files, isCorrection } = await program.post<JournalExport>(
      `/periods/${id}/journal`,
      { format, detail: 'orders' },
    );
    const answer = await fetch(`${program.url}/journals/${seq}/file`);
    const contents = unzipSync(new Uint8Array(await answer.arrayBuffer()));
    expect(files).toHaveLength(1);
    texts[format] = new TextDecoder().decode(contents[files[0]?.name ?? '']);
    expect([format, isCorrection, texts[format] !== '']).toEqual([format, isCorrection, true]);
  }
  return texts;
}

/** Returns the balance of each account that follows from the statements of all periods. */
function expectedBalances(
  periods: readonly PeriodDetail[],
  { accounts }: ChartRecord,
  nameOf: (account: Account) => string,
): Map<string, number> {
  const balances = new Map<string, number>();
  const post = (name: JournalAccount, currency: string, amount: number) => {
    const account = accounts.find((one) => one.for === name);
    if (account === undefined) throw new Error(`There is no account for ${name}.`);
    const key = `${nameOf(account)} ${currency}`;
    balances.set(key, (balances.get(key) ?? 0) + amount);
  };
  const sides: Record<string, (statement: WalkStatement) => number> = {
    bank: ({ net }) => net,
    revenue: ({ expected }) => -expected,
    refunds: ({ refunds }) => -refunds,
    discount: ({ discount }) => -discount,
    chargebacks: ({ chargebacks }) => -chargebacks,
    reversals: ({ reversals }) => -reversals,
    overpaid: ({ over }) => -over,
    duplicates: ({ duplicates }) => -duplicates,
    suspense: ({ other }) => -other,
    disputed: ({ short }) => -short,
    differences: ({ accepted }) => -accepted,
    unexplained: ({ unexplained }) => -unexplained,
  };
  const first = new Set<string>();
  for (const { statements } of periods) {
    for (const statement of statements) {
      const { currency, opening, awaiting } = statement;
      for (const [name, amountOf] of Object.entries(sides)) {
        post(name as JournalAccount, currency, amountOf(statement));
      }
      // The amount in transit replaces the one that the period before has left.
      if (!first.has(currency)) post('opening', currency, -opening);
      else post('in-transit', currency, -opening);
      post('in-transit', currency, -awaiting);
      first.add(currency);
    }
  }
  return new Map([...balances].filter(([, amount]) => amount !== 0).toSorted());
}

describe.each(histories)('$name', ({ name, options, currencies }) => {
  const texts: Record<string, string[]> = {};
  const ends: (() => Promise<unknown>)[] = [];
  let program: Reconciler;
  let sealed: PeriodDetail[];
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });

  beforeAll(async () => {
    const own = join(folder, name.replaceAll(/\W+/g, '-'));
    const history = seedHistory(join(own, 'sandbox'), { ...options, days: 24 });
    const service = await startService(history);
    ends.push(() => service.program.stop());
    await change(service);
    const companion = await startCompanion({ folder: join(own, 'companion'), service, history });
    ends.push(() => companion.program.stop());
    const from = Date.parse(history.summary.from.slice(0, 10));
    const today = Date.parse(history.summary.asOf.slice(0, 10));
    const dayOf = (moment: number) => new Date(moment).toISOString().slice(0, 10);
    const half = from + 10 * DAY_MS;
    program = await startReconciler({
      folder: join(own, 'reconciliation'),
      companionUrl: companion.url,
      history,
      policy: {
        ...policyOf(history),
        periods: [
          { id: 'P1', from: dayOf(from), to: dayOf(half) },
          { id: 'P2', from: dayOf(half + DAY_MS), to: dayOf(today - DAY_MS) },
          { id: 'P3', from: dayOf(today), to: dayOf(today + 30 * DAY_MS) },
        ],
      },
    });
    ends.push(() => program.program.stop());
    await program.leads();

    // Lines of the first days, of which some arrive after the first close, and some after the second.
    const lines = readFileSync(history.ledger, 'utf8').split('\n').filter(Boolean);
    const isEarly = (line: string) =>
      Date.parse((JSON.parse(line) as { date: string }).date) < from + 5 * DAY_MS;
    const early = lines.filter(isEarly);
    const [later, last] = [early.slice(0, 5), early.slice(5, 10)];
    const withheld = new Set([...later, ...last]);
    const load = async (file: string, some: readonly string[]) => {
      const path = join(own, file);
      writeFileSync(path, some.map((line) => `${line}\n`).join(''));
      await program.importLedger(path);
    };
    await load(
      'ledger.ndjson',
      lines.filter((line) => !withheld.has(line)),
    );
    await program.sync();
    for (const { code } of await program.found()) occurred.add(code);
    await accept('NET_MISMATCH', 'UNKNOWN_TYPE', 'MISSING_AT_LENDER');

    await close(program, 'P1');
    collect(await exported(program, 'P1'));
    await program.post('/periods/P1/reopening', { reason: 'lines are missing' });
    await load('later.ndjson', later);
    await accept('NET_MISMATCH', 'UNKNOWN_TYPE');
    const first = await close(program, 'P1');
    collect(await exported(program, 'P1'));
    await load('last.ndjson', last);
    await accept('NET_MISMATCH', 'UNKNOWN_TYPE');
    const second = await close(program, 'P2');
    expect(second.adjustments).toMatchObject([{ belongsTo: 'P1' }]);
    collect(await exported(program, 'P2'));
    sealed = [first, second];
  });

  /** Posts an unknown type and a reversal of more than was charged back: no history has them. */
  async function change(service: Service): Promise<void> {
    const page = await reportPage(service, { limit: '1000', offset: '0' });
    const { records } = JSON.parse(page) as { records: Posting[] };
    const reversal = records.find(({ transactionType }) => transactionType === 'Reversal');
    const paid = records.find(
      ({ transactionType, status }) => transactionType === 'Settle' && status === 'RECONCILED',
    );
    if (reversal === undefined || paid === undefined) throw new Error('A posting is missing.');
    const transactionAmount = reversal.transactionAmount + 5;
    await changeFunding(service, reversal.lenderReferenceId, { transactionAmount });
    const { merchantOrderId } = paid;
    const adjustment = { transactionType: 'Adjustment', amount: 7, discount: 0, merchantOrderId };
    await control(service, '/fundings', adjustment);
  }

  /** Accepts the differences of all open cases with these codes. */
  async function accept(...codes: string[]): Promise<void> {
    for (const { id, code, state } of await program.rows('cases')) {
      if (state !== 'open' || !codes.includes(String(code))) continue;
      await program.post(
        `/cases/${String(id)}/ignore`,
        { reason: 'accepted' },
        { 'idempotency-key': randomUUID() },
      );
    }
  }

  function collect(found: Record<string, string>): void {
    for (const [format, text] of Object.entries(found)) (texts[format] ??= []).push(text);
  }

  test('has each currency, accepted differences and amounts in transit', () => {
    for (const { statements } of sealed) {
      expect(statements.map(({ currency }) => currency)).toEqual(currencies);
      expect(statements.map(({ unexplained }) => unexplained)).toEqual(currencies.map(() => 0));
    }
    expect(sealed[1]?.statements.some(({ opening }) => opening > 0)).toBe(true);
    const accepted = sealed.flatMap(({ statements }) => statements.map((one) => one.accepted));
    expect(accepted.some((amount) => amount !== 0)).toBe(true);
  });

  test.each(Object.keys(programs) as Program[])(
    '%s reads the balances of the walk',
    async (oracle) => {
      const format = oracle === 'ledger' ? 'hledger' : oracle;
      const [ending, include] =
        format === 'beancount'
          ? (['beancount', (path: string) => `include "${path}"\n`] as const)
          : (['journal', (path: string) => `include ${path}\n`] as const);
      const paths = (texts[format] ?? []).map((text, index) => {
        const path = join(folder, `${currencies.join('-')}-${oracle}-${index}.${ending}`);
        writeFileSync(path, text);
        return path;
      });
      expect(paths).toHaveLength(3);
      const main = join(folder, `${currencies.join('-')}-${oracle}.${ending}`);
      const plugin = format === 'beancount' ? 'plugin "beancount.plugins.auto_accounts"\n' : '';
      writeFileSync(main, plugin + paths.map(include).join(''));
      const chart = await program.get<ChartRecord>('/journals/chart');
      const expected = expectedBalances(sealed, chart, (account) => accountIn(format, account));
      expect(balancesOf(oracle, main)).toEqual(expected);
      expect(expected.size).toBeGreaterThan(8);
    },
  );
});

test('every exception has occurred that changes an amount of its own', () => {
  // The sandbox makes no mistakes for these. They post as the others do, and a funding without a
  // currency is in no journal.
  const others = ['OVER_FUNDED', 'AMBIGUOUS_PAYMENT', 'CURRENCY_UNKNOWN', 'STATUS_DISAGREES'];
  expect(exceptionCodes.filter((code) => !occurred.has(code))).toEqual(others);
});
