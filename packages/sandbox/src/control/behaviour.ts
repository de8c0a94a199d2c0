import { ArgumentError } from '../platform/problem.ts';
import {
  behaviourChange,
  behaviours as known,
  type Behaviour,
  type BehaviourName,
} from '../state/behaviour.ts';
import { operation } from './operation.ts';

/** The behaviors by their command-line names, in kebab case. */
const names = new Map(
  (Object.keys(known) as BehaviourName[]).map((name) => [
    name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    name,
  ]),
);
const lines = (valueOf: (name: BehaviourName) => string) =>
  [...names].map(([shown, name]) => `${shown.padEnd(22)} ${valueOf(name)}`);
const show = (behaviour: Behaviour) => lines((name) => behaviour[name]);

export const behaviourHelp = `Names and values, the default first:
${lines((name) => known[name].join(', '))
  .map((line) => `  ${line}`)
  .join('\n')}

Examples:
  financing-sandbox behaviour set charge-idempotency token-only
  financing-sandbox behaviour set answer-media-type text/plain
  financing-sandbox behaviour set prime-consumer required
  financing-sandbox behaviour reset`;

/** How the sandbox behaves where the published contract leaves a choice. */
export const behaviourOperations = [
  operation('behaviour list', 'GET /behaviour', {
    does: 'show the present values',
    run: ({ behaviours }) => behaviours.read(),
    show,
  }),
  operation('behaviour set', 'POST /behaviour', {
    does: 'change one behaviour',
    input: behaviourChange,
    words: ['<name>  behaviour', '<value>  one of its values'],
    toInput: (_given, [shown = '', value]) => {
      const name = names.get(shown);
      const values: readonly unknown[] = name === undefined ? [...names.keys()] : known[name];
      if (name !== undefined && values.includes(value)) return { [name]: value };
      throw new ArgumentError(
        `${name === undefined ? '<name>' : shown} is one of: ${values.join(', ')}.`,
      );
    },
    run: ({ behaviours }, change) => behaviours.change(change),
    show,
  }),
  operation('behaviour reset', 'DELETE /behaviour', {
    does: 'restore the defaults',
    run: ({ behaviours }) => behaviours.reset(),
    show,
  }),
];
