import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Hono } from 'hono';
import { isPending, type Application } from '../checkout/application.ts';
import { lenders } from '../lender/lenders.ts';
import { toWireAmount } from '../money/money.ts';
import type { Service } from '../service.ts';
import { arrive } from './visit.ts';

const content = readFileSync(new URL('../../assets/sdk.js', import.meta.url), 'utf8');

/** Name of the one global that the script sets (published contract, browser SDK). */
export const SDK_GLOBAL = 'ChargeAfter';

/** What a page that loads the script can hold it to (Subresource Integrity 3.5). */
export const sdkIntegrity = `sha384-${createHash('sha384').update(content).digest('base64')}`;

/** Serves a stand-in for the service's browser SDK, and the answers to its own requests. */
export function sdkRoutes(service: Service): Hono {
  const app = new Hono();
  app.get('/sdk.js', (c) =>
    c.body(content, 200, {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': 'no-cache',
      'X-Content-Type-Options': 'nosniff',
      // Integrity is checked of what may be read only.
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    }),
  );
  app.use('/sdk/*', async (c, next) => {
    await next();
    c.header('Access-Control-Allow-Origin', '*');
    c.header('Cache-Control', 'no-store');
  });
  app.get('/sdk/key', (c) => {
    const key = service.keys.identify(c.req.query('key') ?? '');
    const isGood = key?.kind === 'public' && key.slot !== 'outdated';
    return c.json({}, isGood ? 200 : 404);
  });
  app.get('/sdk/session', (c) => {
    const { session = '', key = '' } = c.req.query();
    const visit = { session, key, origin: '', returnUrl: '', locale: '' };
    const arrival = arrive(visit, service);
    if (arrival.kind === 'failed') return c.json({}, 404);
    return c.json(completionOf(arrival.application));
  });
  return app;
}

/** The `data` of a completion, and `decided`: what `onApprovalStatusChange` says of each lender. */
function completionOf(application: Application) {
  const { applicant, id, offers, session, state } = application;
  const { cart, currency, tax, total } = session;
  const amount = (minor: number) => toWireAmount(minor, currency);
  const chosen = offers.find(({ code }) => code === application.offerCode);
  return {
    applicationId: id,
    consumerId: `consumer-${id}`,
    consumerDetails: { ...applicant },
    totalAmount: amount(total),
    taxAmount: amount(tax),
    shippingAmount: cart?.shippingAmount ?? 0,
    ...(chosen && { lender: { id: chosen.lenderId, name: chosen.lenderName } }),
    // The session itself goes on.
    ...(isPending(state) && { continuationToken: application.sessionToken }),
    availableCredit: offers.map(({ lenderId, lenderName }) => ({
      lender: { id: lenderId, name: lenderName },
      creditAmount: amount(total),
    })),
    decided: decisionsOf(application).map((decision) => ({
      ...decision,
      availableCredit: decision.status === 'DECLINE' ? 0 : amount(total),
    })),
  };
}

function decisionsOf({ offers, offerCode, state }: Application) {
  const all = (status: string) =>
    lenders.map(({ id, name }) => ({ lenderId: id, lenderName: name, status }));
  if (state === 'Declined') return all('DECLINE');
  if (isPending(state)) return all('PENDING');
  return offers.map(({ code, lenderId, lenderName }) => ({
    lenderId,
    lenderName,
    status: code === offerCode ? 'APPROVED' : 'PRE_APPROVED',
  }));
}
