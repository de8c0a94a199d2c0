import { Argument, Option, type Command } from 'commander';
import { readFileSync } from 'node:fs';
import { environmentNames } from '../environments/environment.ts';
import { eventNames } from '../notifications/event.ts';
import { SandboxError } from '../problem.ts';
import { callControl, controlUrlOption, jsonOption, say, type ControlOptions } from './control.ts';
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

const environmentOption = () =>
  new Option('--environment <name>', 'whose notifications')
    .choices(environmentNames)
    .default('sandbox');

/** `financing-sandbox notify` */
export function addNotify(program: Command): void {
  const notify = program
    .command('notify')
    .description('Tell a merchant address what becomes of its applications.');
  addSet(notify);
  notify
    .command('stop')
    .description('Forget the address of an environment.')
    .addArgument(
      new Argument('[environment]', 'whose').choices(environmentNames).default('sandbox'),
    )
    .addOption(controlUrlOption())
    .addOption(jsonOption())
    .action(async (environment: string, options: ControlOptions) => {
      const path = `/notifications/destination/${environment}`;
      const answer = await callControl(options.controlUrl, path, undefined, 'DELETE');
      say(options, answer, [`${environment} notifies nobody`]);
    });
  notify
    .command('list')
    .description('The addresses, and what became of each notification.')
    .addOption(controlUrlOption())
    .addOption(jsonOption())
    .action(async (options: ControlOptions) => {
      const answer = (await callControl(options.controlUrl, '/notifications')) as Log;
      const addresses = answer.destinations.map(
        ({ environment, url }) => `${environment}: ${url ?? 'nobody'}`,
      );
      say(options, answer, [...addresses, ...answer.notifications.map(describe)]);
    });
  notify
    .command('flush')
    .description('Send all that wait now, due or not: useful while the clock is frozen.')
    .addOption(controlUrlOption())
    .addOption(jsonOption())
    .action(async (options: ControlOptions) => {
      const answer = await callControl(options.controlUrl, '/notifications/flush', {});
      say(options, answer, [`${(answer as { tried: number }).tried} tried`]);
    });
}

function addSet(notify: Command): void {
  notify
    .command('set')
    .description('Name the address, and how orderly the delivery is.')
    .argument('<url>', 'https, or http on this machine')
    .addOption(environmentOption())
    .option('--authorization-file <file>', 'holds the whole value of the Authorization header')
    .option('--twice <share>', 'share that arrives twice, 0 to 1', share)
    .option('--late <share>', 'share that is held back, 0 to 1', share)
    .option('--late-by <duration>', 'how long, on the sandbox clock (10m)')
    .option('--shuffle <duration>', 'notifications this close to each other change places')
    .option('--seed <n>', 'another disorder', whole)
    .addOption(
      new Option(
        '--names <names>',
        'both: renamed events arrive under their old name, too',
      ).choices(eventNames),
    )
    .addOption(controlUrlOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Without disorder each arrives once and in order, and is tried again until the answer is a 2xx.

Examples:
  financing-sandbox notify set http://localhost:4000/notifications --authorization-file secret.txt
  financing-sandbox notify set https://shop.example/hook --twice 0.5 --late 0.2 --shuffle 5s --seed 7`,
    )
    .action(async (url: string, options: SetOptions) => {
      const { controlUrl, environment, authorizationFile, json, names, ...disorder } = options;
      const authorization = readAuthorization(authorizationFile);
      const answer = await callControl(controlUrl, '/notifications/destination', {
        environment,
        url,
        disorder,
        ...(names === undefined ? {} : { names }),
        ...(authorization === undefined ? {} : { authorization }),
      });
      say({ controlUrl, ...(json ? { json } : {}) }, answer, [`${environment} notifies ${url}`]);
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

function describe(one: Log['notifications'][number]): string {
  const { environment, event, applicationId, createdAt, state, attempts, lastResult } = one;
  const last = lastResult === null ? '' : `, last ${lastResult}`;
  return `${createdAt}  ${environment}  ${event}  ${applicationId}  ${state} (${attempts} tried${last})`;
}
