import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { isInQuotationMarks } from '../../keys/quotation.ts';
import { CommandFailure, exitCodes, reasonOf } from './exit.ts';
import type { Shell } from './shell.ts';

/** `fingerprint`: what a build needs to look for the private key without having it. */
export function registerFingerprint(program: Command, shell: Shell): void {
  program
    .command('fingerprint')
    .description('print a fingerprint of the private key, for builds that must not carry it')
    .addHelpText(
      'after',
      `
Reads the key from FINANCING_PRIVATE_API_KEY or the file FINANCING_PRIVATE_API_KEY_FILE names, never
from an argument. Standard output is the fingerprint alone. Give it to the build of the shop:

  KEY_FENCE_FINGERPRINT="$(financing-companion fingerprint)" npm run build

It holds a salted hash and the length of the key, so CI can look for the key without having it. Make
another one after each rotation.`,
    )
    // Refused below: the usual refusal repeats what it does not know.
    .allowExcessArguments()
    .allowUnknownOption()
    .action(async (_, command: Command) => {
      if (command.args.length > 0) {
        throw new CommandFailure(
          'fingerprint takes nothing but the variables of its --help. If you gave the key: it may ' +
            'stay in the history of your shell, so take it out there.',
          exitCodes.usage,
        );
      }
      await run(shell);
    });
}

async function run({ env, print, say }: Shell): Promise<void> {
  const key = readKey(env);
  // The build would look for the key with its marks, and not find the one without.
  if (isInQuotationMarks(key)) {
    throw new CommandFailure(
      'FINANCING_PRIVATE_API_KEY, or what its file holds, is in quotation marks: leave them out.',
      exitCodes.configuration,
    );
  }
  const { fingerprint, KeyFenceError } = await import('@financing-checkout/key-fence');
  try {
    print(fingerprint(key));
  } catch (error) {
    if (!(error instanceof KeyFenceError)) throw error;
    throw new CommandFailure(error.message, exitCodes.configuration);
  }
  say('Set KEY_FENCE_FINGERPRINT to this line in the build of every page of the shop.');
}

function readKey(env: Shell['env']): string {
  const name = 'FINANCING_PRIVATE_API_KEY';
  const value = env[name]?.trim() ?? '';
  const file = env[`${name}_FILE`]?.trim() ?? '';
  if ((value === '') === (file === '')) {
    throw new CommandFailure(
      `Set ${name} or ${name}_FILE: ${value === '' ? 'neither' : 'not both'} is set now.`,
      exitCodes.configuration,
    );
  }
  if (value !== '') return value;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new CommandFailure(
      `${name}_FILE cannot be read: ${reasonOf(error)}`,
      exitCodes.configuration,
    );
  }
}
