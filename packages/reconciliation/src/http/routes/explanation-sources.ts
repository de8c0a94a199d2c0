import { gapsText, type OrderExplanation } from '@financing-checkout/contract/reconciliation';
import type { Engine } from '../../engine/engine.ts';
import { foldId } from '../../imports/read/index.ts';
import { merchantOrderIdOf, orderKeyOf } from '../../platform/order-key.ts';
import { ProblemError } from '../../platform/problem.ts';
import { explainOrder, type ExplanationSources } from '../../queries/orders/explanation.ts';
import { gapsOf } from '../gaps.ts';

/**
 * Returns all data about an order.
 * @throws {ProblemError} `order-not-found`
 */
export async function explanationOf(
  engine: Engine,
  orderKey: string,
  signal: AbortSignal,
): Promise<OrderExplanation> {
  const context = engine.data.context(signal);
  let companion = 0;
  const sources = explanationSources(engine, signal, () => (companion = 1));
  const explain = (key: string) => explainOrder(context, sources, key);
  const order = merchantOrderIdOf(orderKey);
  const folded = order === undefined ? orderKey : orderKeyOf(foldId(order));
  // Tries the exact ID first, because companion and lender IDs are not normalized.
  const explanation =
    (await explain(orderKey)) ?? (folded === orderKey ? undefined : await explain(folded));
  const notSearched = await gapsOf(engine, context, { companion });
  if (explanation !== undefined) return { ...explanation, notSearched };
  const found = 'No ledger line and no funding has this order id. Check its spelling.';
  throw new ProblemError('order-not-found', {
    detail: /^(?:order|funding):/.test(orderKey)
      ? [found, gapsText(notSearched)].filter(Boolean).join(' ')
      : 'Use its order key: "order:" and the merchant’s id, percent-encoded.',
  });
}

/** Returns the sources of an explanation other than the analytics database. */
function explanationSources(
  engine: Engine,
  signal: AbortSignal,
  onSilence: () => void,
): ExplanationSources {
  return {
    caseEvents: (ids) => engine.facts.caseEvents(ids),

    async ledgerEntries(merchantOrderId) {
      try {
        return await engine.ledger.entriesOfOrder(merchantOrderId, signal);
      } catch (error) {
        // Without the companion, the explanation lacks only the sentence about unsettled money.
        if (!(error instanceof Error) || error.name !== 'CompanionError') throw error;
        engine.logger.log('warn', 'ledger-not-read', { reason: error.message });
        onSilence();
        return [];
      }
    },
  };
}
