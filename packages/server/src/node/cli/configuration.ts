import { readFileSync } from 'node:fs';
import {
  type CompanionConfiguration,
  ConfigurationError,
  readConfiguration,
  readStoreConfiguration,
} from '../../config/config.ts';
import type { StoreLocation } from '../../config/store.ts';
import { CommandFailure, exitCodes } from './exit.ts';
import type { Shell } from './shell.ts';

/**
 * Reads the configuration of a command from environment variables and the files they name. Notes
 * names that look misspelled.
 * @throws {CommandFailure} exit code 78, with every missing or wrong variable
 */
export function commandConfiguration(shell: Shell): CompanionConfiguration {
  const configuration = read(shell.env, readConfiguration);
  for (const name of configuration.unknownVariables) {
    shell.say(`note: ${name} is not a variable of the companion; is it spelled right?`);
  }
  return configuration;
}

/**
 * Reads the location of the store, for commands that need nothing else.
 * @throws {CommandFailure} exit code 78
 */
export function storeConfiguration(shell: Shell): StoreLocation {
  return read(shell.env, readStoreConfiguration);
}

function read<Result>(
  env: Shell['env'],
  from: (variables: Shell['env'], readFile: (path: string) => string) => Result,
): Result {
  try {
    return from(env, (path) => readFileSync(path, 'utf8'));
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new CommandFailure(error.message, exitCodes.configuration);
  }
}
