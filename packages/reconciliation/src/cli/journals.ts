import {
  type AccountBalance,
  journalDetails,
  type JournalEntry,
  type JournalExport,
  journalExportSchema,
  journalExportsSchema,
  journalFormats,
  journalOperations,
  journalPreviewSchema,
  type JournalRefusal,
  type JournalTrace,
  journalTraceSchema,
} from '@financing-checkout/contract/reconciliation';
import {
  addCommand,
  addGroup,
  addVerb,
  choice,
  CommandFailure,
  printable,
  type Register,
  shared,
  type TableColumn,
  withDefault,
} from '@financing-checkout/kit/cli';
import { unzip } from 'fflate';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { written } from '../queries/basis/reasons.ts';
import { ask, get, readBytes, writerOf } from './ask.ts';
import { by, limit, output } from './options.ts';
import { makeFolder, writeFileWhole } from './output.ts';
import type { Shell } from './shell.ts';
import { moneyColumn, show } from './tables.ts';
import { verbsOf } from './verbs.ts';

const format = {
  ...choice(
    '<format>',
    journalFormats,
    'accounting system: docs/journals.md has a section for each',
  ),
  isRequired: true,
} as const;
const detail = withDefault(
  choice('<detail>', journalDetails, 'one entry for each kind and lender, or for each order'),
  'summary',
);

/** Registers `journals`, which exports closed periods as journal entries. */
export const registerJournals: Register<Shell> = (program, shell) => {
  const journals = addGroup(
    program,
    'journals',
    'export closed periods as entries for an accounting system',
    `The entries come from the amounts of the cash walk, and each one balances. An export is stored and never
changes: the same export again has the same files, and a later one has only what is new since. Another
--detail is a journal of its own with all entries: import only one of both. The accounts are those of
RECONCILIATION_CHART_FILE.

Examples:
  financing-reconcile journals preview 2026-10 --format datev
  financing-reconcile journals export 2026-10 --format datev --output october
  financing-reconcile journals orders 3 --account 6510 --currency EUR
  financing-reconcile explain FC3-17`,
  );

  const verbs = verbsOf(shell);
  addVerb(journals, journalOperations.list, verbs, {
    print: ({ exports }) =>
      show(shell, {}, exports, exportColumns, 'No journal has been exported.'),
  });
  addVerb(journals, journalOperations.chart, verbs, {
    print: ({ accounts, rules }) => show(shell, {}, [...rules, ...accounts], chartColumns, ''),
    end: ({ isDefault }) => {
      if (isDefault) shell.say('These are the default accounts: set RECONCILIATION_CHART_FILE.');
    },
  });

  const preview = {
    usage: 'preview <period>',
    description: 'totals by account, and what the accounting system would refuse',
    options: { format, detail, limit, json: shared.json() },
  };
  addCommand(journals, preview, async (options, period: string) => {
    const query = { format: options.format, detail: options.detail, limit: String(options.limit) };
    const path = `/periods/${encodeURIComponent(period)}/journal`;
    const found = await get(shell, path, journalPreviewSchema, query);
    if (options.json) shell.print(JSON.stringify(found));
    else {
      show(shell, {}, found.entries.flatMap(linesOf), lineColumns, 'Nothing has moved.');
      shell.print('');
      show(shell, {}, found.balances, balanceColumns, '');
    }
    const files = found.files.map(({ name, rows }) => `${name} (${rows} rows)`).join(', ');
    const since = found.since === undefined ? '' : `, new since export ${found.since}`;
    shell.say(
      `${found.count} entries, ${found.lines} lines${since}${found.isSealed ? '' : '; a draft, because the period is open'}.`,
    );
    if (files !== '') shell.say(`An export would write ${files}.`);
    sayOtherDetail(shell, found);
    refuse(found.refusals);
  });

  const write = {
    usage: 'export <period>',
    description: 'store the journal of a closed period, and write its files to a folder',
    options: { format, detail, by, output: { ...output, isRequired: true }, json: shared.json() },
  };
  addCommand(journals, write, async (options, period: string) => {
    const found = await ask(shell, {
      method: 'POST',
      path: `/periods/${encodeURIComponent(period)}/journal`,
      body: {
        by: await writerOf(shell, options.by),
        format: options.format,
        detail: options.detail,
      },
      schema: journalExportSchema,
    });
    await writeFiles(shell, found, options.output);
    if (options.json) shell.print(JSON.stringify(found));
    else show(shell, {}, [found], exportColumns, '');
    sayOtherDetail(shell, found);
  });

  const file = {
    usage: 'file <export>',
    description: 'write the files of an earlier export to a folder again',
    options: { output: { ...output, isRequired: true } },
  };
  addCommand(journals, file, async (options, seq: string) => {
    const { exports } = await get(shell, '/journals', journalExportsSchema);
    const found = exports.find((one) => String(one.seq) === seq);
    if (found === undefined) throw new CommandFailure(`There is no export ${printable(seq)}.`);
    await writeFiles(shell, found, options.output);
  });

  addVerb(journals, journalOperations.orders, verbs, {
    print: (found) => printTrace(shell, found),
  });
};

/** Prints a journal entry with its lines and orders. */
export async function explainEntry(
  shell: Shell,
  { seq, entry }: { seq: number; entry: number },
  json: boolean | undefined,
): Promise<void> {
  const path = `/journals/${seq}/orders`;
  const found = await get(shell, path, journalTraceSchema, { entry: String(entry) });
  if (json) {
    shell.print(JSON.stringify(found));
    return;
  }
  show(shell, {}, found.entry ? linesOf(found.entry) : [], lineColumns, '');
  shell.print('');
  printTrace(shell, found);
}

function printTrace(shell: Shell, found: JournalTrace): void {
  show(shell, {}, found.orders, orderColumns, 'No order has an amount there.');
  for (const { account, currency, amount } of found.totals) {
    shell.say(`${account}: ${written(amount, currency)} in total`);
  }
  if (found.count > found.orders.length) {
    shell.say(`${found.count - found.orders.length} more: set --limit.`);
  }
}

function sayOtherDetail(shell: Shell, { otherDetail }: Pick<JournalExport, 'otherDetail'>): void {
  if (otherDetail === undefined) return;
  shell.say(
    `Export ${otherDetail} has entries of the same money in another detail: import only one of both.`,
  );
}

/** Writes the files of an export. @throws {CommandFailure} if the folder has files of another export */
async function writeFiles(shell: Shell, found: JournalExport, folder: string): Promise<void> {
  const asked = { path: `/journals/${found.seq}/file`, query: {}, type: 'application/zip' };
  const parts: Uint8Array[] = [];
  for await (const part of readBytes(shell, asked)) parts.push(part);
  const contents = await unzipped(Buffer.concat(parts));
  const foreign = Object.keys(contents).find((name) => name !== basename(name) || name === '..');
  if (foreign !== undefined) {
    throw new CommandFailure(`The answer has a file outside of the folder: ${printable(foreign)}.`);
  }
  await makeFolder(folder);
  const earlier = await readFile(join(folder, 'journal.json')).catch(() => undefined);
  if (earlier !== undefined && !earlier.equals(contents['journal.json'] ?? Buffer.alloc(0))) {
    throw new CommandFailure(
      `${printable(folder)} has the journal.json of another export, and nothing was written. ` +
        `Export ${found.seq} is stored: \`journals file ${found.seq} --output <folder>\` writes its files.`,
    );
  }
  for (const [name, content] of Object.entries(contents)) {
    await writeFileWhole(join(folder, name), [content]);
  }
  shell.say(`Export ${found.seq}, SHA-256 ${found.sha256}.`);
}

function unzipped(content: Uint8Array): Promise<Record<string, Uint8Array>> {
  return new Promise((resolve, reject) => {
    unzip(content, (error, files) => {
      if (error === null) resolve(files);
      else reject(error);
    });
  });
}

/** @throws {CommandFailure} if the target would refuse the journal */
function refuse(refusals: readonly JournalRefusal[]): void {
  if (refusals.length === 0) return;
  const lines = refusals.map(
    ({ message, count, examples }) => `${message} (${count}: ${printable(examples.join(', '))})`,
  );
  throw new CommandFailure(lines.join('\n'));
}

/** A line of an entry, with the fields that all lines of the entry share. */
type EntryLine = JournalEntry['lines'][number] & { entry: JournalEntry };
const linesOf = (entry: JournalEntry): EntryLine[] =>
  entry.lines.map((line) => ({ ...line, entry }));

const lineColumns: TableColumn<EntryLine>[] = [
  { head: 'ENTRY', cell: ({ entry }) => entry.id },
  { head: 'DATE', cell: ({ entry }) => entry.date },
  { head: 'KIND', cell: ({ entry }) => entry.kind },
  { head: 'BELONGS TO', cell: ({ entry }) => entry.belongsTo ?? '' },
  { head: 'ACCOUNT', cell: ({ account }) => `${account.number} ${account.name}` },
  { head: 'LENDER', cell: ({ lender }) => lender },
  {
    head: 'DEBIT',
    cell: ({ amount, entry }) => (amount > 0 ? written(amount, entry.currency) : ''),
    align: 'right',
  },
  {
    head: 'CREDIT',
    cell: ({ amount, entry }) => (amount < 0 ? written(-amount, entry.currency) : ''),
    align: 'right',
  },
  { head: 'CURRENCY', cell: ({ entry }) => entry.currency },
];

const balanceColumns: TableColumn<AccountBalance>[] = [
  { head: 'ACCOUNT', cell: ({ account }) => `${account.number} ${account.name}` },
  { head: 'CURRENCY', cell: ({ currency }) => currency },
  moneyColumn('DEBIT', ({ debit }) => debit),
  moneyColumn('CREDIT', ({ credit }) => credit),
  moneyColumn('BALANCE', ({ debit, credit }) => debit - credit),
];

const exportColumns: TableColumn<JournalExport>[] = [
  { head: 'EXPORT', cell: ({ seq }) => String(seq) },
  { head: 'PERIOD', cell: ({ period }) => period },
  { head: 'FORMAT', cell: ({ format: own }) => own },
  { head: 'DETAIL', cell: ({ detail: own }) => own },
  { head: 'ENTRIES', cell: ({ entries }) => String(entries), align: 'right' },
  { head: 'NEW SINCE', cell: ({ isCorrection }) => (isCorrection ? 'earlier export' : '') },
  { head: 'AT', cell: ({ at }) => at },
  { head: 'BY', cell: ({ by: person }) => person },
  { head: 'SHA-256', cell: ({ sha256 }) => sha256.slice(0, 16) },
];

const orderColumns: TableColumn<JournalTrace['orders'][number]>[] = [
  { head: 'ORDER', cell: ({ merchantOrderId, orderKey }) => merchantOrderId ?? orderKey },
  { head: 'LENDER', cell: ({ lender }) => lender },
  { head: 'FOR', cell: ({ account }) => account },
  moneyColumn('AMOUNT', ({ amount }) => amount),
  { head: 'CURRENCY', cell: ({ currency }) => currency },
];

const chartColumns: TableColumn<{
  for: string;
  number: string;
  name: string;
  type: string;
  lender?: string | undefined;
  currency?: string | undefined;
  productType?: string | undefined;
}>[] = [
  { head: 'FOR', cell: (one) => one.for },
  { head: 'NUMBER', cell: ({ number }) => number },
  { head: 'NAME', cell: ({ name }) => name },
  { head: 'TYPE', cell: ({ type }) => type },
  { head: 'LENDER', cell: ({ lender = '' }) => lender },
  { head: 'CURRENCY', cell: ({ currency = '' }) => currency },
  { head: 'PRODUCT', cell: ({ productType = '' }) => productType },
];
