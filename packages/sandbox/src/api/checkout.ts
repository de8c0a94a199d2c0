import { isContinuable, isOpen, isPending, type Application } from '../checkout/application.ts';
import { readSession, type Session } from '../checkout/session.ts';
import { statusToWire } from '../checkout/status.ts';
import type { Service } from '../service.ts';
import { jsonBody } from './body.ts';
import { pathParameter, type ApiContext } from './context.ts';
import { ServiceError } from '../platform/service-error.ts';
import { operation, type Operation } from './operation.ts';

/** The checkout operations. Source: specification 4; reference, Checkout Management. */
export function checkoutOperations(service: Service): Operation[] {
  const { applications, behaviors, clock, lenders } = service;
  const open = (c: ApiContext, session: Session) =>
    c.json(sessionToWire(applications.create(c.get('environment'), session)));
  const primed = (c: ApiContext) =>
    open(c, readSession(jsonBody(c), behaviors.read().primeConsumer));
  const opened = (c: ApiContext) => open(c, readSession(jsonBody(c), 'required'));
  const status = (c: ApiContext) => c.json(statusToWire(applicationOf(c, service), lenders));
  const token = (c: ApiContext) => {
    const application = applicationOf(c, service);
    const { state, sessionToken } = application;
    const continues = isOpen(state) || isPending(state) || isContinuable(application, clock.now());
    return c.json({ sessionToken: continues ? sessionToken : null });
  };
  const one = '/v2/checkout/applications/:applicationId';
  const threeTypes = { hasThreeMediaTypes: true };
  return [
    // Not in the API definition, and the specification leaves its body open, so it has the shapes
    // of the session request.
    operation('checkout.prime', 'POST /v1/checkout/prime', primed, threeTypes),
    operation('checkout.session', 'POST /v3/session', opened, threeTypes),
    operation('checkout.application-status', `GET ${one}/status`, status, threeTypes),
    operation('checkout.application-token', `GET ${one}/token`, token, threeTypes),
  ];
}

/** @throws {ServiceError} 400 for an unknown id: these operations document no 404 */
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
