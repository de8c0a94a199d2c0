import { isOpen, isPending, type Application } from '../checkout/application.ts';
import { readSession, type Session } from '../checkout/session.ts';
import { statusToWire } from '../checkout/status.ts';
import type { Service } from '../service.ts';
import { jsonBody } from './body.ts';
import { pathParameter, type ApiContext } from './context.ts';
import { ServiceError } from './errors.ts';
import type { Operation } from './operation.ts';

/** The checkout operations. Source: specification 4; reference, Checkout Management. */
export function checkoutOperations(service: Service): Operation[] {
  const { applications, behaviours, lenders } = service;
  const open = (c: ApiContext, session: Session) =>
    c.json(sessionToWire(applications.create(c.get('environment'), session)));
  return [
    {
      // In no definition: the specification names it and leaves its body open, so that it takes
      // and answers what the session does.
      name: 'checkout.prime',
      method: 'POST',
      path: '/v1/checkout/prime',
      hasThreeMediaTypes: true,
      answer: (c) => open(c, readSession(jsonBody(c), behaviours.read().primeConsumer)),
    },
    {
      name: 'checkout.session',
      method: 'POST',
      path: '/v3/session',
      hasThreeMediaTypes: true,
      answer: (c) => open(c, readSession(jsonBody(c), 'required')),
    },
    {
      name: 'checkout.application-status',
      method: 'GET',
      path: '/v2/checkout/applications/:applicationId/status',
      hasThreeMediaTypes: true,
      answer: (c) => c.json(statusToWire(applicationOf(c, service), lenders)),
    },
    {
      name: 'checkout.application-token',
      method: 'GET',
      path: '/v2/checkout/applications/:applicationId/token',
      hasThreeMediaTypes: true,
      answer: (c) => {
        const { state, sessionToken } = applicationOf(c, service);
        const goesOn = isOpen(state) || isPending(state);
        return c.json({ sessionToken: goesOn ? sessionToken : null });
      },
    },
  ];
}

/** @throws {ServiceError} 400 for an unknown one: no 404 is published for these operations */
function applicationOf(c: ApiContext, { applications }: Service): Application {
  const id = pathParameter(c, 'applicationId');
  const application = applications.byId(c.get('environment'), id);
  if (!application) throw new ServiceError(400, undefined, 'The application was not found.');
  return application;
}

function sessionToWire({ id, sessionToken, expiresAt, session }: Application) {
  return {
    id: sessionToken,
    expirationDate: new Date(expiresAt).toISOString(),
    applicationId: id,
    isContinuation: false,
    deviceSessionId: null,
    merchantDetails: session.storeId === undefined ? null : { storeId: session.storeId },
  };
}
