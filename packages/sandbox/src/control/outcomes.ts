import { z } from 'zod';
import { isPending, type Application } from '../checkout/application.ts';
import type { Applications } from '../checkout/applications.ts';
import type { ForcedOutcome } from '../checkout/forced.ts';
import { decisions, triggers } from '../checkout/outcomes.ts';
import { parseDuration } from '../platform/duration.ts';
import { environmentNames } from '../environments/environment.ts';
import { clear, cleared, operation, Refusal } from './operation.ts';

const MAX_AFTER = 365 * 86_400_000;
/** A duration on the sandbox clock, as a string. */
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
    stage: z.enum(['confirmation', 'application']).optional(),
  })
  .refine(({ applicationId, next }) => applicationId === undefined || next === undefined, {
    error: 'give applicationId or next, not both',
  })
  .refine(
    ({ outcome, after, stage }) =>
      outcome.startsWith('pending') || (after === undefined && stage === undefined),
    { error: 'after and stage are for pending-approve and pending-decline' },
  );

/** Forces lenders' decisions, and decides pending applications now. */
export const outcomeOperations = [
  operation('outcome set', 'POST /outcomes', {
    does: 'Decide the next applications, or a certain one.',
    input: forced,
    status: 201,
    options: {
      outcome: '<outcome>  decision of the lenders',
      applicationId: '--application <id>  this application, still undecided',
      next: '--next <n>  the next n applications (1)',
      environment: '--environment <name>  only this environment',
      after: '--after <duration>  pending: how long it takes on the sandbox clock (1h)',
      stage:
        '--stage <stage>  pending: after an offer is confirmed (the default), or before there are offers',
    },
    help: `Examples:
  financing-sandbox outcome set decline
  financing-sandbox outcome set pending-approve --after 10m
      the shopper confirms an offer and waits; ten minutes later the lender approves it, and the
      notification application.checkout-confirmed delivers the confirmation token
  financing-sandbox outcome set expire --next 3
  financing-sandbox outcome resolve 6c8b… approved`,
    run: ({ applications, outcomes }, { outcome, applicationId, next, ...given }) => {
      const application =
        applicationId === undefined ? undefined : applicationOf(applications, applicationId);
      if (application && !['New', 'CheckoutInProgress'].includes(application.state)) {
        throw new Refusal(alreadyDecided(application), 409);
      }
      const pending = outcome.startsWith('pending');
      const set = outcomes.set({
        environment: application?.environment ?? given.environment ?? null,
        applicationId: applicationId ?? null,
        remaining: next ?? 1,
        decision: outcome,
        decidesAfterMs: pending ? (given.after ?? 3_600_000) : 0,
        stage: given.stage ?? (pending ? 'confirmation' : 'application'),
      });
      return shown(set);
    },
    show: (outcome) => [describeOutcome(outcome)],
  }),
  operation('outcome list', 'GET /outcomes', {
    does: 'Show the forced outcomes.',
    run: ({ outcomes }) => ({ outcomes: outcomes.list().map(shown), lastNames: triggers }),
    part: 'outcomes',
    show: describeOutcomes,
  }),
  operation('outcome clear', 'DELETE /outcomes', {
    does: 'Remove all forced outcomes: the last name decides again.',
    run: ({ outcomes }) => clear(outcomes),
    show: cleared,
  }),
  operation('outcome resolve', 'POST /outcomes/resolve', {
    does: 'Decide a pending application now, without moving the clock.',
    input: z.strictObject({
      applicationId: z.string().min(1).max(256),
      decision: z.enum(['approved', 'declined']),
    }),
    options: {
      applicationId: '<applicationId>  id from the answer of prime',
      decision: '<decision>  decision',
    },
    run: ({ applications }, { applicationId, decision }) => {
      const application = applicationOf(applications, applicationId);
      const wanted = decision === 'approved' ? 'approve' : 'decline';
      const resolved = applications.resolve(application, wanted);
      if (resolved) return { applicationId: resolved.id, status: resolved.state };
      const present = `the application is ${application.state}`;
      throw new Refusal(`${present}: only pending applications can be decided`, 409);
    },
    show: ({ applicationId, status }) => [`${applicationId} is ${status}`],
  }),
];

function applicationOf(applications: Applications, id: string): Application {
  const application = applications.byIdAnywhere(id);
  if (!application) throw new Refusal('there is no application of this id', 404);
  return application;
}

function alreadyDecided({ state }: Application): string {
  return isPending(state)
    ? `the application is ${state}: resolve it instead`
    : `the application is ${state}: its outcome cannot be changed any more`;
}

function shown({ id, decision, remaining, environment, applicationId, ...more }: ForcedOutcome) {
  const isPendingFirst = decision.startsWith('pending');
  return {
    id,
    outcome: decision,
    next: applicationId === null ? remaining : undefined,
    applicationId: applicationId ?? undefined,
    environment,
    decidesAfterMs: isPendingFirst ? more.decidesAfterMs : undefined,
    stage: isPendingFirst ? more.stage : undefined,
  };
}

/** A forced outcome for applications, or for transactions of a type. */
interface SetOutcome {
  outcome: string;
  next?: number;
  type?: string;
  applicationId?: string;
  environment: string | null;
  stage?: string;
}

export function describeOutcomes({ outcomes }: { outcomes: readonly SetOutcome[] }): string[] {
  return outcomes.length > 0 ? outcomes.map(describeOutcome) : ['No outcomes are set.'];
}

export function describeOutcome(set: SetOutcome): string {
  const { next: count = 1, type, applicationId, environment, stage } = set;
  const which = [`the next ${count}`, type, environment && `of ${environment}`].filter(Boolean);
  const target = applicationId === undefined ? which.join(' ') : `application ${applicationId}`;
  return `${set.outcome}${stage === undefined ? '' : ` (${stage})`} for ${target}`;
}
