import {
  type TrailDifference,
  trailOperations,
  type TrailVerification,
  trailVerificationSchema,
} from '@financing-checkout/contract/reconciliation';
import {
  addCommand,
  addGroup,
  addVerb,
  CommandFailure,
  printable,
  type Register,
  shared,
  value,
} from '@financing-checkout/kit/cli';
import { verificationQuery } from '../http/queries.ts';
import { written } from '../queries/basis/reasons.ts';
import { get } from './ask.ts';
import { exits } from './peer.ts';
import { Finding } from './outcome.ts';
import type { Shell } from './shell.ts';
import { verbsOf } from './verbs.ts';

const description = 'verify the trails of cases and of all other actions';

/** Registers `trail`, which lists and verifies the actions of people and programs. */
export const registerTrail: Register<Shell> = (program, shell) => {
  const trail = addGroup(
    program,
    'trail',
    'list and verify what people have done, on cases and beside them',
    `Examples:
  financing-reconcile trail list --actor anna --from 2026-11-01 --format csv --output trail.csv
  financing-reconcile trail verify | tee -a /mnt/elsewhere/anchors
  financing-reconcile trail verify --anchor "$(tail -n 1 /mnt/elsewhere/anchors)"`,
  );
  addVerb(trail, trailOperations.trail, verbsOf(shell));
  addVerb(trail, trailOperations.list, verbsOf(shell));
  addVerify(trail, shell);
};

/** Adds `verify`, which `trail` and `cases` share. */
export const addVerify: Register<Shell> = (parent, shell) => {
  const verify = {
    usage: 'verify',
    description,
    options: {
      anchor: value(
        '<head>',
        'an earlier head, as the last line of a previous run',
        verificationQuery.shape.anchor,
      ),
      json: shared.json(),
    },
    help: `A person with write access to the store could replace both trails. Store the last line of a run in
another place, or keep the log lines "trail-anchor" of "serve" elsewhere, and pass one of them to a later
run as --anchor to detect that, too.`,
  };
  addCommand(parent, verify, async ({ anchor, json }) => {
    const path = '/trail/verification';
    const result = await get(shell, path, trailVerificationSchema, { anchor });
    if (json) shell.print(JSON.stringify(result));
    const broken = brokenText(result);
    if (broken !== undefined) throw new CommandFailure(printable(broken));
    if (!json) printTrails(shell, result);
    judgeComparison(result);
  });
};

function printTrails(shell: Shell, { actions, companion, events, trail }: TrailVerification): void {
  shell.print(`cases    ${validText(events)}`);
  shell.print(`actions  ${validText(actions.events)}`);
  if (companion !== undefined) shell.print(`compared ${companion.operations} of the companion`);
  shell.print(trail.anchor ?? '');
}

/** @throws {Finding} that lists the differences, or states that nothing was compared */
function judgeComparison({ companion, notCompared }: TrailVerification): void {
  if (companion === undefined) {
    throw new Finding(
      `The trails are valid, but were not compared with the companion's operations: ${notCompared ?? 'it gave no answer'}. Run the command again when the companion answers.`,
      exits.incomplete,
    );
  }
  const lines = [
    ...companion.withoutEntry.map((one) => `At the companion, without an entry: ${textOf(one)}`),
    ...companion.withoutOperation.map(
      (one) => `In the trail, without an operation of the companion: ${textOf(one)}`,
    ),
  ];
  if (lines.length > 0) throw new Finding(printable(lines.join('\n')), exits.exceptions);
}

function textOf(difference: TrailDifference): string {
  const { actor, amount, at, chargeId, currency, kind, operationId, seq } = difference;
  const parts = [
    `${kind} of charge ${chargeId}`,
    amount === undefined ? 'no amount' : written(amount, currency ?? ''),
    `operation ${operationId ?? 'unknown'}`,
    at,
    seq === undefined ? [] : `entry ${seq} of ${actor ?? 'unknown'}`,
  ];
  return parts.flat().join(', ');
}

const validText = (events: number) =>
  `${events} ${events === 1 ? 'event is' : 'events are'} valid.`;

/** Returns the problem of the trails; undefined if both are valid. */
function brokenText({ actions, broken, events, trail }: TrailVerification): string | undefined {
  if (broken !== undefined) {
    const of = broken.caseId === undefined ? '' : ` of case ${broken.caseId}`;
    // A case may contradict an internally valid trail.
    const whole = broken.seq > events ? `The ${events} before it` : `All ${events} events`;
    return `The trail is broken: event ${broken.seq}${of} ${broken.reason}. ${whole} are valid.`;
  }
  if (actions.broken !== undefined) {
    const { seq, reason } = actions.broken;
    return `The trail of actions is broken: event ${seq} ${reason}. The ${actions.events} before it are valid.`;
  }
  if (trail.valid) return undefined;
  return `The trails differ from the anchor: an event before it was replaced, or the anchor is from another environment. Each trail fits together in itself, so compare the store with a backup from before.`;
}
