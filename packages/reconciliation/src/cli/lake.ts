import {
  lakeRecordSchema,
  lakeVerificationSchema,
} from '@financing-checkout/contract/reconciliation';
import {
  addCommand,
  addGroup,
  CommandFailure,
  printable,
  type Register,
  shared,
} from '@financing-checkout/kit/cli';
import { ask, get } from './ask.ts';
import { exits } from './peer.ts';
import { Finding } from './outcome.ts';
import type { Shell } from './shell.ts';

/** Registers `lake`, which writes proven days and judged orders as Parquet. */
export const registerLake: Register<Shell> = (program, shell) => {
  const lake = addGroup(
    program,
    'lake',
    'proven days and judged orders as Parquet, for engines of analytics',
    `With RECONCILIATION_LAKE, "serve" writes them after each sync and each close, and within minutes of other
changes; "sync" without a running "serve" writes them at its end. "docs/lake.md" describes the files.`,
  );

  const write = {
    usage: 'write',
    description: 'write what has changed now',
    options: { json: shared.json() },
  };
  addCommand(lake, write, async ({ json }) => {
    const request = { method: 'POST', path: '/lake', schema: lakeRecordSchema } as const;
    const found = await ask(shell, request);
    if (json) shell.print(JSON.stringify(found));
    else {
      shell.print(`files    ${found.files}, ${found.written} written, ${found.removed} removed`);
      shell.print(`rows     ${found.rows}`);
      shell.print(`bytes    ${found.bytes}`);
    }
    if (!found.complete) {
      shell.say('Some days are not proven, or orders not judged: the statuses may change.');
    }
  });

  const verify = {
    usage: 'verify',
    description: 'compare the files with the manifest, the proofs and the seals of closed periods',
    options: { json: shared.json() },
  };
  addCommand(lake, verify, async ({ json }) => {
    const found = await get(shell, '/lake/verification', lakeVerificationSchema);
    if (json) shell.print(JSON.stringify(found));
    else {
      shell.print(`${found.files} files, ${found.rows} rows, ${found.bytes} bytes`);
      for (const { period, seal, isEqual, changedDays } of found.periods) {
        const later = changedDays.length === 0 ? '' : `, changed since: ${changedDays.join(' ')}`;
        shell.print(
          `${period}  ${seal}  ${isEqual ? 'equals the seal' : 'does not equal the seal'}${later}`,
        );
      }
    }
    for (const { subject, message } of found.problems)
      shell.say(printable(`${subject}: ${message}.`));
    if (!found.isIntact) {
      throw new CommandFailure('The lake is damaged: remove its manifest, then "lake write".');
    }
    if (found.outdated > 0) {
      throw new Finding(
        `${found.outdated} files are to be written: "lake write".`,
        exits.incomplete,
      );
    }
  });
};
