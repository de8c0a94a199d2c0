import { Argument, Option, type Command } from 'commander';
import { environmentNames } from '../environments/environment.ts';
import { faultKinds } from '../faults/fault.ts';
import type { SetFault } from '../faults/faults.ts';
import { addControlCommand, callControl, clear, print, type ControlOptions } from './control.ts';
import { share, whole } from './options.ts';

const kinds = Object.entries(faultKinds);

/** `financing-sandbox fault` */
export function addFault(program: Command): void {
  const fault = program
    .command('fault')
    .description('Make the wire between a client and the API fail, on demand.');
  addAdd(fault);
  addControlCommand(fault, 'list', 'Show the faults and how often each has struck.').action(
    async (options: ControlOptions) => {
      const answer = (await callControl(options.controlUrl, '/faults')) as { faults: SetFault[] };
      const lines = answer.faults.map(describe);
      print(options, answer.faults, lines.length > 0 ? lines : ['No faults are set.']);
    },
  );
  addControlCommand(fault, 'clear', 'Remove one fault, or all of them.')
    .argument('[id]', 'number of one fault, from list', whole)
    .action((id: number | undefined, options: ControlOptions) =>
      clear(options, id === undefined ? '/faults' : `/faults/${id}`),
    );
}

interface AddOptions extends ControlOptions {
  operation?: string[];
  environment?: string;
  when?: string;
  next?: number;
  nth?: number;
  probability?: number;
  seed?: number;
  delay?: string;
  for?: string;
  status?: number;
  retryAfter?: number;
  location?: string;
  body?: string;
}

function addAdd(fault: Command): void {
  const table = kinds.map(([name, { does }]) => `  ${name.padEnd(11)} ${does}`).join('\n');
  addControlCommand(fault, 'add', 'Set a fault. By default it strikes the next call of any kind.')
    .addArgument(new Argument('<kind>', 'see below').choices(kinds.map(([name]) => name)))
    .option('--operation <names...>', 'only these operations, such as charges.create')
    .addOption(
      new Option('--environment <name>', 'only this environment').choices(environmentNames),
    )
    .addOption(
      new Option('--when <moment>', 'before the effect (so there is none) or after it').choices([
        'before',
        'after',
      ]),
    )
    .option('--next <n>', 'strike the next n calls', whole)
    .option('--nth <n>', 'strike the n-th call from now', whole)
    .option('--probability <p>', 'strike each call with this probability', share)
    .option('--seed <n>', 'seed of the random sequence', whole)
    .option('--delay <duration>', 'latency: time before the answer; drip: time between two bytes')
    .option('--for <duration>', 'refused: how long')
    .option('--status <code>', 'status, html, redirect: the status code', whole)
    .option('--retry-after <seconds>', 'status: the Retry-After header', whole)
    .option('--location <url>', 'redirect: the target')
    .option('--body <text>', 'status, html, wrong-json: the body to send instead')
    .addHelpText(
      'after',
      `
Kinds:
${table}

Examples:
  financing-sandbox fault add hang --operation charges.create --when after
      the charge is created, and the client times out
  financing-sandbox fault add status --status 429 --retry-after 2 --next 3
  financing-sandbox fault add latency --delay 3s --probability 0.1 --seed 7
  financing-sandbox fault add refused --for 10s
  financing-sandbox fault add reset --operation fundings.report --nth 2 --when before`,
    )
    .action(async (kind: string, options: AddOptions) => {
      const { controlUrl, operation, ...settings } = options;
      const body = { kind, ...settings, json: undefined, operations: operation };
      const answer = await callControl(controlUrl, '/faults', body);
      print(options, answer, [describe(answer as SetFault)]);
    });
}

function describe(fault: SetFault): string {
  const { trigger } = fault;
  const which =
    'probability' in trigger
      ? `each call with probability ${trigger.probability} (seed ${trigger.seed})`
      : 'nth' in trigger
        ? `call ${trigger.nth} since it was set`
        : `the next ${trigger.next}`;
  const connection = faultKinds[fault.kind].when.length === 0;
  const where = connection ? 'connections' : (fault.operations?.join(', ') ?? 'every operation');
  const what = fault.kind === 'status' ? `status ${fault.status}` : fault.kind;
  return [
    `${fault.id}: ${what}${connection ? '' : ` ${fault.when} the effect`}`,
    where + (fault.environment === null ? '' : ` of ${fault.environment}`),
    fault.kind === 'refused' ? `for ${fault.delay} ms` : which,
    `struck ${fault.struck} of ${fault.seen}${fault.spent ? ', over' : ''}`,
  ].join(' · ');
}
