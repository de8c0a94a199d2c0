#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { fingerprint, KeyFenceError } from './fingerprint.ts';
import { scanFolder } from './folder.ts';
import { keysToFind } from './keys.ts';
import { describe } from './leaks.ts';

const usage = `Usage:
  key-fence fingerprint [file]   prints the fingerprint of the key in a file or on standard input
  key-fence scan <folder>        fails when a file contains a key from the environment variables
                                 KEY_FENCE_FINGERPRINT, KEY_FENCE_SECRET, KEY_FENCE_SECRET_FILE
`;

const [command, path, ...more] = process.argv.slice(2);
try {
  if (command === 'fingerprint' && more.length === 0) {
    // The key is never an argument: every process on the machine can see arguments, and shells
    // store them.
    process.stdout.write(`${fingerprint(textOf(path ?? 0).trim())}\n`);
  } else if (command === 'scan' && path !== undefined && more.length === 0) {
    process.exitCode = await scan(path);
  } else if (command === '--help' || command === '-h') {
    process.stdout.write(usage);
  } else {
    process.stderr.write(usage);
    process.exitCode = 2;
  }
} catch (error) {
  if (!(error instanceof KeyFenceError || isOfSystem(error))) throw error;
  process.stderr.write(`key-fence: ${error.message}\n`);
  process.exitCode = 2;
}

/** Reports a read error without the path, which may be a key that was passed by mistake. */
function textOf(file: string | number): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (!isOfSystem(error)) throw error;
    throw new KeyFenceError(
      `The key file cannot be read (${error.code ?? 'error'}). If you passed the key itself, remove it ` +
        'from the history of your shell.',
    );
  }
}

async function scan(folder: string): Promise<number> {
  const keys = keysToFind({}, process.env);
  if (keys.secrets.length + keys.fingerprints.length === 0) {
    throw new KeyFenceError('No key is configured. Set KEY_FENCE_FINGERPRINT.');
  }
  const findings = await scanFolder(folder, keys);
  for (const finding of findings) {
    process.stderr.write(`${finding.file}: ${describe(finding)}\n`);
  }
  if (findings.length > 0) {
    process.stderr.write('If this was ever public: rotate the private key now.\n');
    return 1;
  }
  process.stdout.write(`${folder}: no key found\n`);
  return 0;
}

/** Narrows to a file system error of Node, such as a missing file. */
function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
