import type { Command } from 'commander';
import { registerAnswers } from './reconcile/answers.ts';
import { registerCases } from './reconcile/cases.ts';
import { registerExports } from './reconcile/exports.ts';
import { registerImport } from './reconcile/imports.ts';
import { registerOrders } from './reconcile/orders.ts';
import { registerSync } from './reconcile/sync.ts';
import { exitCodeHelp, withReconcileCodes } from './reconcile/outcome.ts';
import type { Shell } from './shell.ts';

/** `reconcile`: whether lenders paid what was settled, through a running companion. */
export function registerReconcile(program: Command, shell: Shell): void {
  const reconcile = withReconcileCodes(
    program
      .command('reconcile')
      .description('whether lenders paid for orders what was settled, through a running companion')
      .addHelpText(
        'after',
        `
The companion compares what the merchant's ledger says with what lenders posted, to the cent, order
by order. What does not agree is an exception; each has a case that somebody can work on.
${exitCodeHelp}

Examples:
  financing-companion reconcile sync                       read what lenders posted
  financing-companion reconcile exceptions                 what is wrong
  financing-companion reconcile explain A-1001             one order, in words
  financing-companion reconcile walk --from 2026-11-01     where the money is, unexplained 0.00
  financing-companion reconcile exceptions --threshold 10 >/dev/null || notify-finance

Asks the back office at COMPANION_BACK_OFFICE_URL (http://127.0.0.1:4001) with
COMPANION_BACK_OFFICE_TOKEN, or the file COMPANION_BACK_OFFICE_TOKEN_FILE.`,
      ),
  );
  registerSync(reconcile, shell);
  registerOrders(reconcile, shell);
  registerCases(reconcile, shell);
  registerAnswers(reconcile, shell);
  registerExports(reconcile, shell);
  registerImport(reconcile, shell);
}
