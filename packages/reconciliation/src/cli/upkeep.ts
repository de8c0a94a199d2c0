import type { Command } from 'commander';
import { BackupError } from '../facts/backup.ts';
import { FactsError, openFacts } from '../facts/open.ts';
import { statusSchema } from '../http/schemas.ts';
import { ask } from './api.ts';
import { CommandFailure, exitCodes } from './exit.ts';
import { reconciling } from './outcome.ts';
import { configurationOf } from './serve.ts';
import type { Shell } from './shell.ts';

/**
 * `rebuild
 * backup`: rebuilds the analytics database, and copies the record store to a file.
 */
export function registerUpkeep(program: Command, shell: Shell): void {
  registerRebuild(program, shell);
  registerBackup(program, shell);
}

function registerRebuild(program: Command, shell: Shell): void {
  program
    .command('rebuild')
    .description('rebuild the analytics database from the record store and the ledger')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
A missing or damaged database is rebuilt automatically; use this command if in doubt. No data is lost, no
request goes to the financing service, and no case changes. Queries are answered with "not-ready" during
the rebuild.`,
    )
    .action(
      reconciling(async ({ json }: { json?: boolean }) => {
        const status = await ask(shell, {
          method: 'POST',
          path: '/rebuild',
          body: {},
          schema: statusSchema,
        });
        if (json) shell.print(JSON.stringify(status));
        else {
          const { facts, analytics, asOf = 'not judged yet' } = status;
          shell.print(`analytics    ${analytics.state}`);
          shell.print(`facts        ${facts.answered} of ${facts.last} answered`);
          shell.print(`as of        ${asOf}`);
        }
      }),
    );
}

function registerBackup(program: Command, shell: Shell): void {
  program
    .command('backup <file>')
    .description('copy the record store (SQLite) to a file, also while "serve" runs')
    .addHelpText(
      'after',
      `
The record store holds all data that cannot be computed again. To restore, stop "serve", copy the file to
the path in RECONCILIATION_STORE, and start it: it rebuilds the analytics database. For a record store in
PostgreSQL use pg_dump.`,
    )
    .action(
      reconciling(async (file: string) => {
        const { store } = configurationOf(shell);
        try {
          const facts = await openFacts(store.url.reveal());
          try {
            await facts.backup(file);
          } finally {
            await facts.close();
          }
        } catch (error) {
          if (error instanceof BackupError) throw new CommandFailure(error.message);
          if (!(error instanceof FactsError)) throw error;
          throw new CommandFailure(error.message, exitCodes.unavailable);
        }
        shell.say('The backup is complete.');
      }),
    );
}
