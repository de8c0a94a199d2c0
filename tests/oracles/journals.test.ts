/* Programs of plain-text accounting read journals, and report the balances of their entries. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type {
  Account,
  JournalEntry,
  JournalFormatName,
} from '../../packages/contract/dist/reconciliation/index.js';
import { root } from '../../scripts/paths.ts';
import { balancesOf, type Program, programs } from './programs.ts';

const formats = join(root, 'packages/reconciliation/src/journals/formats');
const { journal, sampleJournals, write } = (await import(join(formats, 'journal.fixture.ts'))) as {
  journal: readonly JournalEntry[];
  sampleJournals: (seed: number, count: number) => JournalEntry[][];
  write: (
    name: JournalFormatName,
    entries?: readonly JournalEntry[],
  ) => Promise<{ files: { content: Uint8Array }[] }>;
};
const { accountIn, sumsOf } = (await import(join(formats, 'read-back.fixture.ts'))) as {
  accountIn: (format: JournalFormatName, account: Account) => string;
  sumsOf: (
    lines: Iterable<{ account: string; currency: string; amount: number }>,
  ) => Map<string, number>;
};

const SEED = 20_261_031;
const SAMPLES = 20;
const folder = mkdtempSync(join(tmpdir(), 'journals-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const formatOf = (program: Program) => (program === 'ledger' ? 'hledger' : program);
const ending = { beancount: 'beancount', hledger: 'journal', ledger: 'journal' } as const;

/** Returns the balances of entries, by the names that a program has for their accounts. */
function balancesIn(program: Program, entries: readonly JournalEntry[]): Map<string, number> {
  const format = formatOf(program);
  return sumsOf(
    entries.flatMap(({ currency, lines }) =>
      lines.map(({ account, amount }) => ({
        account: accountIn(format, account),
        currency,
        amount,
      })),
    ),
  );
}

/** Writes a journal into a file of this name. @returns its path */
async function written(
  program: Program,
  name: string,
  entries: readonly JournalEntry[],
): Promise<string> {
  const [file] = (await write(formatOf(program), entries)).files;
  const path = join(folder, `${name}.${ending[program]}`);
  writeFileSync(path, file?.content ?? '');
  return path;
}

const all = Object.keys(programs) as Program[];

describe.each(all)('%s', (program) => {
  test('reads the golden file', () => {
    const golden = join(root, 'tests/reconciliation/journals', formatOf(program));
    const files = readdirSync(golden);
    expect(files).toHaveLength(1);
    const balances = balancesOf(program, join(golden, files[0] ?? ''));
    expect(balances).toEqual(balancesIn(program, journal));
    expect(balances.size).toBeGreaterThan(8);
  });

  test.each(sampleJournals(SEED, SAMPLES).map((entries, index) => ({ entries, index })))(
    `reads journal $index of ${SAMPLES}`,
    async ({ entries, index }) => {
      const path = await written(program, `${program}-${index}`, entries);
      expect(balancesOf(program, path)).toEqual(balancesIn(program, entries));
    },
  );

  test('reads two months together, and refuses a changed amount', async () => {
    const [first = [], second = []] = sampleJournals(SEED + 1, 2);
    const months = [
      await written(program, `${program}-first`, first),
      await written(program, `${program}-second`, second),
    ];
    const main = join(folder, `${program}-main.${ending[program]}`);
    const includes =
      program === 'beancount'
        ? `plugin "beancount.plugins.auto_accounts"\n${months.map((path) => `include "${path}"\n`).join('')}`
        : months.map((path) => `include ${path}\n`).join('');
    writeFileSync(main, includes);
    expect(balancesOf(program, main)).toEqual(balancesIn(program, [...first, ...second]));
    const [path = ''] = months;
    const changed = readFileSync(path, 'utf8').replace(/( {2}-?)(\d)/, '$19$2');
    writeFileSync(path, changed);
    expect(() => balancesOf(program, path)).toThrow(/balance|unbalanced/i);
  });
});
