import { readFileSync } from 'node:fs';
import {
  addCommand,
  CommandFailure,
  exitCodes,
  flag,
  type Register,
  type Shell,
} from '@financing-checkout/kit/cli';
import { readStoreConfiguration } from '../../config/config.ts';
import { versionProblem } from '../../store/version.ts';

/** Registers `migrate`, which applies pending migrations to the store. */
export const registerMigrate: Register<Shell> = (program, shell) => {
  const definition = {
    usage: 'migrate',
    description: 'bring the store up to date, or check it with --check',
    options: { check: flag('change nothing; exit code 1 if migrations are pending') },
    help: `The store is COMPANION_STORE (default sqlite:companion.db). All pending migrations are applied in one
transaction, or none; companions that start in the meantime wait. "serve" migrates automatically
unless COMPANION_MIGRATE=never. Migrate before the new version starts: a version older than the store
refuses to start.`,
  };
  addCommand(program, definition, ({ check }) => migrate(shell, check));
};

async function migrate({ env, print }: Shell, check = false): Promise<void> {
  const location = readStoreConfiguration(env, (path) => readFileSync(path, 'utf8'));
  const { createStore, fileExists, requireLocks, storeError } = await import('../store.ts');
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
      await requireLocks(location);
      for (const name of await store.migrate()) print(`applied  ${name}`);
    }
    const problem = check ? versionProblem(version) : undefined;
    if (problem !== undefined) throw new CommandFailure(`${problem.reason}: ${problem.advice}.`);
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
