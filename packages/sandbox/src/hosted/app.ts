import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { matchedRoutes } from 'hono/route';
import { isOpen, type Application } from '../checkout/application.ts';
import { failure, type Log } from '../platform/log.ts';
import { assetRoutes } from '../platform/asset.ts';
import type { Service } from '../service.ts';
import { checkDetails, readDetails, type DetailsForm } from './form.ts';
import { linkEndOf, linkRoutes } from './link.ts';
import { outcomeOf } from './message.ts';
import { sdkRoutes } from './sdk.ts';
import { textFor } from './text/index.ts';
import { detailsPage } from './views/details.ts';
import { endedPage, linkEndedPage, unusablePage } from './views/ended.ts';
import { offersPage } from './views/offers.ts';
import type { Html } from './views/page.ts';
import { addressOf, arrive, readVisit, type Arrival, type Visit } from './visit.ts';

/** Maximum form size, in bytes: forms have a few short fields. */
const MAX_FORM_BYTES = 65_536;

/** Creates the hosted checkout page. Visitors are authorized by the session token, not a cookie. */
export function createHosted(service: Service, log: Log): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    // URLs and form fields are not logged: they contain the session token and the applicant's name.
    const page = matchedRoutes(c).find(({ path }) => !path.endsWith('*'))?.path;
    const message = `${c.req.method} ${page ?? '(no page)'} ${c.res.status}`;
    log({ level: 'info', part: 'hosted', message });
  });
  app.route(
    '/assets',
    assetRoutes({
      '/sandbox.css': 'sandbox.css',
      '/hosted.js': 'hosted.js',
      '/mark.svg': 'mark.svg',
    }),
  );
  app.route('/', sdkRoutes(service));
  app.route(
    '/',
    linkRoutes(service, (c, status) =>
      status === 404
        ? unusable(c, 404)
        : answer(c, undefined, linkEndedPage(textFor('en')), status),
    ),
  );
  app.get('/checkout', (c) => {
    const visit = readVisit((name) => c.req.query(name));
    if (!visit) return unusable(c);
    const arrival = arrive(visit, service);
    if (arrival.kind === 'application') {
      arrival.application = service.applications.opened(arrival.application);
    }
    return show(c, service, visit, arrival);
  });
  const limited = bodyLimit({ maxSize: MAX_FORM_BYTES, onError: (c) => unusable(c, 413) });
  app.use('/checkout/*', sameOrigin, limited);
  app.post('/checkout/details', (c) =>
    step(c, service, (visit, application, body) => {
      if (application.state !== 'New' && application.state !== 'CheckoutInProgress')
        return undefined;
      const text = textFor(visit.locale);
      const form = readDetails(body);
      const errors = checkDetails(form, text.errors, service.clock.now());
      if (Object.keys(errors).length > 0) {
        const expiresInMs = timeLeft(service, application);
        return detailsPage({ text, visit, application, form, errors, expiresInMs });
      }
      const { firstName, lastName, email } = form;
      service.applications.apply(application, { firstName, lastName, email });
      return undefined;
    }),
  );
  app.post('/checkout/confirm', (c) =>
    step(c, service, (visit, application, body) => {
      if (application.state !== 'Prequalified') return undefined;
      const text = textFor(visit.locale);
      const chosen = typeof body.offer === 'string' ? body.offer : '';
      const agreed = body.agree === 'yes';
      const known = application.offers.some(({ code }) => code === chosen);
      if (!known || !agreed) {
        const errors = {
          ...(known ? {} : { offer: text.errors.offer }),
          ...(agreed ? {} : { agree: text.errors.agree }),
        };
        const expiresInMs = timeLeft(service, application);
        return offersPage({ text, visit, application, chosen, agreed, errors, expiresInMs });
      }
      service.applications.confirm(application, chosen);
      return undefined;
    }),
  );
  app.post('/checkout/cancel', async (c) => {
    if (c.req.header('accept') !== 'application/json') {
      return step(c, service, (_visit, application) => {
        service.applications.cancel(application);
        return undefined;
      });
    }
    // The page's script calls this route and passes the outcome on to the embedding page.
    const visit = visitOf(await readForm(c));
    const arrival = visit && arrive(visit, service);
    if (!arrival) return c.json({ outcome: { type: 'ended', reason: 'failed' } }, 400);
    if (arrival.kind === 'application') {
      arrival.application = service.applications.cancel(arrival.application);
    }
    return c.json({ outcome: outcomeOf(arrival) });
  });
  app.notFound((c) => unusable(c, 404));
  app.onError((error, c) => {
    log({ level: 'error', part: 'hosted', message: failure(error) });
    return unusable(c, 500);
  });
  return app;
}

/** Shows the page for the state of an application. */
function show(c: Context, service: Service, visit: Visit, arrival: Arrival) {
  const text = textFor(visit.locale);
  const outcome = outcomeOf(arrival);
  if (outcome || arrival.kind === 'failed') {
    const ended = outcome ?? { type: 'ended' as const, reason: 'failed' as const };
    const link =
      arrival.kind === 'application'
        ? linkEndOf(arrival.application, visit, ended, service)
        : undefined;
    return answer(c, visit, endedPage(text, visit, arrival, ended, link), failedStatus(arrival));
  }
  const { application } = arrival;
  const expiresInMs = timeLeft(service, application);
  if (application.state === 'Prequalified') {
    const view = { text, visit, application, chosen: '', agreed: false, errors: {}, expiresInMs };
    return answer(c, visit, offersPage(view), 200);
  }
  const form = primedForm(application);
  const view = { text, visit, application, form, errors: {}, expiresInMs };
  return answer(c, visit, detailsPage(view), 200);
}

type Work = (
  visit: Visit,
  application: Application,
  body: Record<string, unknown>,
) => Html | undefined;

/** Handles a form and redirects to the result page, so that a reload does not submit it again. */
async function step(c: Context, service: Service, work: Work) {
  const body = await readForm(c);
  const visit = visitOf(body);
  if (!visit) return unusable(c);
  const arrival = arrive(visit, service);
  if (arrival.kind === 'application') {
    const rejected = work(visit, arrival.application, body);
    if (rejected !== undefined) return answer(c, visit, rejected, 422);
  }
  return c.redirect(addressOf(visit), 303);
}

/** Reads the fields of a form; an incomplete or missing form has no fields. */
async function readForm(c: Context): Promise<Record<string, string | File>> {
  try {
    return await c.req.parseBody();
  } catch {
    return {};
  }
}

function visitOf(body: Record<string, unknown>): Visit | undefined {
  return readVisit((name) => {
    const value = body[name];
    return typeof value === 'string' ? value : undefined;
  });
}

function primedForm(application: Application): DetailsForm {
  const { firstName, lastName, email, phone } = application.session.consumer;
  return { firstName, lastName, email, phone, birthDate: '', income: '', consent: '' };
}

function timeLeft({ clock }: Service, application: Application): number {
  return isOpen(application.state) ? Math.max(0, application.expiresAt - clock.now()) : 0;
}

function failedStatus(arrival: Arrival) {
  if (arrival.kind === 'application') return 200;
  return arrival.cause === 'key' ? 401 : 404;
}

function unusable(c: Context, status: 400 | 404 | 413 | 500 = 400) {
  return answer(c, undefined, unusablePage(textFor('en')), status);
}

function answer(
  c: Context,
  visit: Visit | undefined,
  content: Html,
  status: 200 | 400 | 401 | 404 | 410 | 413 | 422 | 500,
) {
  // Only the shop that started the visit may embed the page in a frame.
  const ancestors = visit ? visit.origin : "'none'";
  c.header(
    'Content-Security-Policy',
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
      `form-action 'self'; base-uri 'none'; frame-ancestors ${ancestors}`,
  );
  // The URL contains the session token, so other origins get no referrer; our own forms need one.
  c.header('Referrer-Policy', 'same-origin');
  c.header('X-Content-Type-Options', 'nosniff');
  c.header('Cache-Control', 'no-store');
  return c.html(content, status);
}

/** Rejects forms from other sites, even with a session token. */
async function sameOrigin(c: Context, next: () => Promise<void>) {
  const origin = c.req.header('origin');
  if (c.req.method === 'POST' && origin !== undefined && origin !== new URL(c.req.url).origin) {
    return unusable(c);
  }
  await next();
  return undefined;
}
