import type { Withdrawal } from '@financing-checkout/contract/reconciliation';
import { type FactStore, withdrawalIdOf } from '../facts/store.ts';
import type { LedgerImport } from '../imports/keep/index.ts';
import { ProblemError } from '../platform/problem.ts';

export interface WithdrawalRequest {
  id: string;
  /** The token's name, followed by the person if one was stated. */
  actor: string;
}

/**
 * Withdraws the lines of an earlier import, only once. A repeated request gets the same response.
 * @throws {ProblemError} `not-found`
 */
export async function withdrawImport(
  facts: Pick<FactStore, 'importOf' | 'importContent'>,
  imports: Pick<LedgerImport, 'withdraw'>,
  { actor, id }: WithdrawalRequest,
): Promise<Withdrawal> {
  const fact = await facts.importOf(id);
  if (fact?.action !== 'add') {
    throw new ProblemError('not-found', { detail: 'No import has this id.' });
  }
  const earlier = await facts.importOf(withdrawalIdOf(id));
  if (earlier !== undefined) {
    return { id, withdrawn: earlier.count, kept: fact.count - earlier.count };
  }
  const withdrawn = await imports.withdraw(fact, await facts.importContent(id), actor);
  return { id, withdrawn, kept: fact.count - withdrawn };
}
