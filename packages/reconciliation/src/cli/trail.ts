import {
  type TrailDifference,
  dailyOperations,
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

/** Registers `trail`, which lists and verifies who did what. */
export const registerTrail: Register<Shell> = (program, shell) => {
  const trail = addGroup(
    program,
    'trail',
    'list and verify what people have done, on cases and beside them',
    `Examples:
  financing-reconcile trail list --actor anna --from 2026-11-01 --format csv --output trail.csv
  financing-reconcile trail acknowledge 812 "restored from the backup of Monday"      (an alarm of "today")
  financing-reconcile trail verify | tee -a /mnt/elsewhere/anchors
  financing-reconcile trail verify --anchor "$(tail -n 1 /mnt/elsewhere/anchors)"`,
  );
  addVerb(trail, trailOperations.trail, verbsOf(shell));
  addVerb(trail, dailyOperations.acknowledgement, verbsOf(shell), {
    print: ({ alarm }) => shell.print(`Alarm ${alarm} is acknowledged.`),
  });
  const verify = {
    usage: 'verify',
    description: 'verify the trail of cases and of all other actions',
    options: {
      anchor: value(
        '<head>',
        'an earlier head, as the last line of a previous run',
        verificationQuery.shape.anchor,
      ),
      json: shared.json(),
    },
    help: `A person with write access to the store could replace the trail. Store the last line of a run in
another place, or keep the log lines "trail-anchor" of "serve" elsewhere, and pass one of them to a later
run as --anchor to detect that, too.`,
  };
  addCommand(trail, verify, async ({ anchor, json }) => {
    const path = '/trail/verification';
    const result = await get(shell, path, trailVerificationSchema, { anchor });
    if (json) shell.print(JSON.stringify(result));
    const broken = brokenText(result);
    if (broken !== undefined) throw new CommandFailure(printable(broken));
    if (!json) printTrail(shell, result);
    judgeComparison(result);
  });
};

function printTrail(shell: Shell, { anchor, companion, events }: TrailVerification): void {
  shell.print(`${events} ${events === 1 ? 'event is' : 'events are'} valid.`);
  if (companion !== undefined) shell.print(`${companion.operations} compared with the companion`);
  shell.print(anchor ?? '');
}

/** @throws {Finding} that lists the differences, or says that nothing was compared */
function judgeComparison({ companion, notCompared }: TrailVerification): void {
  if (companion === undefined) {
    throw new Finding(
      `The trail is valid, but was not compared with the companion's operations: ${notCompared ?? 'it gave no answer'}. Run the command again when the companion answers.`,
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

/** Returns what is wrong with the trail; undefined if it is valid. */
function brokenText({ broken, events }: TrailVerification): string | undefined {
  if (broken === undefined) return undefined;
  const { reason, seq, subject } = broken;
  const of = subject === undefined ? '' : ` of ${subject}`;
  // A stored case may contradict a trail that is itself valid, and that trail may also differ from
  // the anchor.
  const whole = seq > events ? `The ${events} before it are` : `All ${events} events are`;
  return `The trail is broken: event ${seq}${of} ${reason}. ${whole} valid in themselves: compare the store with a backup from before.`;
}
