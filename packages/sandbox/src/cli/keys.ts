import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { KeyRing } from '../environments/keys.ts';
import { SandboxError } from '../problem.ts';

/** `financing-sandbox keys` */
export function addKeys(program: Command): void {
  program
    .command('keys')
    .description('Show the key files and the public keys of each environment.')
    .requiredOption('--data-dir <dir>', 'folder the sandbox was started with')
    .option('--reveal-private', 'show the private keys too')
    .action((options: { dataDir: string; revealPrivate?: true }) => {
      if (!existsSync(join(options.dataDir, 'keys'))) {
        throw new SandboxError(
          `There are no keys in ${options.dataDir}: start the sandbox there once, or name its folder.`,
        );
      }
      for (const key of new KeyRing(options.dataDir).all()) {
        const shown = key.kind === 'public' || options.revealPrivate === true;
        const value = shown ? key.value : '(hidden: --reveal-private shows it)';
        process.stdout.write(
          `${key.environment} ${key.kind}\n  file  ${key.file}\n  key   ${value}\n`,
        );
      }
    });
}
