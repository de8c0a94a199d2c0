import {
  acceptableChecks,
  type CloseCheckRecord,
  periodDetailSchema,
  type PeriodDetail,
  periodOperations,
  type PeriodRecord,
  type PeriodReview,
  type Seal,
  type Tally,
  type WalkStatement,
} from '@financing-checkout/contract/reconciliation';
import {
  addCommand,
  addGroup,
  addVerb,
  choice,
  CommandFailure,
  printable,
  type Register,
  required,
  shared,
  type TableColumn,
  value,
  withDefault,
} from '@financing-checkout/kit/cli';
import { z } from 'zod';
import { written } from '../queries/basis/reasons.ts';
import { ask, get, readBytes, writerOf } from './ask.ts';
import { exits } from './peer.ts';
import { by, output } from './options.ts';
import { writeFileWhole } from './output.ts';
import { Finding } from './outcome.ts';
import type { Shell } from './shell.ts';
import { moneyColumn, show, sumText } from './tables.ts';
import { verbsOf } from './verbs.ts';

/** Registers `periods`, which closes periods and lists later changes. */
export const registerPeriods: Register<Shell> = (program, shell) => {
  const periods = addGroup(
    program,
    'periods',
    'close periods of the books, list later changes, verify the seals',
    `A closed period stays as it was reported. Its facts, policy, statements and amounts by order are sealed
with a SHA-256 that covers the seal before it. A fact that arrives later is an adjustment in the open
period. The person who prepared a close cannot approve it if two tokens have the scope "periods". A request for
a second person lapses after seven days.

Examples:
  financing-reconcile periods show 2026-10
  financing-reconcile periods prepare 2026-10
  financing-reconcile periods close 2026-10 --seen 3f2a9c81d0e4      (another person)
  financing-reconcile periods adjustments 2026-11
  financing-reconcile periods orders 2026-10 --step discount
  financing-reconcile walk --period 2026-10 --format csv --output october.csv`,
  );

  const verbs = verbsOf(shell);
  const { adjustments, close, list, orders, preparation, reopening, verification } =
    periodOperations;
  addVerb(periods, list, verbs, {
    print: (found) => show(shell, {}, found.periods, periodColumns, 'There is no data yet.'),
    end: ({ open }) =>
      shell.say(
        open === undefined
          ? 'No period with data has ended: import the ledger files of the month, and sync its days.'
          : `The period to close next is ${open}.`,
      ),
  });
  const print = (found: PeriodDetail) => printPeriod(shell, found);
  addVerb(periods, periodOperations.read, verbs, {
    print,
    end: ({ checks }) => {
      const open = checks.filter(({ state }) => state === 'blocked');
      if (open.length === 0) return;
      throw new Finding(
        `Not done: ${open.map(({ check }) => check).join(', ')}.`,
        exits.incomplete,
      );
    },
  });
  addVerb(periods, adjustments, verbs);
  addVerb(periods, orders, verbs, {
    print: ({ sums }) => {
      for (const { amount, currency } of sums) shell.print(`${written(amount, currency)} in all`);
    },
  });
  addCommand(periods, acceptance, async (options, id: string, check: string, reason: string) => {
    const path = `/periods/${encodeURIComponent(id)}`;
    const { checks } = await get(shell, path, periodDetailSchema);
    const { digest } = checks.find((one) => one.check === check) ?? {};
    if (digest?.startsWith(options.seen) === false) {
      throw new CommandFailure(
        `${check}: the digest is ${digest.slice(0, SHOWN)} now. Look at "periods show" again.`,
      );
    }
    const body = { by: await writerOf(shell, options.by), check, digest, reason };
    const accepted = { method: 'POST', path: `${path}/acceptance`, body } as const;
    const found = await ask(shell, { ...accepted, schema: periodDetailSchema });
    if (options.json) shell.print(JSON.stringify(found));
    else print(found);
  });
  addVerb(periods, preparation, verbs, { print });
  addVerb(periods, close, verbs, { print });
  addVerb(periods, reopening, verbs, { print });
  addVerb(periods, periodOperations.withdrawal, verbs, { print });
  addCommand(periods, seal, async ({ output: file, part }, id: string) => {
    const type = part === 'flows' ? 'application/vnd.apache.parquet' : 'application/json';
    const path = `/periods/${encodeURIComponent(id)}`;
    await writeFileWhole(file, readBytes(shell, { path: `${path}/seal`, query: { part }, type }));
    const { period } = await get(shell, path, periodDetailSchema);
    shell.say(`SHA-256 of the seal: ${period.seal?.hash ?? ''}`);
  });
  addVerb(periods, verification, verbs, {
    print: ({ seals, trail }) => {
      for (const { period, hash, checked, bytes, problems } of seals) {
        const state =
          problems.length === 0
            ? `intact  ${checked} contents, ${bytes} bytes`
            : problems.map(({ message }) => message).join('; ');
        shell.print(printable(`${period}  ${hash}  ${state}`));
      }
      if (trail !== undefined) shell.print(`The trail: ${trail}`);
    },
    end: ({ isIntact, seals }) => {
      if (!isIntact) {
        throw new CommandFailure(
          'A seal or the trail is broken: restore a backup of the record store.',
        );
      }
      if (seals.length === 0) shell.say('No period is closed.');
    },
  });
};

const acceptance = {
  usage: 'accept <period> <check> <reason>',
  description: `accept what a check found: ${acceptableChecks.join(', ')}`,
  options: {
    by,
    seen: required(
      value(
        '<digest>',
        'DIGEST of the check in "periods show", which you have looked at',
        z.string().regex(/^[0-9a-f]{12,64}$/, 'must be 12 to 64 hexadecimal digits'),
      ),
    ),
    json: shared.json(),
  },
};

const seal = {
  usage: 'seal <period>',
  description: 'write the last seal of a period to a file, to keep elsewhere',
  options: {
    output: { ...output, isRequired: true },
    part: withDefault(
      choice(
        '<part>',
        ['statements', 'flows'],
        'the hashed JSON, or the amounts by order as Parquet',
      ),
      'statements',
    ),
  },
};

/** Number of digest characters to print. Commands accept this prefix. */
const SHOWN = 12;

const sealInForce = (seal: Seal | undefined) => (seal?.reopened === undefined ? seal : undefined);

const periodColumns: TableColumn<PeriodRecord>[] = [
  { head: 'PERIOD', cell: ({ id }) => id },
  { head: 'FROM', cell: ({ from }) => from },
  { head: 'TO', cell: ({ to }) => to },
  { head: 'STATE', cell: ({ state }) => state },
  {
    head: 'PREPARED',
    cell: ({ prepared, seal }) => prepared?.by ?? sealInForce(seal)?.preparedBy ?? '',
  },
  {
    head: 'APPROVED',
    cell: ({ seal }) => {
      const own = sealInForce(seal);
      if (own === undefined) return '';
      return own.isApprovedBySecond ? own.approvedBy : `${own.approvedBy} (not a second person)`;
    },
  },
  { head: 'SEAL', cell: ({ seal }) => sealInForce(seal)?.hash.slice(0, 16) ?? '' },
];

/** Number of examples per row that fit in a terminal. */
const EXAMPLES = 3;

function examplesText(examples: readonly string[], count: number): string {
  const shown = examples.slice(0, EXAMPLES);
  const left = count - shown.length;
  return left > 0 && shown.length > 0 ? `${shown.join(', ')} and ${left} more` : shown.join(', ');
}

function examplesOf({ count, examples, orders }: CloseCheckRecord): string {
  if (orders === undefined) return examplesText(examples, count);
  const names = orders.first.map((one) => one.merchantOrderId ?? one.orderKey);
  return examplesText(names, orders.count);
}

const acceptedText = ({ accepted }: CloseCheckRecord) =>
  accepted === undefined ? '' : `${accepted.by}: ${accepted.reason}`;

const checkColumns: TableColumn<CloseCheckRecord>[] = [
  { head: 'CHECK', cell: ({ check }) => check },
  { head: 'STATE', cell: ({ state }) => state },
  { head: 'COUNT', cell: ({ count }) => String(count), align: 'right' },
  { head: 'DIGEST', cell: ({ count, digest }) => (count === 0 ? '' : digest.slice(0, SHOWN)) },
  {
    head: 'MONEY',
    cell: ({ amounts }) =>
      amounts.map(({ amount, currency }) => written(amount, currency)).join(', '),
  },
  {
    head: 'WHAT',
    cell: (check) =>
      [check.failure?.message ?? examplesOf(check), acceptedText(check)]
        .filter((one) => one !== '')
        .join('; '),
  },
];

const statementColumns: TableColumn<WalkStatement>[] = [
  { head: 'CURRENCY', cell: ({ currency }) => currency },
  moneyColumn('OPENING', ({ opening }) => opening),
  moneyColumn('EXPECTED', ({ expected }) => expected),
  moneyColumn('IN TRANSIT', ({ awaiting }) => awaiting),
  moneyColumn('DISCOUNT', ({ discount }) => discount),
  moneyColumn('NET', ({ net }) => net),
  moneyColumn('UNEXPLAINED', ({ unexplained }) => unexplained),
];

function printPeriod(shell: Shell, found: PeriodDetail): void {
  show(shell, {}, [found.period], periodColumns, '');
  if (found.checks.length > 0) {
    shell.print('');
    show(shell, {}, found.checks, checkColumns, '');
  }
  shell.print('');
  show(shell, {}, found.statements, statementColumns, 'Nothing has moved.');
  const { decided = 0, statementsHash } = found;
  if (found.period.state !== 'closed') {
    shell.print(`Digest of the statements: ${statementsHash.slice(0, SHOWN)}`);
  }
  if (decided > 0) shell.print(`Last decision: ${decided}`);
  if (found.review !== undefined) printReview(shell, found.review);
  for (const { belongsTo, count: adjusted } of found.adjustments) {
    shell.say(
      `${adjusted} ${adjusted === 1 ? 'order' : 'orders'} of ${belongsTo || 'before the first period'} changed after the close: "periods adjustments ${found.period.id}".`,
    );
  }
  const { id, state, prepared, reopening, seal } = found.period;
  if (state === 'closed' && seal !== undefined) shell.say(`SHA-256 of the seal: ${seal.hash}`);
  for (const line of linesSinceSeal(found)) shell.say(`Since the seal: ${line}`);
  if (state === 'closed' && reopening !== undefined) {
    shell.say(
      `${reopening.by} asked to reopen ${id}: ${reopening.reason}. Another person confirms it: "periods reopen ${id}". It lapses at ${reopening.lapsesAt}.`,
    );
  }
  if (state === 'in-review' && prepared !== undefined) {
    shell.say(
      `${prepared.by} prepared ${id}. Another person with the scope "periods" approves it: "periods close ${id}". It lapses at ${prepared.lapsesAt}.`,
    );
  }
}

/** Returns what has changed since the seal of a closed period, which its figures do not include. */
function linesSinceSeal({ checks: sealed, period: { id }, sinceSeal }: PeriodDetail): string[] {
  if (sinceSeal === undefined) return [];
  const { checks, open, orders } = sinceSeal;
  const changed = orders === 1 ? '1 order has' : `${orders} orders have`;
  return [
    ...(orders === 0
      ? []
      : [`${changed} changed, which counts in ${open}: "periods adjustments ${open}".`]),
    ...checks.map(({ check, count, examples }) => {
      const then = sealed.find((one) => one.check === check)?.count ?? 0;
      const found = examplesText(examples, count);
      return `${check} of ${id} finds ${count} now, ${then} when it was sealed${found && `: ${found}`}.`;
    }),
  ];
}

type Reviewed<Name extends 'exceptions' | 'accounts'> = PeriodReview[Name][number];

/** Returns the columns of a number and its money. */
function tallyColumns<Row extends { currency: string }>(
  head: string,
  tally: (row: Row) => Tally | undefined,
): TableColumn<Row>[] {
  return [
    { head, cell: (row) => String(tally(row)?.count ?? 0), align: 'right' },
    {
      head: 'MONEY',
      cell: (row) => {
        const { amount = null, assumedCurrency } = tally(row) ?? {};
        return sumText(amount, row.currency, assumedCurrency !== undefined);
      },
      align: 'right',
    },
  ];
}

/** Prints what a close takes over beside the statements. */
function printReview(
  shell: Shell,
  { accounts, before, exceptions, since, uncounted }: PeriodReview,
): void {
  const last = before?.toUpperCase();
  const exceptionColumns: TableColumn<Reviewed<'exceptions'>>[] = [
    { head: 'EXCEPTION', cell: ({ code }) => code },
    ...tallyColumns<Reviewed<'exceptions'>>('OPEN', ({ open }) => open),
    ...tallyColumns<Reviewed<'exceptions'>>('NEW', ({ begun }) => begun),
    ...(last === undefined
      ? []
      : tallyColumns<Reviewed<'exceptions'>>(`IN ${last}`, ({ begunBefore }) => begunBefore)),
  ];
  const accountColumns: TableColumn<Reviewed<'accounts'>>[] = [
    { head: 'ACCOUNT', cell: ({ account }) => account },
    ...tallyColumns<Reviewed<'accounts'>>('ORDERS', ({ own }) => own),
    ...(last === undefined
      ? []
      : tallyColumns<Reviewed<'accounts'>>(`IN ${last}`, ({ before: own }) => own)),
  ];
  shell.print('');
  if (exceptions.length === 0) shell.print('No case is open, and none began in the period.');
  else show(shell, {}, exceptions, exceptionColumns, '');
  for (const { amount, count, currency, reason } of uncounted) {
    const money = currency === '' ? '' : `, ${sumText(amount, currency, true)}`;
    shell.print(`Fundings in no sum: ${count}, ${reason}${money}`);
  }
  if (accounts.length > 0) {
    shell.print('');
    show(shell, {}, accounts, accountColumns, '');
  }
  if (since === undefined) return;
  const entries = since.entries.map(({ count, first, kind, last: end }) =>
    first === end ? `${count} ${kind} (${first})` : `${count} ${kind} (${first} to ${end})`,
  );
  shell.print(
    `Since the preparation: ${[`${since.cases} new ${since.cases === 1 ? 'case' : 'cases'}`, ...entries].join(', ')}`,
  );
}
