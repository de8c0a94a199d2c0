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
import { askOffice, BY_HELP, actingPerson } from './office.ts';
import type { Shell } from './shell.ts';
import { printable } from './table.ts';

interface Options {
  currency?: string;
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

/** Registers `charges`, which reads, settles, refunds and voids charges through a running companion. */
export function registerCharges(program: Command, shell: Shell): void {
  const charges = program
    .command('charges')
    .description(
      'read, settle, refund and void charges, and resolve unclear operations, through a running companion',
    )
    .addHelpText(
      'after',
      `
Asks the back office at COMPANION_BACK_OFFICE_URL (http://127.0.0.1:4001) with
COMPANION_BACK_OFFICE_TOKEN, or the file COMPANION_BACK_OFFICE_TOKEN_FILE.

Amounts need exactly the decimals of the charge's currency: 12.50 for USD, 1250 for JPY. This prevents
a refund of a hundred times the intended amount.

Each write has an Idempotency-Key, shown before it is sent. After exit code 75 run the same command
with --key and that key: it reports the outcome and does nothing twice.

If a charge stays charge-busy, "charges unclear" lists the operations that wait for a person.

Examples:
  financing-companion charges list A-1001
  financing-companion charges refund 6f9619ff-8b86-d011-b42d-00c04fc964ff 12.50
  financing-companion charges get 6f9619ff-8b86-d011-b42d-00c04fc964ff --json | jq .left`,
    );

  charges
    .command('get <charge-id>')
    .description('show a charge: its state, remaining amounts and operations')
    .option('--json', 'print the answer as JSON')
    .action(async (chargeId: string, options: Options) => {
      const charge = await readCharge(shell, chargeId);
      if (options.json) shell.print(JSON.stringify(charge));
      else printCharge(shell, charge);
    });

  charges
    .command('list <merchant-order-id>')
    .description('show the charges of an order')
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

  write('settle <charge-id> [amount]', 'settle an amount, by default all that is left').action(
    (chargeId: string, amount: string | undefined, options: Options) =>
      operate('settle', chargeId, amount, options),
  );
  write('refund <charge-id> <amount>', 'refund an amount that is settled').action(
    (chargeId: string, amount: string, options: Options) =>
      operate('refund', chargeId, amount, options),
  );
  write('void <charge-id>', 'void a charge without settled amounts').action(
    (chargeId: string, options: Options) => operate('void', chargeId, undefined, options),
  );

  charges
    .command('unclear')
    .description('list settles, refunds and voids that wait for a person to resolve them')
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
    .description('resolve an unclear operation, and release its charge')
    .option('--done', 'the service did it, with exactly the shown amount')
    .option('--not-done', 'the service did nothing of it')
    .option(
      '--note <text>',
      'where you looked and what you saw; stored with the operation (required)',
    )
    .option('--by <name>', BY_HELP)
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
          by: actingPerson(shell, by),
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
      .option(
        '--currency <code>',
        'the currency of a charge whose order the companion does not know: the service states none',
      )
      .option('--key <key>', 'the Idempotency-Key of an earlier run, to get its outcome')
      .option('--json', 'print the answer as JSON');
  }

  async function operate(
    kind: ChargeOperationKind,
    chargeId: string,
    amount: string | undefined,
    { currency: stated, key: given, json }: Options,
  ): Promise<void> {
    const key = keyOf(given);
    let money: Money | undefined;
    if (amount !== undefined) {
      const charge = await readCharge(shell, chargeId, stated);
      if (charge.currencyAssumed === true && stated === undefined) {
        throw new CommandFailure(
          'The currency of this charge is not known: give --currency. Nothing was sent.',
          exitCodes.usage,
        );
      }
      money = readAmount(amount, charge.authorized.currency);
    }
    shell.say(`Idempotency-Key ${key}`);
    const operation = await askOffice(shell, {
      method: 'POST',
      path: `/charges/${encodeURIComponent(chargeId)}/${kind}s`,
      body: kind === 'void' ? {} : { amount: money?.value, currency: stated },
      key,
      schema: chargeOperationSchema,
    });
    if (json) shell.print(JSON.stringify(operation));
    else shell.print(operationLine(operation));
  }
}

function readCharge(shell: Shell, chargeId: string, currency?: string): Promise<ChargeRecord> {
  return askOffice(shell, {
    method: 'GET',
    path: `/charges/${encodeURIComponent(chargeId)}`,
    query: currency === undefined ? {} : { currency },
    schema: chargeRecordSchema,
  });
}

const unclearHelp = `The service may have done these operations, and the companion cannot find out. "charge-moved": a person
changed the charge by another amount. "pending": a settle was requested with its charge a day ago,
and the charge does not show it. Any other reason: the service gives no usable answer.
Nothing is lost and nothing is sent. The charge takes no other operation until this one is resolved,
and no settle while one is pending.

What to do:
  1. Look the charge up at the service (its portal or its support), by the charge id and by the
     transaction id (txn_…). The companion's own view: charges get <charge-id>.
  2. The service shows this very transaction, with this amount:  resolve <operation-id> --done
     It shows no such transaction:                               resolve <operation-id> --not-done
     A manual change by another amount is not this transaction: --not-done.
     A "pending" settle failed at the service: --not-done. A settle that succeeds resolves itself.
  3. If you are not sure, do not guess: --done books the money, --not-done lets it be moved again. Leave
     the operation open, and ask the service.

The companion asks the service once more, and an answer of the service wins. You may repeat the same
outcome; the opposite is refused. After --not-done the old Idempotency-Key sends nothing: check the
remaining amounts (charges get), then refund, settle or void again if it is still needed. If the service
shows the operation later, it becomes accepted (found-since), and the log reports it.

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
      `An amount in ${currency} needs ${digits} decimals, such as ${example}.`,
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

const formatMoney = (money: Money) => `${toMajorUnits(money)} ${money.currency}`;

function printCharge(shell: Shell, charge: ChargeRecord): void {
  const rows: [string, string][] = [
    ['charge', charge.id],
    ['order', charge.merchantOrderId],
    ['state', charge.state],
    ['authorized', formatMoney(charge.authorized)],
    ...(charge.currencyAssumed === true
      ? [['currency', 'assumed: the service states none'] satisfies [string, string]]
      : []),
    ['settled', formatMoney(charge.settled)],
    ['refunded', formatMoney(charge.refunded)],
    ['left to settle', formatMoney(charge.left.toSettle)],
    ['left to refund', formatMoney(charge.left.toRefund)],
  ];
  for (const [name, value] of rows) shell.print(`${name.padEnd(16)}${printable(value)}`);
  for (const operation of charge.operations) shell.print(`  ${operationLine(operation)}`);
}

function operationLine(operation: ChargeOperation): string {
  const { amount, createdAt, kind, merchantTransactionId, reason, state } = operation;
  const money = amount === undefined ? '' : ` ${formatMoney(amount)}`;
  const why = reason === undefined ? '' : ` (${reason})`;
  return printable(`${createdAt}  ${kind}${money}  ${state}${why}  ${merchantTransactionId}`);
}
