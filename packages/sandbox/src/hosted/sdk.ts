import { createHash } from 'node:crypto';
import { Hono } from 'hono';
import { isPending, type Application } from '../checkout/application.ts';
import { lenders } from '../lenders/lenders.ts';
import { assetRoutes, readAsset } from '../platform/asset.ts';
import { toWireAmount } from '../platform/money.ts';
import type { Service } from '../service.ts';
import { arrive } from './visit.ts';

/** Name of the one global that the script sets (published contract, browser SDK). */
export const SDK_GLOBAL = 'ChargeAfter';

/** Integrity of the script for pages that load it (Subresource Integrity 3.5). */
export const sdkIntegrity = `sha384-${createHash('sha384').update(readAsset('sdk.js')).digest('base64')}`;

/** Serves a stand-in for the service's browser SDK, and answers its requests. */
export function sdkRoutes(service: Service): Hono {
  const app = new Hono();
  app.route(
    '/',
    assetRoutes(
      { '/sdk.js': 'sdk.js' },
      {
        // Browsers check the integrity of readable responses only.
        'Access-Control-Allow-Origin': '*',
        'Cross-Origin-Resource-Policy': 'cross-origin',
      },
    ),
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

/** Returns the `data` of a completion, and `decided`: the lenders of `onApprovalStatusChange`. */
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
    // The same session continues.
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
