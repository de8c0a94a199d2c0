/** The shopper's input. */
export interface Choice {
  /** Decides the outcome at the sandbox; see its README. */
  lastName?: string;
  /** Code of the offer. @default the first one on the page */
  offer?: string;
}

/**
 * Fills in the forms of the service's hosted page as a shopper: the details, then an offer.
 * @param address address of the page, from the companion
 * @returns the confirmation token; undefined when the page has no offer, or no token yet
 */
export async function confirmOffer(
  address: string,
  { lastName = 'Quayle', offer: wanted }: Choice = {},
): Promise<string | undefined> {
  const url = new URL(address);
  const visit = Object.fromEntries(url.searchParams);
  const details = {
    ...visit,
    firstName: 'Ada',
    lastName,
    email: 'ada@example.com',
    phone: '(202) 555-0123',
    birthDate: '1990-02-03',
    income: '52000',
    consent: 'yes',
  };
  const offers = await submit(new URL('/checkout/details', url), details);
  const offer = /name="offer"[^>]*?value="([^"]+)"|value="([^"]+)"[^>]*?name="offer"/.exec(offers);
  const page = offer
    ? await submit(new URL('/checkout/confirm', url), {
        ...visit,
        offer: wanted ?? offer[1] ?? offer[2] ?? '',
        agree: 'yes',
      })
    : offers;
  const outcome = /data-outcome="([^"]*)"/.exec(page)?.[1]?.replaceAll('&quot;', '"');
  if (outcome === undefined) return undefined;
  return (JSON.parse(outcome) as { confirmationToken?: string }).confirmationToken;
}

async function submit(url: URL, fields: Record<string, string>): Promise<string> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) });
  return response.text();
}
