import {
  caseFilters,
  caseListOperations,
  caseOperations,
  caseHistorySchema,
  type CaseRecord,
  caseSorts,
  casesSchema,
  caseVerbNames,
  trailOperations,
} from '@financing-checkout/contract/reconciliation';
import {
  addCommand,
  addGroup,
  addVerb,
  count,
  printable,
  type Register,
  shared,
  type TableColumn,
  withDefault,
} from '@financing-checkout/kit/cli';
import type { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import type { z } from 'zod';
import { written } from '../queries/basis/reasons.ts';
import { businessDays, get } from './ask.ts';
import { addUpload } from './case-sheets.ts';
import { sayAssumed } from './left-out.ts';
import { limit, oneOf, optionsOf } from './options.ts';
import { judge, queryOf, readSummary } from './outcome.ts';
import type { Shell } from './shell.ts';
import { moneyColumn, orderColumn, readRows, sayMore, show } from './tables.ts';
import { provenVerbsOf } from './verbs.ts';

const { shape } = caseListOperations.list.query;
const descending = Object.entries(caseSorts).flatMap(([sort, usual]) =>
  usual === 'desc' ? [sort] : [],
);
/** Registers `cases`, which works on exceptions and shows their audit trail. */
export const registerCases: Register<Shell> = (program, shell) => {
  const cases = addGroup(
    program,
    'cases',
    'work on exceptions: list, assign, note, resolve, ignore, snooze, merge, upload',
    `An exception opens a case automatically. A resolved or ignored case reopens when its content changes,
and a case closes when its exception is gone. "trail list --subject" shows who did what
with a case.

Each action names a person: --by, RECONCILIATION_USER, or without a token the logged-in user. Each has an
Idempotency-Key, printed before the request: repeating it with --key takes effect once. With --if-revision an
action is refused if another person has changed the case since it was read.

Examples:
  financing-reconcile cases list --days 7 --least 10000
  financing-reconcile cases list --overdue --sort due
  financing-reconcile cases assign case_0mh3… Tomas
  financing-reconcile cases ignore case_0mh3… "rounding by the lender, accepted" --if-revision 812`,
  );

  const filters = optionsOf(caseFilters);
  const order = {
    sort: withDefault(oneOf('<order>', shape.sort, 'order of the cases'), 'money'),
    direction: oneOf(
      '<direction>',
      shape.direction,
      `default: descending for ${new Intl.ListFormat('en').format(descending)}, else ascending`,
    ),
  };
  const list = {
    usage: 'list',
    description: 'cases, by default those with the most money first',
    options: {
      ...filters,
      state: withDefault(filters.state, 'open'),
      ...order,
      limit,
      threshold: count('<count>', 'maximum number of open exceptions; without it unlimited'),
      json: shared.jsonLines(),
    },
  };
  addCommand(cases, list, async (options) => {
    const query = queryOf(options, Object.keys({ ...filters, ...order }));
    // A close requires snoozed and merged cases decided, too.
    const queued = options.state === 'open' && query.begunTo === undefined ? 'false' : undefined;
    const { snoozed = queued, merged = query.mergedInto === undefined ? queued : undefined } =
      query;
    const { rows, more } = await readRows(options.limit, async (page) => {
      const answer = await get(shell, '/cases', casesSchema, {
        ...query,
        snoozed,
        merged,
        ...page,
      });
      return { rows: answer.cases, next: answer.next };
    });
    show(shell, options, rows, datedColumns(await businessDays(shell)), 'No matching case.');
    sayMore(shell, more);
    if (options.threshold !== undefined) judge(await readSummary(shell), options.threshold);
  });

  const verbs = provenVerbsOf(shell);
  addVerb(cases, caseListOperations.aging, verbs, {
    end: ({ assumedCurrency }) => sayAssumed(shell, assumedCurrency, 'case'),
  });

  const history = {
    usage: 'show <case-id>',
    description: 'one case with its audit trail',
    options: { json: shared.json() },
  };
  addCommand(cases, history, async ({ json }, id: string) => {
    const found = await readHistory(shell, id);
    if (json) shell.print(JSON.stringify(found));
    else printHistory(shell, found, await businessDays(shell));
  });

  addVerb(cases, caseListOperations.claims, verbs);
  addVerb(cases, trailOperations.alerts, verbs);
  addUpload(cases, shell);

  for (const verb of caseVerbNames) {
    addVerb(cases, caseOperations[verb], verbs, {
      print: (row) => show(shell, {}, [row], caseColumns, ''),
    });
  }
};

/** Returns a case's state, with its main case or its merged cases. */
function handledAs({ mergedInto, state, together }: CaseRecord): string {
  if (mergedInto !== undefined) return `${state}, with ${mergedInto}`;
  return together === undefined ? state : `${state}, with ${together.count} merged`;
}

const caseColumns: TableColumn<CaseRecord>[] = [
  { head: 'CASE', cell: ({ id }) => id },
  orderColumn,
  { head: 'EXCEPTION', cell: ({ code }) => code },
  moneyColumn('AMOUNT', ({ amount }) => amount),
  moneyColumn('AT STAKE', ({ amount, atStake, together }) =>
    together === undefined ? (atStake ?? Math.abs(amount)) : together.amount,
  ),
  { head: 'DAYS', cell: ({ ageDays }) => String(ageDays), align: 'right' },
  {
    head: 'STATE',
    cell: (one) => (one.snoozedUntil === undefined ? handledAs(one) : 'snoozed'),
  },
  { head: 'ASSIGNEE', cell: ({ assignee }) => assignee ?? '' },
  { head: 'REASON', cell: ({ reason }) => reason ?? '' },
];

/** Adds the due day in the business zone. */
function datedColumns(calendar: Calendar): TableColumn<CaseRecord>[] {
  const due: TableColumn<CaseRecord> = {
    head: `DUE (${calendar.zone})`,
    cell: ({ dueAt }) => calendar.dayOf(Date.parse(dueAt)),
  };
  const state: TableColumn<CaseRecord> = {
    head: 'STATE',
    cell: (one) =>
      one.snoozedUntil === undefined
        ? handledAs(one)
        : `snoozed until ${calendar.dayOf(Date.parse(one.snoozedUntil))}`,
  };
  const at = caseColumns.findIndex(({ head }) => head === state.head);
  return caseColumns.toSpliced(at, 1, due, state);
}

type History = Pick<z.infer<typeof caseHistorySchema>, 'case' | 'events'>;

/** Reads the complete trail, because a reader could not tell that a part is missing. */
async function readHistory(shell: Shell, id: string): Promise<History> {
  const path = `/cases/${encodeURIComponent(id)}`;
  const schema = caseHistorySchema;
  const history = await get(shell, path, schema);
  for (let { next } = history; next !== undefined;) {
    const page = await get(shell, path, schema, { after: next });
    history.case = page.case;
    history.events.push(...page.events);
    next = page.next;
  }
  return { case: history.case, events: history.events };
}

function printHistory(shell: Shell, history: History, calendar: Calendar): void {
  const { case: row, events } = history;
  show(shell, {}, [row], datedColumns(calendar), '');
  shell.print(`\nrevision ${row.revision}\n`);
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
