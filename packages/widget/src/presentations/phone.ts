import type { Checkout, Link } from '../companion/answer.ts';
import type { aborted } from '../platform/abort.ts';
import { parse } from '../platform/address.ts';
import type { markOpen } from '../platform/tabs.ts';
import type { isTrustworthy } from '../platform/trustworthy.ts';
import type { Texts } from '../texts/texts.ts';
import { adoptPhoneStyles, phoneView } from '../views/phone.ts';
import type { Notice } from '../views/view.ts';
import { BlockedError } from './presentation.ts';
import type { Ending } from './presentation.ts';

/**
 * What waiting for another device needs. The functions are passed in because the checkout has
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
    // Only addresses on this machine may be http.
    const waiting = url.startsWith('http:') ? texts.phoneLocal : texts.phoneWaiting;
    return {
      name: 'phone',
      title: isOpened ? texts.awayTitle : texts.phone,
      // The code stays visible, because the application may be open on the wrong phone.
      text: isOpened ? `${texts.away} ${waiting}` : waiting,
      body: phoneView({ url, qrCode, isCopied: this.#isCopied }, texts, () => void this.#copy()),
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

/**
 * Shows the link for another device until the checkout has ended or the shopper leaves.
 * @throws {BlockedError} if the link cannot be shown
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
