import { Argument, Option, type Command } from 'commander';
import { decisions } from '../checkout/outcomes.ts';
import { environmentNames } from '../environments/environment.ts';
import { addControlCommand, callControl, clear, print, type ControlOptions } from './control.ts';
import { whole } from './options.ts';

interface SetOptions extends ControlOptions {
  application?: string;
  next?: number;
  environment?: string;
  after?: string;
  stage?: string;
}

/** `financing-sandbox outcome` */
export function addOutcome(program: Command): void {
  const outcome = program
    .command('outcome')
    .description('Force decisions of the lenders. They override the last name on the application.');
  addSet(outcome);
  const clearing = 'Remove all forced outcomes: the last name decides again.';
  addListAndClear(outcome, '/outcomes', clearing);
  addControlCommand(
    outcome,
    'resolve',
    'Decide a pending application now, without moving the clock.',
  )
    .argument('<applicationId>', 'id from the answer of prime')
    .addArgument(new Argument('<decision>', 'decision').choices(['approved', 'declined']))
    .action(async (applicationId: string, decision: string, options: ControlOptions) => {
      const body = { applicationId, decision };
      const answer = await callControl(options.controlUrl, '/outcomes/resolve', body);
      print(options, answer, [`${applicationId} is ${(answer as { status: string }).status}`]);
    });
}

function addSet(outcome: Command): void {
  addControlCommand(outcome, 'set', 'Decide the next applications, or a certain one.')
    .addArgument(new Argument('<outcome>', 'decision of the lenders').choices(decisions))
    .option('--application <id>', 'this application, still undecided')
    .option('--next <n>', 'the next n applications (1)', whole)
    .addOption(
      new Option('--environment <name>', 'only this environment').choices(environmentNames),
    )
    .option('--after <duration>', 'pending: how long it takes on the sandbox clock (1h)')
    .addOption(
      new Option(
        '--stage <stage>',
        'pending: after an offer is confirmed (the default), or before there are offers',
      ).choices(['confirmation', 'application']),
    )
    .addHelpText(
      'after',
      `
Examples:
  financing-sandbox outcome set decline
  financing-sandbox outcome set pending-approve --after 10m
      the shopper confirms an offer and waits; ten minutes later the lender approves it, and the
      notification application.checkout-confirmed delivers the confirmation token
  financing-sandbox outcome set expire --next 3
  financing-sandbox outcome resolve 6c8b… approved`,
    )
    .action(async (name: string, options: SetOptions) => {
      const { controlUrl, application, next, environment, after, stage } = options;
      const body = { outcome: name, applicationId: application, next, environment, after, stage };
      const answer = await callControl(controlUrl, '/outcomes', body);
      print(options, answer, [describeOutcome(answer as SetOutcome)]);
    });
}

/** Adds `list` and `clear` of the forced outcomes that the control API has at `path`. */
export function addListAndClear(parent: Command, path: string, clearing: string): void {
  addControlCommand(parent, 'list', 'Show the forced outcomes.').action(
    async (options: ControlOptions) => {
      const answer = await callControl(options.controlUrl, path);
      const { outcomes } = answer as { outcomes: SetOutcome[] };
      const lines = outcomes.map(describeOutcome);
      print(options, outcomes, lines.length > 0 ? lines : ['No outcomes are set.']);
    },
  );
  addControlCommand(parent, 'clear', clearing).action((options: ControlOptions) =>
    clear(options, path),
  );
}

/** A forced outcome of applications, or of transactions of a type. */
export interface SetOutcome {
  outcome: string;
  next?: number;
  type?: string;
  applicationId?: string;
  environment: string | null;
  stage?: string;
}

export function describeOutcome(outcome: SetOutcome): string {
  const { next = 1, type, applicationId, environment, stage } = outcome;
  const which = [`the next ${next}`, type, environment && `of ${environment}`].filter(Boolean);
  const target = applicationId === undefined ? which.join(' ') : `application ${applicationId}`;
  return `${outcome.outcome}${stage === undefined ? '' : ` (${stage})`} for ${target}`;
}
