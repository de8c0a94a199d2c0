import type { Command } from 'commander';
import { SandboxError } from '../problem.ts';
import { callControl } from './control.ts';

interface ClockOptions {
  controlUrl: string;
}

/** `financing-sandbox clock` */
export function addClock(program: Command): void {
  const clock = program
    .command('clock')
    .description('Read or move the clock of a running sandbox.');
  const add = (
    name: string,
    description: string,
    change: (argument?: string) => object | undefined,
  ) =>
    clock
      .command(name)
      .description(description)
      .option('--control-url <url>', 'control API', 'http://127.0.0.1:4445')
      .action(async (...parameters: unknown[]) => {
        // Commander passes the argument, if the command has one, then the options.
        const argument = typeof parameters[0] === 'string' ? parameters[0] : undefined;
        const options = parameters[argument === undefined ? 0 : 1] as ClockOptions;
        await show(options.controlUrl, change(argument));
      });
  add('show', 'where it stands', () => undefined);
  add('advance <duration>', 'move it on: 1d, 90m, 2w', (advance) => ({ advance }));
  add('set <time>', 'put it to an ISO 8601 time', (now) => ({ now }));
  add('freeze', 'stop it', () => ({ frozen: true }));
  add('unfreeze', 'let it run on', () => ({ frozen: false }));
}

async function show(controlUrl: string, change: object | undefined): Promise<void> {
  const answer = await callControl(controlUrl, '/clock', change);
  const { now, frozen } = answer as { now?: unknown; frozen?: unknown };
  if (typeof now !== 'string') {
    throw new SandboxError(`What answers at ${controlUrl} is not a sandbox's control API.`);
  }
  process.stdout.write(`${now}${frozen === true ? ' (frozen)' : ''}\n`);
}
