import { Argument, type Command } from 'commander';
import { behaviours, type Behaviour, type BehaviourName } from '../behaviour/behaviour.ts';
import { ArgumentError } from '../problem.ts';
import { callControl, controlUrlOption, jsonOption, say, type ControlOptions } from './control.ts';

/** The names on the command line, in kebab case. */
const names = new Map(
  (Object.keys(behaviours) as BehaviourName[]).map((name) => [
    name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    name,
  ]),
);

/** `financing-sandbox behaviour` */
export function addBehaviour(program: Command): void {
  const behaviour = program
    .command('behaviour')
    .description(
      'Choose how a running sandbox answers where the published contract is not definite.',
    )
    .addHelpText(
      'after',
      `
The names, and the values of each, the default first:
${[...names].map(([shown, name]) => `  ${shown.padEnd(22)} ${behaviours[name].join(', ')}`).join('\n')}

Examples:
  financing-sandbox behaviour set charge-idempotency token-only
  financing-sandbox behaviour set answer-media-type text/plain
  financing-sandbox behaviour set prime-consumer required
  financing-sandbox behaviour reset`,
    );
  behaviour
    .command('list')
    .description('the values as they stand')
    .addOption(controlUrlOption())
    .addOption(jsonOption())
    .action(async (options: ControlOptions) => {
      const answer = await callControl(options.controlUrl, '/behaviour');
      say(options, answer, lines(answer as Behaviour));
    });
  behaviour
    .command('set')
    .description('change one of them')
    .addArgument(new Argument('<name>', 'which').choices([...names.keys()]))
    .argument('<value>', 'one of its values')
    .addOption(controlUrlOption())
    .addOption(jsonOption())
    .action(async (shown: string, value: string, options: ControlOptions) => {
      const name = names.get(shown);
      const values: readonly string[] = name === undefined ? [] : behaviours[name];
      if (name === undefined || !values.includes(value)) {
        throw new ArgumentError(`${shown} is one of: ${values.join(', ')}.`);
      }
      const answer = await callControl(options.controlUrl, '/behaviour', { [name]: value });
      say(options, answer, lines(answer as Behaviour));
    });
  behaviour
    .command('reset')
    .description('restore the defaults')
    .addOption(controlUrlOption())
    .addOption(jsonOption())
    .action(async (options: ControlOptions) => {
      const answer = await callControl(options.controlUrl, '/behaviour', undefined, 'DELETE');
      say(options, answer, lines(answer as Behaviour));
    });
}

function lines(behaviour: Behaviour): string[] {
  return [...names].map(([shown, name]) => `${shown.padEnd(22)} ${behaviour[name]}`);
}
