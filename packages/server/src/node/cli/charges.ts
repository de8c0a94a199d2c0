import {
  type ChargeOperation,
  type ChargeOperationKind,
  chargeOperationSchema,
  type ChargeRecord,
  chargeRecordSchema,
  chargesSchema,
  fromMajorUnits,
  minorUnitDigits,
  type Money,
  MoneyError,
  type ResolutionOutcome,
  toMajorUnits,
  type UnclearOperation,
  unclearOperationsSchema,
} from '@financing-checkout/contract';
import type { Command } from 'commander';
import { CommandFailure, exitCodes } from './exit.ts';
import { keyOf } from './idempotency-key.ts';
import { askOffice, BY_MEANS, writerOf } from './office.ts';
import type { Shell } from './shell.ts';
import { printable } from './table.ts';

interface Options {
  json?: boolean;
  key?: string;
}

interface ResolveOptions {
  done?: boolean;
  notDone?: boolean;
  note?: string;
  by?: string;
  json?: boolean;
}

/** `charges`: reads, settles, refunds and voids charges through a running companion. */
export function registerCharges(program: Command, shell: Shell): void {
  const charges = program
    .command('charges')
    .description(
      'read, settle, refund and void charges, and say what became of what is unclear, through a running companion',
    )
    .addHelpText(
      'after',
      `
Asks the back office at COMPANION_BACK_OFFICE_URL (http://127.0.0.1:4001) with
COMPANION_BACK_OFFICE_TOKEN, or the file COMPANION_BACK_OFFICE_TOKEN_FILE.

Amounts are written with the decimals of the charge's currency, no more and no less: 12.50 for USD,
1250 for JPY. So nobody refunds a hundred times what was meant.

Each write has an Idempotency-Key, shown before it is sent. After exit code 75 run the same command
with --key and that key: it tells what became of it and does nothing twice.

A charge that stays charge-busy: "charges unclear" lists what waits for a person to look.

Examples:
  financing-companion charges list A-1001
  financing-companion charges refund 6f9619ff-8b86-d011-b42d-00c04fc964ff 12.50
  financing-companion charges get 6f9619ff-8b86-d011-b42d-00c04fc964ff --json | jq .left`,
    );

  charges
    .command('get <charge-id>')
    .description('one charge: its state, what is left of it, what was done to it')
    .option('--json', 'print the answer as JSON')
    .action(async (chargeId: string, options: Options) => {
      const charge = await readCharge(shell, chargeId);
      if (options.json) shell.print(JSON.stringify(charge));
      else printCharge(shell, charge);
    });

  charges
    .command('list <merchant-order-id>')
    .description('the charges of an order')
    .option('--json', 'print the answer as JSON')
    .action(async (merchantOrderId: string, options: Options) => {
      const found = await askOffice(shell, {
        method: 'GET',
        path: '/charges',
        query: { merchantOrderId },
        schema: chargesSchema,
      });
      if (options.json) shell.print(JSON.stringify(found));
      else if (found.charges.length === 0) shell.say('This order has no charge.');
      else for (const charge of found.charges) printCharge(shell, charge);
    });

  write('settle <charge-id> [amount]', 'settle an amount, or without one all that is left').action(
    (chargeId: string, amount: string | undefined, options: Options) =>
      operate('settle', chargeId, amount, options),
  );
  write('refund <charge-id> <amount>', 'refund an amount of what is settled').action(
    (chargeId: string, amount: string, options: Options) =>
      operate('refund', chargeId, amount, options),
  );
  write('void <charge-id>', 'void a charge of which nothing is settled').action(
    (chargeId: string, options: Options) => operate('void', chargeId, undefined, options),
  );

  charges
    .command('unclear')
    .description('settles, refunds and voids that wait for a person to say what became of them')
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', `\n${unclearHelp}`)
    .action(async (options: { json?: boolean }) => {
      let count = 0;
      for await (const operation of unclearOperations(shell)) {
        count += 1;
        if (options.json) shell.print(JSON.stringify(operation));
        else for (const line of unclearLines(operation)) shell.print(line);
      }
      if (count === 0) shell.say('No operation waits for a person.');
    });

  charges
    .command('resolve <operation-id>')
    .description('say what became of one of those, and give its charge back')
    .option('--done', 'the service did it, with exactly the amount that is shown')
    .option('--not-done', 'the service did nothing of it')
    .option('--note <text>', 'where you looked and what you saw; it is kept (required)')
    .option('--by <name>', BY_MEANS)
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', `\n${unclearHelp}`)
    .action(async (id: string, { done, notDone, note, by, json }: ResolveOptions) => {
      if ((done === true) === (notDone === true)) {
        throw new CommandFailure('Give either --done or --not-done.', exitCodes.usage);
      }
      if (note === undefined || note.trim() === '') {
        throw new CommandFailure(
          'Give a --note: where you looked and what you saw.',
          exitCodes.usage,
        );
      }
      const operation = await askOffice(shell, {
        method: 'POST',
        path: `/charge-operations/${encodeURIComponent(id)}/resolution`,
        body: {
          outcome: (done ? 'done' : 'not-done') satisfies ResolutionOutcome,
          by: writerOf(shell, by),
          note,
        },
        schema: chargeOperationSchema,
      });
      if (json) shell.print(JSON.stringify(operation));
      else shell.print(operationLine(operation));
    });

  function write(usage: string, description: string): Command {
    return charges
      .command(usage)
      .description(description)
      .option('--key <key>', 'the Idempotency-Key of an earlier run, to hear what became of it')
      .option('--json', 'print the answer as JSON');
  }

  async function operate(
    kind: ChargeOperationKind,
    chargeId: string,
    amount: string | undefined,
    { key: given, json }: Options,
  ): Promise<void> {
    const key = keyOf(given);
    const currency =
      amount === undefined ? '' : (await readCharge(shell, chargeId)).authorized.currency;
    const money = amount === undefined ? undefined : readAmount(amount, currency);
    shell.say(`Idempotency-Key ${key}`);
    const operation = await askOffice(shell, {
      method: 'POST',
      path: `/charges/${encodeURIComponent(chargeId)}/${kind}s`,
      body: money === undefined ? {} : { amount: money.value },
      key,
      schema: chargeOperationSchema,
    });
    if (json) shell.print(JSON.stringify(operation));
    else shell.print(operationLine(operation));
  }
}

function readCharge(shell: Shell, chargeId: string): Promise<ChargeRecord> {
  return askOffice(shell, {
    method: 'GET',
    path: `/charges/${encodeURIComponent(chargeId)}`,
    schema: chargeRecordSchema,
  });
}

const unclearHelp = `The service may have done these, and the companion cannot find out: "charge-moved" means that
a person moved the charge by another amount; "pending", that a settle was requested with its charge
a day ago and the charge does not show it; any other word, that the service gives no answer that helps.
Nothing is lost and nothing is sent. The charge takes no other operation until it is known, and no
settle while one is pending.

What to do:
  1. Look the charge up at the service (its portal or its support), by the charge id and by the
     transaction id (txn_…). The companion's own view: charges get <charge-id>.
  2. The service shows this very transaction, with this amount:  resolve <operation-id> --done
     It shows no such transaction:                               resolve <operation-id> --not-done
     Another amount, by hand, is not this transaction: that is --not-done.
     A settle that is "pending" failed there: --not-done. One that is done ends by itself.
  3. You cannot tell? Do not guess: --done books the money, --not-done lets it be moved again. Leave
     it, and ask the service.

The companion asks the service once more; what that knows holds. The same answer may be given again,
the opposite is refused. After --not-done the old Idempotency-Key sends nothing: look at what is left
(charges get), then refund, settle or void anew if it is still wanted. If the service shows it after all,
it is accepted (found-since), and the log says so.

  financing-companion charges resolve opr_019a… --not-done --note "portal: one refund of 49.00 by Ines, ours is not there"`;

async function* unclearOperations(shell: Shell): AsyncGenerator<UnclearOperation> {
  let after: string | undefined;
  do {
    const page = await askOffice(shell, {
      method: 'GET',
      path: '/charge-operations',
      query: { state: 'unclear', ...(after === undefined ? {} : { after }) },
      schema: unclearOperationsSchema,
    });
    yield* page.operations;
    after = page.next;
  } while (after !== undefined);
}

function unclearLines(operation: UnclearOperation): string[] {
  const { chargeId, id, merchantOrderId } = operation;
  return [
    operationLine(operation),
    printable(`  operation ${id}  charge ${chargeId}  order ${merchantOrderId}`),
  ];
}

/** @throws {CommandFailure} for an amount without exactly the decimals of the currency */
function readAmount(text: string, currency: string): Money {
  const digits = minorUnitDigits(currency);
  const example = toMajorUnits({ value: 1_250, currency });
  if ((text.split('.')[1]?.length ?? 0) !== digits || !/^\d+(?:\.\d+)?$/.test(text)) {
    throw new CommandFailure(
      `An amount of ${currency} is written with ${digits} decimals, such as ${example}.`,
      exitCodes.usage,
    );
  }
  try {
    return fromMajorUnits(text, currency);
  } catch (error) {
    if (!(error instanceof MoneyError)) throw error;
    throw new CommandFailure(error.message, exitCodes.usage);
  }
}

const written = (money: Money) => `${toMajorUnits(money)} ${money.currency}`;

function printCharge(shell: Shell, charge: ChargeRecord): void {
  const rows: [string, string][] = [
    ['charge', charge.id],
    ['order', charge.merchantOrderId],
    ['state', charge.state],
    ['authorized', written(charge.authorized)],
    ['settled', written(charge.settled)],
    ['refunded', written(charge.refunded)],
    ['left to settle', written(charge.left.toSettle)],
    ['left to refund', written(charge.left.toRefund)],
  ];
  for (const [name, value] of rows) shell.print(`${name.padEnd(16)}${printable(value)}`);
  for (const operation of charge.operations) shell.print(`  ${operationLine(operation)}`);
}

function operationLine(operation: ChargeOperation): string {
  const { amount, createdAt, kind, merchantTransactionId, reason, state } = operation;
  const money = amount === undefined ? '' : ` ${written(amount)}`;
  const why = reason === undefined ? '' : ` (${reason})`;
  return printable(`${createdAt}  ${kind}${money}  ${state}${why}  ${merchantTransactionId}`);
}
