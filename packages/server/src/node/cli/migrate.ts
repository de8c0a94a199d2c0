import type { Command } from 'commander';
import { storeConfiguration } from './configuration.ts';
import { CommandFailure, exitCodes } from './exit.ts';
import type { Shell } from './shell.ts';

/** Registers `migrate`, which brings the store up to date. */
export function registerMigrate(program: Command, shell: Shell): void {
  program
    .command('migrate')
    .description('bring the store up to date, or check it with --check')
    .option('--check', 'change nothing; exit code 1 if migrations are pending')
    .addHelpText(
      'after',
      `
The store is COMPANION_STORE (default sqlite:companion.db). All pending migrations are applied in one
transaction, or none; companions that start in the meantime wait. "serve" migrates automatically
unless COMPANION_MIGRATE=never. Migrate before the new version starts: a version older than the store
refuses to start.`,
    )
    .action((options: { check?: boolean }) => migrate(shell, options));
}

async function migrate(shell: Shell, { check = false }: { check?: boolean }): Promise<void> {
  const { print } = shell;
  const location = storeConfiguration(shell);
  const { createStore, fileExists, storeError } = await import('../store.ts');
  const open = () => {
    const isMissing = check && location.kind === 'sqlite' && !fileExists(location.file);
    return createStore(isMissing ? { kind: 'sqlite', file: ':memory:' } : location);
  };
  const store = await Promise.resolve()
    .then(open)
    .catch((error: unknown) => {
      throw new CommandFailure(storeError(location, error).message, exitCodes.unavailable);
    });
  try {
    const version = await store.version();
    if (check) {
      for (const name of version.applied) print(`applied  ${name}`);
      for (const name of version.pending) print(`pending  ${name}`);
    } else {
      for (const name of await store.migrate()) print(`applied  ${name}`);
    }
    if (check && version.unknown.length > 0) {
      throw new CommandFailure(
        `The store was migrated by a newer version of the companion (${version.unknown.join(', ')}).`,
      );
    }
    if (check && version.pending.length > 0) {
      throw new CommandFailure('The store is behind: run "financing-companion migrate".');
    }
    print('The store is up to date.');
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(storeError(location, error).message, exitCodes.unavailable);
  } finally {
    await store.close();
  }
}
