import { ArgumentError } from '../platform/problem.ts';
import {
  behaviorChange,
  behaviors as known,
  type Behavior,
  type BehaviorName,
} from '../state/behavior.ts';
import { operation } from './operation.ts';

/** The behaviors by their command-line names, in kebab case. */
const names = new Map(
  (Object.keys(known) as BehaviorName[]).map((name) => [
    name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    name,
  ]),
);
const lines = (valueOf: (name: BehaviorName) => string) =>
  [...names].map(([shown, name]) => `${shown.padEnd(22)} ${valueOf(name)}`);
const show = (behavior: Behavior) => lines((name) => behavior[name]);

export const behaviorHelp = `Names and values, the default first:
${lines((name) => known[name].join(', '))
  .map((line) => `  ${line}`)
  .join('\n')}

Examples:
  financing-sandbox behavior set charge-idempotency token-only
  financing-sandbox behavior set answer-media-type text/plain
  financing-sandbox behavior set prime-consumer required
  financing-sandbox behavior reset`;

/** How the sandbox behaves where the published contract leaves a choice. */
export const behaviorOperations = [
  operation('behavior list', 'GET /behavior', {
    does: 'show the present values',
    run: ({ behaviors }) => behaviors.read(),
    show,
  }),
  operation('behavior set', 'POST /behavior', {
    does: 'change one behavior',
    input: behaviorChange,
    words: ['<name>  behavior', '<value>  one of its values'],
    toInput: (_given, [shown = '', value]) => {
      const name = names.get(shown);
      const values: readonly unknown[] = name === undefined ? [...names.keys()] : known[name];
      if (name !== undefined && values.includes(value)) return { [name]: value };
      throw new ArgumentError(
        `${name === undefined ? '<name>' : shown} is one of: ${values.join(', ')}.`,
      );
    },
    run: ({ behaviors }, change) => behaviors.change(change),
    show,
  }),
  operation('behavior reset', 'DELETE /behavior', {
    does: 'restore the defaults',
    run: ({ behaviors }) => behaviors.reset(),
    show,
  }),
];
