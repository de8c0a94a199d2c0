import { Argument, Option, type Command } from 'commander';
import { delayedTypes, transactionEnds, transactionOutcomes } from '../charges/forced.ts';
import { environmentNames } from '../environments/environment.ts';
import { callControl, controlUrlOption, jsonOption, say, type ControlOptions } from './control.ts';
import { whole } from './options.ts';

interface SetOptions extends ControlOptions {
  next?: number;
  environment?: string;
  after?: string;
}

/** `financing-sandbox transaction` */
export function addTransaction(program: Command): void {
  const transaction = program
    .command('transaction')
    .description('Let settles, refunds and voids be pending and end later, or fail at once.');
  addSet(transaction);
  transaction
    .command('list')
    .description('What is set.')
    .addOption(controlUrlOption())
    .addOption(jsonOption())
    .action(async (options: ControlOptions) => {
      const answer = await callControl(options.controlUrl, '/transaction-outcomes');
      const { outcomes } = answer as { outcomes: SetOutcome[] };
      const lines = outcomes.map(describe);
      say(options, outcomes, lines.length > 0 ? lines : ['Nothing is set.']);
    });
  transaction
    .command('clear')
    .description('Take back all that is set: the next ones are completed at once.')
    .addOption(controlUrlOption())
    .addOption(jsonOption())
    .action(async (options: ControlOptions) => {
      const path = '/transaction-outcomes';
      const answer = await callControl(options.controlUrl, path, undefined, 'DELETE');
      say(options, answer, [`${(answer as { cleared: number }).cleared} cleared`]);
    });
  transaction
    .command('resolve')
    .description('End a pending one now, without moving the clock.')
    .argument('<transactionId>', 'as the settle, refund or void answered it')
    .addArgument(new Argument('<end>', 'how it ends').choices(transactionEnds))
    .addOption(controlUrlOption())
    .addOption(jsonOption())
    .action(async (transactionId: string, end: string, options: ControlOptions) => {
      const body = { transactionId, end };
      const answer = await callControl(options.controlUrl, '/transaction-outcomes/resolve', body);
      say(options, answer, [`${transactionId} is ${(answer as { state: string }).state}`]);
    });
}

function addSet(transaction: Command): void {
  transaction
    .command('set')
    .description('Let the next ones be pending, or fail.')
    .addArgument(new Argument('<outcome>', 'how they end').choices(transactionOutcomes))
    .addArgument(new Argument('<type>', 'of what').choices(delayedTypes))
    .option('--next <n>', 'the next n of them (1)', whole)
    .addOption(
      new Option('--environment <name>', 'only this environment').choices(environmentNames),
    )
    .option('--after <duration>', 'how long they are pending on the sandbox clock (1h)')
    .addOption(controlUrlOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
While one is pending, its charge takes no other settle, refund or void. One that fails, at once or
later, has moved no money: the charge is as it was before. A settle or refund that is completed is
funded from then on.

Examples:
  financing-sandbox transaction set pending-fail Refund --after 10m
  financing-sandbox transaction set fail Void
  financing-sandbox transaction resolve 6c8b… completed`,
    )
    .action(async (outcome: string, type: string, options: SetOptions) => {
      const { controlUrl, json, ...more } = options;
      const body = { outcome, type, ...more };
      const answer = await callControl(controlUrl, '/transaction-outcomes', body);
      say({ controlUrl, ...(json ? { json } : {}) }, answer, [describe(answer as SetOutcome)]);
    });
}

interface SetOutcome {
  outcome: string;
  type: string;
  next: number;
  environment: string | null;
}

function describe({ outcome, type, next, environment }: SetOutcome): string {
  return `${outcome} for the next ${next} ${type}${environment === null ? '' : ` of ${environment}`}`;
}
