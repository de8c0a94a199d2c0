import type { Command } from 'commander';
import { addControlCommand, callControl, notASandbox, print } from './control.ts';
import type { ControlOptions } from './control.ts';

/** `financing-sandbox clock` */
export function addClock(program: Command): void {
  const clock = program
    .command('clock')
    .description('Read or move the clock of a running sandbox.')
    .addHelpText(
      'after',
      `
Examples:
  financing-sandbox clock advance 1d        the lenders pay
  financing-sandbox clock set 2027-01-01T00:00:00Z
  financing-sandbox clock freeze`,
    );
  const add = (
    name: string,
    description: string,
    change: (argument?: string) => object | undefined,
  ) =>
    addControlCommand(clock, name, description).action(async (...parameters: unknown[]) => {
      // Commander passes the argument, if the command has one, then the options.
      const argument = typeof parameters[0] === 'string' ? parameters[0] : undefined;
      const options = parameters[argument === undefined ? 0 : 1] as ControlOptions;
      await show(options, change(argument));
    });
  add('show', 'show its time', () => undefined);
  add('advance <duration>', 'move it forward: 1d, 90m, 2w', (advance) => ({ advance }));
  add('set <time>', 'set it to an ISO 8601 time', (now) => ({ now }));
  add('freeze', 'stop it', () => ({ frozen: true }));
  add('unfreeze', 'let it run again', () => ({ frozen: false }));
}

async function show(options: ControlOptions, change: object | undefined): Promise<void> {
  const answer = await callControl(options.controlUrl, '/clock', change);
  const { now, frozen } = answer as { now?: unknown; frozen?: unknown };
  if (typeof now !== 'string') throw notASandbox(options.controlUrl);
  print(options, answer, [`${now}${frozen === true ? ' (frozen)' : ''}`]);
}
