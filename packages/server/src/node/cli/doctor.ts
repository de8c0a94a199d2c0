import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { ConfigurationError, readConfiguration } from '../../config/config.ts';
import { failed, type Finding } from '../doctor/finding.ts';
import { type ExitCode, exitCodes, FoundWrong } from './exit.ts';
import type { Shell } from './shell.ts';

/** Registers `doctor`, which checks an installation before a shopper finds an error. */
export function registerDoctor(program: Command, shell: Shell): void {
  program
    .command('doctor')
    .description('check the configuration, files, certificate, clock and keys; change nothing')
    .option('--json', 'as one JSON object: {ok, findings}')
    .addHelpText(
      'after',
      `
Run it with the variables and the user of the companion. It reads files and the store, and requests
at most one funding record with each key, to find the environment of the key and which half of the
key pair it is. A refused key of UAT or Sandbox is tried at the other addresses of
FINANCING_KNOWN_BASE_URLS; a production key is sent nowhere else.

Exit codes: 0 no failure (there may be warnings), 1 something is wrong, 78 the configuration is not
complete.`,
    )
    .action((options: { json?: boolean }) => doctor(shell, options));
}

async function doctor({ env, print }: Shell, { json = false }: { json?: boolean }): Promise<void> {
  let findings: Finding[];
  let wrong: ExitCode = exitCodes.failed;
  try {
    const configuration = readConfiguration(env, (path) => readFileSync(path, 'utf8'));
    const { examine } = await import('../doctor/examine.ts');
    findings = await examine(configuration, env);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    findings = error.problems.map(({ variable, message }) =>
      failed('configuration', `${variable} ${message}`, 'See the README of the companion.'),
    );
    wrong = exitCodes.configuration;
  }
  const well = findings.every(({ status }) => status !== 'failed');
  if (json) print(JSON.stringify({ ok: well, findings }));
  else printFindings(print, findings);
  if (!well) throw new FoundWrong(wrong);
}

function printFindings(print: Shell['print'], findings: Finding[]): void {
  for (const { status, subject, message, advice } of findings) {
    print(`${status.padEnd(8)} ${subject.padEnd(14)} ${message}`);
    if (advice !== undefined) print(`${' '.repeat(24)}${advice}`);
  }
}
