import { readFileSync } from 'node:fs';
import {
  addCommand,
  CommandFailure,
  printAnswer,
  type Register,
  shared,
} from '@financing-checkout/kit/cli';
import { readConfiguration } from '../config/config.ts';
import { BackupError } from '../facts/backup.ts';
import { backUpFacts } from '../facts/open.ts';
import { statusSchema } from '../http/schemas.ts';
import { ask } from './ask.ts';
import type { Shell } from './shell.ts';

/** Registers `rebuild` and `backup`, which maintain the two databases. */
export const registerUpkeep: Register<Shell> = (program, shell) => {
  const rebuild = {
    usage: 'rebuild',
    description: 'rebuild the analytics database from the record store and the ledger',
    options: { json: shared.json() },
    help: `A missing or damaged database is rebuilt automatically; use this command if in doubt. No data is lost, no
request goes to the financing service, and no case changes. Queries are answered with "not-ready" during
the rebuild.`,
  };
  addCommand(program, rebuild, async ({ json }) => {
    const request = { method: 'POST', path: '/rebuild', schema: statusSchema } as const;
    printAnswer(shell, json, await ask(shell, request), ({ analytics, asOf, facts }) => [
      `analytics    ${analytics.state}`,
      `facts        ${facts.answered} of ${facts.last} answered`,
      `as of        ${asOf ?? 'not judged yet'}`,
    ]);
  });

  const backup = {
    usage: 'backup <file>',
    description: 'copy the record store (SQLite) to a file, also while "serve" runs',
    help: `The record store holds all data that cannot be computed again. To restore, stop "serve", copy the file to
the path in RECONCILIATION_STORE, and start it: it rebuilds the analytics database. For a record store in
PostgreSQL use pg_dump.`,
  };
  addCommand(program, backup, async (_, file: string) => {
    const { store } = readConfiguration(shell.env, (path) => readFileSync(path, 'utf8'));
    try {
      await backUpFacts(store.url.reveal(), file);
    } catch (error) {
      if (!(error instanceof BackupError)) throw error;
      throw new CommandFailure(error.message);
    }
    shell.say('The backup is complete.');
  });
};
