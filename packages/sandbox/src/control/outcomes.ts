import { Hono } from 'hono';
import { z } from 'zod';
import { isPending, type Application } from '../checkout/application.ts';
import type { ForcedOutcome } from '../checkout/forced.ts';
import { decisions, triggers } from '../checkout/outcomes.ts';
import { parseDuration } from '../platform/duration.ts';
import { environmentNames } from '../environments/environment.ts';
import type { Service } from '../service.ts';
import { readBody, refuse } from './request.ts';

const MAX_AFTER = 365 * 86_400_000;
/** A duration on the sandbox clock, as text. */
export const delay = z
  .string()
  .transform((text) => parseDuration(text) ?? Number.NaN)
  .pipe(z.number('must be a duration such as 1h').max(MAX_AFTER, 'is at most 365d'));

const forced = z
  .strictObject({
    outcome: z.enum(decisions),
    applicationId: z.string().max(256).optional(),
    next: z.int().min(1).max(1_000_000).optional(),
    environment: z.enum(environmentNames).optional(),
    after: delay.optional(),
    stage: z.enum(['application', 'confirmation']).optional(),
  })
  .refine(({ applicationId, next }) => applicationId === undefined || next === undefined, {
    error: 'give applicationId or next, not both',
  })
  .refine(
    ({ outcome, after, stage }) =>
      outcome.startsWith('pending') || (after === undefined && stage === undefined),
    { error: 'after and stage are for pending-approve and pending-decline' },
  );
const resolution = z.strictObject({
  applicationId: z.string().min(1).max(256),
  decision: z.enum(['approved', 'declined']),
});

/** `/outcomes`: forces decisions of the lenders, and decides pending applications now. */
export function outcomeRoutes(service: Service): Hono {
  const { applications, outcomes } = service;
  const routes = new Hono();
  routes.get('/', (c) => c.json({ outcomes: outcomes.list().map(shown), lastNames: triggers }));
  routes.post('/', async (c) => {
    const body = await readBody(c, forced);
    const { outcome, applicationId, next, environment, after, stage } = body;
    const application =
      applicationId === undefined ? undefined : applications.byIdAnywhere(applicationId);
    if (applicationId !== undefined) {
      if (!application) return refuse(c, 'there is no application of this id', 404);
      const undecided = application.state === 'New' || application.state === 'CheckoutInProgress';
      if (!undecided) return refuse(c, alreadyDecided(application), 409);
    }
    const pending = outcome.startsWith('pending');
    const set = outcomes.set({
      environment: application?.environment ?? environment ?? null,
      applicationId: applicationId ?? null,
      remaining: next ?? 1,
      decision: outcome,
      decidesAfterMs: pending ? (after ?? 3_600_000) : 0,
      stage: stage ?? (pending ? 'confirmation' : 'application'),
    });
    return c.json(shown(set), 201);
  });
  routes.delete('/', (c) => c.json({ cleared: outcomes.clear() }));
  routes.post('/resolve', async (c) => {
    const body = await readBody(c, resolution);
    const application = applications.byIdAnywhere(body.applicationId);
    if (!application) return refuse(c, 'there is no application of this id', 404);
    const decision = body.decision === 'approved' ? 'approve' : 'decline';
    const resolved = applications.resolve(application, decision);
    if (!resolved) {
      return refuse(
        c,
        `the application is ${application.state}: only pending applications can be decided`,
        409,
      );
    }
    return c.json({ applicationId: resolved.id, status: resolved.state });
  });
  return routes;
}

function alreadyDecided({ state }: Application): string {
  return isPending(state)
    ? `the application is ${state}: resolve it instead`
    : `the application is ${state}: its outcome cannot be changed any more`;
}

function shown({ id, decision, remaining, environment, applicationId, ...more }: ForcedOutcome) {
  const { decidesAfterMs, stage } = more;
  return {
    id,
    outcome: decision,
    ...(applicationId === null ? { next: remaining } : { applicationId }),
    environment,
    ...(decision.startsWith('pending') ? { decidesAfterMs, stage } : {}),
  };
}
