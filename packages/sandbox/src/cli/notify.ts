import { Argument, Option, type Command } from 'commander';
import { readFileSync } from 'node:fs';
import { environmentNames } from '../environments/environment.ts';
import { eventNames } from '../notifications/event.ts';
import { SandboxError } from '../platform/problem.ts';
import { addControlCommand, callControl, print, type ControlOptions } from './control.ts';
import { share, whole } from './options.ts';

interface SetOptions extends ControlOptions {
  environment: string;
  authorizationFile?: string;
  twice?: number;
  late?: number;
  lateBy?: string;
  shuffle?: string;
  seed?: number;
  names?: string;
}

/** `financing-sandbox notify` */
export function addNotify(program: Command): void {
  const notify = program
    .command('notify')
    .description('Send notifications of applications to a merchant address.');
  addSet(notify);
  addControlCommand(notify, 'stop', 'Remove the address of an environment.')
    .addArgument(
      new Argument('[environment]', 'environment').choices(environmentNames).default('sandbox'),
    )
    .action(async (environment: string, options: ControlOptions) => {
      const path = `/notifications/destination/${environment}`;
      const answer = await callControl(options.controlUrl, path, undefined, 'DELETE');
      print(options, answer, [`${environment} has no address`]);
    });
  addControlCommand(
    notify,
    'list',
    'Show the addresses and the result of each notification.',
  ).action(async (options: ControlOptions) => {
    const answer = (await callControl(options.controlUrl, '/notifications')) as Log;
    const addresses = answer.destinations.map(
      ({ environment, url }) => `${environment}: ${url ?? 'no address'}`,
    );
    print(options, answer, [...addresses, ...answer.notifications.map(describe)]);
  });
  addControlCommand(
    notify,
    'flush',
    'Send all waiting notifications now, due or not: useful while the clock is frozen.',
  ).action(async (options: ControlOptions) => {
    const answer = await callControl(options.controlUrl, '/notifications/flush', {});
    print(options, answer, [`${(answer as { tried: number }).tried} tried`]);
  });
}

function addSet(notify: Command): void {
  addControlCommand(notify, 'set', 'Set the address, and disorder in the delivery.')
    .argument('<url>', 'https, or http on this machine')
    .addOption(
      new Option('--environment <name>', 'environment of the notifications')
        .choices(environmentNames)
        .default('sandbox'),
    )
    .option('--authorization-file <file>', 'file with the whole value of the Authorization header')
    .option('--twice <share>', 'share that arrives twice, 0 to 1', share)
    .option('--late <share>', 'share that is delayed, 0 to 1', share)
    .option('--late-by <duration>', 'delay on the sandbox clock (10m)')
    .option('--shuffle <duration>', 'notifications within this time change places')
    .option('--seed <n>', 'seed of the disorder', whole)
    .addOption(
      new Option(
        '--names <names>',
        'both: renamed events arrive under their old name, too',
      ).choices(eventNames),
    )
    .addHelpText(
      'after',
      `
Without disorder each notification arrives once and in order; the sandbox retries until the answer
is a 2xx.

Examples:
  financing-sandbox notify set http://localhost:4000/notifications --authorization-file secret.txt
  financing-sandbox notify set https://shop.example/hook --twice 0.5 --late 0.2 --shuffle 5s --seed 7`,
    )
    .action(async (url: string, options: SetOptions) => {
      const { controlUrl, environment, authorizationFile, names } = options;
      const { twice, late, lateBy, shuffle, seed } = options;
      const authorization = readAuthorization(authorizationFile);
      const answer = await callControl(controlUrl, '/notifications/destination', {
        environment,
        url,
        disorder: { twice, late, lateBy, shuffle, seed },
        names,
        authorization,
      });
      print(options, answer, [`${environment} notifies ${url}`]);
    });
}

/** Reads the agreed Authorization value. @throws {SandboxError} */
export function readAuthorization(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new SandboxError(`The file ${file} cannot be read. (--authorization-file)`);
  }
}

interface Log {
  destinations: { environment: string; url: string | null }[];
  notifications: {
    environment: string;
    event: string;
    applicationId: string;
    createdAt: string;
    state: string;
    attempts: number;
    lastResult: string | null;
  }[];
}

function describe(notification: Log['notifications'][number]): string {
  const { environment, event, applicationId, createdAt } = notification;
  const { state, attempts, lastResult } = notification;
  const last = lastResult === null ? '' : `, last ${lastResult}`;
  return `${createdAt}  ${environment}  ${event}  ${applicationId}  ${state} (${attempts} tried${last})`;
}
