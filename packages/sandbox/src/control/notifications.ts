import { z } from 'zod';
import { environmentNames } from '../environments/environment.ts';
import {
  destinationSchema,
  readAuthorization,
  type Destination,
} from '../notifications/destination.ts';
import type { Notification } from '../notifications/outbox.ts';
import { operation } from './operation.ts';

const environment = z.enum(environmentNames);

/** Maximum number of notifications in a response. */
const SHOWN = 1000;

/** The merchant's webhook URLs, and the delivery log. */
export const notificationOperations = [
  operation('notify set', 'POST /notifications/destination', {
    does: 'Set the address, and disorder in the delivery.',
    input: destinationSchema.extend({ environment: environment.default('sandbox') }),
    options: {
      url: '<url>  https, or http on this machine',
      environment: '--environment <name>  environment of the notifications',
      authorization: '--authorization-file <file>  the whole value of the Authorization header',
      'disorder.twice': '--twice <share>  share that arrives twice, 0 to 1',
      'disorder.late': '--late <share>  share that is delayed, 0 to 1',
      'disorder.lateBy': '--late-by <duration>  delay on the sandbox clock',
      'disorder.shuffle': '--shuffle <duration>  notifications within this time change places',
      'disorder.seed': '--seed <n>  seed of the disorder',
      names: '--names <names>  both: renamed events arrive under their old name, too',
    },
    read: { authorization: readAuthorization },
    help: `Without disorder each notification arrives once and in order; the sandbox retries until the answer
is a 2xx.

Examples:
  financing-sandbox notify set http://localhost:4000/notifications --authorization-file secret.txt
  financing-sandbox notify set https://shop.example/hook --twice 0.5 --late 0.2 --shuffle 5s --seed 7`,
    run: ({ notifier }, { environment: name, ...destination }) => {
      notifier.destinations.set(name, destination);
      return shownDestination(name, destination);
    },
    show: ({ environment: name, url }) => [`${name} notifies ${String(url)}`],
  }),
  operation('notify stop', 'DELETE /notifications/destination/:environment', {
    does: 'Remove the address of an environment.',
    input: z.object({ environment }),
    options: { environment: '[environment]  environment (default: "sandbox")' },
    sends: { environment: 'sandbox' },
    run: ({ notifier }, { environment: name }) => {
      notifier.destinations.set(name, undefined);
      return { environment: name, url: null };
    },
    show: ({ environment: name }) => [`${name} has no address`],
  }),
  operation('notify list', 'GET /notifications', {
    does: 'Show the addresses and the result of each notification.',
    run: ({ notifier: { destinations, outbox } }) => ({
      destinations: environmentNames.map((name) => shownDestination(name, destinations.get(name))),
      notifications: outbox.list(SHOWN).map(shown),
    }),
    show: ({ destinations, notifications }) => [
      ...destinations.map(({ environment: name, url }) => `${name}: ${url ?? 'no address'}`),
      ...notifications.map(describe),
    ],
  }),
  operation('notify flush', 'POST /notifications/flush', {
    does: 'Send all waiting notifications now, due or not: useful while the clock is frozen.',
    run: async ({ notifier }) => ({ tried: await notifier.flush() }),
    show: ({ tried }) => [`${tried} tried`],
  }),
];

/** The Authorization value is a secret, so the response only says whether one is set. */
function shownDestination(name: string, destination: Destination | undefined) {
  if (!destination) return { environment: name, url: null };
  const { url, authorization, disorder, names } = destination;
  return { environment: name, url, authorizationSet: authorization !== undefined, disorder, names };
}

const time = (at: number | null) => (at === null ? null : new Date(at).toISOString());

/** Omits the body, because it may contain a confirmation token. */
function shown(notification: Notification) {
  return {
    id: notification.id,
    environment: notification.environment,
    event: notification.event,
    applicationId: notification.applicationId,
    createdAt: time(notification.createdAt),
    state: notification.state,
    attempts: notification.attempts,
    delivered: notification.delivered,
    lastResult: notification.lastResult,
    lastAt: time(notification.lastAt),
    dueAt: time(notification.dueAt),
  };
}

function describe(notification: ReturnType<typeof shown>): string {
  const { environment: name, event, applicationId, createdAt } = notification;
  const { state, attempts, lastResult } = notification;
  const last = lastResult === null ? '' : `, last ${lastResult}`;
  return `${createdAt ?? ''}  ${name}  ${event}  ${applicationId}  ${state} (${attempts} tried${last})`;
}
