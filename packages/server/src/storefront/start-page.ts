import { type ProblemCode, problems } from '@financing-checkout/contract/storefront';
import { html, raw } from 'hono/html';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { randomId } from '../platform/id.ts';
import type { ProblemError } from '../platform/problem.ts';

/** An HTML page with its status and Content-Security-Policy. */
export interface Page {
  html: ReturnType<typeof html>;
  status: ContentfulStatusCode;
  policy: string;
}

const styles = `
:root { color-scheme: light dark; }
body { margin: 0; font: 1.0625rem/1.6 system-ui, sans-serif; }
main { max-width: 32rem; margin: 0 auto; padding: clamp(2rem, 12vh, 8rem) 1.5rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; text-wrap: balance; }
a { display: inline-block; padding: 0.5rem 0; color: inherit; }
small { opacity: 0.75; overflow-wrap: anywhere; }
`;

/**
 * Returns the page that a shopper without JavaScript sees when financing could not be started.
 * Starting moves no money, so nothing was charged unless the order is already paid.
 */
export function startFailedPage(
  problem: ProblemError,
  requestId: string,
  back: string | undefined,
): Page {
  const nonce = randomId('req').slice(4);
  const link = back === undefined ? '' : html`<p><a href="${back}">Back to the shop</a></p>`;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>Financing could not be started</title>
        <style nonce="${nonce}">
          ${raw(styles)}
        </style>
      </head>
      <body>
        <main>
          <h1>Financing could not be started</h1>
          <p>${explanation(problem)}</p>
          ${link}
          <p><small>${problem.code} · ${requestId}</small></p>
        </main>
      </body>
    </html> `;
  return {
    html: page,
    status: problems[problem.code].status,
    policy: `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
}

function explanation({ code }: ProblemError): string {
  const found = explanations.find(({ codes }) => codes.includes(code));
  return (
    found?.text ??
    'This page is not set up correctly. Nothing was charged. Go back to the shop and pay another way, or send the shop the line below.'
  );
}

const explanations: readonly { codes: readonly ProblemCode[]; text: string }[] = [
  {
    codes: ['order-ticket-expired'],
    text: 'The page was open for too long. Nothing was charged. Go back, reload the page and try again.',
  },
  {
    codes: ['checkout-not-open'],
    text: 'Financing was already used for this order, or is being confirmed. Go back to the shop and check the order before you pay again.',
  },
  {
    codes: ['order-ticket-used', 'idempotency-in-flight'],
    text: 'Financing for this order is being started, perhaps in another window. Nothing was charged.',
  },
  {
    codes: [
      'service-unavailable',
      'service-key-rejected',
      'service-answer-invalid',
      'service-rejected',
      'outcome-unknown',
      'store-unavailable',
      'overloaded',
      'rate-limited',
    ],
    text: 'Financing is not available at the moment. Nothing was charged. Try again in a minute, or pay another way.',
  },
];
