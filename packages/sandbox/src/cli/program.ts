import { Command, CommanderError } from 'commander';
import { addClock } from './clock.ts';
import { addConformance } from './conformance.ts';
import { addFault } from './fault.ts';
import { addFund } from './fund.ts';
import { addKeys } from './keys.ts';
import { addLender } from './lender.ts';
import { addNotify } from './notify.ts';
import { addOutcome } from './outcome.ts';
import { addSeed } from './seed.ts';
import { addServe } from './serve.ts';
import { addState } from './state.ts';
import { addTransaction } from './transaction.ts';
import { ArgumentError, SandboxError } from '../problem.ts';

// Who reads has had enough ("… | head"): that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const program = new Command('financing-sandbox')
  .description('A stand-in for the financing service, on this machine.')
  // The whole help would bury what is wrong.
  .showHelpAfterError('(--help shows what there is)')
  .addHelpText(
    'after',
    `
Examples:
  financing-sandbox serve --data-dir .data/sandbox
  financing-sandbox outcome set decline
  financing-sandbox fault add hang --operation charges.create --when after
  financing-sandbox clock advance 1d

Exit codes: 0 done, 1 refused (a message says why), 2 wrong arguments.`,
  )
  // Taken over by every command below.
  .exitOverride();
addServe(program);
addClock(program);
addKeys(program);
addOutcome(program);
addTransaction(program);
addFault(program);
addNotify(program);
addState(program);
addFund(program);
addLender(program);
addSeed(program);
addConformance(program);

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has said what is wrong; its own code is 1 for everything.
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else if (error instanceof SandboxError) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error instanceof ArgumentError ? 2 : 1;
  } else {
    throw error;
  }
}
