import {
  acceptableChecks,
  type Adjustment,
  adjustmentsSchema,
  type CloseCheckRecord,
  periodDetailSchema,
  type PeriodDetail,
  type PeriodOrders,
  periodOrdersSchema,
  type PeriodRecord,
  periodsSchema,
  type Seal,
  sealVerificationSchema,
  walkAmounts,
  type WalkStatement,
  withdrawableRequests,
} from '@financing-checkout/contract';
import {
  addCommand,
  addGroup,
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
import { periodsQuery } from '../http/queries.ts';
import { written } from '../queries/reasons.ts';
import { ask, get, readBytes, writerOf } from './ask.ts';
import { exits } from './exits.ts';
import { by, currency, lender, limit, output } from './options.ts';
import { Finding, queryOf } from './outcome.ts';
import { writeFileWhole } from './output.ts';
import type { Shell } from './shell.ts';
import { moneyColumn, show } from './tables.ts';

const pathOf = (id: string, rest = '') => `/periods/${encodeURIComponent(id)}${rest}`;

/** Registers `periods`: closing a month, and what has changed since. */
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

  const list = {
    usage: 'list',
    description: 'periods, newest first',
    options: {
      from: shared.from('periods that end on this day or later', periodsQuery.shape.from),
      to: shared.to('periods that begin on this day or earlier', periodsQuery.shape.to),
      limit,
      json: shared.json(),
    },
  };
  addCommand(periods, list, async (options) => {
    const query = queryOf(options, ['from', 'to']);
    const found = await get(shell, '/periods', periodsSchema, query);
    if (options.json) shell.print(JSON.stringify(found));
    else
      show(
        shell,
        {},
        found.periods.slice(0, options.limit),
        periodColumns,
        'There is no data yet.',
      );
    shell.say(
      found.open === undefined
        ? 'No period with data has ended: import the ledger files of the month, and sync its days.'
        : `The period to close next is ${found.open}.`,
    );
  });

  const read = {
    usage: 'show <period>',
    description: 'statements of a period, and what its close still needs',
    options: { json: shared.json() },
  };
  addCommand(periods, read, async ({ json }, id: string) => {
    const found = await get(shell, pathOf(id), periodDetailSchema);
    if (json) shell.print(JSON.stringify(found));
    else printPeriod(shell, found);
    const open = found.checks.filter(({ state }) => state === 'blocked');
    if (open.length > 0) {
      throw new Finding(
        `Not done: ${open.map(({ check }) => check).join(', ')}.`,
        exits.incomplete,
      );
    }
  });

  const adjustments = {
    usage: 'adjustments <period>',
    description: 'changes to closed periods that count in this one',
    options: { limit, json: shared.json() },
  };
  addCommand(periods, adjustments, async (options, id: string) => {
    const query = { limit: String(options.limit) };
    const found = await get(shell, pathOf(id, '/adjustments'), adjustmentsSchema, query);
    if (options.json) shell.print(JSON.stringify(found));
    else show(shell, {}, found.adjustments, adjustmentColumns, 'No closed period has changed.');
    const left = found.count - found.adjustments.length;
    if (left > 0) shell.say(`${left} more: set --limit.`);
  });

  const orders = {
    usage: 'orders <period>',
    description: 'the orders that make up an amount of the period, as sealed or of now',
    options: {
      step: required(choice('<step>', walkAmounts, 'amount of the walk, such as discount')),
      currency,
      lender,
      limit,
      json: shared.json(),
    },
  };
  addCommand(periods, orders, async (options, id: string) => {
    const query = queryOf(options, ['step', 'currency', 'lender', 'limit']);
    const found = await get(shell, pathOf(id, '/orders'), periodOrdersSchema, query);
    if (options.json) shell.print(JSON.stringify(found));
    else {
      show(shell, {}, found.orders, orderColumns, 'No order has such an amount.');
      for (const { amount, currency: of } of found.sums) {
        shell.print(`${written(amount, of)} in all`);
      }
    }
    const left = found.count - found.orders.length;
    if (left > 0) shell.say(`${left} more: set --limit.`);
  });

  const accept = {
    usage: 'accept <period> <check> <reason>',
    description: `accept what a check found: ${acceptableChecks.join(', ')}`,
    options: { by, seen: required(seenOf('DIGEST of the check')), json: shared.json() },
  };
  addCommand(periods, accept, async (options, id: string, check: string, reason: string) => {
    const { checks } = await get(shell, pathOf(id), periodDetailSchema);
    const found = checks.find((one) => one.check === check);
    const digest = seenDigest(options.seen, found?.digest, check);
    await write(id, 'acceptance', options, { check, digest, reason });
  });

  for (const [verb, description] of [
    ['prepare', 'prepare the close of a period for approval'],
    ['close', 'approve and close a prepared period'],
  ] as const) {
    const seen = seenOf('digest of the statements');
    const options = { by, seen, json: shared.json() };
    addCommand(periods, { usage: `${verb} <period>`, description, options }, async (given, id) => {
      const { statementsHash } = await get(shell, pathOf(id), periodDetailSchema);
      const statements = seenDigest(given.seen ?? '', statementsHash, 'the statements');
      if (verb === 'close') shell.say('Judging all orders and sealing the period …');
      await write(id, verb === 'prepare' ? 'preparation' : 'close', given, { statements });
    });
  }

  const reopen = {
    usage: 'reopen <period> [reason]',
    description: 'reopen the last closed period; the second person gives no reason',
    options: { by, json: shared.json() },
  };
  addCommand(periods, reopen, async (options, id: string, reason: string | undefined) => {
    const { period } = await get(shell, pathOf(id), periodDetailSchema);
    const request = reason === undefined ? period.reopening?.request : undefined;
    await write(id, 'reopening', options, { reason, request });
  });

  const withdraw = {
    usage: 'withdraw <period> <request>',
    description: 'withdraw a request for a second person',
    words: [{ text: 'the period' }, { text: 'what was requested', choices: withdrawableRequests }],
    options: { by, json: shared.json() },
  };
  addCommand(periods, withdraw, async (options, id: string, of: string) => {
    await write(id, 'withdrawal', options, { of });
  });

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
  addCommand(periods, seal, async (options, id: string) => {
    const type = options.part === 'flows' ? 'application/vnd.apache.parquet' : 'application/json';
    const asked = { path: pathOf(id, '/seal'), query: { part: options.part }, type };
    await writeFileWhole(options.output, readBytes(shell, asked));
    const { period } = await get(shell, pathOf(id), periodDetailSchema);
    shell.say(`SHA-256 of the seal: ${period.seal?.hash ?? ''}`);
  });

  const verify = {
    usage: 'verify',
    description: 'compute all seals again from what the record store has',
    options: { json: shared.json() },
  };
  addCommand(periods, verify, async ({ json }) => {
    const found = await get(shell, '/periods/verification', sealVerificationSchema);
    if (json) shell.print(JSON.stringify(found));
    for (const { period, hash, checked, bytes, problems } of found.seals) {
      const state =
        problems.length === 0
          ? `intact  ${checked} contents, ${bytes} bytes`
          : problems.map(({ message }) => message).join('; ');
      if (!json) shell.print(printable(`${period}  ${hash}  ${state}`));
    }
    if (found.trail !== undefined) shell.print(`The trail of actions: ${found.trail}`);
    if (!found.isIntact)
      throw new CommandFailure(
        'A seal or the trail is broken: restore a backup of the record store.',
      );
    if (found.seals.length === 0) shell.say('No period is closed.');
  });

  async function write(
    id: string,
    action: string,
    options: { by?: string | undefined; json?: boolean | undefined },
    body: object,
  ): Promise<void> {
    const found = await ask(shell, {
      method: 'POST',
      path: pathOf(id, `/${action}`),
      body: { by: await writerOf(shell, options.by), ...body },
      schema: periodDetailSchema,
    });
    if (options.json) shell.print(JSON.stringify(found));
    else printPeriod(shell, found);
  }
};

/** Number of characters of a digest that are shown, and that name it. */
const SHOWN = 12;

const seenOf = (what: string) =>
  value(
    '<digest>',
    `${what} in "periods show", which you have looked at`,
    z.string().regex(/^[0-9a-f]{12,64}$/, 'must be 12 to 64 hexadecimal digits'),
  );

/** @throws {CommandFailure} if it is not the one that the person has seen */
function seenDigest(seen: string, digest: string | undefined, what: string): string | undefined {
  if (digest === undefined || digest.startsWith(seen)) return digest;
  throw new CommandFailure(
    `${what}: the digest is ${digest.slice(0, SHOWN)} now. Look at "periods show" again.`,
  );
}

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

/** Number of examples that fit beside the other columns. */
const EXAMPLES = 3;

function examplesText(examples: readonly string[], count: number): string {
  const shown = examples.slice(0, EXAMPLES);
  const left = count - shown.length;
  return left > 0 && shown.length > 0 ? `${shown.join(', ')} and ${left} more` : shown.join(', ');
}

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
    cell: ({ accepted, count, examples, failure }) =>
      accepted === undefined
        ? (failure?.message ?? examplesText(examples, count))
        : `${accepted.by}: ${accepted.reason}`,
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

const orderColumns: TableColumn<PeriodOrders['orders'][number]>[] = [
  { head: 'ORDER', cell: ({ merchantOrderId, orderKey }) => merchantOrderId ?? orderKey },
  { head: 'LENDER', cell: ({ lender }) => lender },
  moneyColumn('AMOUNT', ({ amount }) => amount),
];

const adjustmentColumns: TableColumn<Adjustment>[] = [
  { head: 'BELONGS TO', cell: ({ belongsTo }) => belongsTo || '(before)' },
  { head: 'ORDER', cell: ({ merchantOrderId, orderKey }) => merchantOrderId ?? orderKey },
  { head: 'LENDER', cell: ({ lender }) => lender },
  moneyColumn('EXPECTED', ({ amounts }) => amounts.expected),
  moneyColumn('IN TRANSIT', ({ inTransit }) => inTransit),
  moneyColumn('NET', ({ amounts }) => amounts.net),
  { head: 'REASON', cell: ({ reason }) => reason },
];

function printPeriod(shell: Shell, found: PeriodDetail): void {
  show(shell, {}, [found.period], periodColumns, '');
  if (found.checks.length > 0) {
    shell.print('');
    show(shell, {}, found.checks, checkColumns, '');
  }
  shell.print('');
  show(shell, {}, found.statements, statementColumns, 'Nothing has moved.');
  if (found.period.state !== 'closed') {
    shell.print(`Digest of the statements: ${found.statementsHash.slice(0, SHOWN)}`);
  }
  for (const { belongsTo, count: adjusted } of found.adjustments) {
    shell.say(
      `${adjusted} ${adjusted === 1 ? 'order' : 'orders'} of ${belongsTo || 'before the first period'} changed after the close: "periods adjustments ${found.period.id}".`,
    );
  }
  const { id, state, prepared, reopening, seal } = found.period;
  if (state === 'closed' && seal !== undefined) shell.say(`SHA-256 of the seal: ${seal.hash}`);
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
