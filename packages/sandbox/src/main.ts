#!/usr/bin/env node
import { Command } from 'commander';
import { addClock } from './cli/clock.ts';
import { addKeys } from './cli/keys.ts';
import { addServe } from './cli/serve.ts';
import { SandboxError } from './problem.ts';

const program = new Command('financing-sandbox')
  .description('A stand-in for the financing service, on this machine.')
  .showHelpAfterError();
addServe(program);
addClock(program);
addKeys(program);

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof SandboxError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
