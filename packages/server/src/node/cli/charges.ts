import {
  type ChargeOperation,
  type ChargeOperationKind,
  chargeOperationSchema,
  type ChargeRecord,
  chargeRecordSchema,
  chargesSchema,
  type ResolutionOutcome,
  type UnclearOperation,
  unclearOperationsSchema,
} from '@financing-checkout/contract/back-office';
import {
  fromMajorUnits,
  minorUnitDigits,
  type Money,
  MoneyError,
  toMajorUnits,
} from '@financing-checkout/contract/money';
import {
  addCommand,
  addGroup,
  announceKey,
  CommandFailure,
  flag,
  printAnswer,
  printEach,
  readPages,
  type Register,
  shared,
  type Shell,
  value,
} from '@financing-checkout/kit/cli';
import { actingPerson, askOffice, officeHelp, ofPeriod, period } from './office.ts';

/**
 * Registers `charges`, which reads, settles, refunds and voids charges through a running companion.
 */
export const registerCharges: Register<Shell> = (program, shell) => {
  const charges = addGroup(
    program,
    'charges',
    'read, settle, refund and void charges, and resolve unclear operations, through a running companion',
    `${officeHelp}

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

  const get = {
    usage: 'get <charge-id>',
    description: 'show a charge: its state, remaining amounts and operations',
    options: { json: shared.json() },
  };
  addCommand(charges, get, async ({ json }, chargeId: string) => {
    printAnswer(shell, json, await readCharge(shell, chargeId), chargeLines);
  });

  const list = {
    usage: 'list <merchant-order-id>',
    description: 'show the charges of an order',
    options: { json: shared.json() },
  };
  addCommand(charges, list, async ({ json }, merchantOrderId: string) => {
    const found = await askOffice(shell, {
      method: 'GET',
      path: '/charges',
      query: { merchantOrderId },
      schema: chargesSchema,
    });
    if (!json && found.charges.length === 0) shell.say('This order has no charge.');
    printAnswer(shell, json, found, (all) => all.charges.flatMap(chargeLines));
  });

  addWrite('settle', '<charge-id> [amount]', 'settle an amount, by default all that is left');
  addWrite('refund', '<charge-id> <amount>', 'refund an amount that is settled');
  addWrite('void', '<charge-id>', 'void a charge without settled amounts');

  const unclear = {
    usage: 'unclear',
    description: 'list settles, refunds and voids that wait for a person to resolve them',
    options: { ...period, json: shared.jsonLines() },
    help: unclearHelp,
  };
  addCommand(charges, unclear, async ({ json, ...created }) => {
    const nothing = `No operation${ofPeriod(created)} waits for a person.`;
    await printEach(shell, json, unclearOperations(shell, created), unclearLines, nothing);
  });

  const resolve = {
    usage: 'resolve <operation-id>',
    description: 'resolve an unclear operation, and release its charge',
    options: {
      done: flag('the service did it, with exactly the shown amount'),
      notDone: flag('the service did nothing of it'),
      note: value(
        '<text>',
        'where you looked and what you saw; stored with the operation (required)',
      ),
      by: shared.by('COMPANION_USER'),
      json: shared.json(),
    },
    help: unclearHelp,
  };
  addCommand(charges, resolve, async ({ done, notDone, note, by, json }, id: string) => {
    if ((done === true) === (notDone === true)) {
      throw new CommandFailure('Give either --done or --not-done.');
    }
    if (note === undefined || note.trim() === '') {
      throw new CommandFailure('Give a --note: where you looked and what you saw.');
    }
    const outcome: ResolutionOutcome = done ? 'done' : 'not-done';
    const operation = await askOffice(shell, {
      method: 'POST',
      path: `/charge-operations/${encodeURIComponent(id)}/resolution`,
      body: { outcome, by: actingPerson(shell, by), note },
      schema: chargeOperationSchema,
    });
    printAnswer(shell, json, operation, (one) => [operationLine(one)]);
  });

  function addWrite(kind: ChargeOperationKind, usage: string, description: string): void {
    const write = {
      usage: `${kind} ${usage}`,
      description,
      options: {
        currency: shared.currency(
          'that of a charge whose order the companion does not know: the service states none',
        ),
        key: shared.key(),
        json: shared.json(),
      },
    };
    addCommand(
      charges,
      write,
      async ({ currency, key: given, json }, chargeId: string, typed: string | undefined) => {
        const amount =
          typed === undefined ? undefined : await readMoney(shell, chargeId, typed, currency);
        const operation = await askOffice(shell, {
          method: 'POST',
          path: `/charges/${encodeURIComponent(chargeId)}/${kind}s`,
          body: kind === 'void' ? {} : { amount: amount?.value, currency },
          key: announceKey(shell, given),
          schema: chargeOperationSchema,
        });
        printAnswer(shell, json, operation, (one) => [operationLine(one)]);
      },
    );
  }
};

function readCharge(shell: Shell, chargeId: string, currency?: string): Promise<ChargeRecord> {
  return askOffice(shell, {
    method: 'GET',
    path: `/charges/${encodeURIComponent(chargeId)}`,
    query: { currency },
    schema: chargeRecordSchema,
  });
}

/** Reads an amount in the currency of a charge. @param stated the value of `--currency` */
async function readMoney(
  shell: Shell,
  chargeId: string,
  typed: string,
  stated: string | undefined,
): Promise<Money> {
  const charge = await readCharge(shell, chargeId, stated);
  if (charge.currencyAssumed === true && stated === undefined) {
    throw new CommandFailure(
      'The currency of this charge is not known: give --currency. Nothing was sent.',
    );
  }
  return readAmount(typed, charge.authorized.currency);
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

function unclearOperations(
  shell: Shell,
  created: { from?: string | undefined; to?: string | undefined },
): AsyncGenerator<UnclearOperation> {
  return readPages(async (after) => {
    const page = await askOffice(shell, {
      method: 'GET',
      path: '/charge-operations',
      query: { state: 'unclear', ...created, after },
      schema: unclearOperationsSchema,
    });
    return { rows: page.operations, next: page.next };
  });
}

function unclearLines(operation: UnclearOperation): string[] {
  const { chargeId, id, merchantOrderId } = operation;
  return [
    operationLine(operation),
    `  operation ${id}  charge ${chargeId}  order ${merchantOrderId}`,
  ];
}

/**
 * @throws {CommandFailure} for an amount that does not have exactly the currency's number of
 * decimals
 */
function readAmount(text: string, currency: string): Money {
  const digits = minorUnitDigits(currency);
  const example = toMajorUnits({ value: 1_250, currency });
  if ((text.split('.')[1]?.length ?? 0) !== digits || !/^\d+(?:\.\d+)?$/.test(text)) {
    throw new CommandFailure(
      `An amount in ${currency} needs ${digits} decimals, such as ${example}.`,
    );
  }
  try {
    return fromMajorUnits(text, currency);
  } catch (error) {
    if (!(error instanceof MoneyError)) throw error;
    throw new CommandFailure(error.message);
  }
}

const formatMoney = (money: Money) => `${toMajorUnits(money)} ${money.currency}`;

function chargeLines(charge: ChargeRecord): string[] {
  const rows: [string, string][] = [
    ['charge', charge.id],
    ['order', charge.merchantOrderId],
    ['state', charge.state],
    ['authorized', formatMoney(charge.authorized)],
    ['settled', formatMoney(charge.settled)],
    ['refunded', formatMoney(charge.refunded)],
    ['left to settle', formatMoney(charge.left.toSettle)],
    ['left to refund', formatMoney(charge.left.toRefund)],
  ];
  if (charge.currencyAssumed) rows.splice(4, 0, ['currency', 'assumed: the service states none']);
  return [
    ...rows.map(([name, text]) => `${name.padEnd(16)}${text}`),
    ...charge.operations.map((operation) => `  ${operationLine(operation)}`),
  ];
}

function operationLine(operation: ChargeOperation): string {
  const { amount, createdAt, kind, merchantTransactionId, reason, state } = operation;
  const money = amount === undefined ? '' : ` ${formatMoney(amount)}`;
  const why = reason === undefined ? '' : ` (${reason})`;
  return `${createdAt}  ${kind}${money}  ${state}${why}  ${merchantTransactionId}`;
}
