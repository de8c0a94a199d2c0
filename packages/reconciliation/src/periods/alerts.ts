import type { ApprovalAlert } from '@financing-checkout/contract/reconciliation';
import { isoTime } from '@financing-checkout/kit';
import { sha256 } from '../platform/digest.ts';
import type { CloseContext } from './decide.ts';
import { waitingRequests } from './read.ts';

/**
 * Queues a message to finance for each request that waits for a second person. Its ID is made from the
 * request, so that each is sent once, however often this runs.
 * @throws {LeaseLostError}
 */
export async function alertApprovals(
  ctx: Pick<CloseContext, 'clock' | 'deciders' | 'environment' | 'facts' | 'fence'>,
): Promise<void> {
  const { clock, environment, facts, fence } = ctx;
  for (const { at, lapsesAt, of, period, request } of await waitingRequests(ctx)) {
    const now = clock.now();
    const alert: ApprovalAlert = {
      type: 'reconciliation.approval.alert',
      timestamp: isoTime(now),
      data: { environment, period, of, request, at, lapsesAt },
    };
    const id = `msg_approval_${sha256(JSON.stringify([facts.id, request])).slice(0, 32)}`;
    await facts.queueAlert(fence, { id, caseId: '', body: JSON.stringify(alert) }, now);
  }
}
