import {
  ageingSchema,
  caseHistorySchema,
  type CaseRecord,
  caseSchema,
  casesSchema,
  caseStates,
  exceptionCodes,
} from '@financing-checkout/contract';
import { type Command, Option } from 'commander';
import type { z } from 'zod';
import { written } from '../queries/reasons.ts';
import { keyOf } from './idempotency-key.ts';
import { ask, writerOf } from './api.ts';
import type { Shell } from './shell.ts';
import { printable, type TableColumn } from './table.ts';
import { sayAssumed } from './left-out.ts';
import { addVerify } from './trail.ts';
import { addUpload } from './case-sheets.ts';
import { moneyColumn, orderColumn, readPages, show } from './orders.ts';
import { judge, queryOf, readSummary, reconciling, rowCount, wholeNumber } from './outcome.ts';

interface ListOptions extends Record<string, unknown> {
  json?: boolean;
  limit: number;
  threshold?: number;
}
interface WriteOptions {
  by?: string;
  key?: string;
  json?: boolean;
}

/** `reconcile cases …`: works on exceptions and shows their audit trail. */
export function registerCases(program: Command, shell: Shell): void {
  const cases = program
    .command('cases')
    .description('work on exceptions: list, assign, note, resolve, ignore, upload, verify')
    .addHelpText(
      'after',
      `
An exception opens a case automatically. A resolved or ignored case reopens when its content changes,
and a case closes when its exception is gone. An audit trail records every action, and "cases verify"
checks it.

Each action names a person: --by, RECONCILIATION_USER, or the logged-in user. Each has an
Idempotency-Key, printed before the request: repeating it with --key takes effect once.

Examples:
  financing-reconcile cases list --days 7 --least 10000
  financing-reconcile cases assign case_0mh3… Tomas
  financing-reconcile cases ignore case_0mh3… "rounding by the lender, accepted"`,
    );

  cases
    .command('list')
    .description('cases, oldest first')
    .addOption(
      new Option('--state <state>', 'only in this state').choices(caseStates).default('open'),
    )
    .addOption(new Option('--code <code>', 'only with this exception code').choices(exceptionCodes))
    .option('--currency <code>', 'only in this currency')
    .option('--assignee <name>', 'only assigned to this person')
    .option('--least <minor-units>', 'minimum amount', wholeNumber)
    .option('--days <count>', 'minimum age in days', wholeNumber)
    .option('--limit <count>', 'maximum number of rows', rowCount, 50)
    .option('--threshold <count>', 'end with 2 if more are open', wholeNumber)
    .option('--json', 'print cases as JSON, one per line')
    .action(
      reconciling(async (options: ListOptions) => {
        const names = ['state', 'code', 'currency', 'assignee', 'least', 'days'];
        const { rows, more } = await readPages(options.limit, async (limit, after) => {
          const query = { ...queryOf(options, names), ...after, limit: String(limit) };
          const schema = casesSchema;
          const path = '/cases';
          const page = await ask(shell, { method: 'GET', path, query, schema });
          return { rows: page.cases, next: page.next };
        });
        show(shell, options, rows, caseColumns, 'No matching case.');
        if (more)
          shell.say('There are more: raise --limit, or use "financing-reconcile export" for all.');
        if (options.threshold !== undefined) judge(await readSummary(shell), options.threshold);
      }),
    );

  cases
    .command('ageing')
    .description('open cases by age and amount')
    .option('--json', 'print JSON')
    .action(
      reconciling(async (options: { json?: boolean }) => {
        const ageing = await ask(shell, {
          method: 'GET',
          path: '/cases/ageing',
          schema: ageingSchema,
        });
        if (options.json) shell.print(JSON.stringify(ageing));
        else show(shell, {}, ageing.cells, ageingColumns, 'No case is open.');
        sayAssumed(shell, ageing.assumedCurrency, 'case');
      }),
    );

  cases
    .command('show <case-id>')
    .description('one case with its audit trail')
    .option('--json', 'print JSON')
    .action(
      reconciling(async (id: string, options: { json?: boolean }) => {
        const history = await readHistory(shell, id);
        if (options.json) shell.print(JSON.stringify(history));
        else printHistory(shell, history);
      }),
    );

  addUpload(cases, shell);
  addVerify(cases, shell);

  write(
    'assign <case-id> [name]',
    'assign a case to a person; without a name, remove the assignment',
    'assign',
    (name) => ({
      assignee: name ?? null,
    }),
  );
  write('note <case-id> <text>', 'add a note to a case', 'note', (note) => ({ note }));
  write('resolve <case-id> <reason>', 'resolve a case, with the reason', 'resolve', (reason) => ({
    reason,
  }));
  write('ignore <case-id> <reason>', 'ignore a case until it changes', 'ignore', (reason) => ({
    reason,
  }));
  write('reopen <case-id> <reason>', 'reopen a resolved or ignored case', 'reopen', (reason) => ({
    reason,
  }));

  function write(
    usage: string,
    description: string,
    verb: string,
    body: (text: string | undefined) => object,
  ): void {
    cases
      .command(usage)
      .description(description)
      .option('--by <name>', 'person who acts')
      .option('--key <key>', 'Idempotency-Key of an earlier run')
      .option('--json', 'print JSON')
      .action(
        reconciling(async (id: string, text: string | undefined, options: WriteOptions) => {
          const key = keyOf(options.key);
          const by = await writerOf(shell, options.by);
          shell.say(`Idempotency-Key ${key}`);
          const row = await ask(shell, {
            method: 'POST',
            path: `/cases/${encodeURIComponent(id)}/${verb}`,
            body: { by, ...body(text) },
            key,
            schema: caseSchema,
          });
          if (options.json) shell.print(JSON.stringify(row));
          else show(shell, {}, [row], caseColumns, '');
        }),
      );
  }
}

const caseColumns: TableColumn<CaseRecord>[] = [
  { head: 'CASE', cell: ({ id }) => id },
  orderColumn,
  { head: 'EXCEPTION', cell: ({ code }) => code },
  moneyColumn('AMOUNT', ({ amount }) => amount),
  { head: 'DAYS', cell: ({ ageDays }) => String(ageDays), align: 'right' },
  { head: 'STATE', cell: ({ state }) => state },
  { head: 'ASSIGNEE', cell: ({ assignee }) => assignee ?? '' },
  { head: 'REASON', cell: ({ reason }) => reason ?? '' },
];

const ageingColumns: TableColumn<z.infer<typeof ageingSchema>['cells'][number]>[] = [
  { head: 'AGE', cell: ({ days }) => days },
  { head: 'AMOUNT EACH', cell: ({ currency, money }) => `${money} ${currency}` },
  { head: 'CASES', cell: ({ count }) => String(count), align: 'right' },
  moneyColumn('TOGETHER', ({ amount }) => amount),
];

type History = Pick<z.infer<typeof caseHistorySchema>, 'case' | 'events'>;

/** Prints the whole trail: a reader takes a part for everything. */
async function readHistory(shell: Shell, id: string): Promise<History> {
  const path = `/cases/${encodeURIComponent(id)}`;
  const schema = caseHistorySchema;
  const history = await ask(shell, { method: 'GET', path, schema });
  for (let { next } = history; next !== undefined;) {
    const page = await ask(shell, { method: 'GET', path, query: { after: next }, schema });
    history.case = page.case;
    history.events.push(...page.events);
    next = page.next;
  }
  return { case: history.case, events: history.events };
}

function printHistory(shell: Shell, history: History): void {
  const { case: row, events } = history;
  show(shell, {}, [row], caseColumns, '');
  shell.print('');
  for (const { actor, at, detail, kind, seq } of events) {
    const words = Object.entries(detail).flatMap(([name, value]) =>
      name === 'contentHash' ? [] : [`${name} ${wordOf(name, value, row.currency)}`],
    );
    shell.print(
      printable(
        `${String(seq).padStart(6)}  ${at}  ${kind.padEnd(9)} ${actor}  ${words.join(', ')}`,
      ),
    );
  }
}

function wordOf(name: string, value: unknown, currency: string): string {
  if (name.startsWith('amount') && typeof value === 'number') return written(value, currency);
  return typeof value === 'string' ? `"${value}"` : JSON.stringify(value);
}
