import type { Checkout } from '../companion/answer.ts';
import type { Attributes, Configuration } from '../companion/configuration.ts';
import type { Memory } from '../companion/memory.ts';
import type { Step } from '../model/phase.ts';
import { aborted } from '../platform/abort.ts';
import { markOpen } from '../platform/tabs.ts';
import { isTrustworthy } from '../platform/trustworthy.ts';
import type { PhoneLink } from '../presentations/phone.ts';
import { loadFile } from '../presentations/presentation.ts';
import type { Ending } from '../presentations/presentation.ts';
import { PresentationSession } from '../presentations/session.ts';
import type { SessionOptions, SimulatedPage } from '../presentations/session.ts';
import type { Poller } from './poller.ts';

/** What showing a checkout needs from the attempt. */
interface ShowOptions extends SessionOptions {
  readonly element: HTMLElement & Attributes;
  readonly configuration: Configuration;
  readonly memory: Memory;
  readonly simulation: SimulatedPage | undefined;
  readonly poller: Poller;
  readonly onStep: (step: Step) => void;
}

/** The state of a shown checkout, as read by the element. */
interface Showing {
  session: PresentationSession | undefined;
  phone: PhoneLink | undefined;
  detached: boolean | undefined;
}

/**
 * Shows an open checkout until it ends: in the first presentation that works, or as a link for
 * another device.
 * @throws {BlockedError} if it cannot be shown
 */
export async function showCheckout(
  checkout: Checkout,
  attempt: Showing,
  options: ShowOptions,
): Promise<Ending> {
  const watch = async (signal: AbortSignal): Promise<Ending> => ({
    type: 'settled',
    checkout: await options.poller.watch(checkout.id, signal),
  });
  if (checkout.presentation?.link) {
    const { waitForPhone } = await loadFile(import('../presentations/phone.ts'));
    return waitForPhone(checkout, {
      ...options,
      aborted,
      isTrustworthy,
      markOpen,
      watch,
      onChange: (phone) => {
        attempt.phone = phone;
        if (phone) options.onStep('phone');
      },
    });
  }
  return new PresentationSession(checkout, {
    ...options,
    attempt,
    watch,
    presentSdk: async (settings, stage) => {
      const { presentSdk } = await loadFile(import('../presentations/sdk.ts'));
      return presentSdk(settings, stage, options);
    },
  }).run();
}
