import { readFileSync } from 'node:fs';
import {
  addCommand,
  CommandFailure,
  exitCodes,
  reasonOf,
  type Register,
  type Shell,
} from '@financing-checkout/kit/cli';
import { isInQuotationMarks } from '@financing-checkout/kit/env';

/**
 * Registers `fingerprint`, whose output lets a build search for the private key without having it.
 */
export const registerFingerprint: Register<Shell> = (program, shell) => {
  const definition = {
    usage: 'fingerprint',
    description: 'print a fingerprint of the private key, for builds that must not carry it',
    help: `Reads the key from FINANCING_PRIVATE_API_KEY or the file FINANCING_PRIVATE_API_KEY_FILE names, never
from an argument. Standard output is the fingerprint alone. Give it to the build of the shop:

  KEY_FENCE_FINGERPRINT="$(financing-companion fingerprint)" npm run build

It contains a salted hash and the length of the key, so CI can look for the key without having it.
Create a new one after each rotation.`,
  };
  const command = addCommand(program, definition, async () => {
    if (command.args.length > 0) {
      throw new CommandFailure(
        'fingerprint takes no arguments, only the variables in its --help. If you passed the key, ' +
          'remove it from the history of your shell.',
      );
    }
    await run(shell);
  })
    // Extra arguments are refused above, because the parser's message would repeat an argument,
    // which may be the key.
    .allowExcessArguments()
    .allowUnknownOption();
};

async function run({ env, print, say }: Shell): Promise<void> {
  const key = readKey(env);
  // The build would search for the key with the quotation marks, and miss the key without them.
  if (isInQuotationMarks(key)) {
    throw new CommandFailure(
      'FINANCING_PRIVATE_API_KEY, or the content of its file, is in quotation marks: remove them.',
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
