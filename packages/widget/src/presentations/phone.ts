import type { Checkout, Link } from '../companion/answer.ts';
import type { CompanionError } from '../companion/companion.ts';
import type { Memory } from '../companion/memory.ts';
import type { isTrustworthy } from '../platform/trustworthy.ts';
import type { aborted } from '../platform/abort.ts';
import { parse } from '../platform/address.ts';
import type { markOpen } from '../platform/tabs.ts';
import type { Texts } from '../texts/texts.ts';
import { adoptPhoneStyles, phoneView } from '../views/phone.ts';
import type { Notice } from '../views/view.ts';
import { BlockedError } from './presentation.ts';
import type { Ending } from './presentation.ts';

/**
 * Inputs for waiting for another device. The functions are passed in because the checkout has
 * already loaded them; a shared file would cost one more request.
 */
interface PhoneContext {
  readonly element: HTMLElement;
  readonly life: AbortSignal;
  /** Aborted when the shopper leaves. */
  readonly leaving: AbortSignal;
  readonly aborted: typeof aborted;
  readonly isTrustworthy: typeof isTrustworthy;
  readonly markOpen: typeof markOpen;
  /** Polls the companion until the checkout is no longer open. */
  readonly watch: (signal: AbortSignal) => Promise<Ending>;
  /** Called when the notice changes, and with undefined when the wait is over. */
  readonly onChange: (phone: PhoneLink | undefined) => void;
}

/** The link to a checkout that continues on another device, and how the page shows it. */
export class PhoneLink {
  #link: Link;
  #isCopied = false;
  readonly #onChange: () => void;
  /** Resolves when the service no longer accepts the link. */
  declare readonly expired: Promise<Ending>;
  #expire!: (ending: Ending) => void;

  constructor(link: Link, onChange: () => void) {
    this.#link = link;
    this.#onChange = onChange;
    this.expired = new Promise((resolve) => (this.#expire = resolve));
  }

  /** Applies the companion's latest response. */
  update({ presentation }: Checkout): void {
    const { link } = presentation ?? {};
    if (!link) return;
    if (link.state === 'expired') {
      this.#expire({ type: 'ended', reason: 'expired', firm: true });
    }
    if (link.state === this.#link.state) return;
    this.#link = link;
    this.#onChange();
  }

  notice(texts: Texts): Notice {
    const isOpened = this.#link.state === 'opened';
    const { url, qrCode } = this.#link;
    return {
      name: 'phone',
      title: isOpened ? texts.awayTitle : texts.phone,
      text: isOpened ? texts.away : texts.phoneWaiting,
      body: phoneView(
        { url, qrCode: isOpened ? undefined : qrCode, isCopied: this.#isCopied },
        texts,
        () => void this.#copy(),
      ),
      second: texts.cancel,
      others: false,
    };
  }

  async #copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.#link.url);
    } catch {
      // The page's permissions policy may forbid clipboard access; the URL can still be selected.
      return;
    }
    this.#isCopied = true;
    this.#onChange();
  }
}

/** The parts of a page's order, checkout and companion that a link needs. */
interface Opening {
  readonly companion: { key: string | undefined };
  readonly memory: Memory;
  /** The order ticket. */
  readonly order: string;
  readonly poller: {
    cancel(id: string, claim: Checkout): Promise<Checkout>;
  };
  readonly life: AbortSignal;
  readonly leaving: AbortSignal;
  readonly onError: (error: { code: string; message: string }) => void;
}

/** A structural check, because importing the class itself would cost one more request. */
const isOfCompanion = (error: unknown): error is CompanionError =>
  error instanceof Error && 'answered' in error;

/**
 * Opens a link for an order whose presentations are all blocked here. The checkout on this device
 * ends only after that: if the companion creates no link, the shopper can still continue on this
 * device.
 * @param prime opens a checkout via link
 * @throws {BlockedError} when the companion creates no link
 * @throws {CompanionError} when another tab or device has charged the order, or may still charge it
 */
export async function moveToPhone<T extends Opening>(
  checkout: Checkout,
  opening: T,
  prime: (opening: T) => Promise<Checkout>,
  isChargedElsewhere: (code: string) => boolean,
): Promise<Checkout> {
  const { companion, leaving, memory, onError, poller } = opening;
  const { key } = companion;
  const remembered = memory.recall();
  memory.forget();
  let made: Checkout;
  try {
    made = await prime(opening);
  } catch (error) {
    companion.key = key;
    if (remembered) memory.remember(remembered);
    // The caller cancels its current checkout.
    if (leaving.aborted) return checkout;
    if (!isOfCompanion(error) || isChargedElsewhere(error.code)) throw error;
    // An earlier link for this order is still live, so a charge may still follow.
    if (error.code === 'order-changed' || error.code === 'outcome-unknown') throw error;
    onError(error);
    throw new BlockedError();
  }
  const { key: linkKey } = companion;
  companion.key = key;
  const left = await poller.cancel(checkout.id, { ...checkout, status: 'cancelled' });
  companion.key = linkKey;
  return left.status === 'approved' ? left : made;
}

/**
 * Shows the link for another device until the checkout has ended or the shopper leaves.
 * @throws {BlockedError} when the link cannot be shown
 */
export async function waitForPhone(
  checkout: Checkout,
  { element, leaving, life, aborted, isTrustworthy, markOpen, onChange, watch }: PhoneContext,
): Promise<Ending> {
  const { link } = checkout.presentation ?? {};
  // No earlier code has validated these members of the companion's response.
  const url = typeof link?.url === 'string' && parse(link.url);
  if (!link || !url || !isTrustworthy(url)) {
    throw new BlockedError('link-unusable', 'The link must have an address on https.');
  }
  const phone: PhoneLink = new PhoneLink({ ...link, url: url.href }, () => onChange(phone));
  const over = new AbortController();
  markOpen(checkout.id, over.signal);
  if (element.shadowRoot) adoptPhoneStyles(element.shadowRoot);
  onChange(phone);
  phone.update(checkout);
  try {
    return await Promise.race([
      watch(AbortSignal.any([life, over.signal])),
      phone.expired,
      aborted(leaving, over.signal).catch((): Ending => ({ type: 'ended', reason: 'cancelled' })),
    ]);
  } finally {
    over.abort();
    onChange(undefined);
  }
}
