import { Argument, type Command } from 'commander';
import { ArgumentError } from '../platform/problem.ts';
import { behaviours, type Behaviour, type BehaviourName } from '../state/behaviour.ts';
import { addControlCommand, callControl, print, type ControlOptions } from './control.ts';

/** The behaviours by their names on the command line, in kebab case. */
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
    .description('Choose how a running sandbox answers where the published contract is ambiguous.')
    .addHelpText(
      'after',
      `
Names and values, the default first:
${[...names].map(([shown, name]) => `  ${shown.padEnd(22)} ${behaviours[name].join(', ')}`).join('\n')}

Examples:
  financing-sandbox behaviour set charge-idempotency token-only
  financing-sandbox behaviour set answer-media-type text/plain
  financing-sandbox behaviour set prime-consumer required
  financing-sandbox behaviour reset`,
    );
  const call = async (options: ControlOptions, body?: object, method?: 'DELETE') => {
    const answer = await callControl(options.controlUrl, '/behaviour', body, method);
    print(options, answer, lines(answer as Behaviour));
  };
  addControlCommand(behaviour, 'list', 'show the present values').action(
    (options: ControlOptions) => call(options),
  );
  addControlCommand(behaviour, 'set', 'change one behaviour')
    .addArgument(new Argument('<name>', 'behaviour').choices([...names.keys()]))
    .argument('<value>', 'one of its values')
    .action((shown: string, value: string, options: ControlOptions) => {
      const name = names.get(shown);
      const values: readonly string[] = name === undefined ? [] : behaviours[name];
      if (name === undefined || !values.includes(value)) {
        throw new ArgumentError(`${shown} is one of: ${values.join(', ')}.`);
      }
      return call(options, { [name]: value });
    });
  addControlCommand(behaviour, 'reset', 'restore the defaults').action((options: ControlOptions) =>
    call(options, undefined, 'DELETE'),
  );
}

function lines(behaviour: Behaviour): string[] {
  return [...names].map(([shown, name]) => `${shown.padEnd(22)} ${behaviour[name]}`);
}
