import { readSession } from '../checkout/session.ts';
import type { Service } from '../service.ts';
import { jsonBody } from './body.ts';
import { pathParameter } from './context.ts';
import { errorCodes, ServiceError } from './errors.ts';
import type { Operation } from './operation.ts';

/** The checkout operations. Source: specification 4; docs.chargeafter.com, Checkout Management. */
export function checkoutOperations({ applications }: Service): Operation[] {
  return [
    {
      name: 'checkout.prime',
      method: 'POST',
      path: '/v1/checkout/prime',
      answer: (c) => {
        const session = readSession(jsonBody(c));
        const application = applications.create(c.get('environment'), session);
        return c.json({
          id: application.sessionToken,
          applicationId: application.id,
          expirationDate: new Date(application.expiresAt).toISOString(),
          isContinuation: false,
          ...(session.storeId ? { merchantDetails: { storeId: session.storeId } } : {}),
        });
      },
    },
    {
      name: 'checkout.application-status',
      method: 'GET',
      path: '/v2/checkout/applications/:applicationId/status',
      answer: (c) => {
        const application = applications.byId(
          c.get('environment'),
          pathParameter(c, 'applicationId'),
        );
        if (!application) {
          throw new ServiceError(404, errorCodes.notFound, 'The application was not found.');
        }
        return c.json({ applicationId: application.id, status: application.state });
      },
    },
  ];
}
