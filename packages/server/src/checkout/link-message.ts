import type { LinkDelivery, Order } from '@financing-checkout/contract';
import type { LinkMessage } from '../store/store.ts';
import type { LinkOptions } from '../service/links.ts';
import { RECIPIENT_MS, TOKEN_MS } from './budgets.ts';
import type { CheckoutContext } from './context.ts';

/** Purpose of the digests of recipients. Another purpose would have another key. */
const PURPOSE = 'recipients of links';

/** How staff want a link made. */
export interface StaffLink extends Pick<LinkOptions, 'delivery' | 'language'> {
  /** Name of the back-office token. */
  sender: string;
}

/**
 * Returns the message by which the service sends the link of an order, as the store counts it. The
 * recipient is stated as digests that only a holder of the private key can compare with an address.
 * @returns undefined when the service sends nothing
 */
export async function linkMessage(
  { environment, linkMessageBudgets, service }: CheckoutContext,
  { consumer }: Order,
  { delivery, sender }: StaffLink,
  now: number,
): Promise<LinkMessage | undefined> {
  if (delivery === undefined) return undefined;
  const { perRecipient, perToken } = linkMessageBudgets;
  const address = delivery === 'email' ? consumer?.email : consumer?.mobilePhoneNumber;
  const recipients =
    perRecipient === 0 ? [] : await service.digests(PURPOSE, recipientOf(delivery, address ?? ''));
  return {
    recipients,
    sender: `${environment} ${sender}`,
    budget: {
      recipient: { limit: perRecipient, since: now - RECIPIENT_MS },
      token: { limit: perToken, since: now - TOKEN_MS },
    },
  };
}

/**
 * Returns one text for all ways to write an address that reach the same person: a phone number with and
 * without the prefixes of its country, a mailbox in capitals or with a tag (RFC 5233).
 */
function recipientOf(delivery: LinkDelivery, address: string): string {
  if (delivery === 'sms') return `sms ${address.slice(-10)}`;
  const at = address.lastIndexOf('@');
  const [mailbox = ''] = address.slice(0, at).split('+');
  return `email ${`${mailbox}${address.slice(at)}`.normalize('NFKC').toLowerCase()}`;
}
