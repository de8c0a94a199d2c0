import { Command, CommanderError } from 'commander';
import { BACK_OFFICE_TOKEN } from '../../companion.fixture.ts';
import { defaultPolicy } from '../../reconciliation/policy.ts';
import { reconciledCompanion } from '../../reconciliation/reconciled.fixture.ts';
import { CommandFailure } from './exit.ts';
import type { Shell } from './shell.ts';
import { registerReconcile } from './reconcile.ts';

/** A companion with a funded order, one that is short, one that is missing, and commands on it. */
export async function setUp({ clean = false, policy = defaultPolicy } = {}) {
  const unused = () => Promise.reject(new Error('unused'));
  const reconciliation = { policy, work: [], catchUp: unused, stop: unused };
  const companion = await reconciledCompanion({ reconciliation }, policy);
  await companion.prove();
  await companion.put({ order: 'A-funded' });
  if (!clean) {
    await companion.put({ order: 'B-short', fundings: [{ transactionAmount: 8_500 }] });
    await companion.put({ order: 'C-missing', fundings: [] });
  }
  await companion.follow();
  const out: string[] = [];
  const err: string[] = [];
  const shell = {
    env: {
      COMPANION_BACK_OFFICE_URL: 'https://companion.internal:4001/',
      COMPANION_BACK_OFFICE_TOKEN: BACK_OFFICE_TOKEN,
      RECONCILIATION_USER: 'Ines',
    } as Record<string, string>,
    fetch: async (url: string, init: RequestInit) => companion.backOffice.request(url, init),
    print: (line: string) => void out.push(line),
    say: (line: string) => void err.push(line),
  } satisfies Shell;
  /** Runs `reconcile …`. @returns what it printed, and the exit code it would end with */
  async function run(...words: string[]) {
    out.length = 0;
    err.length = 0;
    const program = new Command('financing-companion').exitOverride();
    program.configureOutput({
      writeErr: (text) => void err.push(text),
      writeOut: (text) => void out.push(text),
    });
    registerReconcile(program, shell);
    let code = 0;
    try {
      await program.parseAsync(['reconcile', ...words], { from: 'user' });
    } catch (error) {
      if (error instanceof CommandFailure) {
        code = error.exitCode;
        err.push(error.message);
      } else if (error instanceof CommanderError) code = error.exitCode;
      else throw error;
    }
    return { code, out: out.join('\n'), err: err.join('\n') };
  }
  return { companion, shell, run };
}
