import type { Presentation } from '../companion/answer.ts';
import { forgetApplication, recallApplication } from '../companion/application.ts';
import { isObject } from '../platform/object.ts';
import { FinancingApplicationEvent } from '../events/application-event.ts';
import type { FinancingOutcomeEvent } from '../events/outcome-event.ts';
import type { SdkContext, Shown, Stage } from './presentation.ts';
import { endOf, tokenOf } from './sdk-ending.ts';
import { readySdk } from './sdk-ready.ts';
import { answerUpdate } from './sdk-update.ts';
import { showDialog } from './sdk-dialogs.ts';

/**
 * Maximum time that the lender's last page may stay open after the confirmation, in milliseconds.
 */
const LAST_PAGE = 10_000;

/**
 * Tokens that continue a session that ended on this page, for example as pending. The service
 * accepts them for one hour. They are never persisted: the next user of this computer must not get
 * one.
 */
const continuations = new Map<string, string>();

/**
 * Shows the checkout in the service's own SDK (published contract, browser SDK).
 * @throws {BlockedError} if the SDK cannot be used
 */
export async function presentSdk(
  settings: NonNullable<Presentation['sdk']>,
  { onModal, sessionToken, signal }: Stage,
  context: SdkContext,
): Promise<Shown> {
  const { configuration, element, onError } = context;
  const sdk = await readySdk(settings, configuration.publicKey, signal);
  await onModal();
  const applicationId = recallApplication(configuration);
  const forget = ({ outcome }: FinancingOutcomeEvent) => {
    // The application is kept, because the shopper may start again with it. An outcome that was
    // still being checked fires a second event later.
    if (outcome === 'cancelled' || outcome === 'unavailable') return;
    element.removeEventListener('financing-outcome', forget);
    forgetApplication(configuration);
  };
  if (applicationId) element.addEventListener('financing-outcome', forget);
  let close!: () => void;
  const closed = new Promise<void>((resolve) => (close = resolve));
  /** Each lender's latest decision. */
  const decisions = new Map<unknown, string>();
  const shown = showDialog(sdk, 'checkout', element, signal, (settle, dispose) => ({
    sessionToken: continuations.get(sessionToken) ?? sessionToken,
    // Continues a prequalification's application (published contract, section 8).
    applicationId,
    onApplicationCreated: (applicationId: unknown) => {
      if (signal.aborted) return;
      element.dispatchEvent(new FinancingApplicationEvent({ applicationId }));
    },
    onApprovalStatusChange: (status: unknown, about: unknown) => {
      if (signal.aborted) return;
      const data = isObject(about) ? about : {};
      decisions.set(data.lenderId, String(status));
      element.dispatchEvent(new FinancingApplicationEvent(data, String(status)));
    },
    onDataUpdate: async (data: unknown, done?: unknown) => {
      const answer = await answerUpdate(data, context, signal, dispose, settle);
      // The SDK accepts the response through the callback or the promise, but not both.
      if (typeof done !== 'function') return answer;
      (done as (answer: object) => void)(answer);
      return undefined;
    },
    // Called before the dialog closes. The page may be gone by then, so the token is sent
    // immediately. The completion repeats the token, which has no effect.
    onConfirm: (token: unknown) => {
      if (!tokenOf(token)) return;
      const timer = setTimeout(close, LAST_PAGE);
      void closed.then(() => clearTimeout(timer));
      settle({ type: 'confirmed', confirmationToken: String(token), closed });
    },
    callback: (token: unknown, data?: unknown, status?: unknown) => {
      close();
      const next = isObject(data) && tokenOf(data.continuationToken);
      if (next) continuations.set(sessionToken, next);
      settle(endOf(token, data, status, [...decisions.values()], onError));
    },
  }));
  return { ...shown, detached: true };
}
