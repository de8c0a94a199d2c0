import type { Presentation } from '../checkout/answer.ts';
import { isObject } from '../checkout/object.ts';
import { FinancingApplicationEvent } from '../events/application-event.ts';
import { aborted, BlockedError } from './presentation.ts';
import type { Ending, SdkSurroundings, Shown, Stage } from './presentation.ts';
import { endOf, tokenOf } from './sdk-ending.ts';
import { readySdk } from './sdk-ready.ts';
import { answerUpdate } from './sdk-update.ts';

/** How long the lender's last page may stay after the confirmation, in milliseconds. */
const LAST_PAGE = 10_000;

/**
 * Session tokens that continue a session which this page saw end, such as one that is pending. Good
 * for an hour at the service, and never stored: a session token is not for the next person here.
 */
const continuations = new Map<string, string>();

/**
 * Has the service's own SDK show the checkout (published contract, browser SDK).
 * @throws {BlockedError} when it cannot be used
 */
export async function presentSdk(
  settings: NonNullable<Presentation['sdk']>,
  { sessionToken, signal }: Stage,
  around: SdkSurroundings,
): Promise<Shown> {
  const { configuration, element, onError } = around;
  const { dispose, present } = await readySdk(settings, configuration.publicKey, signal);
  let settle!: (end: Ending) => void;
  let fail!: (reason: BlockedError) => void;
  const done = new Promise<Ending>((resolve, reject) => ([settle, fail] = [resolve, reject]));
  let close!: () => void;
  const closed = new Promise<void>((resolve) => (close = resolve));
  /** The latest decision of each lender. */
  const decisions = new Map<unknown, string>();
  const options = {
    sessionToken: continuations.get(sessionToken) ?? sessionToken,
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
      const answer = await answerUpdate(data, around, signal, dispose, settle);
      // It is published to hear the answer either way; twice would be one too many.
      if (typeof done !== 'function') return answer;
      (done as (answer: object) => void)(answer);
      return undefined;
    },
    // Before the dialog closes. The page may not live to see that, so the token is sent now; the
    // completion repeats it, and by then this has ended.
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
  };
  // What it threw is not told on: nobody here knows what stands in it.
  const failed = () => {
    fail(new BlockedError('sdk-unusable', 'The service’s script failed to present.'));
  };
  try {
    // It may be asynchronous; what it returns else is its own business.
    Promise.resolve(present('checkout', options)).catch(failed);
  } catch {
    failed();
  }
  return {
    end: Promise.race([done, aborted(signal)]),
    held: true,
    // The script of a page that initialised it is that page's: only the shopper closes its dialog.
    ...(dispose && {
      askToClose: () => {
        dispose();
        settle({ type: 'ended', reason: 'cancelled' });
      },
    }),
  };
}
