import { Argument, Option, type Command } from 'commander';
import { decisions } from '../checkout/outcomes.ts';
import { environmentNames } from '../environments/environment.ts';
import { callControl, controlUrlOption, jsonOption, say, type ControlOptions } from './control.ts';
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
    .description('Say what the lenders decide. It goes before the last name on the application.');
  addSet(outcome);
  outcome
    .command('list')
    .description('The outcomes that are set.')
    .addOption(controlUrlOption())
    .addOption(jsonOption())
    .action(async (options: ControlOptions) => {
      const answer = await callControl(options.controlUrl, '/outcomes');
      const { outcomes } = answer as { outcomes: SetOutcome[] };
      const lines = outcomes.map(describe);
      say(options, outcomes, lines.length > 0 ? lines : ['No outcomes are set.']);
    });
  outcome
    .command('clear')
    .description('Take back all that is set: the last name decides again.')
    .addOption(controlUrlOption())
    .addOption(jsonOption())
    .action(async (options: ControlOptions) => {
      const answer = await callControl(options.controlUrl, '/outcomes', undefined, 'DELETE');
      say(options, answer, [`${(answer as { cleared: number }).cleared} cleared`]);
    });
  outcome
    .command('resolve')
    .description('Decide a pending application now, without moving the clock.')
    .argument('<applicationId>', 'as prime answered it')
    .addArgument(new Argument('<decision>', 'what it is').choices(['approved', 'declined']))
    .addOption(controlUrlOption())
    .addOption(jsonOption())
    .action(async (applicationId: string, decision: string, options: ControlOptions) => {
      const body = { applicationId, decision };
      const answer = await callControl(options.controlUrl, '/outcomes/resolve', body);
      say(options, answer, [`${applicationId} is ${(answer as { status: string }).status}`]);
    });
}

function addSet(outcome: Command): void {
  outcome
    .command('set')
    .description('Decide the next applications, or a certain one.')
    .addArgument(new Argument('<outcome>', 'what the lenders decide').choices(decisions))
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
    .addOption(controlUrlOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  financing-sandbox outcome set decline
  financing-sandbox outcome set pending-approve --after 10m
      the shopper confirms an offer and is told to wait; ten minutes later it is approved, and the
      confirmation token is sent by the notification application.checkout-confirmed
  financing-sandbox outcome set expire --next 3
  financing-sandbox outcome resolve 6c8b… approved`,
    )
    .action(async (name: string, { controlUrl, json, application, ...more }: SetOptions) => {
      const answer = await callControl(controlUrl, '/outcomes', {
        outcome: name,
        ...more,
        ...(application === undefined ? {} : { applicationId: application }),
      });
      say({ controlUrl, ...(json ? { json } : {}) }, answer, [describe(answer as SetOutcome)]);
    });
}

interface SetOutcome {
  id: number;
  outcome: string;
  next?: number;
  applicationId?: string;
  environment: string | null;
  stage?: string;
}

function describe({ outcome, next, applicationId, environment, stage }: SetOutcome): string {
  const whose =
    applicationId === undefined
      ? `the next ${next ?? 1}${environment === null ? '' : ` of ${environment}`}`
      : `application ${applicationId}`;
  return `${outcome}${stage === undefined ? '' : ` (${stage})`} for ${whose}`;
}
