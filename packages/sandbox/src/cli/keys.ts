import type { Command } from 'commander';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { KeyRing } from '../environments/keys.ts';
import { SandboxError } from '../platform/problem.ts';

/** `financing-sandbox keys show`, which reads the files. */
export function addShow(keys: Command): void {
  keys
    .command('show', { isDefault: true })
    .description('Show the key files and the public keys of each environment.')
    .requiredOption('--data-dir <dir>', 'data folder of the sandbox')
    .option('--reveal-private', 'show the private keys too')
    .action((options: { dataDir: string; revealPrivate?: true }) => {
      if (!existsSync(join(options.dataDir, 'keys'))) {
        throw new SandboxError(
          `There are no keys in ${options.dataDir}: start the sandbox there once, or name its folder.`,
        );
      }
      for (const key of new KeyRing(options.dataDir, Date.now).all()) {
        const shown = key.kind === 'public' || options.revealPrivate === true;
        const value = shown ? key.value : '(hidden: --reveal-private shows it)';
        process.stdout.write(
          `${key.environment} ${key.kind}\n  file  ${key.file}\n  key   ${value}\n`,
        );
      }
    });
}
