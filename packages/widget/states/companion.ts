import type { Answer, State } from './states.ts';

export const COMPANION = 'https://companion.example';

/** The price of the order, before and after the shopper adds something to the cart. */
export const amount = { value: 129_900, currency: 'USD' };
export const later = { value: 154_800, currency: 'USD' };

const checkout = {
  id: 'checkout-1',
  environment: 'sandbox',
  status: 'open',
  amount,
  expiresAt: '2026-11-20T12:00:00Z',
};

/** An image of 21 by 21 modules with the three finder patterns of a QR code and no content. */
const qrCode = drawCode();

function drawCode(): string {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 21;
  const context = canvas.getContext('2d');
  if (!context) return '';
  const put = (x: number, y: number, size: number, colour: string) => {
    context.fillStyle = colour;
    context.fillRect(x, y, size, size);
  };
  put(0, 0, 21, '#fff');
  for (let at = 0; at < 441; at++) {
    if ((at * at + at * 7) % 5 < 2) put(at % 21, Math.floor(at / 21), 1, '#000');
  }
  for (const [x, y] of [
    [0, 0],
    [14, 0],
    [0, 14],
  ] as const) {
    put(x, y, 7, '#000');
    put(x + 1, y + 1, 5, '#fff');
    put(x + 2, y + 2, 3, '#000');
  }
  return canvas.toDataURL('image/png').split(',')[1] ?? '';
}

/**
 * Returns the URL of the lender's page, on another origin of this server, as the widget requires.
 */
function lenderAddress(state: State, locale: string): string {
  const { hostname, origin } = location;
  const url = new URL('lender.html', location.href);
  url.hostname = hostname === 'localhost' ? '127.0.0.1' : 'localhost';
  const does = state.start?.lender ?? 'nothing';
  url.search = new URLSearchParams({ session: 'session-1', origin, does, locale }).toString();
  return url.href;
}

function answer(how: Answer, id: string): Promise<Response> {
  if (how === 'never') return new Promise(() => undefined);
  if (how === 'refused') return Promise.reject(new TypeError('Failed to fetch'));
  if ('status' in how) {
    return Promise.resolve(Response.json({ ...checkout, merchantOrderId: id, ...how }));
  }
  const { problem: code } = how;
  const amounts = code === 'order-changed' ? { approved: amount, current: later } : undefined;
  const body = { code, title: 'A problem', status: 409, requestId: 'r', retrySafe: true, amounts };
  return Promise.resolve(Response.json(body, { status: 409 }));
}

/**
 * Replaces `fetch` with a companion that leads to one state.
 * @param id the merchant's order ID
 */
export function companionFor(state: State, id: string, locale: string): typeof fetch {
  const url = lenderAddress(state, locale);
  const hosted = { url, modes: ['embedded', 'popup'] };
  const link = {
    url: 'https://pay.example/l/7Q2mXk9',
    qrCode,
    state: state.opened ? 'opened' : 'waiting',
    expiresAt: checkout.expiresAt,
  };
  const presentation =
    state.then === 'take the phone'
      ? { sessionToken: 'session-1', link }
      : { sessionToken: 'session-1', hosted };
  const opened = { status: 'open', presentation };
  const { prime = opened, verdict = opened } = state.start ?? {};
  return (input) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    return answer(/\/(prime|prequalifications)$/.test(pathname) ? prime : verdict, id);
  };
}

/** Returns an order ticket with an invalid signature, which no code here checks. */
export function ticketFor(merchantOrderId: string, { value, currency } = amount): string {
  const order = { merchantOrderId, currency, totalAmount: value };
  const part = (content: object) => btoa(JSON.stringify(content)).replaceAll('=', '');
  return [part({ alg: 'HS256' }), part({ order }), 'c2ln'].join('.');
}
