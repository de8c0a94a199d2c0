import {
  ageingSchema,
  caseHistorySchema,
  type CaseRecord,
  caseSchema,
  casesSchema,
  caseStates,
  exceptionCodes,
  trailVerificationSchema,
} from '@financing-checkout/contract';
import { type Command, Option } from 'commander';
import type { z } from 'zod';
import { written } from '../queries/reasons.ts';
import { CommandFailure } from './exit.ts';
import { keyOf } from './idempotency-key.ts';
import { ask, writerOf } from './api.ts';
import type { Shell } from './shell.ts';
import { printable, type TableColumn } from './table.ts';
import { sayAssumed } from './left-out.ts';
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
    .description('what is done about exceptions: list, assign, note, resolve, ignore, verify')
    .addHelpText(
      'after',
      `
An exception opens a case by itself. A case that was resolved or ignored opens again when what it is
about changes; one whose exception is gone closes by itself. Everything that is done is kept in a
trail that "cases verify" checks.

Each write says who does it: --by, or RECONCILIATION_USER, or the name of the user who is logged in.
Each has an Idempotency-Key, shown before it is sent: with --key it is done once, however often.

Examples:
  financing-reconcile cases list --days 7 --least 10000
  financing-reconcile cases assign case_0mh3… Tomas
  financing-reconcile cases ignore case_0mh3… "a rounding of the lender, agreed"`,
    );

  cases
    .command('list')
    .description('cases, oldest first')
    .addOption(
      new Option('--state <state>', 'only in this state').choices(caseStates).default('open'),
    )
    .addOption(new Option('--code <code>', 'only of this kind').choices(exceptionCodes))
    .option('--currency <code>', 'only in this currency')
    .option('--assignee <name>', 'only of this person')
    .option('--least <minor-units>', 'only of this much or more', wholeNumber)
    .option('--days <count>', 'only wrong for so many days or more', wholeNumber)
    .option('--limit <count>', 'how many at most', rowCount, 50)
    .option('--threshold <count>', 'end with 2 when more are open', wholeNumber)
    .option('--json', 'print each case as JSON, one a line')
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
        show(shell, options, rows, caseColumns, 'No case is like that.');
        if (more)
          shell.say(
            'There are more: --limit shows them, "financing-reconcile export" all of them.',
          );
        if (options.threshold !== undefined) judge(await readSummary(shell), options.threshold);
      }),
    );

  cases
    .command('ageing')
    .description('open cases by age and by amount')
    .option('--json', 'print the answer as JSON')
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
    .description('one case, and everything that was done to it')
    .option('--json', 'print the answer as JSON')
    .action(
      reconciling(async (id: string, options: { json?: boolean }) => {
        const history = await readHistory(shell, id);
        if (options.json) shell.print(JSON.stringify(history));
        else printHistory(shell, history);
      }),
    );

  cases
    .command('verify')
    .description('check that the audit trail is as it was written')
    .option('--anchor <seq:hash>', 'an end that was kept elsewhere, as an earlier run printed it')
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      `
Whoever can write the store could write a whole new trail. Keep the last line of a run somewhere
else, and give it to a later run as --anchor: then that is found, too.`,
    )
    .action(
      reconciling(async (options: { anchor?: string; json?: boolean }) => {
        const result = await ask(shell, {
          method: 'GET',
          path: '/cases/verification',
          query: queryOf({ ...options }, ['anchor']),
          schema: trailVerificationSchema,
        });
        const { broken, events, head } = result;
        if (options.json) shell.print(JSON.stringify(result));
        else if (broken === undefined) {
          shell.print(`${events} ${events === 1 ? 'event is' : 'events are'} as written.`);
          shell.print(`${head.seq}:${head.hash}`);
        }
        if (broken !== undefined) {
          const of = broken.caseId === undefined ? '' : ` of case ${broken.caseId}`;
          // A case may contradict a valid trail.
          const whole = broken.seq > events ? `The ${events} before it` : `All ${events} events`;
          throw new CommandFailure(
            printable(
              `The trail is broken: event ${broken.seq}${of} ${broken.reason}. ${whole} are as written.`,
            ),
          );
        }
      }),
    );

  write(
    'assign <case-id> [name]',
    'give a case to somebody; without a name, to nobody',
    'assign',
    (name) => ({
      assignee: name ?? null,
    }),
  );
  write('note <case-id> <text>', 'add a note to a case', 'note', (note) => ({ note }));
  write('resolve <case-id> <reason>', 'say that it is settled, and how', 'resolve', (reason) => ({
    reason,
  }));
  write('ignore <case-id> <reason>', 'leave it as it is, until it changes', 'ignore', (reason) => ({
    reason,
  }));
  write(
    'reopen <case-id> <reason>',
    'take a resolved or ignored case up again',
    'reopen',
    (reason) => ({
      reason,
    }),
  );

  function write(
    usage: string,
    description: string,
    verb: string,
    body: (text: string | undefined) => object,
  ): void {
    cases
      .command(usage)
      .description(description)
      .option('--by <name>', 'who does it')
      .option('--key <key>', 'the Idempotency-Key of an earlier run')
      .option('--json', 'print the answer as JSON')
      .action(
        reconciling(async (id: string, text: string | undefined, options: WriteOptions) => {
          const key = keyOf(options.key);
          const by = await writerOf(shell, options.by);
          shell.say(`Idempotency-Key ${key}`);
          const row = await ask(shell, {
            method: 'POST',
            path: `/cases/${encodeURIComponent(id)}/${verb}`,
            body: { ...(by === undefined ? {} : { by }), ...body(text) },
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
