import { Argument, Option, type Command } from 'commander';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { environmentNames } from '../environments/environment.ts';
import { KeyRing, keyKinds, type KeyKind } from '../environments/keys.ts';
import { SandboxError } from '../platform/problem.ts';
import { addControlCommand, callControl, print, type ControlOptions } from './control.ts';

/** `financing-sandbox keys` */
export function addKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('Show the keys of each environment, or rotate one.');
  addShow(keys);
  addRotate(keys);
}

function addShow(keys: Command): void {
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

interface RotateOptions extends ControlOptions {
  kind: KeyKind;
  grace: string;
}

function addRotate(keys: Command): void {
  addControlCommand(
    keys,
    'rotate',
    'Write a new key to the key file of a running sandbox. The old key stays valid until its grace\n' +
      'period ends on the sandbox clock; then it is answered with 401.',
  )
    .addArgument(new Argument('<environment>', 'environment of the key').choices(environmentNames))
    .addOption(new Option('--kind <kind>', 'kind of the key').choices(keyKinds).default('private'))
    .option('--grace <duration>', 'how long the old key stays valid; 0 ends it at once', '24h')
    .addHelpText(
      'after',
      `
Examples:
  financing-sandbox keys rotate sandbox
  financing-sandbox keys rotate uat --kind public --grace 2h
  financing-sandbox keys rotate sandbox --grace 0     an outdated key, now`,
    )
    .action(async (environment: string, options: RotateOptions) => {
      const { controlUrl, kind, grace } = options;
      const answer = await callControl(controlUrl, '/keys/rotate', { environment, kind, grace });
      const { file, previousValidUntil } = answer as { file: string; previousValidUntil: string };
      print(options, answer, [
        `The new ${kind} key of ${environment} is in ${file}`,
        grace === '0'
          ? 'The old key is outdated: 401'
          : `The old key is valid until ${previousValidUntil}`,
      ]);
    });
}
