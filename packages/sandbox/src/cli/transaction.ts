import { Argument, Option, type Command } from 'commander';
import { delayedTypes, transactionEnds, transactionOutcomes } from '../charges/forced.ts';
import { environmentNames } from '../environments/environment.ts';
import { addControlCommand, callControl, print, type ControlOptions } from './control.ts';
import { whole } from './options.ts';
import { addListAndClear, describeOutcome, type SetOutcome } from './outcome.ts';

interface SetOptions extends ControlOptions {
  next?: number;
  environment?: string;
  after?: string;
}

/** `financing-sandbox transaction` */
export function addTransaction(program: Command): void {
  const transaction = program
    .command('transaction')
    .description('Make settles, refunds and voids pend and end later, or fail at once.');
  addSet(transaction);
  const clearing = 'Remove all forced outcomes: the next transactions complete at once.';
  addListAndClear(transaction, '/transaction-outcomes', clearing);
  addControlCommand(
    transaction,
    'resolve',
    'End a pending transaction now, without moving the clock.',
  )
    .argument('<transactionId>', 'id from the answer of the settle, refund or void')
    .addArgument(new Argument('<end>', 'final state').choices(transactionEnds))
    .action(async (transactionId: string, end: string, options: ControlOptions) => {
      const body = { transactionId, end };
      const answer = await callControl(options.controlUrl, '/transaction-outcomes/resolve', body);
      print(options, answer, [`${transactionId} is ${(answer as { state: string }).state}`]);
    });
}

function addSet(transaction: Command): void {
  addControlCommand(transaction, 'set', 'Make the next transactions pend, or fail.')
    .addArgument(new Argument('<outcome>', 'outcome').choices(transactionOutcomes))
    .addArgument(new Argument('<type>', 'type of the transactions').choices(delayedTypes))
    .option('--next <n>', 'the next n of them (1)', whole)
    .addOption(
      new Option('--environment <name>', 'only this environment').choices(environmentNames),
    )
    .option('--after <duration>', 'how long they are pending on the sandbox clock (1h)')
    .addHelpText(
      'after',
      `
While a transaction is pending, its charge takes no other settle, refund or void. A transaction that
fails, at once or later, moves no money and leaves the charge unchanged. A completed settle or refund
is funded from then on.

Examples:
  financing-sandbox transaction set pending-fail Refund --after 10m
  financing-sandbox transaction set fail Void
  financing-sandbox transaction resolve 6c8b… completed`,
    )
    .action(async (outcome: string, type: string, options: SetOptions) => {
      const { controlUrl, next, environment, after } = options;
      const body = { outcome, type, next, environment, after };
      const answer = await callControl(controlUrl, '/transaction-outcomes', body);
      print(options, answer, [describeOutcome(answer as SetOutcome)]);
    });
}
